"""Time in which the server did not run does not count against its clients."""

import asyncio
import contextlib
import json
import socket

import pytest

from tests.wire.serve.loop_server import headers, request, saying
from toolwright import Toolbox

LONGEST = 60
SECONDS = {"header_timeout": 30, "body_timeout": 30}
BEHIND_A_LOOK = 2
LOST = 1000


class Stalls:
    """The clock of the running loop, which may jump.

    A server finds what its clients have sent, then looks at who takes too long. What comes between
    the two is read only afterwards: here the loop stalls just there, and the client sends.
    """

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.ahead = 0
        real = self.loop.time
        self.loop.time = lambda: real() + self.ahead

    def stall(self, meanwhile):
        def before_the_look():
            meanwhile()
            self.ahead += LOST

        # Both are due when the loop has looked for data the next time, this one first.
        self.loop.call_soon(self.loop.call_at, self.loop.time(), before_the_look)
        self.loop.call_soon(self._pass_the_look)

    def _pass_the_look(self):
        self.ahead += BEHIND_A_LOOK


@contextlib.asynccontextmanager
async def served(**settings):
    box = Toolbox("box")

    @box.tool
    async def hello() -> str:
        return "hello"

    with saying() as said:
        serving = asyncio.create_task(box.serve_async("http", port=0, **settings))
        port = await said
    with socket.create_connection(("127.0.0.1", port), LONGEST) as connection:
        yield connection
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


def call(**more):
    """The bytes of a call."""
    body = json.dumps(request("hello")).encode()
    lines = {"host": "localhost", "content-length": str(len(body)), **headers("hello"), **more}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def rest(connection):
    """What comes until the server closes the connection."""
    came = b""
    while part := connection.recv(1 << 16):
        came += part
    return came


async def is_read(connection):
    """Wait until the server has read what was sent on a connection: then it has read that of others."""
    with socket.create_connection(connection.getpeername(), LONGEST) as other:
        other.sendall(call(connection="close"))
        assert b'"hello"' in await asyncio.to_thread(rest, other)


@pytest.mark.parametrize("part", ["head", "body"])
def test_the_rest_of_a_request_that_came_while_the_server_stood_still(part):
    data = call(connection="close")
    half = 40 if part == "head" else data.index(b"\r\n\r\n") + 10

    async def program():
        async with served(**SECONDS) as connection:
            connection.sendall(data[:half])
            await is_read(connection)
            Stalls().stall(lambda: connection.sendall(data[half:]))
            return await asyncio.to_thread(rest, connection)

    came = asyncio.run(program())
    assert came.startswith(b"HTTP/1.1 200 "), came[:200]
    assert b'"hello"' in came


def test_a_request_that_came_on_an_idle_connection_while_the_server_stood_still():
    async def program():
        async with served(**SECONDS) as connection:
            connection.sendall(call())
            assert b'"hello"' in await asyncio.to_thread(connection.recv, 1 << 16)
            Stalls().stall(lambda: connection.sendall(call(connection="close")))
            return await asyncio.to_thread(rest, connection)

    assert b'"hello"' in asyncio.run(program())


def test_time_counts_again_afterwards():
    async def program():
        async with served(header_timeout=0.2) as connection:
            connection.sendall(call()[:40])
            Stalls().stall(lambda: connection.sendall(call()[40:50]))
            return await asyncio.to_thread(rest, connection)

    assert asyncio.run(program()).startswith(b"HTTP/1.1 408 ")
