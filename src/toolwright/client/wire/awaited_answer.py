"""An answer that comes in a thread other than its caller's."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

from ...run.threads import threads


class AwaitedAnswer:
    """The answer to a call: settled on the background loop, waited for in the caller's thread.

    It is also the deadline of its scope: a question to a person stops the clock.
    """

    def __init__(self, seconds: float | None) -> None:
        self.id = ""
        self._due = None if seconds is None else time.monotonic() + seconds
        self._is_settled = False
        self._value: dict[str, Any] = {}
        self._failure: BaseException | None = None
        self._wake: Callable[[], object] = _nobody_waits

    def settle(self, value: dict[str, Any], failure: BaseException | None = None) -> None:
        """Note the answer, in any thread, and wake whoever waits for it."""
        self._value, self._failure, self._is_settled = value, failure, True
        self._wake()

    def reschedule(self, when: float | None, /) -> None:
        """Move the deadline to a time of the monotonic clock; None means no deadline."""
        self._due = when
        self._wake()

    async def wait(self) -> dict[str, Any]:
        """Wait on the running loop. Raises `MCPError` or `TimeoutError`."""
        loop = asyncio.get_running_loop()
        while True:
            woken: asyncio.Future[None] = loop.create_future()
            self._wake = lambda woken=woken: _call_soon(loop, woken)
            if (seconds := self._seconds()) is None:
                break
            timer = None if seconds < 0 else loop.call_later(seconds, _done, woken)
            try:
                await woken
            finally:
                if timer is not None:
                    timer.cancel()
        return self._result()

    def block(self) -> dict[str, Any]:
        """Wait in this thread. Raises `MCPError` or `TimeoutError`."""
        woken = threading.Event()
        self._wake = woken.set
        while (seconds := self._seconds()) is not None:
            with threads.lent():
                woken.wait(None if seconds < 0 else seconds)
            woken.clear()
        return self._result()

    def _seconds(self) -> float | None:
        """Return how much longer to wait: -1 for no limit, None if it is settled."""
        if self._is_settled:
            return None
        due = self._due
        if due is None:
            return -1
        if (remaining := due - time.monotonic()) <= 0:
            raise TimeoutError
        return remaining

    def _result(self) -> dict[str, Any]:
        if self._failure is not None:
            raise self._failure
        return self._value


def _nobody_waits() -> None:
    pass


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _call_soon(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None]) -> None:
    with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
        loop.call_soon_threadsafe(_done, future)
