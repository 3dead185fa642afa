"""Hooks around calls: each gets the call, its arguments and what comes next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ..call import Call
from ..errors import ResultError
from ..outcome.failure import failed, failure_of
from ..results import Result

Next = Callable[[Any], Awaitable[Result]]
Hook = Callable[[Call, Any, Next], Awaitable[Result]]


async def run_around(hooks: Sequence[Hook], call: Call, arguments: Any, innermost: Next) -> Result:
    """Run a call inside all hooks, the first one outermost; a hook that fails is a failed call."""

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
        return failure_of(call.tool, error, (), call)
    if not isinstance(result, Result):
        return failed(
            ResultError(f"{call.tool}: a hook gave {type(result).__name__}, not a Result")
        )
    return result
