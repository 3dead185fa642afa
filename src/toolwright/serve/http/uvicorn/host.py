"""Notices when a uvicorn that hosts our app ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Any

_LOOK = 0.1
_watching: set[object] = set()
"""The apps of this process that have not ended yet; they share one switch."""


async def watch_host(stop: Callable[[], Awaitable[None]]) -> None:
    """Stop when uvicorn does: it tells its apps only after their last stream has ended.

    The SDK's streams would be cut at the signal, by the library that writes them. It is asked to
    leave that to us, with its own switch, until our calls have ended.
    """
    server = _host()
    if server is None:
        return
    from sse_starlette.sse import AppStatus

    _watching.add(stop)
    AppStatus.disable_automatic_graceful_drain()
    try:
        while not server.should_exit:  # noqa: ASYNC110 - uvicorn has no event
            await asyncio.sleep(_LOOK)
        await stop()
    finally:
        _watching.discard(stop)
        if not _watching:
            AppStatus.enable_automatic_graceful_drain_mode()


def _host() -> Any:
    """Return the uvicorn that handles the signals of this process, unless it is our own."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    is_ours = getattr(server, "stops_its_app", False)
    return server if hasattr(server, "should_exit") and not is_ours else None
