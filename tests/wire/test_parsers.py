"""Requests as either parser reads them: httptools, and h11 where that is not installed."""

import contextlib
import json
import re
from pathlib import Path

import pytest

from tests.wire.processes import Http, resident

TOOLS = """
import pathlib
import time

from toolwright import Call


def add(a: int, b: int) -> int:
    return a + b


def wait(path: str) -> str:
    while not pathlib.Path(path).exists():
        time.sleep(0.01)
    return "waited"


def headers(call: Call) -> str:
    return " ".join(call.headers)
"""
WITHOUT = """
import sys

sys.modules["httptools"] = None
"""
ADD = {"name": "add", "arguments": {"a": 2, "b": 40}}
MEGABYTE = 1 << 20


@pytest.fixture(scope="module", params=["httptools", "h11"])
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    target = folder / "tools.py"
    target.write_text(TOOLS if request.param == "httptools" else WITHOUT + TOOLS)
    # A fresh interpreter: the others have imported httptools already.
    with Http(target, fresh=request.param == "h11") as server:
        loaded = Path(f"/proc/{server.pid}/maps").read_bytes()
        assert (b"httptools/parser" in loaded) is (request.param == "httptools")
        yield server
        alive(server)
        assert "Traceback" not in server.said(), server.said()[-2000:]


def alive(server):
    assert server.call("add", a=2, b=40)["structuredContent"] == 42


def kept(server, name="add", **arguments):
    """A call whose connection stays open."""
    return server.message("tools/call", {"name": name, "arguments": arguments}, connection=None)


def added(server, a=2, b=40):
    return kept(server, a=a, b=b)


def chunked(message, size=1000):
    """A request, with its body in chunks and no end of it."""
    head, _, body = message.partition(b"\r\n\r\n")
    head = re.sub(rb"content-length: \d+", b"transfer-encoding: chunked", head)
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return head + b"\r\n\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def answers(connection, count):
    """The statuses and the texts of so many answers."""
    came, found = b"", []
    while len(found) < count:
        part = connection.recv(1 << 16)
        assert part, (found, came)
        came += part
        while (whole := re.match(rb"HTTP/1.1 (\d+).*?\r\n\r\n", came, re.DOTALL)) is not None:
            size = int(re.search(rb"content-length: (\d+)", whole[0])[1])
            if len(came) < whole.end() + size:
                break
            body = came[whole.end() : whole.end() + size]
            came = came[whole.end() + size :]
            found.append((int(whole[1]), json.loads(body)["result"]["content"][0]["text"]))
    assert not came
    return found


def flooded(connection, data, most=64 * MEGABYTE):
    """Send more and more, until nobody takes it; return how many bytes were taken."""
    connection.settimeout(2)
    sent = 0
    with contextlib.suppress(OSError):
        while sent < most:
            sent += connection.send(data)
    return sent


@pytest.mark.promise("serve.parser")
def test_many_requests_on_one_connection_are_answered_in_order(server):
    with server.connect() as connection:
        for at in range(20):
            connection.sendall(added(server, at, 0))
            assert answers(connection, 1) == [(200, str(at))]
        connection.sendall(b"".join(added(server, at, 1) for at in range(200)))
        assert answers(connection, 200) == [(200, str(at + 1)) for at in range(200)]


def test_requests_that_come_while_another_runs_are_answered_behind_it(server, tmp_path):
    gate = tmp_path / "gate"
    later = b"".join(added(server, at, 1) for at in range(20))
    with server.connect() as connection:
        connection.sendall(kept(server, "wait", path=str(gate)) + later[:100])
        alive(server)
        for at in range(100, len(later), 700):
            connection.sendall(later[at : at + 700])
            alive(server)
        gate.touch()
        assert answers(connection, 21) == [
            (200, "waited"),
            *((200, str(at + 1)) for at in range(20)),
        ]


def test_blanks_around_the_value_of_a_header_are_not_part_of_it(server):
    message = re.sub(rb"(?i)(mcp-name):[^\r]*", rb"\1: \t add \t ", added(server))
    assert b"add \t " in message
    with server.connect() as connection:
        connection.sendall(message)
        assert answers(connection, 1) == [(200, "42")]


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_requests_in_pieces(server, size):
    sent = (added(server) + chunked(added(server, 1, 1), 50) + b"0\r\n\r\n") * 2
    with server.connect() as connection:
        for at in range(0, len(sent), size):
            connection.sendall(sent[at : at + size])
        assert answers(connection, 4) == [(200, "42"), (200, "2")] * 2


@pytest.mark.parametrize("protocol", ["h2c", "websocket"])
@pytest.mark.parametrize("length", ["known", "chunked"])
def test_an_offer_to_upgrade_is_passed_over(server, protocol, length):
    """Java's client offers HTTP/2 with its first request, which has a body all the same."""
    offer = {"connection": "Upgrade, HTTP2-Settings", "upgrade": protocol, "http2_settings": "AAEA"}
    sent = server.message("tools/call", ADD, **offer)
    sent = sent if length == "known" else chunked(sent) + b"0\r\n\r\n"
    with server.connect() as connection:
        for at in range(0, len(sent), 150):
            connection.sendall(sent[at : at + 150])
        assert answers(connection, 1) == [(200, "42")]
        connection.sendall(sent + added(server, 1, 1))
        assert answers(connection, 2) == [(200, "42"), (200, "2")]


def test_a_client_that_waits_to_be_told_to_send_its_body(server):
    head, _, body = added(server).partition(b"\r\n\r\n")
    with server.connect() as connection:
        connection.sendall(head + b"\r\nExpect: 100-Continue\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert answers(connection, 1) == [(200, "42")]


@pytest.mark.parametrize(
    "head",
    [
        b"nonsense",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: +1",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\na b: c",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\na: b\0c",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nhost: localhost",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: x, y",
        b"CONNECT localhost:1 HTTP/1.1\r\nhost: localhost",
        b"GET /caf\xc3\xa9 HTTP/1.1\r\nhost: localhost",
    ],
)
def test_what_is_not_a_request_is_refused(server, head):
    status, _ = server.asked(head + b"\r\nconnection: close\r\n\r\n")
    assert status in (400, 404, 501), status


@pytest.mark.parametrize(
    "headers",
    [
        {"x_long": "a" * 100_000},
        {"x_long": "a" * 1_000_000},
        {f"x_{number}": "a" for number in range(5_000)},
    ],
    ids=["at once", "in pieces", "many"],
)
def test_a_head_that_is_too_large_is_refused_with_an_answer(server, headers):
    status, _ = server.asked(server.message("tools/call", ADD, **headers))
    assert status in {431, 400}  # 400 is what h11 says
    assert status == 431 or "h11" in str(server.process.args)


def test_a_head_of_almost_the_largest_size_is_read(server):
    assert server.call("add", {"x_long": "a" * 60_000}, a=2, b=40)["structuredContent"] == 42


def test_a_whole_address_in_a_request_says_which_host_is_meant(server):
    request = server.message("tools/call", ADD)
    own = request.replace(b"POST /mcp", b"POST http://localhost:%d/mcp" % server.port, 1)
    other = request.replace(b"POST /mcp", b"POST http://evil.example/mcp", 1)
    assert server.asked(own)[0] in {200, 404}  # h11 takes such an address for a path
    assert server.asked(other)[0] in {421, 404}


def test_trailers_are_not_headers(server):
    """A proxy sets headers, and may pass on the trailers of whoever asks."""
    sent = chunked(kept(server, "headers"))
    with server.connect() as connection:
        connection.sendall(sent + b"0\r\nhost: evil.example\r\nx-trailer: 1\r\n\r\n")
        ((status, said),) = answers(connection, 1)
    assert (status, "x-trailer" in said, "mcp-name" in said) == (200, False, True)


@pytest.mark.parametrize("what", [b"a: " + b"b" * 1000 + b"\r\n", b"a" * 1000])
def test_trailers_without_end(server, what):
    before = resident(server.pid)
    with server.connect() as connection:
        connection.sendall(chunked(added(server)) + b"0\r\n")
        assert flooded(connection, what * 60) < 32 * MEGABYTE
        assert resident(server.pid) < before + 16


def test_a_chunk_whose_extension_has_no_end(server):
    with server.connect() as connection:
        connection.sendall(chunked(added(server)) + b"1;")
        assert flooded(connection, b"a" * 65536) < 32 * MEGABYTE
