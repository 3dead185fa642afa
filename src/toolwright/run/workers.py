"""Where code runs: daemon threads for sync functions, one background loop for sync callers.

Threads are our own, not an executor's: a stuck function must never hold the process's exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable, Coroutine, Generator
from queue import SimpleQueue
from typing import Any

from ..errors import Overloaded

Settle = Callable[[Any, BaseException | None], object]


class Job:
    """One function to run in a thread."""

    __slots__ = ("context", "function", "settle", "state")

    def __init__(self, function: Callable[[], Any], settle: Settle) -> None:
        self.context = contextvars.copy_context()
        self.function = function
        self.settle = settle
        """Told what came of it, in the thread that ran it, even if nobody waits any more."""
        self.state = "waiting"


class Threads:
    """Daemon threads on one queue; a thread is started only if none is idle.

    A thread whose caller gave up is stuck: it counts no more among the `most` that may work, so
    that it takes nobody's place, but only `most_stuck` of them are put up with.
    """

    def __init__(self, most: int = 64, most_stuck: int = 64) -> None:
        self.most = most
        self.most_stuck = most_stuck
        self.count = 0
        """Threads that work for somebody, or wait for work."""
        self.stuck = 0
        """Threads whose caller gave up."""
        self.idle = 0
        self.backlog = 0
        """Jobs that no thread was promised to."""
        self.lock = threading.Lock()
        self.jobs: SimpleQueue[Job] = SimpleQueue()

    def start(self, function: Callable[[], Any], settle: Settle, *, always: bool = False) -> Job:
        """Run a function in a thread; its context is the caller's.

        Raises `Overloaded` if too many are stuck, unless it must `always` be run.
        """
        job = Job(function, settle)
        with self.lock:
            if self.stuck >= self.most_stuck and not always:
                msg = f"{self.stuck} calls that were given up still run"
                raise Overloaded(msg, retry_after=5.0)
            if self.idle:
                self.idle -= 1
            elif self.count < self.most:
                self._grow()
            else:
                self.backlog += 1
        self.jobs.put(job)
        return job

    def run(self, function: Callable[[], Any]) -> asyncio.Future[Any]:
        """Run a function in a thread, for async code. If its future is cancelled, it is given up."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(outcome: Any, failure: BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # a closed loop: nobody waits any more
                loop.call_soon_threadsafe(_settle, future, outcome, failure)

        job = self.start(function, settle)
        future.add_done_callback(lambda done: done.cancelled() and self.give_up(job))
        return future

    def give_up(self, job: Job) -> bool:
        """Wait for a job no more. If it has not begun it never will: then return True."""
        with self.lock:
            if job.state == "waiting":
                job.state = "dropped"
                return True
            if job.state == "running":
                job.state = "stuck"
                self.stuck += 1
                self.count -= 1
                if self.backlog:
                    self.backlog -= 1
                    self._grow()
        return False

    @contextlib.contextmanager
    def lent(self) -> Generator[None]:
        """Let another thread work while one of ours waits for what only a thread can do."""
        if not getattr(_own, "works", False):
            yield
            return
        with self.lock:
            self.count -= 1
            if self.backlog:
                self.backlog -= 1
                self._grow()
        try:
            yield
        finally:
            with self.lock:
                self.count += 1

    def _grow(self) -> None:
        try:
            threading.Thread(target=self._work, name="toolwright", daemon=True).start()
        except RuntimeError as error:  # the system has no more
            msg = "no thread can be started"
            raise Overloaded(msg, retry_after=5.0) from error
        self.count += 1

    def _work(self) -> None:
        _own.works = True
        while True:
            job = self.jobs.get()
            with self.lock:
                dropped = job.state == "dropped"
                if not dropped:
                    job.state = "running"
            outcome: Any = None
            failure: BaseException | None = None
            if not dropped:
                try:
                    outcome = job.context.run(job.function)
                except BaseException as error:  # noqa: BLE001 - nothing a tool raises ends a thread
                    failure = error
            with self.lock:
                was_stuck = job.state == "stuck"
                job.state = "done"
                retires = was_stuck
                if was_stuck:
                    self.stuck -= 1  # its place was given away
                elif self.count > self.most:
                    self.count -= 1  # it was lent, and has come back
                    retires = True
                elif self.backlog:
                    self.backlog -= 1
                else:
                    self.idle += 1
            if not dropped:
                job.settle(outcome, failure)
            del job, outcome, failure
            if retires:
                return


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


_own = threading.local()
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
            with threads.lent():
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
