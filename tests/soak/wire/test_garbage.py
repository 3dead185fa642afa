"""A call that was answered leaves nothing that only the garbage collector would find."""

import pytest

from tests.wire.processes import Http, Stdio

TOOLS = """
import gc

from toolwright import Call, tool


@tool
def in_thread(a: int) -> int:
    return a


@tool(run_on="inline")
def inline(a: int) -> int:
    return a


@tool
async def awaited(a: int) -> int:
    return a


@tool
def observed(a: int, call: Call) -> int:
    return a


@tool(run_on="inline")
def collected() -> int:
    gc.disable()
    return gc.collect()
"""
CALLS = 100


@pytest.fixture(scope="module", params=["stdio", "HTTP"])
def server(request, tmp_path_factory):
    target = tmp_path_factory.mktemp("garbage") / "tools.py"
    target.write_text(TOOLS)
    with (Stdio if request.param == "stdio" else Http)(target) as server:
        yield server


def called(server, name):
    """Call a tool many times; over HTTP on one connection, which is garbage itself at its end."""
    if isinstance(server, Stdio):
        for _ in range(CALLS):
            assert not server.call(name, a=1)["isError"]
        return
    params = {"name": name, "arguments": {"a": 1}}
    with server.connect() as connection:
        for _ in range(CALLS):
            connection.sendall(server.message("tools/call", params, connection=None))
            came = b""
            while not came.endswith(b'"resultType":"complete"}}'):
                came += connection.recv(65536)


def collected(server):
    return int(server.call("collected")["content"][0]["text"])


@pytest.mark.parametrize("name", ["in_thread", "inline", "awaited", "observed"])
def test_nothing_of_a_call_waits_for_the_collector(server, name):
    """It would stop all threads: calls in threads took a tenth longer, async ones a fifth."""
    server.call(name, a=1)
    collected(server)
    called(server, name)
    assert collected(server) < CALLS
