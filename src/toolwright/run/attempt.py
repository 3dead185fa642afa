"""One attempt: inject, call, drain, write the result, clean up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, ExitStack
from typing import Any, NamedTuple

from .._log import log
from ..arguments.reader import Arguments, Validated
from ..call import Call
from ..errors import CallCancelled
from ..outcome.failure import is_a
from ..outcome.writer import ResultWriter
from ..results import Repair, Result
from .drain import GeneratorDrain, is_deferred
from .injection import NOTHING_OPEN, Injector
from .threads import threads
from .waiting import LOOP, Pending

ValueAndResult = tuple[Any, Result]
"""A value and its result."""


class AttemptInput(NamedTuple):
    """The input of one attempt."""

    validated: Validated
    arguments: Arguments
    """As they came."""
    data: Any
    """As JSON sees them, where that is needed."""
    repairs: tuple[Repair, ...]
    call: Call


class Invocation(NamedTuple):
    """How a tool is run: either `sync` or `waits` is set."""

    sync: Callable[[AttemptInput], ValueAndResult] | None
    waits: Callable[[AttemptInput], Coroutine[Any, Any, ValueAndResult]] | None
    inline: bool = False
    """Run sync work on the event loop itself."""
    stops: bool = False
    """Whether cancelling ends it, so that whoever cancels can wait for its end."""
    needs_data: bool = False
    sees_call: bool = False
    """Whether the target, or one of its providers, can know who asked."""
    epoch: str = ""
    """Identifies the overrides of providers."""


class Invoker:
    """Runs the target of one tool with its injected values."""

    def __init__(
        self,
        name: str,
        called: Callable[[Validated], Any],
        drain: GeneratorDrain,
        outcome: ResultWriter,
        injector: Injector | None,
        *,
        is_async: bool,
    ) -> None:
        self.name = name
        self.failure_of = outcome.failure_of
        self.called = called
        self.drain = drain
        self.result_of = outcome.of
        self.injector = injector
        self.opens = injector is not None and injector.opens
        self.is_async = is_async

    def sync(self, job: AttemptInput) -> ValueAndResult:
        """Inject, run and write, all in one thread; then clean up."""
        stack = ExitStack() if self.opens else NOTHING_OPEN
        value: Any = None
        error: BaseException | None = None
        try:
            validated = job.validated
            if self.injector is not None:
                validated = {**validated, **self.injector.enter(stack, job.call)}
                # Providers may have taken long: do not run the tool for nobody.
                self._check(job.call)
            value = self.called(validated)
            if is_deferred(value):
                value = self.drain.drained(value, job.call)
            result = self.result_of(value, job.repairs)
            error = result.error
            if error is None:
                self._check(job.call)
        except BaseException as raised:  # noqa: BLE001 - whatever a tool raises is a result
            error = raised
            result = self.failure_of(raised, job.repairs, job.call)
        if not self.opens:
            return value, result
        try:
            # Providers see the failure, as in a `with` statement: a transaction is rolled back. But
            # one that swallows it, as `suppress` does, makes no success of it.
            stack.__exit__(*_raised(error))
        except BaseException as raised:  # noqa: BLE001 - clean-up may raise anything, too
            return self._left(raised, error, (value, result), job)
        return value, result

    async def waits(self, job: AttemptInput) -> ValueAndResult:
        """Do the same where something must be awaited; clean-up waits until a thread has ended."""
        stack = AsyncExitStack()
        value: Any = None
        result: Result | None = None
        error: BaseException | None = None
        try:
            value = await self._value(stack, job)
            result = self.result_of(value, job.repairs)
            error = result.error
            if error is None:
                self._check(job.call)
        except BaseException as raised:  # noqa: BLE001 - whatever a tool raises is a result
            error = raised
            result = None
        # A tool may raise this itself; only a task that really was cancelled ends with it.
        cancelled = is_a(error, asyncio.CancelledError) and is_cancelled()
        if result is None and error is not None and not cancelled:
            result = self.failure_of(error, job.repairs, job.call)
        if result is not None and not self.opens:
            return value, result
        try:
            await stack.__aexit__(*_raised(error))
        except BaseException as raised:  # noqa: BLE001 - clean-up may raise anything, too
            if not cancelled and result is not None:
                return self._left(raised, error, (value, result), job)
            if raised is not error:
                log.error("%s: a provider failed to clean up", self.name, exc_info=raised)
        if result is None:
            raise asyncio.CancelledError
        return value, result

    async def _value(self, stack: AsyncExitStack, job: AttemptInput) -> Any:
        validated = job.validated
        if self.injector is not None:
            validated = {**validated, **await self.injector.enter_async(stack, job.call)}
            self._check(job.call)
        if self.is_async:
            return await self.drain.settled(self.called(validated), job.call)
        return await self._beside(validated, job)

    async def _beside(self, validated: Validated, job: AttemptInput) -> Any:
        """Run a sync target in a thread, and return only when that has ended."""

        def run() -> Any:
            value = self.called(validated)
            return self.drain.drained(value, job.call) if is_deferred(value) else value

        pending = Pending()
        started = threads.start(run, pending.settle, caller=job.call.caller)
        try:
            await LOOP.wait(pending.signal, None)
        except asyncio.CancelledError:
            if not threads.give_up(started):
                # If this second wait is cancelled too, the loop is about to end and nothing can
                # wait for the thread any more.
                await LOOP.wait(pending.signal, None)
            raise
        return pending.result()

    def _check(self, call: Call) -> None:
        """Raise `CallCancelled` if the caller gave up: providers must not commit such work."""
        if call.cancelled:
            raise CallCancelled(f"{self.name}: the call was cancelled")

    def _left(
        self,
        raised: BaseException,
        seen: BaseException | None,
        outcome: ValueAndResult,
        job: AttemptInput,
    ) -> ValueAndResult:
        """Make a call that had succeeded fail, because a clean-up failed."""
        if raised is seen:
            return outcome
        if seen is None:
            return None, self.failure_of(raised, job.repairs, job.call)
        log.error("%s: a provider failed to clean up", self.name, exc_info=raised)
        return outcome


def is_cancelled() -> bool:
    """Return whether the running task was cancelled, and not by the tool itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _raised(error: BaseException | None) -> tuple[Any, Any, Any]:
    return (None, None, None) if error is None else (type(error), error, error.__traceback__)
