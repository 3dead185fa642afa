"""One call over HTTP while it runs on the short path."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ...drain import STOPPED, refusal
from ...plain_run import PlainRun
from ..asgi import Message, answer
from ..body import replayed
from .event_stream import PING_SECONDS, EventStream

if TYPE_CHECKING:
    from ....results import Result
    from ...offering import Live
    from ...short_path import ClientProfile, PlainCall, ShortPath
    from ..asgi import Receive, Send
    from ..exchanges import Exchange

TakeOver = Callable[["HttpCall", "Receive", "Send"], Awaitable[None]]
"""Lets the SDK answer the request of a call that runs."""


class HttpCall(PlainRun):
    """A call that is answered in JSON or, once there is something to tell, by a stream."""

    _stream: EventStream | None = None
    _sdk: asyncio.Task[None] | None = None
    _gone: asyncio.Event | None = None
    _ping: asyncio.TimerHandle | None = None

    def __init__(
        self,
        task: PlainCall,
        box: Live,
        exchange: Exchange,
        take_over: TakeOver,
        profile: ClientProfile | None = None,
    ) -> None:
        super().__init__(task, box, exchange.sender, profile, exchange.task.get_loop())
        self.exchange = exchange
        self._take_over = take_over
        self._context = contextvars.copy_context()

    # -- telling

    def send(self, line: bytes) -> bool:
        """Send a notification on the stream."""
        return self._opened().put(line)

    def _opened(self) -> EventStream:  # with the lock held
        if self._stream is None:
            self._stream = EventStream(self.exchange.send, self.loop)
        return self._stream

    def stay_alive(self) -> None:
        """Send something from time to time from now on, even if the tool is silent."""
        self._ping = self.loop.call_later(PING_SECONDS, self._alive)

    def _alive(self) -> None:
        with self.lock:
            if not self.is_taken and not self.answered:
                self._opened().begin()

    # -- answering

    async def answer(self, short_path: ShortPath, result: Result) -> None:
        """Answer with a result, or let the SDK do it."""
        if self._ping is not None:
            self._ping.cancel()
        if self.ended(result):
            self.settle(result)
            if self._sdk is not None:
                await self._sdk
            return
        line = short_path.finished(self.task, result)
        if self._stream is None:
            await answer(self.exchange.send, line)
        else:
            lost = self.lost()
            await self._stream.finish(*([] if lost is None else [lost]), line)

    async def stopped(self) -> bool:
        """Answer a call that stops with the server; return whether it had a stream to do so on."""
        if self._stream is None or self.is_taken or self.answered:
            return False
        self.exchange.task.uncancel()
        self.close()
        await self._stream.finish(refusal(self.task.id, STOPPED))
        return True

    def close(self) -> None:
        """Send nothing more."""
        with self.lock:
            self.answered = True
        if self._ping is not None:
            self._ping.cancel()

    async def hang_up(self) -> None:
        """End an answer that nobody waits for."""
        self.close()
        if self._sdk is not None and self._gone is not None:
            self._gone.set()
            await self._sdk
        elif self._stream is not None:
            self._stream.drop()

    # -- the SDK

    def hand_over(self) -> None:
        """Let the SDK answer, on the stream if there is one already."""
        self.exchange.kind = "sdk"
        self._gone = asyncio.Event()
        # Not in the context of the tool that asks: the SDK's tasks would keep it.
        self._sdk = self.loop.create_task(self._by_sdk(), context=self._context)

    async def _by_sdk(self) -> None:
        receive = replayed(self.exchange.body, self._until_gone)
        with self.lock:
            stream = self._opened()
        try:
            await self._take_over(self, receive, stream.relay)
        finally:
            self.abandon()

    async def _until_gone(self) -> Message:
        assert self._gone is not None  # noqa: S101 - made when it was handed over
        await self._gone.wait()
        return {"type": "http.disconnect"}
