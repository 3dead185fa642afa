"""One attempt: inject, call, drain, write the result, clean up."""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any, NamedTuple, cast

from .._log import log
from .._words import truncate
from ..arguments.reader import Arguments, Validated
from ..call import Call, reports_progress
from ..errors import CallCancelled, ResultError
from ..outcome.failure import is_a
from ..outcome.writer import ResultWriter, Stopped
from ..results import Repair, Result
from .injection import NOTHING_OPEN, Injector
from .loop import LOOP, Pending, background
from .threads import threads

_MOST_TOLD = 1000
"""How many characters of an item are reported as progress."""

_AT_A_TIME = 100
"""How many items are taken before the event loop may run other tasks and look at deadlines."""


class GeneratorDrain:
    """Turns what the target of one tool gives into a plain value."""

    def __init__(self, name: str, *, joins: bool, most: int) -> None:
        self.name = name
        self.joins = joins
        """Whether items are parts of one text."""
        self.most = most
        """How many bytes a result may have: nothing is taken beyond that."""

    def drained(self, value: Any, call: Call | None) -> Any:
        """Drain a value in this thread, or on the background loop."""
        if isinstance(value, types.GeneratorType):
            return self.taken(cast("Iterator[Any]", value), call)
        return background.run(self.settled(value, call))

    async def settled(self, value: Any, call: Call | None) -> Any:
        """Await a value if it is awaitable, and take everything that it yields."""
        if is_awaitable(value):
            value = await value
        return value if value.__class__ in PLAIN else await self.emptied(value, call)

    async def emptied(self, value: Any, call: Call | None) -> Any:
        """Take all items of a generator or async iterable; return any other value as it is."""
        if isinstance(value, AsyncIterable):
            items = cast("AsyncIterable[Any]", value).__aiter__()
            return await self._taken_async(items, call)
        if isinstance(value, types.GeneratorType):
            return self.taken(cast("Iterator[Any]", value), call)
        return value

    def taken(self, items: Iterator[Any], call: Call | None) -> Any:
        """Take items until there are none, or more than a result may hold; each is progress."""
        drained: list[Any] = []
        size = 0
        try:
            for item in items:
                drained.append(item)
                if call is not None:
                    self._tell(call, len(drained), item)
                size += size_of(item)
                if size > self.most:
                    drained = Stopped(drained)
                    break
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
        return self._joined(drained)

    async def _taken_async(self, items: AsyncIterator[Any], call: Call | None) -> Any:
        drained: list[Any] = []
        size = 0
        try:
            async for item in items:
                drained.append(item)
                if len(drained) % _AT_A_TIME == 0:
                    await asyncio.sleep(0)  # the iterator itself may never wait for anything
                if call is not None:
                    self._tell(call, len(drained), item)
                size += size_of(item)
                if size > self.most:
                    drained = Stopped(drained)
                    break
        finally:
            close = getattr(items, "aclose", None)
            if close is not None:
                await close()
        return self._joined(drained)

    def _tell(self, call: Call, done: int, item: Any) -> None:
        """Report an item as progress. Raises `CallCancelled` if the caller gave up."""
        if call.cancelled:
            raise CallCancelled(f"{self.name}: the call was cancelled")
        if reports_progress(call):
            text = item if isinstance(item, str) else truncate(_written(item), _MOST_TOLD)
            call.progress(done, None, text[:_MOST_TOLD])
        else:
            call.heartbeat()

    def _joined(self, items: list[Any]) -> Any:
        if not self.joins:
            return items
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise ResultError(f"{self.name}: `result[{index}]` is not text")
        text = "".join(items)
        if type(items) is Stopped and len(text) <= self.most:
            # Stopped because of the number of items: otherwise nothing would say so.
            text += "\n[cut: only the beginning is shown, the rest was not taken]"
        return text


class AwaitOnly(GeneratorDrain):
    """Awaits what the target of one tool gives, and leaves generators to whoever called it."""

    async def emptied(self, value: Any, call: Call | None) -> Any:
        """Return the value as it is."""
        return value

    def taken(self, items: Iterator[Any], call: Call | None) -> Any:
        """Return the generator as it is."""
        return items


def size_of(item: Any) -> int:
    """Estimate the bytes of an item's JSON: at least one, or empty items would never end."""
    return max(len(item) if isinstance(item, str | bytes) else len(_written(item)), 1)


def _written(item: Any) -> str:
    try:
        return repr(item)
    except Exception:  # noqa: BLE001 - an item's own code, or an integer of too many digits
        return type(item).__name__


def is_awaitable(value: Any) -> bool:
    """Return whether a value must be awaited."""
    return value.__class__ not in PLAIN and inspect.isawaitable(value)


def is_deferred(value: Any) -> bool:
    """Return whether a value must be drained: a generator, awaitable or async iterable."""
    kind: type[Any] = value.__class__
    # Not `hasattr`: a missing attribute of a model goes through Python code of its class.
    return kind not in PLAIN and isinstance(value, _DEFERRED)


PLAIN: frozenset[Any] = frozenset((int, str, float, bool, list, dict, tuple, bytes, type(None)))
_DEFERRED: Any = (types.GeneratorType, Awaitable, AsyncIterable)


def settled_class(hint: Any) -> type[Any] | None:
    """Return the class that a hint names, if its instances need not be drained."""
    return hint if isinstance(hint, type) and not issubclass(hint, _DEFERRED) else None


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
