"""One call in a session, run on the short path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ...drain import STOPPED, refusal
from ..asgi import Message, respond
from ..short.call import HttpCall, TakeOver
from ..short.event_stream import EVENTS
from .event_stream import SessionStream, answer_in, is_resumable
from .table import named

if TYPE_CHECKING:
    from ....results import Result
    from ...offering import Live
    from ...short_path import ClientProfile, PlainCall, ShortPath
    from ..body import Patience
    from ..exchanges import Exchange
    from .table import Session, SessionTable

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
