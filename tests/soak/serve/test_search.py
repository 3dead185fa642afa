"""`search=True`: three tools instead of many, and calls that are direct calls in everything."""

import sys
import time

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.unit.serve.test_search import FILE, OWN, run, through
from tests.wire.processes import Http
from tests.wire.task_calls import TOOLS, asked, get, soon, store


@pytest.mark.promise("search.direct")
def test_a_call_through_search_becomes_a_task(store, soon, tmp_path):
    with Http(TOOLS, "--search") as server:
        file = tmp_path / "go"
        arguments = {"label": "x", "after": str(file)}
        begun = asked(server, "tools/call", through("slow_compute", arguments))
        file.touch()
        deadline = time.monotonic() + 60
        while (came := get(server, begun["taskId"]))["status"] == "working":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert came["result"]["content"][0]["text"] == "computed x"


@pytest.mark.promise("search.command")
@pytest.mark.parametrize("switch", [[], ["--sdk"]])
def test_the_sdk_client_over_stdio(tmp_path, switch):
    file = tmp_path / "files.py"
    file.write_text(FILE.format(name="read_file", text="Read a file."))

    async def course():
        words = ["-m", "toolwright", "serve", str(file), "--search", *switch]
        where = StdioServerParameters(command=sys.executable, args=words)
        async with stdio_client(where) as (reads, writes), ClientSession(reads, writes) as caller:
            await caller.initialize()
            assert [tool.name for tool in (await caller.list_tools()).tools] == OWN
            # Whoever starts a server on stdio may use all that it has.
            came = await caller.call_tool("search_tools", {"query": "file", "limit": 5})
            names = [each["name"] for each in came.structured_content["result"]]
            assert sorted(names) == ["purge", "read_file"]
            arguments = {"name": "read_file", "arguments": {"path": "a"}}
            said = await caller.call_tool("call_tool", arguments)
            assert said.content[0].text == "a"

    run(course())
