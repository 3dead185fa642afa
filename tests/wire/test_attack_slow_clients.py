"""Slow clients: half requests, bodies that never end, answers that nobody reads."""

import asyncio
import contextlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.wire.asgi_requests import ask
from tests.wire.processes import MODERN, Http
from toolwright import Toolbox
from toolwright.serve.access.guard import TrustedProxies
from toolwright.serve.access.quotas import Client
from toolwright.serve.http.body import Bodies
from toolwright.serve.http.uvicorn.connections import Connections
from toolwright.serve.settings import ServerConfig

FILES = 300
"""How many files the server may open: fewer than it gets connections."""
TOOLS = f"""
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

def add(a: int, b: int) -> int:
    return a + b

def long(n: int) -> str:
    return "x" * n
"""
HEAD = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


@contextlib.contextmanager
def started(folder, *more):
    """A server that may open few files."""
    target = folder / "tools.py"
    target.write_text(TOOLS)
    with Http(target, "--header-timeout", "2", "--body-timeout", "2", *more) as server:
        yield server
        assert "Traceback" not in server.said(), server.said()[-2000:]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with started(tmp_path_factory.mktemp("slow")) as server:
        alive(server)
        yield server
        alive(server)


def alive(server):
    assert server.call("add", a=2, b=40)["structuredContent"] == 42


def rest(connection):
    """What comes until the server closes the connection."""
    came = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while part := connection.recv(1 << 16):
            came += part
    return came


def dripped(connection, data=b" "):
    """Send a byte now and then until the server has enough of it; return what it says."""
    over = threading.Event()

    def drip():
        with contextlib.suppress(OSError):
            while not over.wait(0.1):
                connection.sendall(data)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        return rest(connection)
    finally:
        over.set()
        thread.join()


# -- clients that do not end what they begin


def head_never(connection, server, sent):
    connection.sendall(sent)
    return rest(connection)


def head_drips(connection, server, sent):
    connection.sendall(sent(server))
    return dripped(connection, b"x")


def body_never(connection, server, how):
    length = b"transfer-encoding: chunked" if how == "chunks" else b"content-length: 100000"
    expect = b"expect: 100-continue\r\n" if how == "expect" else b""
    connection.sendall(HEAD + length + b"\r\n" + expect + b"\r\n")
    if how == "half":
        connection.sendall(b" " * 50_000)
    drop = {"drip": b" ", "chunks": b"1\r\n \r\n"}.get(how)
    return dripped(connection, drop) if drop else rest(connection)


def body_unread(connection, server, path):
    host = b"host: evil.example\r\n" if path == b"/mcp" else b"host: localhost\r\n"
    connection.sendall(b"POST " + path + b" HTTP/1.1\r\n" + host)
    connection.sendall(b"content-length: 1000000\r\n\r\n")
    return dripped(connection)


HEADS = {"none": b"", "half": HEAD, "line": b"GET /mcp", "long": HEAD + b"a: b\r\n" * 500}
DRIPPED = {
    "first": lambda server: HEAD,
    "second": lambda server: server.message("tools/list", connection=None) + HEAD,
}
BODIES = ("none", "half", "drip", "chunks", "expect")
UNREAD = (b"/mcp", b"/elsewhere")
UNFINISHED = {
    **{("head", name): (head_never, sent) for name, sent in HEADS.items()},
    **{("dripped", name): (head_drips, sent) for name, sent in DRIPPED.items()},
    **{("body", how): (body_never, how) for how in BODIES},
    **{("unread", path): (body_unread, path) for path in UNREAD},
}


@pytest.fixture(scope="module")
def unfinished(server):
    """What the server says to each of these clients; they come at once, and wait at once."""

    def said(name):
        course, given = UNFINISHED[name]
        with server.connect() as connection:
            return course(connection, server, given)

    with ThreadPoolExecutor(len(UNFINISHED)) as pool:
        return dict(zip(UNFINISHED, pool.map(said, UNFINISHED), strict=True))


def test_a_head_that_comes_byte_by_byte(unfinished):
    assert unfinished["dripped", "first"].startswith(b"HTTP/1.1 408")


def test_a_second_head_that_comes_byte_by_byte(unfinished):
    assert unfinished["dripped", "second"].startswith(b"HTTP/1.1 200")


@pytest.mark.promise("serve.slow-head")
@pytest.mark.parametrize("how", BODIES)
def test_a_body_that_does_not_end(unfinished, how):
    said = unfinished["body", how].removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 408")
    assert b"did not arrive in time" in said


@pytest.mark.parametrize("path", UNREAD)
def test_the_rest_of_a_body_that_nobody_reads(unfinished, path):
    """What a request without a token, or to nowhere, leaves behind."""
    assert unfinished["unread", path].startswith(b"HTTP/1.1 4")


def test_a_large_answer_that_is_read_in_time(server):
    asked = server.message("tools/call", {"name": "long", "arguments": {"n": 100_000}})
    with server.connect() as connection:
        connection.sendall(asked)
        assert rest(connection).count(b"x") >= 100_000


@pytest.mark.promise("serve.tiny-chunks")
@pytest.mark.parametrize("how", ["at once", "behind a head", "in a head", "behind an answer"])
def test_tiny_chunks_and_headers_are_not_read(server, how):
    """Each costs as much as a large one: 400,000 kept others waiting for seconds."""
    chunks, answer = b"1\r\n \r\n" * 50_000, b""
    chunked = HEAD + b"transfer-encoding: chunked\r\n\r\n"
    with server.connect() as connection:
        with contextlib.suppress(OSError):
            if how == "at once":
                connection.sendall(chunked + chunks)
            elif how == "in a head":
                connection.sendall(HEAD + b"a: b\r\n" * 50_000)
            elif how == "behind a head":
                connection.sendall(chunked)
                alive(server)
                connection.sendall(chunks)
            else:
                connection.sendall(chunked.replace(b"localhost", b"evil.example"))
                answer = connection.recv(12)
                connection.sendall(chunks)
        said = rest(connection)
    assert answer == (b"HTTP/1.1 421" if how == "behind an answer" else b"")
    assert b"200 OK" not in said
    assert b"408" not in said


def test_chunks_and_lines_of_usual_size_are_read(server):
    whole = server.message("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}})
    head, _, body = whole.partition(b"\r\n\r\n")
    head = head.replace(b"content-length: %d\r\n" % len(body), b"")
    short = b"\r\n" * 20_000 + body  # short lines are nothing special without chunks
    for data in (
        head + b"\r\ncontent-length: %d\r\n\r\n" % len(short) + short,
        head
        + b"\r\ntransfer-encoding: chunked\r\n\r\n"
        + (b"%x\r\n%s\r\n" % (200, b" " * 200)) * 100
        + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
    ):
        status, came = server.asked(data)
        assert (status, b'"structuredContent":3' in came) == (200, True), came


# -- apart from a server


class Fake:
    def __init__(self):
        self.since = 0
        self.aborted = False

    def cut(self):
        self.aborted = True


def added(table, peer, count=1):
    made = [Fake() for _ in range(count)]
    return made, [table.add(each, (peer, at)) for at, each in enumerate(made)]


@pytest.fixture
def table():
    async def make(**limits):
        return Connections(ServerConfig(**limits), TrustedProxies(["10.0.0.1"]))

    with asyncio.Runner() as runner:

        def run(course, **limits):
            async def whole():
                course(await make(**limits))

            runner.run(whole())

        yield run


def test_one_client_cannot_take_all_connections(table):
    def course(table):
        made, room = added(table, "203.0.113.7", 5)
        assert room == [True] * 5
        assert [each.aborted for each in made] == [True, True, False, False, False]
        other, room = added(table, "203.0.113.8", 3)
        assert room == [True] * 3
        assert not any(each.aborted for each in other)
        for each in made[2:]:
            table.at_work(each)
        assert added(table, "203.0.113.7")[1] == [False]
        # The same /64 is the same client; this machine and named proxies stand for many.
        assert added(table, "2001:db8::1", 3)[1] == [True] * 3
        assert [each.aborted for each in added(table, "2001:db8::2", 4)[0]] == [True] + [False] * 3
        for peer in ("127.0.0.1", "::1", "10.0.0.1"):
            assert not any(each.aborted for each in added(table, peer, 10)[0])

    table(course, max_connections_per_client=3, max_connections=1000)


def test_half_requests_make_room_before_clients_that_are_at_work(table):
    def course(table):
        (idle, busy, half), _ = added(table, "203.0.113.7", 3)
        for each in (idle, busy):
            table.at_work(each)
        table.waits(idle)
        (new,), room = added(table, "203.0.113.9")
        assert (room, half.aborted, idle.aborted) == ([True], True, False)
        table.at_work(new)
        (newer,), room = added(table, "203.0.113.9")
        assert (room, idle.aborted) == ([True], True)
        table.at_work(newer)
        (refused,), room = added(table, "203.0.113.9")
        assert (room, busy.aborted) == ([False], False)
        for each in (busy, new, newer, refused, idle, half):
            table.remove(each)
            table.remove(each)
        assert (table.open, table.by_client, table.idle, table.unproven) == ({}, {}, {}, {})

    table(course, max_connections=3)


@pytest.mark.promise("serve.bodies")
def test_bodies_that_are_not_whole_are_bounded_in_all():
    memory = Bodies(100, 1).memory  # 64 bodies of 100 bytes; one client may hold a quarter
    clients = [Client(name) for name in "abcd"]
    for client in clients:
        assert memory.take(client, 1600)
        assert not memory.take(client, 1)
    assert not memory.take(Client("e"), 1)
    for client in clients:
        memory.give_back(client, 1600)
    assert (memory.total, memory.held) == (0, {})


@pytest.mark.promise("serve.slow-body")
def test_a_large_body_has_more_time():
    """1 MB has 16 s more: half a second would be too little for what comes after one."""

    async def course():
        box = Toolbox("box", version="1")
        app = box.asgi(body_timeout=0.5, max_body=2_000_000)
        parts = [b" " * 1_000_000, b" "]

        async def receive():
            if len(parts) == 1:
                await asyncio.sleep(1)
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def through(scope, _, send):
            await app(scope, receive, send)

        assert (await ask(through)).status == 400  # all of it was read: it is not JSON

    asyncio.run(asyncio.wait_for(course(), 60))


def test_what_a_body_has_held_is_given_back_however_it_ends():
    async def course():
        box = Toolbox("box", version="1")
        app = box.asgi(max_body=1000, body_timeout=0.2)
        whole = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"_meta": MODERN}})
        ends = {
            408: [b" " * 500],
            413: [b" " * 900, b" " * 900],
            200: [b" " * 500, whole.encode(), None],
        }
        seen = []
        for parts in ends.values():
            seen.append(await status_of(app, parts))
            assert (app.bodies.memory.total, app.bodies.memory.held) == (0, {})
        assert seen[:2] == [408, 413]
        assert app.bodies.memory.take(Client("somebody"), 250 * 64)
        app.bodies.memory.most = 250 * 64
        assert await status_of(app, [b" " * 500]) == 503

    asyncio.run(asyncio.wait_for(course(), 60))


async def status_of(app, parts):
    messages = [{"type": "http.request", "body": each or b"", "more_body": True} for each in parts]
    if parts[-1] is None:
        messages[-1]["more_body"] = False

    async def receive():
        if messages:
            return messages.pop(0)
        await asyncio.Event().wait()

    async def through(scope, _, send):
        await app(scope, receive, send)

    return (await ask(through)).status
