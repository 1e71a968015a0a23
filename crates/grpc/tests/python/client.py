#!/usr/bin/env python3
"""Drives a running coordinator with code that grpcio-tools makes from the proto.

    client.py SOCKET [PROTO_DIR]

Needs grpcio and grpcio-tools. Ends with 0 when everything was as it should be.
"""

import importlib
import pathlib
import queue
import sys
import tempfile
import time

import grpc
from google.protobuf import duration_pb2
from grpc_tools import protoc

PROTO = pathlib.Path(__file__).resolve().parents[4] / "proto"
PATIENCE = 60  # seconds, for anything


def generate(proto):
    """The messages and the stub, made anew in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as out:
        well_known = pathlib.Path(protoc.__file__).parent / "_proto"
        arguments = ["protoc", f"-I{proto}", f"-I{well_known}", f"--python_out={out}", f"--grpc_python_out={out}"]
        if protoc.main([*arguments, "vtr.proto"]) != 0:
            sys.exit("vtr.proto can't be compiled")
        sys.path.insert(0, out)
        try:
            return importlib.import_module("vtr_pb2"), importlib.import_module("vtr_pb2_grpc")
        finally:
            sys.path.remove(out)


def text(row):
    return "".join(cell.char for cell in row.cells).rstrip()


def seconds(number):
    return duration_pb2.Duration(seconds=number)


class Attached:
    """Sends what is put into it; reads what comes."""

    def __init__(self, pb, vtr, **start):
        self.pb = pb
        self.requests = queue.Queue()
        self.put(start=pb.AttachStart(**start))
        self.events = vtr.Attach(iter(self.requests.get, None), timeout=PATIENCE)

    def put(self, **message):
        self.requests.put(self.pb.AttachRequest(**message))

    def close(self):
        self.requests.put(None)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    pb, stubs = generate(sys.argv[2] if len(sys.argv) > 2 else PROTO)
    # No options: gRPC core sends the socket's path as the host then, and is served all the same.
    with grpc.insecure_channel(f"unix:{sys.argv[1]}") as channel:
        vtr = stubs.VTRStub(channel)
        drive(pb, vtr)
    print("everything was as it should be")


def drive(pb, vtr):
    version = vtr.Version(pb.VersionRequest(), timeout=PATIENCE)
    print("served by", version.program, version.version)
    name = f"python-{time.time_ns()}"
    session = vtr.Spawn(
        pb.SpawnRequest(name=name, argv=["/bin/sh"], env={"PS1": "$ "}, cols=100, rows=30, kind="terminal"),
        timeout=PATIENCE,
    ).session
    assert (session.name, session.status, session.cols) == (name, pb.SESSION_STATUS_RUNNING, 100), session
    try:
        talk(pb, vtr, name, session)
    finally:
        if any(listed.id == session.id for listed in vtr.List(pb.ListRequest(), timeout=PATIENCE).sessions):
            vtr.Remove(pb.RemoveRequest(name=session.id), timeout=PATIENCE)
    try:
        vtr.Info(pb.InfoRequest(name=name), timeout=PATIENCE)
        raise AssertionError("a removed session is still there")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.NOT_FOUND, error
        assert name in error.details(), error


def wait_for_prompt(pb, vtr, name):
    """Until the shell waits for a command: what is typed earlier is echoed before its prompt, and answered behind it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        rows = [text(row) for row in vtr.GetScreen(pb.GetScreenRequest(name=name), timeout=PATIENCE).screen_rows]
        if [row for row in rows if row][-1:] == ["$"]:
            return
        time.sleep(0.02)
    raise AssertionError(f"the shell shows no prompt: {rows}")


def talk(pb, vtr, name, session):
    wait_for_prompt(pb, vtr, name)
    # Send and wait: the wait first, or the answer could be there before it.
    wait = vtr.WaitFor.future(pb.WaitForRequest(name=name, pattern=r"^sum 42$", timeout=seconds(PATIENCE)))
    vtr.SendText(pb.SendTextRequest(name=name, text="echo sum $((40 + 2))"), timeout=PATIENCE)
    vtr.SendKey(pb.SendKeyRequest(name=name, key="enter"), timeout=PATIENCE)
    waited = wait.result(timeout=PATIENCE)
    if waited.timed_out:
        # The shell was faster than the wait: then it is on the screen.
        waited = vtr.WaitFor(
            pb.WaitForRequest(name=name, pattern=r"^sum 42$", scope=pb.WAIT_SCOPE_SCROLLBACK), timeout=PATIENCE
        )
    assert waited.matched and waited.matched_line == "sum 42", waited

    screen = vtr.GetScreen(pb.GetScreenRequest(name=name), timeout=PATIENCE)
    assert (screen.cols, screen.rows, len(screen.screen_rows)) == (100, 30, 30), screen
    assert all(len(row.cells) == 100 for row in screen.screen_rows)
    assert "sum 42" in [text(row) for row in screen.screen_rows]
    runs = vtr.GetScreen(pb.GetScreenRequest(name=name, format=pb.SCREEN_FORMAT_RUNS), timeout=PATIENCE)
    assert "sum 42" in ["".join(run.text for run in row.runs).rstrip() for row in runs.screen_rows]

    found = vtr.Grep(pb.GrepRequest(name=name, pattern=r"^sum \d+$", context_before=1), timeout=PATIENCE).matches
    assert [match.line for match in found] == ["sum 42"] and "echo sum" in found[0].context_before[0], found

    wait_for_prompt(pb, vtr, name)
    attach(pb, vtr, name)
    subscribe(pb, vtr, name, session)


def attach(pb, vtr, name):
    attached = Attached(pb, vtr, name=name, cols=90, rows=25)
    rows = {}
    typed = False
    for event in attached.events:
        assert event.WhichOneof("event") == "frame", event
        frame = event.frame
        if frame.whole:
            rows = {}
        rows.update({update.row: "".join(run.text for run in update.runs).rstrip() for update in frame.row_updates})
        attached.put(ack=pb.FrameAck(version=frame.version))
        if not typed:
            attached.put(input=pb.AttachInput(text="echo attached as $((6 * 7))\n"))
            typed = True
        if "attached as 42" in rows.values() and (frame.cols, frame.rows) == (90, 25):
            break
    attached.close()
    attached.events.cancel()
    assert "attached as 42" in rows.values(), rows


def subscribe(pb, vtr, name, session):
    request = pb.SubscribeRequest(name=name, include_screen_updates=True, include_raw_output=True)
    events = vtr.Subscribe(request, timeout=PATIENCE)
    first = next(events)
    assert first.WhichOneof("event") == "screen_update" and first.screen_update.screen.name == name, first
    vtr.SendBytes(pb.SendBytesRequest(name=name, data=b"echo bye; exit 5\r"), timeout=PATIENCE)
    raw = b""
    exits = []
    for event in events:
        assert not exits, "something came after the exit"
        kind = event.WhichOneof("event")
        if kind == "raw_output":
            raw += event.raw_output
        elif kind == "session_exited":
            exits.append(event.session_exited)
    assert b"bye" in raw, raw
    assert len(exits) == 1 and exits[0].exit_code == 5 and exits[0].id == session.id, exits
    info = vtr.Info(pb.InfoRequest(name=name), timeout=PATIENCE).session
    assert (info.status, info.exit_code) == (pb.SESSION_STATUS_EXITED, 5), info


if __name__ == "__main__":
    main()
