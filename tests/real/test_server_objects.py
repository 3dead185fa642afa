"""Server objects of FastMCP and the SDK, which a file or a program has: their real tools are offered."""

import asyncio
import logging
import sys
import threading
from contextlib import asynccontextmanager

import mcp_types as t
import pytest
from command_files import here
from fastmcp import Context, FastMCP
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from processes import Stdio, good, refused, run, until

from toolwright import SchemaError, ServerUnavailable, Toolbox
from toolwright.client import connect

__all__ = ["here"]  # a fixture

SHOP = '''
import sys
from contextlib import asynccontextmanager
from fastmcp import Context, FastMCP

@asynccontextmanager
async def lifespan(server):
    print("open", file=sys.stderr)
    yield {"stock": 3}
    print("close", file=sys.stderr)

sub = FastMCP("sub")
mcp = FastMCP("shop", instructions="Sell.", version="1.2", lifespan=lifespan)
mcp.mount(sub, namespace="sub")

def wipe_disk(path: str) -> None:
    "Never a tool."

@mcp.tool(name="safe_read", annotations={"readOnlyHint": True}, tags={"files"}, meta={"a": 1})
async def read(path: str, ctx: Context) -> dict[str, int]:
    """Read a file."""
    return {"stock": ctx.lifespan_context["stock"]}

@mcp.tool
def fail() -> str:
    raise ValueError("the words of it")

@mcp.tool
async def ask(ctx: Context) -> str:
    return repr((await ctx.elicit("How many?", int)).data)

@mcp.tool
def off() -> str:
    return "off"

mcp.disable(names={"off"})

@sub.tool
def inner(a: int) -> int:
    return a

@mcp.resource("shop://all")
def everything() -> str:
    return "all"

@mcp.resource("shop://{id}")
def item(id: str) -> str:
    return f"<{id}>"

@mcp.prompt
def greet(name: str) -> str:
    return f"Greet {name}."
'''
NAMES = ["safe_read", "fail", "ask", "sub_inner"]


def names_of(listed):
    return [line.partition("(")[0] for line in listed.splitlines()]


def listed_in(target, *flags):
    done = run("list", target, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.promise("targets.server-objects")
@pytest.mark.parametrize("target", ["shop.py", "shop.py:mcp"])
def test_a_file_with_a_fastmcp_server_offers_what_that_server_lists(here, target):
    here({"shop.py": SHOP})
    assert names_of(listed_in(target, "--tools")) == NAMES
    assert listed_in(target, "--resources").splitlines() == ["shop://all", "shop://{id}"]
    assert names_of(listed_in(target, "--prompts")) == ["greet"]


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


def test_its_lifespan_context_and_own_words_reach_the_command(here):
    here({"shop.py": SHOP})
    done = run("call", "shop.py", "safe_read", "path=x")
    assert (done.stdout, done.stderr) == ('{"stock":3}\n', "open\nclose\n")
    assert "the words of it" in run("call", "shop.py", "fail").stderr
    assert run("call", "shop.py", "ask", "--yes", "--answer", "value=3").stdout == "3\n"
    assert run("call", "shop.py", "shop://7").stdout == "<7>\n"
    assert "Greet Ada." in run("call", "shop.py", "greet", "--prompt", "name=Ada").stdout


def test_it_is_served_and_its_lifespan_ends_with_the_server(here):
    here({"shop.py": SHOP})
    with Stdio("shop.py") as server:
        assert server.hello["serverInfo"]["name"] == "shop"
        assert server.hello["instructions"] == "Sell."
        tools = server.ask("tools/list")["result"]["tools"]
        assert [each["name"] for each in tools] == NAMES
        assert server.call("safe_read", path="x")["structuredContent"] == {"stock": 3}
        assert server.call("fail")["isError"] is True
        server.end()
        assert lifespans(server) == ["open", "close"]


def lifespans(server):
    return [line for line in server.said().splitlines() if line in ("open", "close")]


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


def test_an_edited_server_file_is_reloaded(here, tmp_path):
    here({"shop.py": SHOP})
    with Stdio("shop.py", "--reload") as server:
        assert server.call("sub_inner", a=1)["structuredContent"] == {"result": 1}
        here({"shop.py": SHOP.replace("inner(", "outer(").replace("return a\n", "return a + 1\n")})
        until(lambda: "reloaded" in server.said(), "the reload")
        assert server.call("sub_outer", a=1)["structuredContent"] == {"result": 2}
        until(lambda: lifespans(server).count("close") == 1, "the end of the old server")
        server.end()
        assert lifespans(server).count("close") == lifespans(server).count("open") == 2


def test_an_sdk_server_is_a_target_of_every_command(here):
    here({"sums.py": SUMS})
    assert names_of(good("list", "sums.py", "--tools")) == ["plus"]
    assert good("call", "sums.py:server", "plus", "a=1", "b=2") == "3\n"
    assert (
        run("doctor", "sums.py").stdout.startswith("sums.py")
        or "1 tool" in run("doctor", "sums.py").stdout
    )
    assert "plus" in good("tokens", "sums.py")
    assert "1 tool locked" in good("lock", "sums.py")
    assert '"plus"' in good("export", "sums.py", "-o", "-")


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


def test_a_toolbox_beside_a_server_wins_and_says_so(here):
    both = (
        SUMS
        + "from toolwright import Toolbox\nbox = Toolbox('b')\n@box.tool\ndef own() -> int: ...\n"
    )
    here({"both.py": both, "joined.py": both + "box.include(server)\n"})
    done = run("list", "both.py")
    assert names_of(done.stdout) == ["own"]
    assert done.stderr == (
        "note: the server `server` is not part of the toolbox: `b.include(server)` adds it\n"
    )
    assert names_of(good("list", "both.py:server")) == ["plus"]
    assert names_of(good("list", "joined.py")) == ["own", "plus"]


def test_of_several_servers_the_usual_name_is_meant_or_one_has_to_be_named(here):
    two = (
        SUMS.replace("server", "one")
        .replace("mcp.one", "mcp.server")
        .replace("mcpone", "mcpserver")
    )
    here({"two.py": two + "two = MCPServer('two')\n", "usual.py": two + "mcp = MCPServer('m')\n"})
    assert refused(2, "list", "two.py") == (
        "toolwright: two has several servers: say which of `one`, `two`\n"
    )
    assert names_of(good("list", "two.py:one")) == ["plus"]
    assert "has no tools" in run("list", "usual.py").stderr


@pytest.mark.promise("targets.older-sdk")
@pytest.mark.parametrize(
    "text",
    [
        "from mcp.server.fastmcp import FastMCP\n",
        "from mcp.server import FastMCP\n",
        "from mcp.server import Server\ns = Server('x')\n@s.list_tools()\nasync def f(): ...\n",
    ],
)
def test_a_file_for_sdk_1_is_refused_with_the_way_out(here, text):
    here({"old.py": text})
    line = text.count("\n") if "@" not in text else 3
    assert refused(2, "list", "old.py") == (
        "toolwright: old.py is written for version 1 of the MCP SDK, and here is version 2: start it"
        f" with a Python that has version 1, --command 'PYTHON old.py' (old.py:{line})\n"
    )


@pytest.mark.parametrize("made", ["mcp = FastMCP('x')", "mcp: FastMCP = FastMCP('x')"])
def test_a_file_that_runs_its_server_on_import_is_refused(here, made):
    here({"runs.py": f"from fastmcp import FastMCP\n{made}\nmcp.run()\n"})
    assert refused(2, "list", "runs.py") == (
        "toolwright: runs.py runs its server when it is imported: write `mcp.run()` below"
        ' `if __name__ == "__main__":` (runs.py:3)\n'
    )


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


def test_a_file_whose_server_cannot_start_is_refused_in_one_line(here):
    here({"bad.py": SHOP.replace('print("open", file=sys.stderr)', "raise RuntimeError('no db')")})
    assert refused(2, "list", "bad.py") == (
        "toolwright: shop cannot be started: connecting: shop: no db\n"
    )


def test_its_own_sign_in_is_not_dropped_silently(caplog):
    from fastmcp.server.auth import StaticTokenVerifier

    server = FastMCP("shop", auth=StaticTokenVerifier({"t": {"client_id": "a", "scopes": []}}))
    with caplog.at_level(logging.WARNING):
        Toolbox("mine").include(server)
    assert "shop: its own `auth` does not apply here" in caplog.text


def test_a_server_is_no_tool():
    with pytest.raises(SchemaError, match="include"):
        Toolbox("mine").add(MCPServer("sums"))
