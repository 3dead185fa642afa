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

import pytest

from tests.wire.processes import LONGEST, Stdio, resident
from tests.wire.test_chaos import (
    MALFORMED,
    NASTY,
    alive,
    comes_back,
    http,
    mode,
    own_stdio,
    server,
    shared_http,
    shared_stdio,
    stdio,
)


@pytest.mark.parametrize("kind", ["text", "bytes", "list", "typed", "object", "gigabyte"])
def test_values_that_are_too_big(mode, kind):
    with Stdio(NASTY, *mode) as server:
        server.ask("prompts/list")
        before = resident(server.pid)
        result = server.call("typed" if kind == "typed" else "big", kind=kind)
        assert len(json.dumps(result)) < 300_000
        assert result["isError"] == (kind in {"bytes", "object"})
        comes_back(server, before)


def test_values_that_are_too_big_over_http(http):
    before = resident(http.pid)
    assert len(json.dumps(http.call("big", kind="text"))) < 300_000
    comes_back(http, before)


def test_tools_that_never_end(mode):
    with Stdio(NASTY, *mode) as server:
        for name in ("spin_apart", "spin"):
            assert "no answer in" in server.call(name)["content"][0]["text"]
            alive(server)
        assert server.end() == 0  # though one still runs


def test_ten_thousand_malformed_lines(stdio):
    before = resident(stdio.pid)
    for _ in range(10_000 // len(MALFORMED) // 10 + 1):
        stdio.write(b"\n".join(MALFORMED * 10) + b"\n")
        alive(stdio)
    assert all("error" in each or "method" in each for each in stdio.others)
    assert {each.get("id") for each in stdio.others} <= {None, "m", 1}
    comes_back(stdio, before)


def test_lines_that_are_deep(stdio):
    before = resident(stdio.pid)
    for deep in (b"[" * 1_000_000, b'{"a":' * 300_000, b"[" * 100_000 + b"]" * 100_000):
        for head in (b"", b'{"jsonrpc": "2.0", "id": "d", "method": "ping", "params": {"a": '):
            stdio.write(head + deep + b"\n")
            alive(stdio)
    assert all("error" in each for each in stdio.others)
    comes_back(stdio, before)


def test_a_line_of_forty_megabytes(stdio):
    before = resident(stdio.pid)
    assert stdio.call("size_of", text="x" * 40_000_000)["structuredContent"] == {
        "result": 40_000_000
    }
    comes_back(stdio, before)


def test_a_line_that_is_too_long(stdio):
    before = resident(stdio.pid)
    with contextlib.suppress(BrokenPipeError):
        for _ in range(70):
            stdio.write(b"x" * 1_000_000)
        stdio.write(b"\n")
    comes_back(stdio, before)
    assert [each["error"]["code"] for each in stdio.others if "error" in each] != []


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


def test_a_client_that_does_not_read(own_stdio):
    stdio = own_stdio
    stdio.reads.clear()
    params = {"name": "big", "arguments": {"kind": "text"}}
    numbers = [stdio.begin("tools/call", params) for _ in range(8)]
    stdio.reads.set()
    for number in numbers:
        message = stdio.next()
        assert not message["result"]["isError"], number


@pytest.mark.parametrize("name", ["wait", "block"])
def test_a_client_that_leaves_in_a_call(mode, name):
    with Stdio(NASTY, *mode) as server:
        server.begin("tools/call", {"name": name, "arguments": {"seconds": 100}})
        alive(server)
        assert server.end() == 0
        assert "Traceback" not in server.said()


def test_bodies_that_are_malformed(http):
    before = resident(http.pid)
    for at in range(2000):
        body = MALFORMED[at % len(MALFORMED)]
        version = "2026-07-28" if at % 3 else None
        status, _ = http.asked(http.request(body=body, mcp_protocol_version=version))
        assert 200 <= status < 500, (body, status)
    comes_back(http, before)


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
