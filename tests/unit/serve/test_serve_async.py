"""Serving inside a program that runs: the same server, ended by cancelling."""

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import threading

import pytest

from tests.wire.serve.loop_server import headers, request, saying
from toolwright import Toolbox

LONGEST = 60


def box_that(log):
    @contextlib.asynccontextmanager
    async def lifespan():
        log.append("open")
        yield
        log.append("closed")

    box = Toolbox("box", lifespan=lifespan)
    box.begun, box.released = threading.Event(), threading.Event()

    @box.tool
    def hello() -> str:
        return "hello"

    @box.tool
    def slow() -> str:
        box.begun.set()
        box.released.wait(LONGEST)
        return "finished"

    return box


def asked(port, method, path, body=None, more=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    with contextlib.closing(connection):
        connection.request(method, path, body, more or {})
        reply = connection.getresponse()
        return reply.status, reply.read()


async def post(port, name):
    body = json.dumps(request(name))
    _, came = await asyncio.to_thread(asked, port, "POST", "/mcp", body, headers(name))
    return json.loads(came)["result"]["content"][0]["text"]


@pytest.mark.promise("serving.async")
def test_http_is_served_beside_the_rest_of_the_program_and_ends_when_cancelled():
    log = []
    box = box_that(log)
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]

    async def program():
        with saying() as said:
            serving = asyncio.create_task(box.serve_async("http", port=0))
            port = await said
        assert await asyncio.to_thread(asked, port, "GET", "/ready") == (200, b"")
        assert await post(port, "hello") == "hello"
        running = asyncio.create_task(post(port, "slow"))
        await asyncio.to_thread(box.begun.wait, LONGEST)
        serving.cancel()
        box.released.set()
        assert await running == "finished"
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert log == ["open", "closed"]
        with socket.socket() as again:  # the port is free
            # Connections that the server has closed may linger.
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", port))

    asyncio.run(program())
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.promise("serving.async")
def test_a_server_that_is_cancelled_twice_waits_for_nothing():
    box = box_that([])

    async def program():
        with saying() as said:
            serving = asyncio.create_task(box.serve_async("http", port=0, drain=1000))
            port = await said
        running = asyncio.create_task(post(port, "slow"))
        await asyncio.to_thread(box.begun.wait, LONGEST)
        serving.cancel()
        await asyncio.sleep(0)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        box.released.set()
        await asyncio.wait((running,))
        running.exception()

    asyncio.run(program())


def test_it_can_be_served_again_and_ends_with_a_time_limit():
    log = []
    box = box_that(log)

    async def program():
        async with asyncio.timeout(None) as limit:
            with saying() as said:
                said.add_done_callback(lambda _: limit.reschedule(0))
                await box.serve_async("http", port=0)

    async def limited():
        with pytest.raises(TimeoutError):
            await program()

    asyncio.run(limited())
    asyncio.run(limited())


@pytest.mark.promise("serving.async-settings")
@pytest.mark.parametrize(
    ("transport", "settings", "kind", "said"),
    [
        ("http", {"prot": 1}, TypeError, "did you mean `port`?"),
        ("stdio", {"port": 1}, TypeError, "`port` is a setting of serve"),
        ("sse", {}, ValueError, "a transport is `stdio` or `http`; got 'sse'"),
        ("http", {"host": "0.0.0.0"}, ValueError, "can be reached by other machines"),
    ],
)
def test_settings_are_those_of_serve(transport, settings, kind, said):
    box = Toolbox("box")
    with pytest.raises(kind) as failure:
        asyncio.run(box.serve_async(transport, **settings))
    assert said in str(failure.value)
    with pytest.raises(kind) as same:
        box.serve(transport, **settings)
    assert str(same.value) == str(failure.value)
