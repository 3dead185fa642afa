"""Daemon threads for sync functions: bounded, and shared fairly among callers.

They are our own and not an executor's, because `concurrent.futures` joins its threads at exit: one
stuck function would keep the process from ending.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Generator
from queue import SimpleQueue
from typing import Any, TypeVar

from ..errors import CallError, Overloaded
from .current import share_of
from .pipe import end_copy

T = TypeVar("T")
Settle = Callable[[Any, BaseException | None], object]

MOST_PARKED = 1000
"""How many calls of one caller may wait for threads."""


class ThreadJob:
    """One function to run in a thread."""

    __slots__ = ("context", "function", "holder", "settle", "state")

    def __init__(self, function: Callable[[], Any], settle: Settle, held_by: str) -> None:
        self.context = contextvars.copy_context()
        self.function = function
        self.settle = settle
        """Called with the outcome, in the thread that ran it, even if the caller has given up."""
        self.holder = held_by
        self.state = "waiting"

    def let_go(self) -> None:
        """Drop what belongs to the caller: if they keep the job, only the garbage collector would
        free it."""
        self.context = _NO_CONTEXT
        self.function = self.settle = _nothing


def _nothing(*_: object) -> None:
    """Do nothing."""


_NO_CONTEXT = contextvars.Context()


class Threads:
    """Daemon threads on one queue; a thread is started only if none is idle.

    A thread whose caller gave up is stuck: Python cannot stop it. It no longer counts among the
    `most` that may work, so that it takes no place away, but only `most_stuck` of them may exist.

    One caller gets a thread only while they hold fewer than are free: alone at most half of them,
    two callers a third each, and so on, so that one is always left for the next caller. Beyond
    that their calls wait, and only behind their own. Threads that a caller gave up still count
    against their share. Calls of nobody (see `share_of`) are not bounded in this way.
    """

    def __init__(self, most: int = 64, most_stuck: int = 64) -> None:
        self.most = most
        self.most_stuck = most_stuck
        self.begin()

    def begin(self) -> None:
        """Start without threads; also in a forked child, which has none of its parent's."""
        self.count = 0
        """Threads that work for a caller, or wait for work."""
        self.stuck = 0
        """Threads whose caller gave up."""
        self.idle = 0
        self.backlog = 0
        """Jobs in the queue that no thread is reserved for."""
        self.lock = threading.Lock()
        self.jobs: SimpleQueue[ThreadJob] = SimpleQueue()
        self.held: dict[str, int] = {}
        """How many jobs of a caller run, are about to, or are stuck."""
        self.parked: dict[str, deque[ThreadJob]] = {}
        """Jobs of callers who hold their share; the caller who is served next comes first."""

    def start(
        self,
        function: Callable[[], Any],
        settle: Settle,
        *,
        always: bool = False,
        caller: str | None = None,
    ) -> ThreadJob:
        """Run a function in a thread; its context is the caller's.

        Raises `Overloaded` if too many are stuck or waiting, unless it must `always` run.
        """
        held_by = "" if always else share_of(caller)
        job = ThreadJob(function, settle, held_by)
        with self.lock:
            if self.stuck >= self.most_stuck and not always:
                raise self._stuck(self.stuck)
            if not held_by:
                if self.idle:
                    self.idle -= 1
                else:
                    self._promise()
            elif not self._admitted(job):
                return job
        self.jobs.put(job)
        return job

    def run(self, function: Callable[[], Any], *, caller: str | None = None) -> asyncio.Future[Any]:
        """Run a function in a thread, for async code. Cancelling its future gives it up."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def settle(outcome: Any, failure: BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
                loop.call_soon_threadsafe(settle_future, future, outcome, failure)

        job = self.start(function, settle, caller=caller)
        future.add_done_callback(lambda done: done.cancelled() and self.give_up(job))
        return future

    @property
    def has_idle(self) -> bool:
        """Whether a thread waits for work, and no job waits for a thread."""
        return self.idle > 0 and not self.parked

    def give_up(self, job: ThreadJob) -> bool:
        """Stop waiting for a job. Return True if it has not started: then it never will.

        A server should stop work on a cancelled request, and free what it holds (2026-07-28,
        basic/patterns/cancellation). Python cannot stop a thread: the tool can see that its call
        is cancelled, and until it ends, the thread counts as stuck.
        """
        refused: deque[ThreadJob] = deque()
        with self.lock:
            if job.state == "waiting":
                job.state = "dropped"
                self._unpark(job)
                job.let_go()
                return True
            if job.state == "running":
                job.state = "stuck"
                self.stuck += 1
                self.count -= 1
                self._fill()
                # The caller's parked jobs would wait for threads that may never come back: better
                # to refuse them now.
                if job.holder and self._left_too_many(job.holder):
                    refused = self.parked.pop(job.holder, refused)
            for parked in refused:
                parked.state = "done"
        # Outside the lock: whoever is told may start another job at once.
        for parked in refused:
            parked.settle(None, self._stuck(len(refused)))
            parked.let_go()
        return False

    @contextlib.contextmanager
    def lent(self) -> Generator[None]:
        """Let another thread work while this one, if it is ours, waits for one.

        Without this, a tool that calls tools could take every thread and never end: all of
        them would be waiting for one more.
        """
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
                # Even beyond `most`: this thread goes on, and `_finished` ends the one too many.
                self.count += 1
                if caller:
                    self.held[caller] = self.held.get(caller, 0) + 1

    # -- all of these are called with the lock held

    def _promise(self) -> None:
        """Reserve a thread for a job, or count it in the backlog."""
        if self.idle:
            self.idle -= 1
        elif self.count < self.most:
            self._grow()
        else:
            self.backlog += 1

    def _fill(self) -> None:
        """Take on a job that waits, because one more thread may work now."""
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

    def _admitted(self, job: ThreadJob) -> bool:
        """Reserve a thread for a caller's job, or park it behind their other jobs."""
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
            msg = f"{len(line)} of your calls are waiting for a thread"
            raise Overloaded(msg, retry_after=5.0)
        line.append(job)
        return False

    def _unpark_next(self) -> None:
        """Take on one parked job of each caller who has room again, round robin."""
        for caller in list(self.parked):
            if not self._has_room(caller):
                if self.most <= self.count - self.idle + self.backlog:
                    return  # no caller has room
                continue
            try:
                self._promise()
            except Overloaded:  # no more threads: tried again when one ends
                return
            line = self.parked.pop(caller)
            job = line.popleft()
            if line:
                self.parked[caller] = line  # behind the others
            self.held[caller] = self.held.get(caller, 0) + 1
            self.jobs.put(job)

    def _unpark(self, job: ThreadJob) -> None:
        """Take a job out of the line that it may wait in."""
        line = self.parked.get(job.holder)
        if line is not None:
            with contextlib.suppress(ValueError):
                line.remove(job)
            if not line:
                del self.parked[job.holder]

    def _let_go(self, caller: str) -> None:
        remaining = self.held.get(caller, 0) - 1
        if remaining > 0:
            self.held[caller] = remaining
        else:
            self.held.pop(caller, None)

    def _stuck(self, count: int) -> Overloaded:
        return Overloaded(f"{count} abandoned calls are still running", retry_after=5.0)

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
        _own.holder = held_by = ""
        # Those of this process: after a fork, `begin` has made others for the copy.
        copies, get, lock = _copies, self.jobs.get, self.lock
        while True:
            job = get()
            with lock:
                settle = None
                if job.state == "waiting":
                    job.state, settle = "running", job.settle
            outcome: Any = None
            failure: BaseException | None = None
            if settle is not None:
                if job.holder != held_by:
                    _own.holder = held_by = job.holder
                try:
                    outcome = job.context.run(job.function)
                except BaseException as error:  # noqa: BLE001 - nothing a tool raises ends a thread
                    failure = error
                # The tool forked, and this is the copy: it must not answer a second time.
                if copies != _copies:
                    end_copy()
                job.let_go()
            # Counted before the caller wakes, so that their next call finds this thread idle.
            retires = self._finished(job)
            if settle is not None:
                settle(outcome, failure)
            # Waiting for the next job, this frame would keep what belongs to the last caller alive.
            del job, settle, outcome, failure
            if retires:
                return

    def _finished(self, job: ThreadJob) -> bool:
        """Count a job as done; return whether the thread ends with it."""
        with self.lock:
            retires = job.state == "stuck"
            job.state = "done"
            if job.holder:
                self._let_go(job.holder)
            if retires:
                self.stuck -= 1  # give_up has let another thread take its place
            elif self.count > self.most:
                self.count -= 1  # `lent` let another one start while this one waited
                retires = True
            elif self.backlog:
                self.backlog -= 1
            else:
                self.idle += 1
            if self.parked:
                self._unpark_next()
        return retires


async def in_own_thread(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Run work that may wait for long in a thread of its own; if cancelled, stop it there.

    Python does not wait for that thread when it exits.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(outcome: Any, failure: BaseException | None) -> None:
        if done.done():
            return
        if failure is None:
            done.set_result(outcome)
        else:
            done.set_exception(failure)
            done.exception()  # perhaps nobody is left to look at it

    def run() -> None:
        outcome: Any = None
        failure: BaseException | None = None
        try:
            outcome = work()
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, outcome, failure)

    try:
        threading.Thread(target=run, name="toolwright-waiting", daemon=True).start()
    except RuntimeError as error:
        raise CallError("the system has no room for another thread") from error
    try:
        await asyncio.wait([done])
    except (asyncio.CancelledError, GeneratorExit):
        stop()
        raise
    return done.result()


def settle_future(future: asyncio.Future[Any], outcome: Any, failure: BaseException | None) -> None:
    """Give a future its outcome, on its loop. What was raised is wrapped in `Raised`."""
    if future.cancelled():
        return
    if failure is None:
        future.set_result(outcome)
    else:
        future.set_exception(Raised(failure))


class Raised(Exception):
    """Carries what a function raised: asyncio treats StopIteration and SystemExit specially."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()  # not even its text: that may raise
        self.error = error


_own = threading.local()
_copies = 0
"""How many forks led to this process."""
threads = Threads()


def _in_copy() -> None:
    global _copies  # noqa: PLW0603 - one for the whole process
    _copies += 1
    threads.begin()
    _own.works = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_copy)
