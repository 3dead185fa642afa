"""Server objects of FastMCP and the SDK, which a file or a program has: their real tools are offered."""

import asyncio
import logging
import sys
import threading
from contextlib import asynccontextmanager

import mcp_types as t
import pytest
from fastmcp import Context, FastMCP
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer

from tests.wire.command_files import here
from tests.wire.processes import until
from toolwright import SchemaError, ServerUnavailable, Toolbox
from toolwright.client import connect

__all__ = ["here"]  # a fixture


def test_names_hints_schemas_and_meta_are_those_of_the_server():
    server = FastMCP("shop", instructions="Sell.", version="1.2")

    @server.tool(
        name="safe_read", annotations={"readOnlyHint": True}, tags={"files"}, meta={"a": 1}
    )
    def read(path: str, size: int = 1) -> dict[str, int]:
        "Read a file."
        return {path: size}

    box = Toolbox("mine")
    box.include(server)
    own = asyncio.run(server.list_tools())[0].to_mcp_tool().model_dump(by_alias=True, mode="json")
    listed = box["safe_read"].to_mcp()
    for key in ("name", "description", "inputSchema", "outputSchema", "_meta"):
        assert listed[key] == own[key], key
    assert listed["annotations"] == {"readOnlyHint": True}
    assert box.call("safe_read", {"path": "a"}).value == {"a": 1}
    box.close()


SUMS = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("sums", instructions="Add.")

def helper(a: int) -> int:
    return a

@server.tool(name="plus")
def add(a: int, b: int = 1) -> int:
    "Add."
    return a + b
"""


async def _listed(context, params):
    tool = t.Tool(name="echo", description="Echo.", input_schema={"type": "object"})
    return t.ListToolsResult(tools=[tool])


async def _called(context, params):
    return t.CallToolResult(content=[t.TextContent(type="text", text=repr(params.arguments))])


def test_the_low_level_server_is_recognised():
    box = Toolbox("mine")
    box.include(Server("low", on_list_tools=_listed, on_call_tool=_called), prefix="low.")
    assert box.call("low.echo", {"a": 1}).value == "{'a': 1}"
    box.close()


def test_a_module_with_a_server_is_included_as_that_server(here, tmp_path, monkeypatch):
    here({"legacy_sums.py": SUMS})
    monkeypatch.syspath_prepend(str(tmp_path))
    import legacy_sums

    box = Toolbox("mine")
    box.include(legacy_sums, prefix="old.", read_only=True)
    assert list(box) == ["old.plus"]
    assert box["old.plus"].options.read_only is True
    box.close()
    del sys.modules["legacy_sums"]


class Lived:
    """A server whose lifespan and tools record the threads that they run in."""

    def __init__(self):
        self.opened, self.closed, self.called = [], [], []
        self.server = MCPServer("lived", lifespan=self.lifespan)
        self.server.add_tool(self.touch)
        self.server.add_tool(self.wait)

    @asynccontextmanager
    async def lifespan(self, server):
        self.opened.append(threading.get_ident())
        yield
        self.closed.append(threading.get_ident())

    def touch(self) -> int:
        self.called.append(threading.get_ident())
        return 1

    async def wait(self) -> int:
        held.wait(30)  # a mistake that many servers make
        return 2


held = threading.Event()


def test_it_runs_while_one_of_the_toolboxes_that_include_it_is_open():
    lived = Lived()
    inner, outer = Toolbox("inner"), Toolbox("outer")
    inner.include(lived.server)
    outer.include(inner)
    with inner, outer:
        assert outer.call("touch").text == "1"
        inner.close()
        assert not lived.closed
        assert outer.call("touch").text == "1"
    assert len(lived.opened) == 1
    assert lived.closed == lived.opened  # in one thread
    assert outer.call("touch").text == "1"  # and starts again
    outer.close()
    assert len(lived.closed) == 2


def test_a_tool_that_blocks_its_own_loop_blocks_nobody_else():
    lived, other = Lived(), Lived()
    box = Toolbox("mine")
    box.include(lived.server, prefix="a.")
    box.include(other.server, prefix="b.")
    held.clear()

    async def both():
        slow = asyncio.ensure_future(box.call_async("a.wait"))
        quick = await box.call_async("b.touch")
        held.set()
        return quick.text, (await slow).text

    assert asyncio.run(both()) == ("1", "2")
    box.close()


def test_it_is_included_and_called_inside_a_running_loop():
    lived = Lived()

    async def main():
        box = Toolbox("mine")
        box.include(lived.server)
        async with box:
            return (await box.call_async("touch")).text, box.call("touch").text

    assert asyncio.run(main()) == ("1", "1")
    assert lived.closed == lived.opened


def test_tools_that_are_added_later_are_offered():
    server = FastMCP("later")
    server.tool(lambda: 1, name="first")

    @server.tool
    async def grow(context: Context) -> str:
        server.tool(lambda: 2, name="second")
        await context.send_notification(t.ToolListChangedNotification())
        return "grown"

    box = Toolbox("mine")
    box.include(server)
    assert list(box) == ["first", "grow"]
    box.call("grow")
    until(lambda: "second" in box, "the new tool")
    assert box.call("second").text == "2"
    box.close()


def test_a_lifespan_that_fails_is_named():
    @asynccontextmanager
    async def broken(server):
        raise RuntimeError("no database")
        yield

    for server in (MCPServer("sums", lifespan=broken), FastMCP("sums", lifespan=broken)):
        box = Toolbox("mine")
        with pytest.raises(ServerUnavailable, match=r"^connecting: sums: no database$"):
            box.include(server)
        with pytest.raises(ServerUnavailable, match="no database"):
            _ = connect(server).tools


def test_its_own_sign_in_is_not_dropped_silently(caplog):
    from fastmcp.server.auth import StaticTokenVerifier

    server = FastMCP("shop", auth=StaticTokenVerifier({"t": {"client_id": "a", "scopes": []}}))
    with caplog.at_level(logging.WARNING):
        Toolbox("mine").include(server)
    assert "shop: its own `auth` does not apply here" in caplog.text


def test_a_server_is_no_tool():
    with pytest.raises(SchemaError, match="include"):
        Toolbox("mine").add(MCPServer("sums"))
