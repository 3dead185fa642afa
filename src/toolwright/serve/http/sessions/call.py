"""A call in a session; its stream can be resumed."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ...lifecycle import STOPPED, refusal
from ..asgi import Message, answer, respond
from ..http_call import EVENTS, EventStream, HttpCall, TakeOver
from .table import Session, SessionTable, named

if TYPE_CHECKING:
    from ....results import Result
    from ...offering import Live
    from ...short_path import ClientProfile, PlainCall, ShortPath
    from ..body import Patience
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


_CANCELLED = -32800
"""The code with which the SDK answers a cancelled request of this era."""


class SessionCall(HttpCall):
    """A call that goes on if its client hangs up, and ends with its session."""

    stopped_by = ""
    _patience: Patience | None = None

    def __init__(
        self,
        task: PlainCall,
        box: Live,
        exchange: Exchange,
        take_over: TakeOver,
        session: Session,
        table: SessionTable,
    ) -> None:
        super().__init__(task, box, exchange, take_over)
        self.session = session
        self.table = table

    @property
    def profile(self) -> ClientProfile:
        """What its client wants, according to the handshake."""
        return self.session.profile()

    @property
    def leaving(self) -> Callable[[], Awaitable[object]]:
        """What hangs up."""
        return self._leave

    def _opened(self) -> SessionStream:  # with the lock held
        if not isinstance(self._stream, SessionStream):
            self._stream = SessionStream(self.exchange, self.session, self.table)
        return self._stream

    def watch(self, patience: Patience) -> None:
        """Begin a stream, which can be resumed, if the call takes long."""
        self._patience = patience
        patience.start(self, self.loop, self._alive)

    def unwatch(self) -> None:
        """Begin no stream from now on."""
        if self._patience is not None:
            self._patience.stop(self)

    async def _leave(self) -> None:
        """Hang up, if the client knows how to come back."""
        if self.adopter is not None:
            await self.adopter.hang_up()
        elif is_resumable(self.exchange):
            with self.lock:
                stream = self._opened()
            await stream.leave()

    # -- answering

    async def answer(self, short_path: ShortPath, result: Result) -> None:
        """Answer with a result, or let the SDK do it."""
        self.unwatch()
        if self.ended(result):
            self.settle(result)
            await self._answered_by_sdk()
            return
        line = short_path.finished(self.task, result)
        lost = self.lost()
        await self._finish(*([] if lost is None else [lost]), line)

    async def _finish(self, *lines: bytes) -> None:
        if self._stream is not None:
            await self._stream.finish(*lines)
        elif lines:
            await answer_in(self.session, self.table, self.exchange, lines[0])
        else:
            await respond(self.exchange.send, 200, b"", *EVENTS, named(self.session))

    async def refuse(self, line: bytes) -> None:
        """Answer a call that may not run."""
        await self._finish(line)

    # -- stopping

    def cancel(self) -> None:
        """Stop it: its client no longer wants it."""
        super().cancel()
        self._stop("client")

    def end(self) -> None:
        """Stop it: its session has ended."""
        super().cancel()
        self._stop("session")

    def _stop(self, by: str) -> None:
        if not self.stopped_by and not self.answered:
            self.stopped_by = by
            self.exchange.task.cancel()

    async def interrupted(self) -> bool:
        """Answer a call that was stopped; return False if that was not asked for here."""
        self.unwatch()
        if not self.stopped_by and (self.is_taken or not self.exchange.is_stopped):
            self.close()
            if self._stream is not None:
                self._stream.drop()
            return False
        self.exchange.task.uncancel()
        if self.is_taken:
            await self._answered_by_sdk()
            return True
        self.close()
        if self.stopped_by == "session":
            await self._finish()  # all streams just end with their session
        elif self.stopped_by:
            await self._finish(refusal(self.task.id, "Request cancelled", _CANCELLED))
        else:
            await self._finish(refusal(self.task.id, STOPPED))
        return True

    # -- the SDK

    def hand_over(self) -> None:
        """Let the SDK answer, on the stream if there is one already."""
        self.unwatch()
        with self.lock:
            stream = self._opened()
        stream.go_on_as(str(self.task.id))
        super().hand_over()

    async def _answered_by_sdk(self) -> None:
        """Wait for the SDK, which leaves the stream as it is if the client hangs up."""
        if self._sdk is not None:
            await self._sdk
        if isinstance(self._stream, SessionStream):
            await self._stream.close()

    async def _until_gone(self) -> Message:
        while (message := await self.exchange.receive())["type"] != "http.disconnect":
            pass
        return message
