"""Daemon threads for sync functions: bounded, and shared out among callers.

Threads are our own, not an executor's: a stuck function must never hold the process's exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any

from ..errors import Overloaded
from .process.forks import end_copy

Settle = Callable[[Any, BaseException | None], object]


holder: ContextVar[str] = ContextVar("holder", default="")
"""Whom the threads that are used here count for; nobody in a program that calls its own tools."""

MOST_PARKED = 1000
"""How many calls of one caller may wait for threads."""


class Job:
    """One function to run in a thread."""

    __slots__ = ("context", "function", "holder", "settle", "state")

    def __init__(self, function: Callable[[], Any], settle: Settle, held_by: str) -> None:
        self.context = contextvars.copy_context()
        self.function = function
        self.settle = settle
        """Told what came of it, in the thread that ran it, even if nobody waits any more."""
        self.holder = held_by
        self.state = "waiting"


class Threads:
    """Daemon threads on one queue; a thread is started only if none is idle.

    A thread whose caller gave up is stuck: it counts no more among the `most` that may work, so
    that it takes nobody's place, but only `most_stuck` of them are put up with.

    One caller gets a thread only while they hold fewer than are free: alone at most half of them,
    two callers a third each, and so on, so that there is always one left for whoever comes next.
    Beyond that their calls wait, for their own only. What a caller gave up goes on counting for
    them, and is bounded in the same way. Whoever has no name (see `holder`) is not bounded.
    """

    def __init__(self, most: int = 64, most_stuck: int = 64) -> None:
        self.most = most
        self.most_stuck = most_stuck
        self.begin()

    def begin(self) -> None:
        """Begin without threads; also in a forked copy, which has none of them."""
        self.count = 0
        """Threads that work for somebody, or wait for work."""
        self.stuck = 0
        """Threads whose caller gave up."""
        self.idle = 0
        self.backlog = 0
        """Jobs that no thread was promised to."""
        self.lock = threading.Lock()
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.held: dict[str, int] = {}
        """How many jobs of a caller run, are about to, or are stuck."""
        self.parked: dict[str, deque[Job]] = {}
        """Jobs of callers who hold their share; the next in turn comes first."""

    def start(
        self,
        function: Callable[[], Any],
        settle: Settle,
        *,
        always: bool = False,
        caller: str | None = None,
    ) -> Job:
        """Run a function in a thread; its context is the caller's.

        Raises `Overloaded` if too many are stuck, or wait, unless it must `always` be run.
        """
        held_by = "" if always else f"caller {caller}" if caller is not None else holder.get()
        job = Job(function, settle, held_by)
        with self.lock:
            if self.stuck >= self.most_stuck and not always:
                raise self._stuck(self.stuck)
            if not held_by:
                self._promise()
            elif not self._admitted(job):
                return job
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
        refused: deque[Job] = deque()
        with self.lock:
            if job.state == "waiting":
                job.state = "dropped"
                self._unpark(job)
                return True
            if job.state == "running":
                job.state = "stuck"
                self.stuck += 1
                self.count -= 1
                self._fill()
                # Its caller's other jobs would wait for a thread that may never come back.
                if job.holder and self._left_too_many(job.holder):
                    refused = self.parked.pop(job.holder, refused)
            for each in refused:
                each.state = "done"
        for each in refused:
            each.settle(None, self._stuck(len(refused)))
        return False

    @contextlib.contextmanager
    def lent(self) -> Generator[None]:
        """Let another thread work while one of ours waits for what only a thread can do."""
        if not getattr(_own, "works", False):
            yield
            return
        caller: str = _own.holder
        with self.lock:
            self.count -= 1
            if caller:
                self._let_go(caller)
            self._fill()
        try:
            yield
        finally:
            with self.lock:
                self.count += 1
                if caller:
                    self.held[caller] = self.held.get(caller, 0) + 1

    # -- all of these with the lock held

    def _promise(self) -> None:
        """Promise a thread to a job, or note that none is there."""
        if self.idle:
            self.idle -= 1
        elif self.count < self.most:
            self._grow()
        else:
            self.backlog += 1

    def _fill(self) -> None:
        """A thread may work that might not before: take on what waits."""
        if self.backlog:
            self._grow()
            self.backlog -= 1
        elif self.parked:
            self._unpark_next()

    def _has_room(self, caller: str) -> bool:
        free = self.most - (self.count - self.idle) - self.backlog
        return self.held.get(caller, 0) < free

    def _left_too_many(self, caller: str) -> bool:
        return self.held.get(caller, 0) >= self.most_stuck - self.stuck

    def _admitted(self, job: Job) -> bool:
        """Promise a thread to a caller's job, or park it behind their others."""
        caller = job.holder
        if self.stuck and self._left_too_many(caller):
            raise self._stuck(self.stuck)
        line = self.parked.get(caller)
        if line is None and self._has_room(caller):
            self._promise()
            self.held[caller] = self.held.get(caller, 0) + 1
            return True
        if line is None:
            line = self.parked[caller] = deque()
        if len(line) >= MOST_PARKED:
            msg = f"{len(line)} calls of yours wait for a thread"
            raise Overloaded(msg, retry_after=5.0)
        line.append(job)
        return False

    def _unpark_next(self) -> None:
        """Take on one parked job of each caller who has room again, in turn."""
        for caller in list(self.parked):
            if not self._has_room(caller):
                if self.most <= self.count - self.idle + self.backlog:
                    return  # nobody has
                continue
            try:
                self._promise()
            except Overloaded:  # the system has no more threads: with the next one that ends
                return
            line = self.parked.pop(caller)
            job = line.popleft()
            if line:
                self.parked[caller] = line  # behind the others
            self.held[caller] = self.held.get(caller, 0) + 1
            self.jobs.put(job)

    def _unpark(self, job: Job) -> None:
        """Take a job out of the line that it may wait in."""
        line = self.parked.get(job.holder)
        if line is not None:
            with contextlib.suppress(ValueError):
                line.remove(job)
            if not line:
                del self.parked[job.holder]

    def _let_go(self, caller: str) -> None:
        left = self.held.get(caller, 0) - 1
        if left > 0:
            self.held[caller] = left
        else:
            self.held.pop(caller, None)

    def _stuck(self, count: int) -> Overloaded:
        return Overloaded(f"{count} calls that were given up still run", retry_after=5.0)

    def _grow(self) -> None:
        try:
            threading.Thread(target=self._work, name="toolwright", daemon=True).start()
        except RuntimeError as error:  # the system has no more
            msg = "no thread can be started"
            raise Overloaded(msg, retry_after=5.0) from error
        self.count += 1

    # -- in the threads

    def _work(self) -> None:
        _own.works = True
        process = os.getpid()
        while True:
            job = self.jobs.get()
            with self.lock:
                dropped = job.state == "dropped"
                if not dropped:
                    job.state = "running"
            outcome: Any = None
            failure: BaseException | None = None
            if not dropped:
                _own.holder = job.holder
                try:
                    outcome = job.context.run(job.function)
                except BaseException as error:  # noqa: BLE001 - nothing a tool raises ends a thread
                    failure = error
                if process != os.getpid():
                    end_copy()
            retires = self._finished(job)
            if not dropped:
                job.settle(outcome, failure)
            del job, outcome, failure
            if retires:
                return

    def _finished(self, job: Job) -> bool:
        """Count a job as done; return whether the thread ends with it."""
        with self.lock:
            was_stuck = job.state == "stuck"
            job.state = "done"
            retires = was_stuck
            if job.holder:
                self._let_go(job.holder)
            if was_stuck:
                self.stuck -= 1  # its place was given away
            elif self.count > self.most:
                self.count -= 1  # it was lent, and has come back
                retires = True
            elif self.backlog:
                self.backlog -= 1
            else:
                self.idle += 1
            if self.parked:
                self._unpark_next()
        return retires


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


def _in_copy() -> None:
    threads.begin()
    _own.works = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_copy)
