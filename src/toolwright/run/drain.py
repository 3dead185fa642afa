"""Drain generators and awaitables into a plain value."""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterator
from typing import Any, cast

from .._words import truncate
from ..call import Call, reports_progress
from ..errors import CallCancelled, ResultError
from ..outcome.writer import Stopped
from .loop import background

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
