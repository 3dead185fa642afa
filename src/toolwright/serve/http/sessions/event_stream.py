"""An answer that becomes a stream of events if it takes long or has something to say before."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

from ..asgi import Header, answer, respond
from ..exchanges import Exchange

if TYPE_CHECKING:
    from .table import Session, SessionTable

_PATIENCE = 0.1
"""Seconds after which a call is long enough for a stream, which can be resumed and kept alive."""
_PING = 15.0
"""Seconds of silence after which a proxy might take a stream for dead."""
_RETRY_MS = 500
_RESUMABLE_SINCE = b"2025-11-25"
"""Older clients do not know events without a message (basic/transports, Resumability)."""
_HEAD: tuple[Header, ...] = (
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"content-type", b"text/event-stream"),
    (b"x-accel-buffering", b"no"),
)


class EventStream:
    """The answer to one call in a session.

    A call that ends soon is answered with JSON. Any other one is answered with events, which are
    kept: a client that hangs up can come back for them, since that does not cancel the call
    (2025-11-25, basic/transports, Sending Messages to the Server).
    """

    def __init__(self, exchange: Exchange, session: Session, table: SessionTable) -> None:
        self.exchange = exchange
        self.session = session
        self.table = table
        self.loop = exchange.task.get_loop()
        self.thread = threading.get_ident()
        self.name = ""
        """The name of the stream among those of its session."""
        self.is_over = False
        self.parts: asyncio.Queue[bytes | None] | None = None
        self.writing: asyncio.Task[None] | None = None
        self.timer = self.loop.call_later(_PATIENCE, self.begin)

    def begin(self) -> asyncio.Queue[bytes | None]:
        """Begin to stream, if that has not begun."""
        if self.parts is None:
            self.parts = asyncio.Queue()
            self.name = f"short {id(self):x}"
            self.writing = self.loop.create_task(self._write(self.parts))
            if self.exchange.headers.get(b"mcp-protocol-version", b"") >= _RESUMABLE_SINCE:
                number = self._kept(None)
                self.parts.put_nowait(
                    b"id: %s\r\ndata: \r\nretry: %d\r\n\r\n" % (number, _RETRY_MS)
                )
        return self.parts

    def tell(self, message: bytes) -> None:
        """Send a message before the answer; called in any thread."""
        if threading.get_ident() == self.thread:
            self._tell(message)
        else:
            with contextlib.suppress(RuntimeError):  # a closed loop: the server has ended
                self.loop.call_soon_threadsafe(self._tell, message)

    def _tell(self, message: bytes) -> None:
        # Nothing of a call may come behind its answer: its token may belong to another one by then.
        if not self.is_over:
            self.begin()
            self._put(message)

    async def finish(self, message: bytes | None) -> None:
        """Send the answer; without one the stream just ends, as all do with their session."""
        self.timer.cancel()
        self.is_over = True
        if self.parts is None and message is not None:
            await answer(self.exchange.send, message, self._session_header)
        elif self.parts is None or self.writing is None:
            await respond(self.exchange.send, 200, b"", *_HEAD, self._session_header)
        else:
            if message is not None:
                self._put(message, ends=True)
            self.parts.put_nowait(None)
            await self.writing

    def _put(self, message: bytes, *, ends: bool = False) -> None:
        number = self._kept(message, ends=ends)
        event = b"id: %s\r\nevent: message\r\ndata: %s\r\n\r\n" % (number, message)
        if self.parts is not None:
            self.parts.put_nowait(event)
        if self.session.transport is not None:  # a client that came back listens there
            self.session.transport.pass_on(self.name, message, number.decode())

    def _kept(self, message: bytes | None, *, ends: bool = False) -> bytes:
        events = self.table.events_of(self.session)
        return events.keep(self.name, message, ends=ends).encode()

    async def _write(self, parts: asyncio.Queue[bytes | None]) -> None:
        send = self.exchange.send
        headers = [*_HEAD, self._session_header]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while True:
            try:
                async with asyncio.timeout(_PING):
                    part = await parts.get()
            except TimeoutError:
                part = b": ping\r\n\r\n"
            if part is None:
                break
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    @property
    def _session_header(self) -> Header:
        return b"mcp-session-id", self.session.id.encode()
