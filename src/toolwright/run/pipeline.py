"""The order of one call, for sync and async callers alike.

Read the arguments (validate; else repair and validate again; else explain) -> run the target where
it belongs -> wait for what it promised and drain what it yields -> check, write and cap its value.
"""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError
from ..options import Options
from ..results import Repair, Result
from ..schema.write import Compiled
from .arguments import Arguments, Reader
from .failure import failed, failure_of
from .outcome import Outcome
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

    def call(self, arguments: Arguments = None) -> Result:
        """Run the tool on the caller's thread; an async one on the background loop."""
        if self.is_async:
            return background.run(self.call_async(arguments))
        try:
            positional, named, repairs = self.read(arguments)
        except ArgumentError as error:
            return failed(error)
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
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
            return failure_of(self.name, error, repairs)
        return self.result_of(value, repairs)

    def _in_thread(
        self, positional: list[Any], named: dict[str, Any], repairs: tuple[Repair, ...]
    ) -> Any:
        """Run a sync target; only what must be awaited leaves the thread unfinished."""
        value = self.target(*positional, **named)
        if isinstance(value, types.GeneratorType):
            value = self._joined(list(value))  # pyright: ignore[reportUnknownArgumentType]
        elif is_deferred(value):
            return value
        return self.result_of(value, repairs)

    def _drained(self, value: Any) -> Any:
        if isinstance(value, types.GeneratorType):
            return self._joined(list(value))  # pyright: ignore[reportUnknownArgumentType]
        return background.run(self._settled(value))

    async def _settled(self, value: Any) -> Any:
        """Wait for what a target promised, and take everything out of what it yields."""
        if inspect.isawaitable(value):
            value = await value
        if hasattr(value, "__aiter__"):
            return self._joined([item async for item in value])
        if isinstance(value, types.GeneratorType):
            return self._joined(list(value))  # pyright: ignore[reportUnknownArgumentType]
        return value

    def _joined(self, items: list[Any]) -> Any:
        return "".join(items) if self.joins else items


def is_deferred(value: Any) -> bool:
    """Tell a value that is not there yet: a coroutine, a generator, another awaitable."""
    kind: type[Any] = value.__class__
    if kind in _PLAIN:
        return False
    return kind in _DEFERRED or hasattr(kind, "__await__") or hasattr(kind, "__aiter__")


_PLAIN: frozenset[Any] = frozenset((int, str, float, bool, list, dict, tuple, bytes, type(None)))
_DEFERRED: frozenset[Any] = frozenset(
    (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
)


def is_async(target: Any) -> bool:
    """Tell whether calling a target gives a coroutine or an async generator."""
    function = target
    while callable(inner := getattr(function, "func", getattr(function, "__func__", None))):
        function = inner
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
