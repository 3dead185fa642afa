"""The order in which an app ends: calls, listeners, sessions, streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..drain import Drain
    from .exchanges import Exchanges
    from .sessions.sdk import SdkSessions

_ERRORS = 1.0
"""Seconds for the errors that answer stopped calls to be written."""
_STREAMS = 0.5
"""Seconds for streams to end by themselves, and again after they were cancelled."""


class Shutdown:
    """Ends one app once, even if several ask for it (a signal, the host, `lifespan`)."""

    def __init__(self, drain: Drain, exchanges: Exchanges, sdk: SdkSessions) -> None:
        self.drain = drain
        self.exchanges = exchanges
        self.sdk = sdk
        self._running: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Answer running requests, refuse new ones, and end every stream."""
        if self._running is None:
            self._running = asyncio.ensure_future(self._run())
        # One of the waiting tasks may be cancelled: the others still need it.
        await asyncio.shield(self._running)

    def reset(self) -> None:
        """Let the app be started again, by a request in another event loop."""
        self.drain.over()
        self._running = None

    async def _run(self) -> None:
        drain, exchanges = self.drain, self.exchanges
        drain.begin()
        # Each listener gets its result, so that its client can tell an end from a lost connection
        # (2026-07-28, basic/patterns/subscriptions).
        self.sdk.end_listeners()
        await drain.wait()
        exchanges.stop("plain")
        await drain.stop()
        await drain.until(lambda: not exchanges.are_at_work, _ERRORS)
        # An answer may go to a stream that was resumed, which does not count as work.
        await drain.settle()
        await self.sdk.end_sessions()
        await drain.until(lambda: not exchanges.open, _STREAMS)
        exchanges.stop()
        await drain.until(lambda: not exchanges.open, _STREAMS)
