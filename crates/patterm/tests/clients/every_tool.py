"""Lists and calls every tool of a headless patterm through `patterm mcp-stdio`, with clients that others wrote. They speak
for a fake agent at the root of a tab, which may call them all.

    every_tool.py sdk PATTERM                       the Python SDK (PyPI: mcp), in both eras
    every_tool.py inspector PATTERM NODE INSPECTOR  @modelcontextprotocol/inspector --cli, in both eras

The list of calls below must name every tool that is listed: a new tool without a call fails. Replies are held against
the tools' own output schemas by the clients.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import warnings

import headless

warnings.filterwarnings("ignore", message="ping is removed")

# Tool, arguments, and the names under which fields of the reply are kept for later calls: "$name".
CALLS = [
    ("whoami", {}, {}),
    ("help", {"topic": "topics"}, {}),
    ("get_project_status", {}, {}),
    ("spawn_process", {"kind": "command", "argv": ["sh", "-c", "echo ready on http://127.0.0.1:4321/; exec cat"],
                       "name": "$name"}, {"process": "process_id"}),
    ("wait_for_pattern", {"process_id": "$process", "pattern": "ready", "timeout_seconds": 30,
                          "scope": "scrollback"}, {}),
    ("list_processes", {}, {}),
    ("get_process_status", {"process_id": "$process"}, {}),
    ("get_process_output", {"process_id": "$process", "mode": "grid"}, {}),
    ("get_process_raw_output", {"process_id": "$process"}, {}),
    ("search_output", {"process_id": "$process", "pattern": "ready"}, {}),
    ("get_process_ports", {"process_id": "$process"}, {}),
    ("send_input", {"process_id": "$process", "kind": "text", "text": "hello", "wait_ms": 50}, {}),
    ("rename_process", {"process_id": "$process", "name": "$name-renamed"}, {}),
    ("select_process", {"process_id": "$process"}, {}),
    ("request_human_attention", {"process_id": "$process", "reason": "please look"}, {}),
    ("restart_process", {"process_id": "$process"}, {}),
    ("stop_process", {"process_id": "$process"}, {}),
    ("start_process", {"process_id": "$process"}, {}),
    ("spawn_agent", {"agent": "codex", "name": "$name-agent"}, {"agent": "process_id"}),
    ("wait_for_state", {"process_id": "$agent", "states": ["idle"], "timeout_seconds": 60}, {}),
    ("explain_state", {"process_id": "$agent"}, {}),
    ("send_message", {"target_process_id": "$agent", "message": "good day"}, {}),
    ("timer_wait", {"seconds": 300}, {}),
    ("timer_set", {"seconds": 300, "body": "later"}, {"timer": "timer_id"}),
    ("timer_fire_when_idle_any", {"watched": ["$process"], "body": "idle", "max_wait_seconds": 300}, {}),
    ("timer_fire_when_idle_all", {"watched": ["$process"], "body": "idle", "max_wait_seconds": 300}, {}),
    ("timer_list", {}, {}),
    ("timer_pause", {"timer_id": "$timer"}, {}),
    ("timer_resume", {"timer_id": "$timer"}, {}),
    ("timer_cancel", {"timer_id": "$timer"}, {}),
    ("scratchpad_write", {"name": "$name", "content": "one\n"}, {"revision": "revision"}),
    ("scratchpad_append", {"name": "$name", "content": "two\n"}, {}),
    ("scratchpad_read", {"name": "$name"}, {}),
    ("scratchpad_list", {}, {}),
    ("scratchpad_delete", {"name": "$name"}, {}),
    ("close_process", {"process_id": "$agent"}, {}),
    ("close_process", {"process_id": "$process"}, {}),
]


def filled(value, kept):
    if isinstance(value, dict):
        return {key: filled(item, kept) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, kept) for item in value]
    if isinstance(value, str):
        for name, text in kept.items():
            value = value.replace(f"${name}", text)
    return value


def check_complete(listed):
    missing = sorted(set(listed) - {tool for tool, _, _ in CALLS})
    assert not missing, f"no call is written for {missing}"
    unknown = sorted({tool for tool, _, _ in CALLS} - set(listed))
    assert not unknown, f"not listed: {unknown}"


def keep(kept, tool, reply, wanted):
    for name, field in wanted.items():
        assert field in reply, f"{tool} answered without {field}: {reply}"
        kept[name] = reply[field]


async def with_sdk(running):
    from mcp import Client, StdioServerParameters, stdio_client

    command, *args = running.proxy()
    for mode, revision in {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}.items():
        kept = {"name": f"sdk-{mode}"}
        async with Client(stdio_client(StdioServerParameters(command=command, args=args)), mode=mode) as client:
            assert client.protocol_version == revision, client.protocol_version
            check_complete([tool.name for tool in (await client.list_tools()).tools])
            for tool, arguments, wanted in CALLS:
                result = await client.call_tool(tool, filled(arguments, kept))
                assert not result.is_error, f"{tool}: {result.content}"
                keep(kept, tool, result.structured_content, wanted)
        print(f"the Python SDK, {revision}: {len(CALLS)} calls of {len({tool for tool, _, _ in CALLS})} tools")


def with_inspector(running, node, inspector):
    def ask(era, *words):
        command = [node, inspector, "--cli", *running.proxy(), "--protocol-era", era, *words]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, env=running.environment)
        assert ran.returncode == 0, f"{words}: {ran.stdout}{ran.stderr}"
        return json.loads(ran.stdout)

    for era in ["legacy", "modern"]:
        kept = {"name": f"inspector-{era}"}
        check_complete([tool["name"] for tool in ask(era, "--method", "tools/list")["tools"]])
        for tool, arguments, wanted in CALLS:
            words = ["--method", "tools/call", "--tool-name", tool]
            for name, value in filled(arguments, kept).items():
                text = value if isinstance(value, str) else json.dumps(value)
                words += ["--tool-arg", f"{name}={text}"]
            result = ask(era, *words)
            assert not result.get("isError"), f"{tool}: {result}"
            keep(kept, tool, result["structuredContent"], wanted)
        print(f"the inspector, {era}: {len(CALLS)} calls of {len({tool for tool, _, _ in CALLS})} tools")


def main(client, patterm, *rest):
    with tempfile.TemporaryDirectory() as folder:
        # The shipped presets start their CLI by name: here the name leads to a fake.
        running = headless.Patterm(patterm, folder)
        running.install_fakes()
        with running:
            running.start_lead()
            if client == "sdk":
                asyncio.run(with_sdk(running))
            else:
                with_inspector(running, *rest)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
