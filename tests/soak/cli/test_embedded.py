"""`add_mcp`: programs that serve themselves, and what can be wrong with them."""

import asyncio
import json
import socket

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.wire.cli.test_embedded import CLICK, ran


def test_what_cannot_be_served_is_said_in_one_line(tmp_path):
    (tmp_path / "greet.py").write_text(CLICK)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words, said in (
            (("--port", "70000"), "a port is a number from 0 to 65535"),
            (("--host", "0.0.0.0"), "can be reached by other machines"),  # noqa: S104 - refused
            (("--port", port), "already in use"),
        ):
            ended = ran("greet.py", "mcp", "stream", *words, folder=tmp_path)
            assert ended.returncode in (1, 2)
            lines = [each for each in ended.stderr.splitlines() if "refused: " not in each]
            assert len(lines) == 1, ended.stderr
            assert said in lines[0]


def test_a_module_is_started_from_any_folder(tmp_path):
    package = tmp_path / "here" / "greet"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(CLICK)
    here = tmp_path / "here"
    ended = ran("-m", "greet", "mcp", "cursor", "enable", "--config-path", "c.json", folder=here)
    assert ended.returncode == 0, ended.stderr
    assert ran("-m", "greet", "mcp", "--help", folder=here).stdout.startswith(
        "usage: python -m greet mcp "
    )
    (entry,) = json.loads((here / "c.json").read_text())["mcpServers"].values()

    async def talk():
        server = StdioServerParameters(
            command=entry["command"], args=entry["args"], cwd=str(tmp_path)
        )
        async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            return await session.call_tool("greet_hello", {"name": "--help"})

    assert asyncio.run(talk()).structured_content["stdout"] == "hello --help\n"
