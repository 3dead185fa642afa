"""Waiting on threads and event loops; the loop in the background.

A limited call is written once, as a coroutine. On an event loop it is awaited. For a sync caller
`run_here` drives it: with a `BlockingWaiter` it blocks the thread wherever it waits, and so never
suspends. Sync callers of async tools share one loop, which runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from .threads import Raised, settle_future, threads

T = TypeVar("T")

_QUICK = 0.0001
"""Seconds a function may take for an event loop to wait in place: about a request's cost."""
_SHORT = 0.0004
"""How many seconds it waits at most: on a virtual machine, getting to another core takes longer
than most functions do."""
_SKIPPED = 50
"""How many calls do not wait in place after one that took longer."""
_IN_A_ROW = 20
"""How often a task waits in place before it lets others run."""


class Signal:
    """A one-time event that threads and event loops can both wait for."""

    __slots__ = ("_lock", "_wakers", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._lock = threading.Lock()
        self._wakers: list[Callable[[], object]] = []

    def set(self) -> None:
        """Wake everything that waits."""
        with self._lock:
            self.is_set = True
            wakers, self._wakers = self._wakers, []
        # Outside the lock: what wakes up may forget this signal, or set others.
        for wake in wakers:
            wake()

    def when_set(self, wake: Callable[[], object]) -> None:
        """Call a function when it is set; at once if it is."""
        with self._lock:
            if not self.is_set:
                self._wakers.append(wake)
                return
        wake()

    def forget(self, wake: Callable[[], object]) -> None:
        """Drop a function that was to be called."""
        with self._lock:
            if wake in self._wakers:
                self._wakers.remove(wake)


class Pending:
    """The outcome of a function or task that runs elsewhere: settled there, waited for here."""

    __slots__ = ("failure", "is_settled", "signal", "value")

    def __init__(self) -> None:
        self.signal = Signal()
        """Set once it is settled. It may be set before, to wake the waiter for another reason."""
        self.is_settled = False
        self.value: Any = None
        self.failure: BaseException | None = None

    def settle(self, value: Any, failure: BaseException | None = None) -> None:
        """Note how it ended, and wake the waiter. Called once, in any thread."""
        # The signal comes last: the thread that it wakes reads the others at once.
        self.value, self.failure, self.is_settled = value, failure, True
        self.signal.set()

    def result(self) -> Any:
        """Return the value, or raise the failure."""
        if self.failure is not None:
            raise self.failure
        return self.value


class Waiter(Protocol):
    """How a limited call waits."""

    has_loop: bool

    async def wait(self, signal: Signal, until: float | None) -> None:
        """Wait for a signal, or until a time of the monotonic clock."""
        ...

    async def use(self, function: Callable[..., T], *sent: Any, blocking: bool) -> T:
        """Call a function that may wait for a disk or a network."""
        ...


class BlockingWaiter:
    """The caller's own thread."""

    has_loop = False

    async def wait(self, signal: Signal, until: float | None) -> None:
        """Block the thread."""
        self.block(signal, until)

    def block(self, signal: Signal, until: float | None = None) -> None:
        """Block the thread, for callers that are not coroutines."""
        if signal.is_set:
            return
        event = threading.Event()
        signal.when_set(event.set)
        try:
            with threads.lent():
                event.wait(None if until is None else max(until - time.monotonic(), 0))
        finally:
            signal.forget(event.set)

    async def use(self, function: Callable[..., T], *sent: Any, blocking: bool) -> T:
        """Call it right here."""
        return function(*sent)


class LoopWaiter:
    """The running event loop."""

    has_loop = True

    async def wait(self, signal: Signal, until: float | None) -> None:
        """Let the loop run other tasks meanwhile."""
        if signal.is_set:
            return
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def done() -> None:
            if not future.done():
                future.set_result(None)

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
                loop.call_soon_threadsafe(done)

        signal.when_set(wake)
        timer = None
        if until is not None:
            timer = loop.call_later(max(until - time.monotonic(), 0), done)
        try:
            await future
        finally:
            signal.forget(wake)
            if timer is not None:
                timer.cancel()

    async def use(self, function: Callable[..., T], *sent: Any, blocking: bool) -> T:
        """Call it in a thread if it may block."""
        if not blocking:
            return function(*sent)
        try:
            return await threads.run(lambda: function(*sent))
        except Raised as raised:
            raise raised.error from None


class InPlace:
    """Counts how often a task may still wait in place."""

    def __init__(self) -> None:
        self.task: weakref.ref[asyncio.Task[Any]] | None = None
        self.left = 0

    def take(self, task: asyncio.Task[Any] | None) -> bool:
        """Return whether a task may wait in place now; after `_IN_A_ROW` times it may not, once."""
        if task is None:
            return False
        if self.task is None or self.task() is not task:
            self.task, self.left = weakref.ref(task), _IN_A_ROW
        self.left -= 1
        if self.left < 0:
            self.left = _IN_A_ROW
            return False
        return True


_in_place = InPlace()


class ShortWait:
    """Runs a function in threads repeatedly; remembers whether it is quick.

    An event loop that runs other tasks has to be woken, through a socket and two rounds of its
    own: that takes longer than most functions do. So it first waits in place for a moment, unless
    the function itself was slow recently, or the same task has waited often: what never
    suspends lets no other task run.
    """

    __slots__ = ("_skip",)

    def __init__(self) -> None:
        self._skip = 0

    def timed(self, function: Callable[[], T]) -> T:
        """Call the function, in its thread, and remember whether it was quick."""
        began = time.perf_counter()
        try:
            return function()
        finally:
            if time.perf_counter() - began > _QUICK:
                self._skip = _SKIPPED

    def is_worthwhile(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Return whether to wait in place for the function about to be started."""
        if self._skip:
            self._skip -= 1
            return False
        return threads.has_idle and _in_place.take(asyncio.current_task(loop))

    def block(self, signal: Signal) -> None:
        """Wait a moment for a signal from a thread; it may still not be set afterwards."""
        # A bare lock: an `Event` makes a condition, and one more lock at each wait.
        finished = threading.Lock()
        finished.acquire()
        signal.when_set(finished.release)
        if not finished.acquire(timeout=_SHORT):
            self._skip = _SKIPPED
            signal.forget(finished.release)

    def run(self, function: Callable[[], Any], *, caller: str | None = None) -> asyncio.Future[Any]:
        """Run the function in a thread: see `Threads.run`. The future may be done already."""
        loop = asyncio.get_running_loop()
        if not self.is_worthwhile(loop):
            return threads.run(function, caller=caller)
        future: asyncio.Future[Any] = loop.create_future()
        finished = threading.Lock()
        finished.acquire()
        # Appending is atomic: without a lock, either the outcome or the end of the wait is first.
        first: list[tuple[Any, BaseException | None] | None] = []
        """What came first: the outcome, or None for the end of the wait."""

        def settle(outcome: Any, failure: BaseException | None) -> None:
            first.append((outcome, failure))
            if first[0] is not None:
                finished.release()
                return
            with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
                loop.call_soon_threadsafe(settle_future, future, outcome, failure)

        job = threads.start(lambda: self.timed(function), settle, caller=caller)
        if not finished.acquire(timeout=_SHORT):
            first.append(None)
        if (came := first[0]) is not None:
            settle_future(future, *came)
        else:
            self._skip = _SKIPPED
            future.add_done_callback(lambda done: done.cancelled() and threads.give_up(job))
        return future


HERE = BlockingWaiter()
LOOP = LoopWaiter()


def run_here(limited: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits only by blocking this thread."""
    try:
        limited.send(None)
    except StopIteration as stop:
        return stop.value
    limited.close()
    msg = "a coroutine that waits here must not suspend"
    raise RuntimeError(msg)


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
