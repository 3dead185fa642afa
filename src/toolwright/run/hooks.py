"""Run a call inside its `around` hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, NamedTuple, Protocol

from .._door import public
from ..call import Call
from ..errors import ResultError
from ..outcome.failure import SPOKEN, failed, failure_of
from ..results import Result


@public
class Next(Protocol):
    """What a hook calls to go on: with the arguments that it got, or with others."""

    def __call__(self, arguments: Any, /) -> Awaitable[Result]:
        """Run the call."""
        ...


@public
class Hook(Protocol):
    """What `Toolbox.around` takes: usually an async function of three parameters."""

    def __call__(self, call: Call, arguments: Any, next: Next, /) -> Awaitable[Result]:  # noqa: A002 - as documented
        """Run around a call; return its result."""
        ...


class Wraps(Protocol):
    """The part of a toolbox that wraps calls of its tools for toolboxes that include them."""

    @property
    def wraps(self) -> bool:
        """Whether it has hooks or a lifespan."""
        ...

    async def wrapped(
        self, call: Call, arguments: Any, innermost: Next, by: object = None, name: str = ""
    ) -> Result:
        """Run something inside its lifespan and its hooks, for the toolbox that includes it.

        `name` is the name that its caller knows it by.
        """
        ...

    async def enter(self, by: object = None) -> None:
        """Enter its lifespan, for the toolbox that includes it."""
        ...

    def release(self, by: object) -> None:
        """Leave its lifespan, unless other toolboxes need it."""
        ...

    async def release_async(self, by: object) -> None:
        """Leave its lifespan from async code."""
        ...


class Within(NamedTuple):
    """A toolbox that a tool was included from, and its name for the tool."""

    toolbox: Wraps
    name: str


async def run_around(
    hooks: Sequence[Hook],
    call: Call,
    arguments: Any,
    innermost: Next,
    speak: frozenset[str] = SPOKEN,
    name: str = "",
) -> Result:
    """Run a call inside all hooks, the first one outermost; a hook that fails is a failed call.

    `name` is the name that its caller knows it by, if the hooks know it by another.
    """

    def step(at: int) -> Next:
        if at == len(hooks):
            return innermost

        async def go(sent: Any) -> Result:
            return await hooks[at](call, sent, step(at + 1))

        return go

    try:
        result: Any = await step(0)(arguments)
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - a hook's failure is a result, too
        return failure_of(name or call.tool, error, (), call, speak)
    if not isinstance(result, Result):
        return failed(
            ResultError(f"{name or call.tool}: a hook gave {type(result).__name__}, not a Result")
        )
    return result


def inside(by: Wraps, inner: Sequence[Within], call: Call, innermost: Next) -> Next:
    """Wrap a call in the hooks and lifespans of the toolboxes that its tool was included from.

    Each takes its turn once, even if toolboxes include each other.
    """
    passed = {by}
    for within in reversed(inner):
        if within.toolbox not in passed and within.toolbox.wraps:
            innermost = _stage(by, within, call, innermost)
        passed.add(within.toolbox)
    return innermost


def _stage(by: Wraps, within: Within, call: Call, innermost: Next) -> Next:
    """Return a step that runs a call inside a toolbox's hooks, under the name it has there."""
    name = call.tool
    inner_name = name if call.kind == "resource" else within.name

    async def back(sent: Any) -> Result:
        call.tool = name
        try:
            return await innermost(sent)
        finally:
            call.tool = inner_name

    async def go(sent: Any) -> Result:
        call.tool = inner_name
        try:
            return await within.toolbox.wrapped(call, sent, back, by, name)
        finally:
            call.tool = name

    return go
