"""One call over HTTP, answered by a stream when needed."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from ...arguments.sample import is_large
from ...outcome.failure import failed
from ...refusals import Refused
from ...run.current import asked_by
from ..access.quotas import Running, too_many
from ..lifecycle import STOPPED, refusal
from ..plain_run import PlainRun
from ..short_path import ShortPath
from .asgi import JSON, Header, Message, Send, answer
from .body import Patience, replayed

if TYPE_CHECKING:
    from ...call import Call
    from ...results import Result
    from ..offering import Live
    from ..short_path import ClientProfile, PlainCall
    from .asgi import Receive
    from .exchanges import Exchange


EVENTS: tuple[Header, ...] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
PING_SECONDS = 15.0
"""How long a stream may be silent: proxies give up on a silent answer, usually after a minute."""
_PING = b": ping\r\n\r\n"
_MOST_WAITING = 1024 * 1024
"""Bytes that wait for a slow client, beyond which notifications are dropped."""


def event(line: bytes) -> bytes:
    """Write a message as an event."""
    return b"event: message\r\ndata: " + line + b"\r\n\r\n"


class EventStream:
    """Sends notifications in the order in which they come, and the answer after them.

    One task sends, so that a tool never waits for its client; what waits to be sent is bounded.
    """

    def __init__(
        self, send: Send, loop: asyncio.AbstractEventLoop, headers: tuple[Header, ...] = EVENTS
    ) -> None:
        self.loop = loop
        self.headers = headers
        self.begun = False
        """Whether the answer is a stream: from then on it cannot be anything else."""
        self._send = send
        self._lock = threading.Lock()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._told = False
        self._last = False
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._passes = False
        self._relayed: list[bytes] | None = None
        """The parts of an answer in JSON that is to become an event."""

    @property
    def is_full(self) -> bool:
        """Whether so much waits for a slow client that notifications are dropped."""
        return self._size > _MOST_WAITING

    def put(self, line: bytes) -> bool:
        """Send a notification soon; return False if it is dropped. Called in any thread."""
        with self._lock:
            if self.is_full:
                return False
            self._add(event(line))
            was_told, self._told = self._told, True
        if not was_told:
            with contextlib.suppress(RuntimeError):  # a closed loop: the server has ended
                self.loop.call_soon_threadsafe(self.begin)
        return True

    def _add(self, data: bytes) -> None:
        self.begun = True
        self._waiting.append(data)
        self._size += len(data)

    def begin(self) -> None:
        """Start sending what waits; begin the stream even if nothing does. Called on the loop."""
        self.begun = True
        if self._task is None:
            self._task = self.loop.create_task(self._work())
        self._news.set()

    async def _work(self) -> None:
        await self._send(
            {"type": "http.response.start", "status": 200, "headers": list(self.headers)}
        )
        while True:
            with self._lock:
                data = b"".join(self._waiting)
                self._waiting.clear()
                self._told, last = False, self._last
                self._news.clear()
            if data or last:
                await self._send(
                    {"type": "http.response.body", "body": data, "more_body": not last}
                )
            with self._lock:
                self._size -= len(data)
            if last:
                return
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self._news.wait()
            except TimeoutError:
                ping: Message = {"type": "http.response.body", "body": _PING, "more_body": True}
                await self._send(ping)

    async def finish(self, *lines: bytes) -> None:
        """Send these messages after everything else, and end."""
        await self._finish(*map(event, lines))

    async def _finish(self, *parts: bytes) -> None:
        with self._lock:
            for part in parts:
                self._add(part)
            self._last = True
        self.begin()
        if self._task is not None:
            await self._task

    def drop(self) -> None:
        """Send nothing more: nobody reads it."""
        if self._task is not None:
            self._task.cancel()

    async def relay(self, message: Message) -> None:
        """Send a part of the SDK's answer: as it is or, if the stream has begun, as events."""
        if message["type"] == "http.response.start":
            if self.begun:
                is_json = JSON in message["headers"]
                self._relayed = [] if is_json else None
            else:
                self._passes = True  # from now on, it is the SDK's answer
                await self._send(message)
            return
        if self._passes:
            await self._send(message)
            return
        more = bool(message.get("more_body"))
        body: bytes = message.get("body", b"")
        if self._relayed is not None:
            self._relayed.append(body)
            if not more:
                await self.finish(b"".join(self._relayed))
        elif not more:
            await self._finish(body)
        else:
            with self._lock:
                self._add(body)
            self.begin()


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

    async def refuse(self, line: bytes) -> None:
        """Answer a call that may not run."""
        await answer(self.exchange.send, line)

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


Run = TypeVar("Run", bound=HttpCall)


class ShortRequests(ABC, Generic[Run]):
    """Answers what the short path can; anything else is for the SDK."""

    def __init__(self, box: Live, running: Running, take_over: TakeOver, *, watch: bool) -> None:
        self.box = box
        self.running = running
        self.take_over = take_over
        self.short_path = ShortPath(box, watch=watch)
        self.patience = Patience()

    async def start(self, run: Run) -> None:
        """Run a call: here if it is quick, else within the bounds of its client."""
        task, exchange, runner = run.task, run.exchange, run.task.runner
        # Hooks, and listeners to the items of a generator, need the call from the beginning.
        is_wrapped = self.box.now.is_wrapped()
        needs_call = is_wrapped or (task.token is not None and runner.may_tell)
        call = run.made() if needs_call else None
        is_quick = runner.inline and runner.needs_no_loop and not is_large(task.arguments)
        if is_quick and not is_wrapped:
            with self.box.busy(), asked_by(run):
                result = runner.call(task.arguments, call)
            await run.answer(self.short_path, result)
            return
        sender, size = exchange.sender, len(exchange.body)
        if not self.running.begin(sender.client, size):
            busy = too_many()
            self.box.now.refused(
                Refused("tool", busy.code, runner.name, sender.name, sender.address)
            )
            await run.refuse(self.short_path.finished(task, failed(busy)))
            return
        try:
            await self.run(run, call)
        finally:
            self.running.end(sender.client, size)

    @abstractmethod
    async def run(self, run: Run, call: Call | None) -> None:
        """Run a call to its end, and answer it."""
