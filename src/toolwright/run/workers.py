"""Where code runs: daemon threads for sync functions, one background loop for sync callers.

Threads are our own, not an executor's: a stuck function must never hold the process's exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Coroutine
from queue import SimpleQueue
from typing import Any

_Job = tuple[
    contextvars.Context,
    Callable[[], Any],
    asyncio.AbstractEventLoop,
    "asyncio.Future[Any]",
]


class Threads:
    """A bounded set of daemon threads on one queue; a thread is started only if none is idle."""

    def __init__(self, most: int = 64) -> None:
        self.most = most
        self.count = 0
        self.idle = 0
        self.backlog = 0
        """Jobs that no thread was promised to."""
        self.lock = threading.Lock()
        self.jobs: SimpleQueue[_Job] = SimpleQueue()

    def run(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        """Run a function in a thread; its context is the caller's."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self.lock:
            if self.idle:
                self.idle -= 1
            elif self.count < self.most:
                self.count += 1
                threading.Thread(target=self._work, name="toolwright", daemon=True).start()
            else:
                self.backlog += 1
        self.jobs.put((contextvars.copy_context(), function, loop, future))
        return future

    def _work(self) -> None:
        while True:
            context, function, loop, future = self.jobs.get()
            outcome: Any = None
            failure: BaseException | None = None
            try:
                outcome = context.run(function)
            except BaseException as error:  # noqa: BLE001 - nothing a tool raises ends a thread
                failure = error
            with self.lock:
                if self.backlog:
                    self.backlog -= 1
                else:
                    self.idle += 1
            with contextlib.suppress(RuntimeError):  # a closed loop: nobody waits any more
                loop.call_soon_threadsafe(_settle, future, outcome, failure)
            del context, function, loop, future, outcome, failure


def _settle(future: asyncio.Future[Any], outcome: Any, failure: BaseException | None) -> None:
    if future.cancelled():
        return
    if failure is None:
        future.set_result(outcome)
    else:
        future.set_exception(Raised(failure))


class Raised(Exception):
    """Carries what a function raised: a future takes neither StopIteration nor SystemExit well."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()  # not even its text: that may raise
        self.error = error


threads = Threads()


class Background:
    """One event loop in a daemon thread, for sync callers of async tools."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end, from a thread that may have a running loop of its own."""
        loop = self._started()
        if threading.current_thread().name == "toolwright-loop":
            coroutine.close()
            msg = "a tool called another one synchronously on the background loop; use call_async"
            raise RuntimeError(msg)
        context = contextvars.copy_context()
        done = threading.Event()
        held: list[asyncio.Task[None]] = []
        outcome: list[Any] = []
        failure: list[BaseException] = []

        async def guarded() -> None:
            # Nothing may leave the task: SystemExit would end the loop for everybody.
            try:
                outcome.append(await coroutine)
            except BaseException as error:  # noqa: BLE001
                failure.append(error)
            finally:
                done.set()

        def start() -> None:
            held.append(loop.create_task(guarded(), context=context))

        loop.call_soon_threadsafe(start)
        try:
            done.wait()
        except BaseException:
            loop.call_soon_threadsafe(lambda: held and held[0].cancel())
            raise
        if failure:
            raise failure[0]
        return outcome[0]

    def _started(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self.loop.run_forever, name="toolwright-loop", daemon=True
                ).start()
            return self.loop


background = Background()
