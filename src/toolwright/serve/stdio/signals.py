"""Signals that end a server on stdio."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Generator
from typing import Any

from ..drain import Drain, ending_signals


@contextlib.contextmanager
def ended_by_signals(
    loop: asyncio.AbstractEventLoop, over: asyncio.Event, drain: Drain
) -> Generator[None]:
    """Set `over` at SIGTERM, SIGINT or SIGHUP; at the second one, stop waiting for calls.

    These are handlers of `signal`, not of the event loop: the second signal must work while a tool
    blocks the loop.
    """
    was_told = False

    def end(_number: int, _frame: object) -> None:
        nonlocal was_told
        if was_told:
            drain.hurry()
        was_told = True
        loop.call_soon_threadsafe(over.set)

    before: dict[int, Any] = {}
    with contextlib.suppress(ValueError, RuntimeError):  # only the main thread can set handlers
        for number in ending_signals():
            before[number] = signal.getsignal(number) or signal.SIG_DFL
            # A signal may reach another thread. Then only the loop's own file descriptor wakes the
            # loop, in which our handler runs.
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, over.set)
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            with contextlib.suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)
            with contextlib.suppress(ValueError):
                signal.signal(number, handler)
