"""Command-line programs as targets of the command, and through a real client."""

import asyncio
import json

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.wire.cli.test_program_targets import listed, program
from tests.wire.processes import COMMAND, run_script


def test_a_real_client_starts_a_program_over_stdio(program):
    async def talk():
        server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "serve", "cloud.py"])
        async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            sent = {"region": "eu", "name": "a b", "fast": False}
            return await session.call_tool(tools[0].name, sent)

    result = asyncio.run(talk())
    assert not result.is_error
    assert result.structured_content["stdout"] == "eu a b 3 False\n"


@pytest.mark.promise("commands.embedded")
def test_a_program_serves_itself(program, tmp_path):
    app = {"click": "cli", "argparse": "parser"}.get(program, "app")
    text = (tmp_path / "cloud.py").read_text()
    own = f"from toolwright import add_mcp\nadd_mcp({app})\n\nif __name__"
    (tmp_path / "cloud.py").write_text(text.replace("if __name__", own))

    def cloud(*words):
        return run_script("cloud.py", *words)

    ended = cloud("mcp", "tools")
    assert ended.returncode == 0, ended.stderr
    tools = json.loads((tmp_path / "mcp-tools.json").read_text())
    assert [tool["name"].endswith("_start") for tool in tools] == [True]
    assert "start" in cloud("mcp", "--help").stdout
    assert (
        cloud("mcp", "cursor", "enable", "--config-path", "c.json", "--env", "A=1").returncode == 0
    )
    (entry,) = json.loads((tmp_path / "c.json").read_text())["mcpServers"].values()
    assert entry["args"][-2:] == ["mcp", "start"]
    assert entry["env"] == {"A": "1", "TOOLWRIGHT_PASS_ENV": "A"}
    (name,) = cloud("mcp", "cursor", "list", "--config-path", "c.json").stdout.split()
    assert cloud("mcp", "cursor", "disable", "--config-path", "c.json").returncode == 0
    assert cloud("mcp", "cursor", "list", "--config-path", "c.json").stdout == ""
    again = cloud("mcp", "cursor", "disable", "--config-path", "c.json")
    assert (again.returncode, f"no server `{name}`" in again.stderr) == (0, True)

    async def talk():
        server = StdioServerParameters(command=entry["command"], args=entry["args"])
        async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            found = (await session.list_tools()).tools
            sent = {"region": "eu", "name": "web"}
            return await session.call_tool(found[0].name, sent)

    assert asyncio.run(talk()).structured_content["stdout"] == "eu web 3 True\n"
    # The program itself is as before, and its own group is no tool for others either.
    where = [] if program == "cyclopts" else ["--region=eu"]
    more = ["--region=eu"] if program == "cyclopts" else []
    assert cloud(*where, "start", "web", *more).stdout == "eu web 3 True\n"
    assert len(listed("cloud.py")) == 1
