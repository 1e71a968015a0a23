"""Runs @modelcontextprotocol/conformance against a headless patterm's HTTP listener.

    conformance.py PATTERM NODE CONFORMANCE_JS

The suite can't send a token, so a small relay in front adds it and changes nothing else. What is expected to fail is
in conformance.yaml, each with its reason; anything else that fails, and anything there that passes, is a failure.
"""

import asyncio
import pathlib
import subprocess
import sys
import tempfile

import headless

REVISIONS = ["2025-11-25", "2026-07-28"]
EXPECTED = pathlib.Path(__file__).with_name("conformance.yaml")


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
        failed = []
        for revision in REVISIONS:
            expected = f"{folder}/expected-{revision}.yaml"
            pathlib.Path(expected).write_text(of_revision(revision))
            process = await asyncio.create_subprocess_exec(
                node, suite, "server", "--url", url, "--requirements", revision, "--expected-failures", expected,
                "-o", f"{folder}/results-{revision}", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            said, _ = await process.communicate()
            text = said.decode()
            if process.returncode != 0 or "--verbose" in sys.argv:
                print(text)
                failed += [revision] * (process.returncode != 0)
            else:
                print(f"{revision}: as expected")
                print("\n".join(line for line in text.splitlines() if line.startswith(("Total", "Scored", "Pass"))))
        listener.close()
        return failed


def of_revision(revision):
    """The part of conformance.yaml that belongs to a revision: the files of the suite know no such parts."""
    lines, wanted = ["server:"], False
    for line in EXPECTED.read_text().splitlines():
        if line and not line[0].isspace() and not line.startswith("#"):
            wanted = line.rstrip(":").strip('"') in (revision, "both")
        elif wanted and line.strip().startswith("- "):
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    failed = asyncio.run(run(*sys.argv[1:4]))
    if failed:
        sys.exit(f"not as expected: {', '.join(failed)}")
