"""Hooks around calls: each gets the call, its arguments and what comes next."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ..errors import ResultError
from ..results import Result
from .failure import failed, failure_of

Next = Callable[[Any], Awaitable[Result]]
Hook = Callable[["Call", Any, Next], Awaitable[Result]]

_numbers = itertools.count(1)


class Call:
    """One run of a tool, as hooks see it."""

    __slots__ = ("id", "tool")

    def __init__(self, tool: str) -> None:
        self.tool = tool
        self.id = f"{next(_numbers):x}"

    def __repr__(self) -> str:
        return f"<Call {self.id} of {self.tool}>"


async def run_around(hooks: Sequence[Hook], name: str, arguments: Any, innermost: Next) -> Result:
    """Run a call inside all hooks, the first one outermost; a hook that fails is a failed call."""
    call = Call(name)

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
        return failure_of(name, error, ())
    if not isinstance(result, Result):
        return failed(ResultError(f"{name}: a hook gave {type(result).__name__}, not a Result"))
    return result
