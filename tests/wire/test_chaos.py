"""Servers among nasty tools and nasty clients: each next good request is answered, and nothing but
JSON-RPC is on standard output, and memory comes back.

Memory "comes back" is less than 60 MB above what a warm server has, after the next good request: one
big value that is kept would be seen. Big lines have 40 MB, since the allocator of Linux gives back at
once only what is larger than 32. The SDK loads with the first unusual request, so it is loaded
before the first look.

Most tests share a server of each kind: what one client did must not harm the next. Tests that end
their server, or leave it without its streams, start their own.
"""

import contextlib
import json
from pathlib import Path

import pytest

from tests.wire.processes import Http, Stdio, resident, until

NASTY = Path(__file__).with_name("nasty_server.py")  # never imported here: it is too loud
RAISED = ["exit", "interrupt", "base", "odd", "generator", "stop", "stop_async", "cancelled"]
RAISED += ["group", "memory", "pipe", "surrogate", "recursion"]
NEAR = 60
VALUES = {
    "surrogate": "a\ufffdb",
    "key": None,
    "nan": "error",
    "infinite": "error",
    "huge": "error",
    "cycle": "error",
    "deep": "error",
    "object": "error",
    "newline": "a\nb\r\n\u2028c\0",
}


@pytest.fixture(scope="module", params=["short", "sdk"])
def mode(request):
    return [] if request.param == "short" else ["--sdk"]


@contextlib.contextmanager
def on_stdio(mode):
    with Stdio(NASTY, *mode) as server:
        server.ask("prompts/list")  # loads the SDK
        yield server
        assert server.end() == 0
        while server.next() is not None:
            pass  # each is checked


@contextlib.contextmanager
def over_http(mode):
    with Http(NASTY, *mode) as server:
        server.asked(server.message("prompts/list"))
        yield server
        assert server.process.poll() is None


@pytest.fixture(scope="module")
def shared_stdio(mode):
    with on_stdio(mode) as server:
        yield server


@pytest.fixture(scope="module")
def shared_http(mode):
    with over_http(mode) as server:
        yield server


@pytest.fixture
def stdio(shared_stdio):
    shared_stdio.others.clear()
    alive(shared_stdio)
    yield shared_stdio
    alive(shared_stdio)


@pytest.fixture
def own_stdio(mode):
    """A server that has nothing to say about what others sent."""
    with on_stdio(mode) as server:
        alive(server)
        yield server
        alive(server)


@pytest.fixture
def http(shared_http):
    alive(shared_http)
    yield shared_http
    alive(shared_http)
    assert shared_http.process.poll() is None
    assert "Traceback" not in shared_http.said(), shared_http.said()[-2000:]


@pytest.fixture(params=["stdio", "http"])
def server(request, mode):
    return request.getfixturevalue(request.param)


def alive(server):
    assert server.call("add", a=2, b=40)["content"] == [{"type": "text", "text": "42"}]


def comes_back(server, before):
    def is_near():
        alive(server)  # the last message is let go when the next one comes
        return resident(server.pid) < before + NEAR

    until(is_near, f"{before:.0f} MB + {NEAR}")


# -- tools


def test_tools_that_raise_anything(mode):
    with Stdio(NASTY, *mode) as server:
        for name in ("raises", "raises_async"):
            for kind in RAISED:
                result = server.call(name, kind=kind)
                assert result["isError"], (name, kind)
                alive(server)
        assert server.call("leave")["isError"]
        assert server.call("die")["isError"]
        alive(server)
        assert server.end() == 0


def test_tools_that_raise_anything_over_http(mode):
    with Http(NASTY, *mode) as server:
        for kind in RAISED:
            assert server.call("raises", kind=kind)["isError"], kind
            assert server.call("raises_async", kind=kind)["isError"], kind
            alive(server)
        assert server.call("leave")["isError"]
        assert server.call("die")["isError"]
        alive(server)


@pytest.mark.promise("serve.nothing-disturbs")
@pytest.mark.parametrize("begin", [on_stdio, over_http])
def test_tools_that_write_and_read(mode, begin):
    with begin(mode) as server:
        alive(server)
        assert server.call("loud")["content"][0]["text"] == "quiet"
        alive(server)
        assert server.call("listen")["content"][0]["text"] == "('', b'', '')"
        alive(server)
        assert server.call("close_all")["content"][0]["text"] == "closed"
        alive(server)
        assert "Traceback" not in server.said()


def test_progress_and_logs_that_json_cannot_hold(mode):
    with Stdio(NASTY, *mode) as server:
        params = {"name": "told", "arguments": {}, "_meta": {"progressToken": "p"}}
        assert not server.ask("tools/call", params)["result"]["isError"]
        assert not server.ask("tools/call", {"name": "told"})["result"]["isError"]
        alive(server)


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_json_cannot_hold(server, kind):
    result = server.call("odd_value", kind=kind)
    assert result["isError"] == (VALUES[kind] == "error")
    if VALUES[kind] not in {"error", None}:
        assert result["content"][0]["text"] == VALUES[kind]


# -- clients on stdio


MALFORMED = [
    b"{",
    b"nonsense",
    b"\xff\xfe\x00",
    b"[]",
    b"[1, 2]",
    b"null",
    b'"text"',
    b"{}",
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": "m", "method": 5}',
    b'{"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": {"name": 5}}',
    b'{"jsonrpc": "2.0", "id": "m", "method": "tools/call", "params": {"name": "\\ud800"}}',
    b'{"jsonrpc": "2.0", "id": "m", "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": "m", "result": {}}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}',
    b'{"jsonrpc": "2.0", "method": "notifications/nonsense", "params": {"a": NaN}}',
    b"\r",
    b"",
]


def test_one_malformed_line_harms_no_other(stdio):
    for at, line in enumerate(MALFORMED):
        call = {"name": "add", "arguments": {"a": 2, "b": 40}}
        good = {"jsonrpc": "2.0", "id": f"g{at}", "method": "tools/call", "params": call}
        stdio.write(line + b"\n" + json.dumps(good).encode() + b"\n")
        assert stdio.answer(f"g{at}")["result"]["content"][0]["text"] == "42", line


@pytest.mark.parametrize("digits", [30, 4000, 5000])
def test_a_huge_number_for_an_id(stdio, digits):
    number = b"9" * digits
    good = b'\n{"jsonrpc": "2.0", "id": "next", "method": "ping"}\n'
    stdio.write(b'{"jsonrpc": "2.0", "id": %s, "method": "tools/list"}' % number + good)
    stdio.answer("next")


def test_a_client_that_is_slow(stdio):
    call = {"name": "add", "arguments": {"a": 2, "b": 40}}
    message = {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call}
    for byte in json.dumps(message).encode() + b"\n":
        stdio.write(bytes([byte]))
    assert stdio.answer("slow")["result"]["content"][0]["text"] == "42"


def test_calls_that_are_cancelled(own_stdio):
    stdio = own_stdio
    for name in ("wait", "block"):
        for _ in range(20):
            number = stdio.begin("tools/call", {"name": name, "arguments": {"seconds": 2}})
            params = {"requestId": number, "reason": "enough"}
            stdio.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        alive(stdio)
    assert all("result" not in each for each in stdio.others)


def test_a_flag_cancels_no_number(mode):
    with Stdio(NASTY, *mode, greet=True) as server:
        number = server.begin("tools/call", {"name": "wait", "arguments": {"seconds": 0.5}})
        assert number == 1
        params = {"requestId": True}
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        assert server.answer(1)["result"]["content"][0]["text"] == "waited"


# -- clients over HTTP


def test_refusals(http):
    message = http.message("tools/list")
    assert http.asked(message)[0] == 200
    for status, data in [
        (421, http.message("tools/list", host="evil.example")),
        (421, http.message("tools/list", host="localhost.evil.example:80")),
        (421, http.message("tools/list", host="")),
        (403, http.message("tools/list", origin="https://evil.example")),
        (403, http.message("tools/list", origin="http://localhost.evil.example")),
        (403, http.message("tools/list", origin="null")),
        (200, http.message("tools/list", origin=f"http://localhost:{http.port}")),
        (404, http.request(path="/other", body=b"{}")),
        (404, http.request(path="/mcp/more", body=b"{}")),
        (404, http.request("GET", "/.well-known/oauth-protected-resource")),
        (400, http.request(body=b"{")),
        (400, http.request(body=b"[" * 100_000)),
        (400, http.request("GET", accept="text/event-stream")),
        (400, http.request("DELETE")),
        (404, http.request("DELETE", mcp_session_id="nope")),
        (405, http.request("HEAD")),
        (405, http.request("PUT", body=b"{}")),
        (413, http.request(body=b" " * 5_000_000)),
        (413, http.request(body=b" " * 5_000_000, mcp_protocol_version="2026-07-28")),
    ]:
        assert http.asked(data)[0] == status, data[:300]
        alive(http)


def test_tokens(mode):
    token = {"authorization": "Bearer good-token"}
    with Http(NASTY, "--token", "good-token", *mode) as server:
        for sent in (None, "", "Bearer", "Bearer bad-token", "Basic good-token", "good-token"):
            data = server.message("tools/list", authorization=sent)
            assert server.asked(data)[0] == 401, sent
            assert server.asked(server.request("GET", authorization=sent))[0] == 401
            assert server.call("add", token, a=1, b=2)["structuredContent"] == 3


def test_bodies_that_never_end(http):
    before = resident(http.pid)
    for version in (None, "2026-07-28"):
        for size in (100, 70_000):
            with http.connect() as connection:
                connection.sendall(
                    http.request(
                        content_length=None,
                        transfer_encoding="chunked",
                        mcp_protocol_version=version,
                    )
                )
                with contextlib.suppress(OSError):
                    for _ in range(100):
                        connection.sendall(b"%x\r\n%s\r\n" % (size, b" " * size))
            alive(http)
    comes_back(http, before)


def test_a_client_that_is_slow_over_http(http):
    call = {"name": "add", "arguments": {"a": 2, "b": 40}}
    with http.connect() as connection:
        for byte in http.message("tools/call", call):
            connection.sendall(bytes([byte]))
        came = b""
        while chunk := connection.recv(65536):
            came += chunk
    assert b"42" in came


def test_clients_that_leave_in_a_call(http):
    before = resident(http.pid)
    for name in ("wait", "block"):
        call = {"name": name, "arguments": {"seconds": 3}}
        for _ in range(30):
            with http.connect() as connection:
                connection.sendall(http.message("tools/call", call))
        alive(http)
    comes_back(http, before)
