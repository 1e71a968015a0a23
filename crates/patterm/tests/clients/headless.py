"""A headless patterm for a client's test: folders of its own, ended when the test ends."""

import json
import os
import pathlib
import signal
import subprocess


class Patterm:
    def __init__(self, program, folder, flags=()):
        folder = pathlib.Path(folder)
        for name in ["home", "project", "run", "config", "data", "state"]:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        self.program = str(pathlib.Path(program).resolve())
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": f"{folder}/home",
            "SHELL": "/bin/sh",
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_STATE_HOME": f"{folder}/state",
        }
        self.folder = folder
        self.flags = list(flags)

    def install_fakes(self):
        """Puts programs called claude, codex and opencode on the path of sessions: fakes of them."""
        programs = self.folder / "bin"
        programs.mkdir()
        for make in ["claude", "codex", "opencode"]:
            program = programs / make
            program.write_text(f'#!/bin/sh\nexec "{self.program}" fake-agent {make} --fast "$@"\n')
            program.chmod(0o755)
        self.environment["PATH"] = f"{programs}:{self.environment['PATH']}"

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.program, "--headless", *self.flags],
            cwd=self.folder / "project", env=self.environment, stdout=subprocess.PIPE, text=True,
        )
        self.hello = json.loads(self.process.stdout.readline())
        self.connect = self.hello["connect"]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert code == 0, f"patterm ended with {code}"
        left = list((self.folder / "run" / "patterm").iterdir())
        assert not left, f"it left {left}"

    def start_lead(self):
        """Starts a fake agent at the root of a tab; from then on `proxy` speaks for it, and may call every tool."""
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-11-25", "capabilities": {}}},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
             "params": {"name": "spawn_agent", "arguments": {"agent": "claude", "name": "lead"}}},
        ]
        with subprocess.Popen(self.proxy(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proxy:
            for line in lines:
                proxy.stdin.write(json.dumps(line) + "\n")
                proxy.stdin.flush()
                answer = json.loads(proxy.stdout.readline())
        assert not answer["result"]["isError"], answer
        operator = pathlib.Path(self.hello["connect"])
        (self.connect,) = operator.parent.glob("agent-*.json")

    def token(self):
        return json.loads(pathlib.Path(self.hello["connect"]).read_text())["token"]

    def proxy(self):
        """What an MCP client starts as its server."""
        return [self.program, "mcp-stdio", "--connect", str(self.connect)]
