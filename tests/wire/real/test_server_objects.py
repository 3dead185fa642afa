"""Server objects of FastMCP and the SDK, which a file or a program has: their real tools are offered."""

import sys

import pytest

from tests.unit.real.test_server_objects import SUMS
from tests.wire.command_files import here
from tests.wire.processes import Stdio, good, refused, run, until

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


def test_a_file_whose_server_cannot_start_is_refused_in_one_line(here):
    here({"bad.py": SHOP.replace('print("open", file=sys.stderr)', "raise RuntimeError('no db')")})
    assert refused(2, "list", "bad.py") == (
        "toolwright: shop cannot be started: connecting: shop: no db\n"
    )
