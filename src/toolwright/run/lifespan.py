"""A toolbox's resources: opened on first use, closed where they were opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from .workers import background


class Lifespan:
    """Holds an async context manager open, in one task, on the loop that first needed it."""

    def __init__(self, open_: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self.open = open_
        self.value: Any = None
        self.entered = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any] | None = None
        self._stop: asyncio.Event | None = None

    async def enter(self) -> None:
        """Open, unless it is open. Raises whatever opening raises."""
        if self._loop is not None and self._loop.is_closed():
            # Its loop ended without it: there is nothing left to close.
            self.entered, self.value, self._ready, self._task = False, None, None, None
        if self.entered:
            return
        if self._ready is None:
            self._loop = asyncio.get_running_loop()
            self._ready = self._loop.create_future()
            self._stop = asyncio.Event()
            self._task = self._loop.create_task(self._hold(self._ready, self._stop))
        ready = self._ready
        try:
            await asyncio.shield(ready)
        except BaseException:
            if ready.done() and not ready.cancelled() and ready.exception():
                self._ready = None  # the next call may try again
            raise

    async def _hold(self, ready: asyncio.Future[Any], stop: asyncio.Event) -> None:
        try:
            async with self.open() as value:
                self.value, self.entered = value, True
                ready.set_result(None)
                await stop.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            self.value, self.entered, self._ready = None, False, None

    async def leave(self) -> None:
        """Close, if it is open. Raises whatever closing raises."""
        task, stop, loop = self._task, self._stop, self._loop
        self._task = self._ready = None
        if task is None or stop is None or loop is None:
            return
        if loop is asyncio.get_running_loop():
            stop.set()
            await task
        else:
            done = asyncio.run_coroutine_threadsafe(_finish(stop, task), loop)
            await asyncio.wrap_future(done)

    def leave_soon(self) -> None:
        """Close from sync code."""
        if self._loop is not None and not self._loop.is_closed():
            background.run(self.leave())


async def _finish(stop: asyncio.Event, task: asyncio.Task[None]) -> None:
    stop.set()
    await task
