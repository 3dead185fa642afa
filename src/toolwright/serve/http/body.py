"""Request bodies, and clients that hang up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ...limits import check_count, check_seconds
from ..access.quotas import Client, Shares
from .asgi import Header, Message, Receive, say
from .exchanges import Exchange


class Looks:
    """Calls a function now and then, and measures how late it was called.

    A process that was stopped, or got no processor, has not read what its clients sent since,
    and a look may come before the loop asks for data again. Closing a connection then would lose
    a request that came in time.
    """

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self._due = 0.0

    def later(
        self, loop: asyncio.AbstractEventLoop, look: Callable[[], object]
    ) -> asyncio.TimerHandle:
        """Call a function once, after the pause."""
        self._due = loop.time() + self.pause
        return loop.call_at(self._due, look)

    def corrected(self, now: float) -> Callable[[float], float]:
        """Return a function that moves the start of a wait by the time lost before this look."""
        lost = max(0.0, now - self._due)
        return lambda since: min(now, since + lost)


MOST_BODIES = 64
"""How many bodies of the largest size may be unfinished at a time, and how many may be at work."""
_CLOSE: Header = (b"connection", b"close")
_PATIENCE = 0.1
"""Seconds after which a call is long enough to check whether its client is still there."""


_BYTES_PER_SECOND = 64 * 1024
"""How fast a client must be if it takes longer than a small body or answer may take."""


def allowed(seconds: float, size: int) -> float:
    """Return how many seconds `size` bytes may take: `seconds`, and more for each byte."""
    return seconds + size / _BYTES_PER_SECOND


class Gone(Exception):
    """The client hung up."""


class Slow(Exception):
    """The client takes too long."""


class Full(Exception):
    """Unfinished bodies take too much memory already."""


@dataclass(slots=True, eq=False)
class Reading:
    """One body that is being read."""

    task: asyncio.Task[Any]
    began: float
    received: int = 0
    expired: bool = False


class BodyTimes:
    """Ends reading that takes too long: one timer for all, so that requests pay next to nothing."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.current: dict[Reading, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._was_used = False
        self._looks = Looks(min(1.0, seconds / 4))

    def start(self, task: asyncio.Task[Any]) -> Reading:
        """Start timing a body that a task reads."""
        # Not `get_running_loop`: before Python 3.12 each use of it is a system call.
        loop = task.get_loop()
        if self._loop is not loop:
            self._loop = loop
            self._look_later(loop)
        self._was_used = True
        reading = Reading(task, loop.time())
        self.current[reading] = None
        return reading

    def stop(self, reading: Reading) -> None:
        """Stop timing a body. Raises `Slow` in place of the cancellation that ended its reading."""
        self.current.pop(reading, None)
        if reading.expired and reading.task.uncancel() == 0:
            raise Slow from None

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        self._looks.later(loop, lambda: self._look(loop))

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        corrected = self._looks.corrected(now)
        for reading in list(self.current):
            reading.began = corrected(reading.began)
            if now - reading.began > allowed(self.seconds, reading.received):
                del self.current[reading]
                reading.expired = True
                reading.task.cancel()
        if self._loop is not loop:
            return
        if self.current or self._was_used:
            self._was_used = False
            self._look_later(loop)
        else:
            self._loop = None


class Bodies:
    """Reads the bodies of one app's requests, each bounded in size and in time."""

    def __init__(self, most: int, seconds: float) -> None:
        check_count("max_body", most)
        check_seconds("body_timeout", seconds)
        self.most = most
        self.times = BodyTimes(seconds)
        self.memory = Shares(MOST_BODIES * most, MOST_BODIES * most // 4)
        """The bytes of unfinished bodies: one address may hold a quarter of the total."""

    async def read(self, exchange: Exchange) -> bool:
        """Read a request's body, or answer why it cannot be read. Return whether it was read."""
        send = exchange.send
        # Our own server gives a body at once if all of it is there, as it almost always is.
        at_once = getattr(getattr(exchange.receive, "__self__", None), "whole_body", None)
        body: bytes | None = None if at_once is None else at_once(self.most)
        if body is not None:
            exchange.body = body
            return True
        try:
            body = await self._whole(exchange)
        except Gone:
            return False
        except Slow:
            await say(send, 408, "the body of the request did not arrive in time", _CLOSE)
            return False
        except Full:
            wait = (b"retry-after", b"1")
            await say(send, 503, "too many large requests at once", wait, _CLOSE)
            return False
        if body is None:
            await say(send, 413, f"a request may have at most {self.most} bytes")
            return False
        exchange.body = body
        return True

    async def _whole(self, exchange: Exchange) -> bytes | None:
        """Return a body; None if it is too large. Raises `Gone`, `Slow` or `Full`."""
        body = bytearray()
        client = Client(exchange.sender.address)
        reading = self.times.start(exchange.task)
        try:
            while True:
                message = await exchange.receive()
                if message["type"] != "http.request":
                    raise Gone
                part: bytes = message.get("body", b"")
                if len(body) + len(part) > self.most:
                    return None
                if not message.get("more_body"):
                    return bytes(body) + part if body else part
                if not self.memory.take(client, len(part)):
                    raise Full
                body += part  # one array: a list of tiny parts would take far more memory
                reading.received = len(body)
        finally:
            if body:
                self.memory.give_back(client, len(body))
            self.times.stop(reading)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was already read."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


def _nothing() -> None:
    """Do nothing."""


class Patience:
    """Calls functions after a tenth of a second, unless they are no longer wanted.

    One timer serves all of them: almost every call ends before that.
    """

    def __init__(self) -> None:
        self._due: dict[object, tuple[float, Callable[[], object]]] = {}
        """When each is due, and what to call; all wait equally long, so the first is due first."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, key: object, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        """Call a function on a loop once, unless `stop` is called first."""
        if self._loop is not loop:
            self._loop = loop
            self._due.clear()  # what waited on another loop has ended with it
            loop.call_later(_PATIENCE, self._look, loop)
        self._due[key] = loop.time() + _PATIENCE, call

    def stop(self, key: object) -> None:
        """Do not call the function any more."""
        self._due.pop(key, None)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not loop:
            return
        if not self._due:
            self._loop = None
            return
        key, (due, call) = next(iter(self._due.items()))
        loop.call_at(due, self._look, loop)  # first, whatever happens in the call
        if due <= loop.time():
            del self._due[key]
            call()


class cancelled_if_gone:  # noqa: N801 - reads as a statement
    """Cancels what is awaited inside if the client hangs up; quick calls do not pay for checking.

    Closing the stream is how a client cancels (2026-07-28, Streamable HTTP).
    """

    def __init__(
        self, patience: Patience, exchange: Exchange, takes_long: Callable[[], None] = _nothing
    ) -> None:
        self.patience = patience
        self.receive = exchange.receive
        self.takes_long = takes_long
        """Called when the call turns out not to be quick."""
        self.task = exchange.task
        self.watch: asyncio.Future[None] | None = None
        self.gone = False

    def __enter__(self) -> None:
        self.patience.start(self, self.task.get_loop(), self._look)

    def _look(self) -> None:
        self.takes_long()
        self.watch = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        self.task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.patience.stop(self)
        if self.watch is not None:
            self.watch.cancel()
        if self.gone and isinstance(error, asyncio.CancelledError):
            self.task.uncancel()
            raise Gone from None
