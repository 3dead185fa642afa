"""The stream of a session's call, which can be resumed."""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import TYPE_CHECKING

from ..asgi import answer
from ..short.event_stream import EVENTS, EventStream
from .table import Session, SessionTable, named

if TYPE_CHECKING:
    from ..exchanges import Exchange

_numbers = itertools.count()
_BOTH = (b"application/json", b"text/event-stream")
_RETRY_MS = 500
_RESUMABLE_SINCE = b"2025-11-25"
"""Older clients do not know events without a message (basic/transports, Resumability)."""


class SessionStream(EventStream):
    """The stream of one call.

    Its events are kept: a client that hangs up can come back for them, since that does not cancel
    the call (2025-11-25, basic/transports, Sending Messages to the Server).
    """

    def __init__(self, exchange: Exchange, session: Session, table: SessionTable) -> None:
        headers = (*EVENTS, named(session))
        super().__init__(exchange.send, exchange.task.get_loop(), headers)
        self.session = session
        self.table = table
        self.name = f"short {next(_numbers)}"
        """Its name among the streams of its session."""
        self.is_left = False
        """Whether the server has hung up: the client comes back."""
        self._unkept: list[bytes] = []
        """Lines put by any thread; only the loop's thread keeps events."""
        self.is_resumable = is_resumable(exchange)
        self._is_primed = False

    def put(self, line: bytes) -> bool:
        """Send a notification soon; return False if it is dropped. Called in any thread."""
        with self._lock:
            if self.is_full:
                return False
            self._size += len(line)
            self._unkept.append(line)
            is_first = len(self._unkept) == 1
        if is_first:
            with contextlib.suppress(RuntimeError):  # a closed loop: the server has ended
                self.loop.call_soon_threadsafe(self._take)
        return True

    def _take(self) -> None:
        """Keep the lines that were put; called on the loop."""
        with self._lock:
            lines, self._unkept = self._unkept, []
            self._size -= sum(map(len, lines))
        for line in lines:
            self._keep(line)

    def begin(self) -> None:
        """Begin the stream with an event that has no message, from which it can be resumed."""
        if self.is_resumable and not self._is_primed:
            self._is_primed = True
            number = self._kept(None)
            with self._lock:
                self._add(b"id: %s\r\ndata: \r\nretry: %d\r\n\r\n" % (number, _RETRY_MS))
        super().begin()

    async def finish(self, *lines: bytes) -> None:
        """Send these messages after everything else, and end."""
        self._take()
        for line in lines:
            self._keep(line, ends=line is lines[-1])
        if not self.is_left:
            await self._finish()

    async def leave(self) -> None:
        """End the answer, but not the stream: its client comes back for the rest."""
        if not self.is_left:
            self._take()
            self.begin()
            self.is_left = True
            await self._finish()

    async def close(self) -> None:
        """End the stream, unless it has ended."""
        if not self._last:
            await self._finish()

    def go_on_as(self, name: str) -> None:
        """Let another stream continue the events of this one; what it sends arrives on this one."""
        self._take()
        self.begin()
        self.table.events_of(self.session).rename(self.name, name)

    def _keep(self, line: bytes, *, ends: bool = False) -> None:
        if not self.is_left:
            self.begin()
        number = self._kept(line, ends=ends)
        if not self.is_left:
            with self._lock:
                self._add(b"id: %s\r\nevent: message\r\ndata: %s\r\n\r\n" % (number, line))
            super().begin()
        if self.session.transport is not None:  # a client that came back listens there
            self.session.transport.pass_on(self.name, line, number.decode())

    def _kept(self, line: bytes | None, *, ends: bool = False) -> bytes:
        events = self.table.events_of(self.session)
        return events.keep(self.name, line, ends=ends).encode()


def is_resumable(exchange: Exchange) -> bool:
    """Return whether a client can come back for the rest of a stream."""
    return exchange.headers.get(b"mcp-protocol-version", b"") >= _RESUMABLE_SINCE


async def answer_in(
    session: Session, table: SessionTable, exchange: Exchange, message: bytes
) -> None:
    """Answer in JSON or, to a client that names events first, with a stream."""
    if prefers_events(exchange.headers.get(b"accept", b"")):
        await SessionStream(exchange, session, table).finish(message)
    else:
        await answer(exchange.send, message, named(session))


@functools.lru_cache(64)
def prefers_events(accept: bytes) -> bool:
    """Return whether a client that takes both names events before JSON."""
    kinds = [media_range.split(b";")[0].strip().lower() for media_range in accept.split(b",")]
    return next((kind for kind in kinds if kind in _BOTH), b"") == _BOTH[1]
