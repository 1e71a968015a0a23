"""Runs esctest2 against whoever speaks JSON lines on our standard input and output: `cargo lab esctest`.

    esctest_driver.py SUITE [option of esctest]...

The suite is imported from SUITE/esctest as it is; only its terminal is replaced. To us go
    {"write": BYTES}   what a test printed
    "read"             a test waits for a reply; the answer is a line with all reply bytes so far, as a JSON string
    {"test": {"name": NAME, "outcome": "passed" | "failed" | "known bug" | "skipped", "detail": TEXT}}
with bytes as strings of the characters U+0000 to U+00FF. There is no timing: when a test waits and the terminal
owes it nothing, that is the timeout, so esctest's --timeout has no effect.
"""

import ast
import json
import os
import pathlib
import sys

RIS = "\x1bc"


class Terminal:
    """Takes the place of the terminal behind the suite's `escio`."""

    def __init__(self, escio, esctypes):
        self.escio, self.esctypes = escio, esctypes
        self.pending = ""
        self.output = sys.stdout
        # A stray print of the suite must not land between our lines.
        sys.stdout = sys.stderr
        escio.Init = escio.Shutdown = lambda: None
        escio.Write = self.write
        escio.read = self.read

    def say(self, message):
        self.output.write(json.dumps(message) + "\n")
        self.output.flush()

    def write(self, text, sideChannelOk=True):
        text.encode("latin-1")  # as the suite does, so that its mistakes stay its own
        self.say({"write": text})

    def fetch(self):
        self.say("read")
        self.pending += json.loads(sys.stdin.readline())

    def read(self, count):
        while len(self.pending) < count:
            before = len(self.pending)
            self.fetch()
            if len(self.pending) == before:
                raise self.esctypes.InternalError("Timeout waiting to read.")
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    def fresh(self):
        """Before each test: a terminal reset, with nothing left of what the last one asked."""
        self.write(RIS)
        self.fetch()
        self.pending = ""


def load_suite(folder):
    """The module `esctest` without its last statement, which would run it."""
    path = folder / "esctest.py"
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    if not (isinstance(tree.body[-1], ast.Expr) and ast.unparse(tree.body[-1]) == "main()"):
        sys.exit(f"{path} does not end in main(): not the esctest2 this driver was written for")
    del tree.body[-1]
    names = {"__name__": "esctest"}
    exec(compile(tree, str(path), "exec"), names)
    return names


def outcome(result, log):
    if result is None:
        return "known bug" if log.startswith("Fails as expected") else "skipped"
    return "passed" if result else "failed"


def main():
    folder = pathlib.Path(sys.argv[1]) / "esctest"
    if not (folder / "esctest.py").is_file():
        sys.exit(f"{folder}/esctest.py does not exist; --suite names a checkout of ThomasDickey/esctest2")
    sys.argv[1:] = sys.argv[2:] + ["--logfile", os.devnull]
    sys.path.insert(0, str(folder))
    suite = load_suite(folder)
    terminal = Terminal(suite["escio"], suite["esctypes"])

    log = []
    for name in ("LogInfo", "LogError"):
        setattr(suite["esclog"], name, log.append)
    suite["init"]()
    for name, method in suite["MatchingNamesAndMethods"]():
        terminal.fresh()
        log.clear()
        result = suite["RunTest"](name, method)
        # Between "Run test: NAME" and the closing empty line.
        detail = "\n".join(log[1:-1])
        terminal.say({"test": {"name": name, "outcome": outcome(result, detail), "detail": detail}})


main()
