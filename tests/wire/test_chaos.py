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
import threading
from pathlib import Path

import pytest
from processes import LONGEST, Http, Stdio, resident, until

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


@pytest.fixture(scope="module", params=["short", pytest.param("sdk", marks=pytest.mark.soak)])
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


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["text", "bytes", "list", "typed", "object", "gigabyte"])
def test_values_that_are_too_big(mode, kind):
    with Stdio(NASTY, *mode) as server:
        server.ask("prompts/list")
        before = resident(server.pid)
        result = server.call("typed" if kind == "typed" else "big", kind=kind)
        assert len(json.dumps(result)) < 300_000
        assert result["isError"] == (kind in {"bytes", "object"})
        comes_back(server, before)


@pytest.mark.soak
def test_values_that_are_too_big_over_http(http):
    before = resident(http.pid)
    assert len(json.dumps(http.call("big", kind="text"))) < 300_000
    comes_back(http, before)


@pytest.mark.soak
def test_tools_that_never_end(mode):
    with Stdio(NASTY, *mode) as server:
        for name in ("spin_apart", "spin"):
            assert "no answer in" in server.call(name)["content"][0]["text"]
            alive(server)
        assert server.end() == 0  # though one still runs


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


@pytest.mark.soak
def test_ten_thousand_malformed_lines(stdio):
    before = resident(stdio.pid)
    for _ in range(10_000 // len(MALFORMED) // 10 + 1):
        stdio.write(b"\n".join(MALFORMED * 10) + b"\n")
        alive(stdio)
    assert all("error" in each or "method" in each for each in stdio.others)
    assert {each.get("id") for each in stdio.others} <= {None, "m", 1}
    comes_back(stdio, before)


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


@pytest.mark.soak
def test_lines_that_are_deep(stdio):
    before = resident(stdio.pid)
    for deep in (b"[" * 1_000_000, b'{"a":' * 300_000, b"[" * 100_000 + b"]" * 100_000):
        for head in (b"", b'{"jsonrpc": "2.0", "id": "d", "method": "ping", "params": {"a": '):
            stdio.write(head + deep + b"\n")
            alive(stdio)
    assert all("error" in each for each in stdio.others)
    comes_back(stdio, before)


@pytest.mark.soak
def test_a_line_of_forty_megabytes(stdio):
    before = resident(stdio.pid)
    assert stdio.call("size_of", text="x" * 40_000_000)["structuredContent"] == {
        "result": 40_000_000
    }
    comes_back(stdio, before)


@pytest.mark.soak
def test_a_line_that_is_too_long(stdio):
    before = resident(stdio.pid)
    with contextlib.suppress(BrokenPipeError):
        for _ in range(70):
            stdio.write(b"x" * 1_000_000)
        stdio.write(b"\n")
    comes_back(stdio, before)
    assert [each["error"]["code"] for each in stdio.others if "error" in each] != []


def test_a_client_that_is_slow(stdio):
    call = {"name": "add", "arguments": {"a": 2, "b": 40}}
    message = {"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call}
    for byte in json.dumps(message).encode() + b"\n":
        stdio.write(bytes([byte]))
    assert stdio.answer("slow")["result"]["content"][0]["text"] == "42"


@pytest.mark.soak
def test_a_flood_of_calls(own_stdio):
    stdio = own_stdio
    before = resident(stdio.pid)
    for name, more in (("wait", {}), ("block", {}), ("add", {"a": 1, "b": 1})):
        arguments = more or {"seconds": 0.01}
        params = {"name": name, "arguments": arguments}
        numbers = {stdio.begin("tools/call", params) for _ in range(1000)}
        while numbers:
            message = stdio.next()
            assert not message["result"]["isError"]
            numbers.remove(message["id"])
    comes_back(stdio, before)


@pytest.mark.soak
def test_a_client_that_does_not_read(own_stdio):
    stdio = own_stdio
    stdio.reads.clear()
    params = {"name": "big", "arguments": {"kind": "text"}}
    numbers = [stdio.begin("tools/call", params) for _ in range(8)]
    stdio.reads.set()
    for number in numbers:
        message = stdio.next()
        assert not message["result"]["isError"], number


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


@pytest.mark.soak
@pytest.mark.parametrize("name", ["wait", "block"])
def test_a_client_that_leaves_in_a_call(mode, name):
    with Stdio(NASTY, *mode) as server:
        server.begin("tools/call", {"name": name, "arguments": {"seconds": 100}})
        alive(server)
        assert server.end() == 0
        assert "Traceback" not in server.said()


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


@pytest.mark.soak
def test_bodies_that_are_malformed(http):
    before = resident(http.pid)
    for at in range(2000):
        body = MALFORMED[at % len(MALFORMED)]
        version = "2026-07-28" if at % 3 else None
        status, _ = http.asked(http.request(body=body, mcp_protocol_version=version))
        assert 200 <= status < 500, (body, status)
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


@pytest.mark.soak
def test_a_flood_over_http(http):
    before = resident(http.pid)
    data = http.message("tools/call", {"name": "add", "arguments": {"a": 2, "b": 40}})
    statuses = []

    def client():
        statuses.extend(http.asked(data)[0] for _ in range(20))

    clients = [threading.Thread(target=client) for _ in range(50)]
    for each in clients:
        each.start()
    for each in clients:
        each.join(LONGEST)
    assert statuses == [200] * 1000
    comes_back(http, before)
