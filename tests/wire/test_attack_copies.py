"""Forked copies, threads that outlive their call, and what holds the end of a server."""

import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Http, Stdio, gone, is_running, until
from toolwright.cli import main

SERVER = Path(__file__).with_name("attack_server.py")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


def written(path):
    """Wait until a copy has written down its process."""
    return int(until(lambda: path.exists() and path.read_text(encoding="ascii"), "a copy runs"))


def text(result):
    return result["content"][0]["text"]


@pytest.fixture(scope="module")
def stdio():
    with Stdio(SERVER) as server:
        yield server
        assert server.end() == 0
        assert "Traceback" not in server.said()


@pytest.fixture(scope="module")
def http():
    with Http(SERVER) as server:
        yield server
        assert "Traceback" not in server.said()


@pytest.mark.promise("limit.fork")
@pytest.mark.parametrize("name", ["forks", "forks_inline", "forks_async"])
def test_a_copy_that_falls_through_writes_nothing_on_stdio(stdio, tmp_path, name):
    path = tmp_path / "copy"
    assert text(stdio.call(name, path=str(path), word="once")) == "once"
    gone(written(path))
    assert text(stdio.call("echo", word="next")) == "next"
    assert [each for each in stdio.others if "id" in each] == []


@pytest.mark.parametrize("name", ["forks", "forks_inline", "forks_async"])
def test_a_copy_that_falls_through_writes_nothing_over_http(http, tmp_path, name):
    path = tmp_path / "copy"
    data = http.message("tools/call", {"name": name, "arguments": {"path": str(path), "word": "w"}})
    status, body = http.asked(data)
    assert status == 200
    assert body.count(b'"result"') == 1
    assert b"of the copy" not in body
    gone(written(path))
    assert text(http.call("echo", word="next")) == "next"


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_copy_that_ends_itself_goes_on_working(request, transport):
    server = request.getfixturevalue(transport)
    assert text(server.call("forks_properly", word="hello")) == "hello"
    assert text(server.call("echo", word="next")) == "next"


def test_a_copy_does_not_keep_the_port(tmp_path):
    path = tmp_path / "copy"
    with Http(SERVER) as server:
        assert text(server.call("forks_and_stays", path=str(path))) == "forked"
        copy = written(path)
        server.process.terminate()
        server.process.wait(30)
        try:
            assert is_running(copy)
            with pytest.raises(ConnectionRefusedError):
                server.connect().close()
            with socket.socket() as other:
                other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                other.bind(("127.0.0.1", server.port))
                other.listen()
        finally:
            os.kill(copy, signal.SIGKILL)


@pytest.mark.promise("limit.mute")
@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_a_thread_that_outlives_its_call_is_not_heard(tmp_path, era):
    go, done = tmp_path / "go", tmp_path / "done"
    meta = {"progressToken": 7, "io.modelcontextprotocol/logLevel": "debug"}
    meta = {"progressToken": 7} if era == "handshake" else {**MODERN, **meta}
    params = {
        "name": "speaks_later",
        "arguments": {"go": str(go), "done": str(done)},
        "_meta": meta,
    }
    with Stdio(SERVER, greet=era == "handshake") as server:
        if era == "handshake":
            server.ask("logging/setLevel", {"level": "debug"})
        assert text(server.ask("tools/call", params)["result"]) == "answered"
        server.others.clear()
        go.touch()
        until(done.exists, "the thread has spoken")
        rest = {"_meta": meta} if era == "modern" else {}
        sent = {"name": "echo", "arguments": {"word": "x"}, **rest}
        for _ in range(3):
            assert text(server.ask("tools/call", sent)["result"]) == "x"
        assert server.others == []


@pytest.mark.promise("limit.exit")
@pytest.mark.parametrize("how", ["atexit", "thread"])
def test_what_a_tool_left_does_not_hold_the_end(how):
    assert main._EXIT_SECONDS == 5
    with Stdio(SERVER) as server:
        assert text(server.call("holds_the_end", how=how, seconds=0.5)) == how
        assert server.end(timeout=60) == 0
