"""Retry: which failures may be temporary, waits, the loop."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import cast

from ...call import Call
from ...errors import ToolError
from ...limits import Retry
from ...outcome.failure import Remote, is_a
from ...results import Result
from ..attempt import ValueAndResult
from ..waiting import Signal, Waiter


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
