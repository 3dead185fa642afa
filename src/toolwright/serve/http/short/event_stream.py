"""An HTTP answer that becomes a stream of events when needed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque

from ..asgi import JSON, Header, Message, Send

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
