"""Calls that are injected or observed, and not limited.

Arguments -> injection -> target -> result, as in `limited`, but with nothing to wait for besides
the target: no deadline, permit, cache or second attempt.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from ..arguments.reader import Arguments, Reader
from ..arguments.sample import is_large
from ..call import Call, blocks, running
from ..errors import ArgumentError, CallCancelled, CallError
from ..outcome.failure import failed
from ..results import Result
from .attempt import AttemptInput, Invocation, is_cancelled
from .current import new_call
from .loop import background
from .threads import Raised, threads
from .waiting import LOOP


class UnlimitedRunner:
    """Runs the calls of one tool that has no limits."""

    def __init__(
        self,
        name: str,
        reader: Reader,
        work: Callable[[], Invocation],
        failure_of: Callable[..., Result],
        detached: Callable[[Arguments, Call | None], Awaitable[Result]],
    ) -> None:
        self.name = name
        self.reader = reader
        self.work = work
        self.failure_of = failure_of
        self.detached = detached
        """Runs what cannot be stopped in a task that a cancelled call does not wait for."""

    def call(self, arguments: Arguments, call: Call | None) -> Result:
        """Run for a sync caller: in their own thread, unless something must be awaited."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        sync = work.sync
        if sync is None:
            return background.run(self.call_async(arguments, call))
        with running(call or new_call(self.name), self.name, None) as own:
            if own.cancelled:
                return failed(self._cancelled())
            try:
                validated, repairs = self.reader.read(arguments)
            except ArgumentError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), own)
            if work.inline:
                blocks(own)
            return sync(AttemptInput(validated, arguments, None, repairs, own))[1]

    async def call_async(self, arguments: Arguments, call: Call | None) -> Result:
        """Run on the running loop; a sync target in a thread, unless it is inline."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        if work.sync is None and not work.stops:
            return await self.detached(arguments, call)
        with running(call or new_call(self.name), self.name, None) as own:
            if own.cancelled:
                return failed(self._cancelled())
            try:
                large = is_large(arguments)
                read = self.reader.read_large if large else self.reader.read
                validated, repairs = (
                    await LOOP.use(read, arguments, blocking=True) if large else read(arguments)
                )
                job = AttemptInput(validated, arguments, None, repairs, own)
            except CallError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), own)
            if work.sync is None:
                return await self._awaited(work, job)
            if work.inline:
                blocks(own)
                return work.sync(job)[1]
            return await self._in_thread(work, job)

    async def _in_thread(self, work: Invocation, job: AttemptInput) -> Result:
        call, sync = job.call, work.sync
        assert sync is not None  # noqa: S101 - the caller has looked
        try:
            future = threads.run(lambda: sync(job), caller=call.caller)
        except CallError as error:
            return failed(error, job.repairs)
        forget = call.on_cancel(_on_loop(future.get_loop(), future.cancel))
        try:
            return (await future)[1]
        except asyncio.CancelledError:
            call.cancel()  # so that the thread, which goes on, can see it
            if is_cancelled():
                raise
            return failed(self._cancelled(), job.repairs)
        except Raised as raised:
            return self.failure_of(raised.error, job.repairs, call)
        finally:
            forget()

    async def _awaited(self, work: Invocation, job: AttemptInput) -> Result:
        call, waits = job.call, work.waits
        task = asyncio.current_task()
        assert waits is not None  # noqa: S101 - one of the two is there
        assert task is not None  # noqa: S101 - asyncio runs nothing else
        stop = Stop(task)
        forget = call.on_cancel(_on_loop(task.get_loop(), stop))
        try:
            return (await waits(job))[1]
        except asyncio.CancelledError:
            call.cancel()
            if not stop.was_used or task.uncancel() > 0:
                raise
            return failed(self._cancelled(), job.repairs)
        finally:
            stop.is_over = True
            forget()

    def _cancelled(self) -> CallCancelled:
        return CallCancelled(f"{self.name}: the call was cancelled")


class Stop:
    """Cancels a task, as long as it runs a certain call."""

    __slots__ = ("is_over", "task", "was_used")

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self.task = task
        self.is_over = False
        self.was_used = False

    def __call__(self) -> None:
        """Cancel it, once."""
        if not self.is_over and not self.was_used:
            self.was_used = True
            self.task.cancel()


def _on_loop(
    loop: asyncio.AbstractEventLoop, function: Callable[[], object]
) -> Callable[[], object]:
    """Return a function that has another one called on a loop, from any thread."""

    def call() -> None:
        with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
            loop.call_soon_threadsafe(function)

    return call
