"""Drives an MCP server of ours with the public Python SDK (PyPI: mcp >= 2.3), in both eras.

    python client.py COMMAND [ARG...]     the command is a server on its standard input and output

Every check prints one line; the first that fails ends the run with a traceback and exit code 1.
"""

import json
import sys
import time
import warnings

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters, stdio_client

# A ping is no more in the newest revision, as the SDK says each time.
warnings.filterwarnings("ignore", message="ping is removed")
# The SDK kills a server that outlives its standard input by two seconds; ours must not need it.
PROMPT_EXIT_SECONDS = 1.5
# How often a wait of ours says that it goes on is ten seconds.
PROGRESS_WAIT_SECONDS = 11

EXPECTED_VERSION = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


class Checks:
    def __init__(self, mode: str, client: Client):
        self.mode = mode
        self.client = client
        self.session = ""

    def passed(self, what: str) -> None:
        print(f"ok  {self.mode:>10}  {what}", flush=True)

    async def call(self, tool: str, **arguments):
        """The reply of a tool that must succeed; the SDK holds it against the tool's output schema."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        assert json.loads(result.content[0].text) == result.structured_content, result
        return result.structured_content

    async def failure(self, tool: str, **arguments) -> dict:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result
        return json.loads(result.content[0].text)

    async def wait_for(self, pattern: str, seconds: float, **more):
        return await self.client.call_tool(
            "wait_for_pattern",
            {"process_id": self.session, "pattern": pattern, "timeout_seconds": seconds, "scope": "scrollback"},
            **more,
        )

    async def introduces_itself(self) -> None:
        assert self.client.protocol_version == EXPECTED_VERSION[self.mode], self.client.protocol_version
        if self.mode != "2026-07-28":  # pinned: the SDK asks nothing before the first request
            assert self.client.server_info.name, self.client.server_info
            assert self.client.server_capabilities.tools is not None
        self.passed(f"speaks {self.client.protocol_version}")

    async def lists_tools(self) -> None:
        tools = (await self.client.list_tools()).tools
        names = [tool.name for tool in tools]
        for name in ("spawn_process", "wait_for_pattern", "whoami", "help"):
            assert name in names, names
        for tool in tools:
            assert tool.description and tool.annotations.read_only_hint is not None, tool
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object", tool
                assert "$ref" not in json.dumps(schema), tool
        assert not (await self.client.list_resources()).resources
        assert not (await self.client.list_prompts()).prompts
        if self.mode == "legacy":
            await self.client.send_ping()
        self.passed(f"lists {len(tools)} tools with valid schemas")

    async def calls(self) -> None:
        script = "echo ready; while read line; do echo got $line; done"
        reply = await self.call("spawn_process", kind="command", argv=["sh", "-c", script])
        self.session = reply["process_id"]
        result = await self.wait_for("^ready", 30)
        assert result.structured_content["matched"], result
        processes = (await self.call("list_processes"))["processes"]
        assert [process["process_id"] for process in processes] == [self.session], processes
        await self.call("get_process_status", process_id=self.session)
        await self.call("whoami")
        self.passed("calls, and replies fit their schemas")

    async def runs_calls_side_by_side(self) -> None:
        matched = []

        async def wait(word: str) -> None:
            result = await self.wait_for(f"got {word}$", 60)
            matched.append(result.structured_content["matched"])

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(wait, f"word{number}")
            await anyio.sleep(0)
            for number in range(10):
                await self.call(
                    "send_input", process_id=self.session, kind="text", text=f"word{number}", submit=True
                )
        assert matched == [True] * 10, matched
        self.passed("ten waits and ten inputs side by side")

    async def tells_progress(self) -> None:
        told = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, message))

        result = await self.wait_for("never printed", PROGRESS_WAIT_SECONDS, progress_callback=heard)
        assert result.structured_content == {"matched": False, "reason": "timeout"}, result
        assert told and told[0][0] > 0 and told[0][1], told
        self.passed(f"progress: {told[0][1]!r}")

    async def cancels(self) -> None:
        start = time.monotonic()
        with anyio.move_on_after(0.2) as scope:
            await self.wait_for("never printed", 600)
        assert scope.cancelled_caught
        await self.call("list_processes")
        assert time.monotonic() - start < 30
        self.passed("a cancelled call, and the next one is served")

    async def reports_errors(self) -> None:
        assert (await self.failure("get_process_status", process_id="nobody"))["kind"] == "not_found"
        for arguments in ({}, {"process_id": 7}, {"process_id": self.session, "surplus": 1}):
            error = await self.failure("get_process_status", **arguments)
            assert error["kind"] == "invalid_args" and error["message"] and error["hint"], error
        try:
            await self.client.call_tool("no_such_tool", {})
        except MCPError as error:
            assert error.code == -32602, error
        else:
            raise AssertionError("an unknown tool was called")
        self.passed("errors of tools and of the protocol")

    async def listens(self) -> None:
        if self.mode == "legacy":
            return
        async with self.client.listen(tools_list_changed=True):
            await self.call("list_processes")
        await self.call("list_processes")
        self.passed("a subscription, opened and closed")

    async def everything(self) -> None:
        await self.introduces_itself()
        await self.lists_tools()
        await self.calls()
        await self.runs_calls_side_by_side()
        await self.reports_errors()
        await self.cancels()
        await self.listens()
        await self.tells_progress()


async def leaves_in_the_middle_of_a_call(server: StdioServerParameters, mode: str) -> None:
    async with anyio.create_task_group() as group:
        async with Client(stdio_client(server), mode=mode) as client:
            checks = Checks(mode, client)
            await checks.calls()
            group.start_soon(abandoned_wait, checks)
            await client.list_tools()
            start = time.monotonic()
        took = time.monotonic() - start
        assert took < PROMPT_EXIT_SECONDS, f"the server needed {took:.2f} s to end"
        checks.passed(f"the server ends {took:.2f} s after its standard input, in the middle of a call")


async def abandoned_wait(checks: Checks) -> None:
    try:
        await checks.wait_for("never printed", 600)
    except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream):
        return
    raise AssertionError("an abandoned call was answered")


async def in_mode(server: StdioServerParameters, mode: str) -> None:
    async with Client(stdio_client(server), mode=mode) as client:
        await Checks(mode, client).everything()
    await leaves_in_the_middle_of_a_call(server, mode)


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with anyio.create_task_group() as group:
        for mode in EXPECTED_VERSION:
            group.start_soon(in_mode, server, mode)
    print("all checks passed")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    anyio.run(main)
