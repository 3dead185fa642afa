"""Calls that are injected or observed, but not limited.

Arguments -> injection -> target -> result, as in `limited`, but with nothing to wait for besides
the target: no deadline, permit, cache or second attempt.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from ..arguments.reader import Arguments, Reader
from ..arguments.sample import is_large
from ..call import Call, blocks, running
from ..errors import ArgumentError, CallCancelled, CallError
from ..outcome.failure import failed
from ..results import Result
from .attempt import AttemptInput, Invocation, ValueAndResult, is_cancelled
from .current import new_call
from .loop import background
from .threads import Raised
from .waiting import LOOP, ShortWait


class UnlimitedRunner:
    """Runs the calls of one tool that has no limits."""

    def __init__(
        self,
        name: str,
        reader: Reader,
        work: Callable[[], Invocation],
        failure_of: Callable[..., Result],
    ) -> None:
        self.name = name
        self.reader = reader
        self.work = work
        self.failure_of = failure_of
        self.short_wait = ShortWait()

    def call(self, arguments: Arguments, call: Call | None) -> Result:
        """Run for a sync caller: in their own thread, unless something must be awaited."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        sync = work.sync
        if sync is None:
            return background.run(self.call_async(arguments, call))
        with running(call or new_call(self.name), self.name, None) as tracked:
            if tracked.cancelled:
                return failed(self._cancelled())
            try:
                validated, repairs = self.reader.read(arguments)
            except ArgumentError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), tracked)
            if work.inline:
                blocks(tracked)
            return sync(AttemptInput(validated, arguments, None, repairs, tracked))[1]

    async def call_async(self, arguments: Arguments, call: Call | None) -> Result:
        """Run on the running loop; a sync target in a thread, unless it is inline."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        with running(call or new_call(self.name), self.name, None) as tracked:
            if tracked.cancelled:
                return failed(self._cancelled())
            try:
                large = is_large(arguments)
                read_arguments = self.reader.read_large if large else self.reader.read
                validated, repairs = (
                    await LOOP.use(read_arguments, arguments, blocking=True)
                    if large
                    else read_arguments(arguments)
                )
                job = AttemptInput(validated, arguments, None, repairs, tracked)
            except CallError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), tracked)
            if work.sync is None:
                return await self._awaited(work, job)
            if work.inline:
                blocks(tracked)
                return work.sync(job)[1]
            return await self._in_thread(work, job)

    async def _in_thread(self, work: Invocation, job: AttemptInput) -> Result:
        call, sync = job.call, work.sync
        assert sync is not None  # noqa: S101 - the caller has checked
        try:
            future = self.short_wait.run(lambda: sync(job), caller=call.caller)
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
        """Run async work in a task of its own.

        What a tool does with its cancellation must not reach whoever cancels: anyio recognises its
        own cancellations by their text.
        """
        call = job.call
        assert work.waits is not None  # noqa: S101 - one of the two is there
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()

        def wake(ended: Any = None) -> None:
            _running.discard(ended)
            if not over.done():
                over.set_result(None)

        task = loop.create_task(_waking(work.waits, job, wake))
        _running.add(task)
        task.add_done_callback(wake)  # it may be cancelled before it begins
        forget = call.on_cancel(_on_loop(loop, wake))
        try:
            await over
        except asyncio.CancelledError:
            call.cancel()
            task.cancel()
            if work.stops:  # the caller who cancels waits for its end, as if they awaited it
                await asyncio.wait((task,))
            raise
        finally:
            forget()
        if not task.done() or task.cancelled():
            task.cancel()
            return self.failure_of(self._cancelled(), job.repairs, call)
        return task.result()[1]

    def _cancelled(self) -> CallCancelled:
        return CallCancelled(f"{self.name}: the call was cancelled")


async def _waking(
    waits: Callable[[AttemptInput], Coroutine[Any, Any, ValueAndResult]],
    job: AttemptInput,
    wake: Callable[[], object],
) -> ValueAndResult:
    """Wake the caller in the last step of the work: a task does so one round of the loop later."""
    try:
        return await waits(job)
    finally:
        wake()


def _on_loop(
    loop: asyncio.AbstractEventLoop, function: Callable[[], object]
) -> Callable[[], object]:
    """Return a function that schedules another one on a loop, from any thread."""

    def call() -> None:
        with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
            loop.call_soon_threadsafe(function)

    return call


_running: set[asyncio.Task[Any]] = set()
"""Tasks whose callers may have given up: the event loop itself holds only weak references."""
