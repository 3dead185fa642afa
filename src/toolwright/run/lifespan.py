"""A toolbox's resources: opened on first use, closed where they were opened."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from .current import outside
from .loop import background
from .waiting import LOOP, Signal


class Lifespan:
    """Holds an async context manager open, in one task, on the loop that first needed it.

    Every loop may ask for it; those that come while it opens wait for it.
    """

    def __init__(self, open_: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self.open = open_
        self.value: Any = None
        self._lock = threading.Lock()
        self._held: _Held | None = None

    async def enter(self) -> None:
        """Open, unless it is open. Raises whatever opening raises."""
        with self._lock:
            held = self._held
            if held is None or held.loop.is_closed() or held.failure is not None:
                # A loop that ended without it leaves nothing to close.
                held = self._held = _Held(asyncio.get_running_loop())
                with outside():  # it outlives the call that first needs it
                    held.task = held.loop.create_task(self._hold(held))
        await LOOP.wait(held.ready, None)
        if held.failure is not None:
            raise held.failure

    async def _hold(self, held: _Held) -> None:
        try:
            async with self.open() as value:
                self.value = value
                held.ready.set()
                await held.stop.wait()
        except BaseException as error:
            if held.ready.is_set:
                raise
            held.failure = error
            held.ready.set()
        finally:
            if self._held in (held, None):
                self.value = None

    async def leave(self) -> None:
        """Close, if it is open. Raises whatever closing raises."""
        with self._lock:
            held, self._held = self._held, None
        if held is None or held.loop.is_closed():
            return
        if held.loop is asyncio.get_running_loop():
            await held.end()
        else:
            done = asyncio.run_coroutine_threadsafe(held.end(), held.loop)
            await asyncio.wrap_future(done)

    def leave_soon(self) -> None:
        """Close from sync code."""
        held = self._held
        if held is not None and not held.loop.is_closed():
            background.run(self.leave())


class _Held:
    """One period in which it is open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.ready = Signal()
        self.stop = asyncio.Event()
        self.failure: BaseException | None = None
        self.task: asyncio.Task[None] | None = None

    async def end(self) -> None:
        self.stop.set()
        if self.task is not None:
            await self.task
