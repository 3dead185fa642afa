"""The background event loop for sync callers of async tools."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from .threads import Raised, settle_future
from .waiting import HERE, Pending


class Background:
    """One event loop in a daemon thread, for sync callers of async tools."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start without a loop; also in a forked child, where no thread runs it."""
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end, from a thread that may have a running loop of its own."""
        loop = self._started()
        if threading.current_thread().name == "toolwright-loop":
            # Waiting here would stop the very loop that is to run the coroutine.
            coroutine.close()
            msg = "a tool called another one synchronously on the background loop; use call_async"
            raise RuntimeError(msg)
        # Of the caller's thread: on the loop's own, the tool would not see the caller's variables.
        context = contextvars.copy_context()
        pending = Pending()
        tasks: list[asyncio.Task[None]] = []

        def start() -> None:
            tasks.append(_begun(loop, coroutine, pending.settle, context))

        loop.call_soon_threadsafe(start)
        try:
            HERE.block(pending.signal)
        except BaseException:
            # Behind `start` in the queue of the loop, so the task is there by then.
            loop.call_soon_threadsafe(lambda: tasks and tasks[0].cancel())
            raise
        return pending.result()

    async def run_async(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end, from any loop; if this is cancelled, so is the coroutine."""
        loop, own_loop = self._started(), asyncio.get_running_loop()
        if own_loop is loop:
            return await coroutine
        future: asyncio.Future[Any] = own_loop.create_future()
        tasks: list[asyncio.Task[None]] = []

        def settle(value: Any, failure: BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
                own_loop.call_soon_threadsafe(settle_future, future, value, failure)

        # Not `run_coroutine_threadsafe`, whose future for threads is chained to both loops: that
        # takes more time than the rest of a call over standard streams.
        loop.call_soon_threadsafe(lambda: tasks.append(_begun(loop, coroutine, settle)))
        try:
            return await future
        except Raised as raised:
            raise raised.error from None
        except asyncio.CancelledError:
            loop.call_soon_threadsafe(lambda: tasks and tasks[0].cancel())
            raise

    def start(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Start a coroutine that nobody waits for."""
        asyncio.run_coroutine_threadsafe(coroutine, self._started())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self.loop.run_forever, name="toolwright-loop", daemon=True
                ).start()
            return self.loop


def _begun(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, Any],
    settle: Callable[[Any, BaseException | None], object],
    context: contextvars.Context | None = None,
) -> asyncio.Task[None]:
    task = loop.create_task(_settled(coroutine, settle), context=context)
    # One that is cancelled before its first step never comes to await the coroutine.
    task.add_done_callback(lambda _: coroutine.close())
    return task


async def _settled(
    coroutine: Coroutine[Any, Any, Any], settle: Callable[[Any, BaseException | None], object]
) -> None:
    """Run a coroutine and pass on its outcome. Nothing is raised: SystemExit would end the loop."""
    value: Any = None
    failure: BaseException | None = None
    try:
        value = await coroutine
    except BaseException as error:  # noqa: BLE001
        failure = error
    settle(value, failure)


background = Background()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=background.begin)
