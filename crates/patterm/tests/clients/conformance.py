"""Runs @modelcontextprotocol/conformance against a headless patterm's HTTP listener.

    conformance.py PATTERM NODE CONFORMANCE_JS

The suite can't send a token, so a small relay in front adds it and changes nothing else. What is expected to fail is
in conformance.json by reason: a scenario, or one check of it. Anything else that fails is a failure, and so is an entry
that no longer fails.
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import headless

REVISIONS = ["2025-11-25", "2026-07-28"]
EXPECTED = pathlib.Path(__file__).with_name("conformance.json")


async def relay_requests(client, server, token):
    """Client to server, with a line added to the head of each request."""
    while True:
        try:
            head = await client.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            break
        lines = head.split(b"\r\n")
        length = 0
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        lines.insert(1, b"Authorization: Bearer " + token.encode())
        server.write(b"\r\n".join(lines) + (await client.readexactly(length)))
        await server.drain()
    server.close()


async def copy(source, sink):
    try:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    except ConnectionError:
        pass
    sink.close()


async def run(patterm, node, suite):
    with tempfile.TemporaryDirectory() as folder, headless.Patterm(patterm, folder, ["--mcp-http", "0"]) as running:
        host, port = running.hello["http"].removeprefix("http://").removesuffix("/mcp").split(":")
        token = running.token()

        async def serve(client_reader, client_writer):
            server_reader, server_writer = await asyncio.open_connection(host, int(port))
            await asyncio.gather(
                relay_requests(client_reader, server_writer, token), copy(server_reader, client_writer)
            )

        listener = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://localhost:{listener.sockets[0].getsockname()[1]}/mcp"
        passed, failed = 0, set()
        for revision in REVISIONS:
            results = pathlib.Path(folder) / revision
            process = await asyncio.create_subprocess_exec(
                node, suite, "server", "--url", url, "--requirements", revision, "-o", str(results),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            said, _ = await process.communicate()
            scenarios = list(results.glob("*/checks.json"))
            assert len(scenarios) > 20, said.decode()
            for file in scenarios:
                scenario = re.fullmatch(r"server-(.*)-\d{4}-\d\d-\d\dT.*", file.parent.name)[1]
                for check in json.loads(file.read_text()):
                    passed += check["status"] == "SUCCESS"
                    if check["status"] == "FAILURE":
                        failed.add((scenario, check["id"], check.get("errorMessage")))
        listener.close()
        return passed, failed


def compare(passed, failed):
    expected = {entry for entries in json.loads(EXPECTED.read_text()).values() for entry in entries}
    used = {entry for scenario, check, _ in failed for entry in (scenario, f"{scenario}/{check}") if entry in expected}
    surprises = [
        f"{scenario}/{check}: {message}"
        for scenario, check, message in sorted(failed, key=str)
        if not expected & {scenario, f"{scenario}/{check}"}
    ]
    mended = sorted(expected - used)
    print(f"{passed} checks passed in {' and '.join(REVISIONS)}, {len(failed)} failed, each for a reason we know")
    for line in surprises:
        print(f"not expected to fail: {line}")
    for entry in mended:
        print(f"no longer fails, take it off the list: {entry}")
    return not surprises and not mended


if __name__ == "__main__":
    if not compare(*asyncio.run(run(*sys.argv[1:4]))):
        sys.exit(1)
