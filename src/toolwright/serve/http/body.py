"""Request bodies, and clients that hang up."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from .asgi import Message, Receive

_PATIENCE = 0.1
"""Seconds after which a call is long enough to look whether its client is still there."""


_BYTES_PER_SECOND = 64 * 1024
"""How fast a client must be that takes longer than it may for a small body or answer."""


def allowed(seconds: float, size: int) -> float:
    """Return how many seconds so many bytes may take, of which `seconds` are for any number."""
    return seconds + size / _BYTES_PER_SECOND


class Gone(Exception):
    """The client hung up."""


class Slow(Exception):
    """The client takes too long."""


class Full(Exception):
    """Too much of unfinished bodies is held already."""


class BodyMemory:
    """Counts the bytes of unfinished bodies: bounded in all, and for each client."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.total = 0
        self.by_client: dict[str, int] = {}

    def take(self, client: str, size: int) -> None:
        """Count bytes, or raise `Full`: one client has a quarter of what there is."""
        held = self.by_client.get(client, 0) + size
        if self.total + size > self.most or held > self.most // 4:
            raise Full
        self.total += size
        self.by_client[client] = held

    def give_back(self, client: str, size: int) -> None:
        """Count bytes no more."""
        self.total -= size
        left = self.by_client.get(client, 0) - size
        if left > 0:
            self.by_client[client] = left
        else:
            self.by_client.pop(client, None)


async def read_body(
    receive: Receive, most: int, seconds: float, memory: BodyMemory, client: str
) -> bytes | None:
    """Read a body; None if it is too large. Raises `Gone`, `Slow` or `Full`."""
    body = bytearray()
    try:
        with time_limit(seconds) as limit:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Gone
                part: bytes = message.get("body", b"")
                if len(body) + len(part) > most:
                    return None
                if not message.get("more_body"):
                    return bytes(body) + part if body else part
                memory.take(client, len(part))
                body += part  # one array, however small the parts are
                limit.received = len(body)
    finally:
        if body:
            memory.give_back(client, len(body))


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body which was read already."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


class time_limit:  # noqa: N801 - reads as a statement
    """Raise `Slow` inside if a body is not there in time; a large one has more time.

    A timer of our own costs a third of `asyncio.timeout`, and every request pays for it.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.received = 0
        self.expired = False

    def __enter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        self.task = asyncio.current_task()
        self.began = self.loop.time()
        self.timer = self.loop.call_at(self.began + self.seconds, self._expire)
        return self

    def _expire(self) -> None:
        until = self.began + allowed(self.seconds, self.received)
        if self.loop.time() < until:
            self.timer = self.loop.call_at(until, self._expire)
        elif self.task is not None:
            self.expired = True
            self.task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.timer.cancel()
        if not self.expired or self.task is None:
            return
        # The task may have been cancelled by somebody else as well: then it stays so.
        if self.task.uncancel() == 0 and isinstance(error, asyncio.CancelledError):
            raise Slow from None


class cancelled_if_gone:  # noqa: N801 - reads as a statement
    """Cancel what is awaited inside if the client hangs up; quick calls do not pay for looking."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.task = asyncio.current_task()
        self.watch: asyncio.Future[None] | None = None
        self.gone = False

    def __enter__(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        self.watch = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        if self.task is not None:
            self.task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.timer.cancel()
        if self.watch is not None:
            self.watch.cancel()
        if self.gone and isinstance(error, asyncio.CancelledError):
            if self.task is not None:
                self.task.uncancel()
            raise Gone from None
