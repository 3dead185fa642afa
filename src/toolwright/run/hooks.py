"""Run a call inside its `around` hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

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


async def run_around(
    hooks: Sequence[Hook],
    call: Call,
    arguments: Any,
    innermost: Next,
    speak: frozenset[str] = SPOKEN,
) -> Result:
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
        return failure_of(call.tool, error, (), call, speak)
    if not isinstance(result, Result):
        return failed(
            ResultError(f"{call.tool}: a hook gave {type(result).__name__}, not a Result")
        )
    return result
