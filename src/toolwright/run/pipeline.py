"""The order of one call, for sync and async callers alike.

Read the arguments (validate; else repair and validate again; else explain) -> run the target where
it belongs -> wait for what it promised and drain what it yields -> check, write and cap its value.
"""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, cast

from ..errors import ArgumentError, ResultError
from ..options import Options
from ..results import Repair, Result
from ..schema.write import Compiled
from .arguments import Arguments, Reader
from .failure import failed, failure_of
from .outcome import Outcome, Stopped
from .workers import Raised, background, threads


class Runner:
    """Runs one tool: everything that can be known before a call is known here."""

    def __init__(
        self, name: str, target: Callable[..., Any], compiled: Compiled, options: Options
    ) -> None:
        self.name = name
        self.target = target
        self.read = Reader(name, compiled, repair=options.repair).read
        self.result_of = Outcome(name, compiled, options).of
        self.is_async = is_async(target)
        self.joins = compiled.text_output
        self.most = options.max_result

    def call(self, arguments: Arguments = None) -> Result:
        """Run the tool on the caller's thread; an async one on the background loop."""
        if self.is_async:
            return background.run(self.call_async(arguments))
        try:
            positional, named, repairs = self.read(arguments)
        except ArgumentError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
            return failure_of(self.name, error, ())
        try:
            value = self.target(*positional, **named)
            if is_deferred(value):
                value = self._drained(value)
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
            return failure_of(self.name, error, repairs)
        return self.result_of(value, repairs)

    async def call_async(self, arguments: Arguments = None) -> Result:
        """Run the tool: an async one here, a sync one in a thread."""
        try:
            positional, named, repairs = self.read(arguments)
        except ArgumentError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
            return failure_of(self.name, error, ())
        try:
            if self.is_async:
                value = await self._settled(self.target(*positional, **named))
            else:
                value = await threads.run(lambda: self._in_thread(positional, named, repairs))
                if type(value) is Result:
                    return value
                value = await self._settled(value)
        except Raised as raised:
            return failure_of(self.name, raised.error, repairs)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return failure_of(self.name, error, repairs)  # the tool's own, not ours
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
            return failure_of(self.name, error, repairs)
        return self.result_of(value, repairs)

    def _in_thread(
        self, positional: list[Any], named: dict[str, Any], repairs: tuple[Repair, ...]
    ) -> Any:
        """Run a sync target; only what must be awaited leaves the thread unfinished."""
        value = self.target(*positional, **named)
        if isinstance(value, types.GeneratorType):
            value = self._taken(cast("Iterator[Any]", value))
        elif is_deferred(value):
            return value
        return self.result_of(value, repairs)

    def _drained(self, value: Any) -> Any:
        if isinstance(value, types.GeneratorType):
            return self._taken(cast("Iterator[Any]", value))
        return background.run(self._settled(value))

    async def _settled(self, value: Any) -> Any:
        """Wait for what a target promised, and take everything out of what it yields."""
        if inspect.isawaitable(value):
            value = await value
        if value.__class__ not in _PLAIN and isinstance(value, AsyncIterable):
            return await self._taken_async(cast("AsyncIterable[Any]", value).__aiter__())
        if isinstance(value, types.GeneratorType):
            return self._taken(cast("Iterator[Any]", value))
        return value

    def _joined(self, items: list[Any]) -> Any:
        if not self.joins:
            return items
        for at, item in enumerate(items):
            if not isinstance(item, str):
                raise ResultError(f"{self.name}: `result[{at}]` is not text")
        return "".join(items)

    def _taken(self, items: Iterator[Any]) -> Any:
        """Take items until there are none, or more than a result may hold."""
        taken: list[Any] = []
        size = 0
        for item in items:
            taken.append(item)
            size += size_of(item)
            if size > self.most:
                taken = Stopped(taken)
                break
        close = getattr(items, "close", None)
        if close is not None:
            close()
        return self._joined(taken)

    async def _taken_async(self, items: AsyncIterator[Any]) -> Any:
        taken: list[Any] = []
        size = 0
        async for item in items:
            taken.append(item)
            size += size_of(item)
            if size > self.most:
                taken = Stopped(taken)
                break
        close = getattr(items, "aclose", None)
        if close is not None:
            await close()
        return self._joined(taken)


def size_of(item: Any) -> int:
    """Estimate how many bytes of JSON an item is."""
    return len(item) if isinstance(item, str | bytes) else len(repr(item))


def is_deferred(value: Any) -> bool:
    """Tell a value that is not there yet: a coroutine, a generator, another awaitable."""
    kind: type[Any] = value.__class__
    # Not `hasattr`: a missing attribute of a model goes through Python code of its class.
    return kind not in _PLAIN and isinstance(value, _DEFERRED)


_PLAIN: frozenset[Any] = frozenset((int, str, float, bool, list, dict, tuple, bytes, type(None)))
_DEFERRED: Any = (types.GeneratorType, Awaitable, AsyncIterable)


def is_async(target: Any) -> bool:
    """Tell whether calling a target gives a coroutine or an async generator."""
    function = target
    while callable(inner := getattr(function, "func", getattr(function, "__func__", None))):
        function = inner
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
