"""Calls that are injected, limited or observed, from arguments to result.

Rate limit -> arguments -> cache -> permit -> attempts, each under the deadline -> result. This is
written once for threads and event loops: `Waiter` says how to wait, `Invocation` what to run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

from pydantic_core import to_json

from ..arguments.reader import Arguments, Reader
from ..arguments.sample import is_large
from ..call import Call, blocks, last_sign_of_life, running
from ..errors import ArgumentError, CallCancelled, CallError, ToolError, ToolTimeout
from ..limits import Retry, Timeout
from ..outcome.failure import Remote, failed, is_a
from ..results import Repair, Result
from .attempt import AttemptInput, Invocation, ValueAndResult
from .cache import Cache, defaults_of
from .current import new_call
from .loop import HERE, LOOP, Pending, Signal, Waiter, background, run_here
from .threads import threads
from .throttle import Concurrency, Permit, RateLimit


async def retry_failed(
    retry: Retry,
    place: Waiter,
    call: Call,
    last: ValueAndResult,
    attempt: Callable[[], Awaitable[ValueAndResult]],
    check: Callable[[Call], None],
) -> ValueAndResult:
    """Run again after a failed first attempt, until one succeeds or no other may follow.

    `check` raises once the call is cancelled or overdue. A retry that could only start after the
    deadline is not waited for: the caller gets the `last` failure at once.
    """
    for number in range(1, retry.attempts):
        # Asked again each time: a later attempt may fail in a way that lasts.
        if not may_pass(retry, last[1]):
            return last
        wait, time_left = wait_after(retry, number), call.remaining
        if time_left is not None and wait >= time_left:
            return last
        await _pause(place, call, wait)
        check(call)
        last = await attempt()
    return last


def wait_after(retry: Retry, attempt: int) -> float:
    """Return how many seconds to wait after an attempt that failed, counted from one.

    The formula is in the docstring of `Retry`. The random factor applies after the cap, so waits
    still differ once they have reached `wait_max`.
    """
    import random  # takes milliseconds, which only a failure should pay for

    try:
        grown = retry.wait_initial * retry.wait_factor ** (attempt - 1)
    except OverflowError:  # a power of many attempts: far beyond the cap
        grown = retry.wait_max
    longest = min(retry.wait_max, grown)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - not for secrets


def may_pass(retry: Retry, result: Result) -> bool:
    """Return whether a result is a failure that may be temporary: another attempt makes sense."""
    error = result.error
    if isinstance(error, ToolError):
        return bool(error.retryable) or is_a(error, retry.on)
    cause = error if error is None or error.__cause__ is None else error.__cause__
    if is_a(cause, Remote):  # raised in another process: only the names of its classes were sent
        cause = cast("Remote", cause)
        kinds = retry.on if isinstance(retry.on, tuple) else (retry.on,)
        return any(f"{kind.__module__}.{kind.__qualname__}" in cause.kinds for kind in kinds)
    return is_a(cause, retry.on)


async def _pause(place: Waiter, call: Call, seconds: float) -> None:
    """Wait, but only until the call is cancelled."""
    woken = Signal()
    forget = call.on_cancel(woken.set)
    try:
        await place.wait(woken, time.monotonic() + seconds)
    finally:
        forget()
    call.heartbeat()  # the tool is not to blame for a silence that we made


class Short(Protocol):
    """Runs a tool as if it had no limits."""

    def call(self, arguments: Arguments) -> Result:
        """Run it in this thread."""
        ...

    async def call_async(self, arguments: Arguments) -> Result:
        """Run it on the running loop."""
        ...


class LimitedRunner:
    """Runs the calls of one tool under all of its limits."""

    def __init__(
        self,
        name: str,
        reader: Reader,
        work: Callable[[], Invocation],
        failure_of: Callable[..., Result],
        *,
        timeout: Timeout | None,
        retry: Retry | None,
        rate_limit: RateLimit | None,
        concurrency: Concurrency | None,
        cache: Cache | None,
        short: Short | None,
    ) -> None:
        self.name = name
        self.reader = reader
        self.work = work
        self.failure_of = failure_of
        self.timeout = timeout
        self.idle = timeout.idle if timeout is not None else None
        self.total = timeout.total if timeout is not None else None
        self.retry = retry
        self.rate_limit = rate_limit
        self.concurrency = concurrency
        self.cache = cache
        self.short = short
        """Makes the first attempt if the only limit is `retry`: success costs nothing extra."""
        self.defaults: dict[str, str] | None = None

    def call(self, arguments: Arguments, call: Call | None) -> Result:
        """Run for a sync caller: in their own thread, unless something must be awaited."""
        first: Result | None = None
        if self.short is not None and call is None:
            # Before the first attempt: the target may change what it is given.
            arguments = _snapshot(arguments)
            first = self.short.call(arguments)
            if not self._wants_another(first):
                return first
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        if work.waits is not None:
            # A loop of ours: one that runs in this thread would wait for itself.
            return background.run(self.go(LOOP, arguments, call, first))
        return run_here(self.go(HERE, arguments, call, first))

    async def call_async(self, arguments: Arguments, call: Call | None) -> Result:
        """Run on the running loop."""
        first: Result | None = None
        if self.short is not None and call is None:
            arguments = _snapshot(arguments)
            first = await self.short.call_async(arguments)
            if not self._wants_another(first):
                return first
        return await self.go(LOOP, arguments, call, first)

    def _wants_another(self, first: Result) -> bool:
        return self.retry is not None and first.error is not None and may_pass(self.retry, first)

    async def go(
        self, place: Waiter, arguments: Arguments, call: Call | None, first: Result | None = None
    ) -> Result:
        """Run one call; `first` is the result of an attempt that was already made."""
        with running(call or new_call(self.name), self.name, self.total) as tracked:
            return await self._go(place, arguments, tracked, first)

    async def _go(
        self, place: Waiter, arguments: Arguments, call: Call, first: Result | None
    ) -> Result:
        repairs: tuple[Repair, ...] = ()
        try:
            # Servers must limit the rate of calls (2026-07-28, server/tools, Security
            # Considerations): first of all, since reading arguments is work, too.
            if self.rate_limit is not None:
                await place.use(
                    self.rate_limit.take, call.caller, blocking=self.rate_limit.blocking
                )
            self._check(call)
            work = self.work()
            if self.retry is not None:
                arguments = _snapshot(arguments)
            data: Any = None
            # On an event loop every other call would wait while these are read.
            large = is_large(arguments)
            if self.cache is not None or work.needs_data:
                validated, repairs, data = await place.use(
                    self.reader.read_with_data, arguments, blocking=large
                )
            else:
                read_arguments = self.reader.read_large if large else self.reader.read
                validated, repairs = await place.use(read_arguments, arguments, blocking=large)
            job = AttemptInput(validated, arguments, data, repairs, call)
            if self.cache is None:
                return (await self._run(place, work, job, first))[1]
            # A tool that cannot know who asks gives everybody the same: they share what is kept.
            who = call if work.sees_call else None
            key = self.cache.key(data, self._defaults(), who, work.epoch)
            run = lambda: self._run(place, work, job)  # noqa: E731
            # Before the permit: an answer that is kept runs nothing, so it waits for no turn.
            return await self.cache.through(place, key, call, call.deadline, repairs, run)
        except ArgumentError as error:
            # A result and not a protocol error, so that a model can correct its call (SEP-1303).
            return failed(error)
        except CallError as error:
            return failed(error, repairs)
        except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
            return self.failure_of(error, repairs, call)

    def _check(self, call: Call) -> None:
        """Raise `CallCancelled` if the caller gave up, `ToolTimeout` if an answer is overdue."""
        if call.cancelled:
            raise CallCancelled(f"{self.name}: the call was cancelled")
        now = time.monotonic()
        if call.deadline is not None and now >= call.deadline:
            limit = f" in {self.total:g} s" if self.total is not None else " in time"
            raise ToolTimeout(f"{self.name} gave no answer{limit}")
        if self.idle is not None and now >= last_sign_of_life(call) + self.idle:
            raise ToolTimeout(f"{self.name} gave no sign of life for {self.idle:g} s")

    def _defaults(self) -> dict[str, str]:
        if self.defaults is None:
            self.defaults = defaults_of(self.reader.shape.root.get("properties", {}))
        return self.defaults

    # -- permits and attempts

    async def _run(
        self, place: Waiter, work: Invocation, job: AttemptInput, first: Result | None = None
    ) -> ValueAndResult:
        """Wait for a permit, then run until it succeeds or must not be tried again."""
        call = job.call
        permit = None
        if self.concurrency is not None:
            permit = await self.concurrency.take(place, call, call.deadline)
        try:
            outcome: ValueAndResult = (
                (None, first) if first else await self._attempt(place, work, job, permit)
            )
            if outcome[1].error is None or self.retry is None:
                return outcome

            async def again() -> ValueAndResult:
                # Arguments are read again: the attempt before may have changed the values.
                sent, large = job.arguments, is_large(job.arguments)
                validated, _ = await place.use(self.reader.read, sent, blocking=large)
                return await self._attempt(place, work, job._replace(validated=validated), permit)

            return await retry_failed(self.retry, place, call, outcome, again, self._check)
        finally:
            if permit is not None:
                permit.let_go()

    async def _attempt(
        self, place: Waiter, work: Invocation, job: AttemptInput, permit: Permit | None
    ) -> ValueAndResult:
        """Run once: here, in a thread, or as a task."""
        job.call.heartbeat()  # waiting for a permit does not count as the tool's silence
        if work.sync is None:
            return await self._awaited(place, work, job, permit)
        if work.inline:
            blocks(job.call)
        unlimited = self.timeout is None and job.call.deadline is None
        if work.inline if place.has_loop else unlimited:
            return work.sync(job)
        sync = work.sync
        pending = Pending()
        # Held a second time, for the thread: it may go on after this call has given up.
        if permit is not None:
            permit.hold()
        try:
            started = threads.start(
                lambda: sync(job),
                lambda outcome, failure: self._settle(pending, job, permit, outcome, failure),
                caller=job.call.caller,
            )
        except CallError:
            # No thread was started, so nothing will settle this attempt.
            if permit is not None:
                permit.let_go()
            raise
        try:
            await self._watch(place, job.call, pending)
        except BaseException:
            # A job that has not started never will, so nothing else gives its permit back.
            if threads.give_up(started) and permit is not None:
                permit.let_go()
            raise
        return pending.value

    async def _awaited(
        self, place: Waiter, work: Invocation, job: AttemptInput, permit: Permit | None
    ) -> ValueAndResult:
        assert work.waits is not None  # noqa: S101 - one of the two is there
        task = asyncio.get_running_loop().create_task(work.waits(job))
        pending = Pending()

        def ended(task: asyncio.Task[ValueAndResult]) -> None:
            _running.discard(task)
            outcome, failure = None, None
            if task.cancelled():
                failure = CallCancelled(f"{self.name}: the call was cancelled")
            elif (failure := task.exception()) is None:
                outcome = task.result()
            self._settle(pending, job, permit, outcome, failure)

        if permit is not None:
            permit.hold()
        _running.add(task)
        task.add_done_callback(ended)
        try:
            await self._watch(place, job.call, pending)
        except asyncio.CancelledError:
            task.cancel()
            if work.stops:  # the caller who cancels waits for its end, as if they awaited it
                await asyncio.wait((task,))
            raise
        except BaseException:
            task.cancel()
            raise
        return pending.value

    def _settle(
        self,
        pending: Pending,
        job: AttemptInput,
        permit: Permit | None,
        outcome: ValueAndResult | None,
        failure: BaseException | None,
    ) -> None:
        """Note how an attempt ended, in the thread or loop that ran it.

        Only now is its permit free, even if the caller gave up long ago: `max_concurrency` counts
        what really runs. It is free before the caller wakes, so that their next call can get it.
        """
        if failure is not None:
            outcome = None, self.failure_of(failure, job.repairs, job.call)
        if permit is not None:
            permit.let_go()
        pending.settle(outcome)

    async def _watch(self, place: Waiter, call: Call, pending: Pending) -> None:
        """Wait until an attempt has ended, its call is cancelled, or its time is up.

        In the last two cases the call is cancelled, so that work that goes on can see it: a server
        should stop what nobody waits for (2026-07-28, basic/patterns/cancellation).
        """
        forget = call.on_cancel(pending.signal.set)
        try:
            while True:
                await place.wait(pending.signal, self._due(call))
                if pending.is_settled:
                    return
                # It was a cancellation or the clock. A sign of life may have moved the idle
                # limit in the meantime: then nothing is overdue, and the wait goes on.
                self._check(call)
        except BaseException:
            # Forgotten first: nobody waits for the signal any more, and cancelling would set it.
            forget()
            call.cancel()
            raise
        finally:
            forget()

    def _due(self, call: Call) -> float | None:
        """Return when to look again. Signs of life move the idle limit, but never the deadline.

        Progress shows that something happens; a maximum holds regardless of it (2025-11-25,
        basic/lifecycle, Timeouts).
        """
        if self.idle is None:
            return call.deadline
        silent = last_sign_of_life(call) + self.idle
        return silent if call.deadline is None else min(silent, call.deadline)


def _snapshot(arguments: Any) -> Any:
    """Write arguments as JSON, so that no attempt can change what the next one gets."""
    if arguments is None or isinstance(arguments, str | bytes):
        return arguments
    try:
        return to_json(arguments)
    except Exception:  # noqa: BLE001 - reading them says what is wrong
        return arguments


_running: set[asyncio.Task[Any]] = set()
"""Tasks whose callers may have given up: the event loop itself holds only weak references."""
