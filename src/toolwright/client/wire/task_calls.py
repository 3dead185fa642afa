"""Calls as tasks: begun, polled and fetched, or cancelled.

These are the tasks of 2025-11-25 (basic/utilities/tasks), which a tool may require of its caller.
Since 2026-07-28 a server decides by itself, and answers clients that know no tasks as usual.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..._json_values import is_object
from ...errors import ResultError
from ..bounds import CLOSE_SECONDS, MOST_NAME, short
from .scope import RequestScope

if TYPE_CHECKING:
    from .live import LiveSession

_PAUSES = (0.05, 5.0)
"""Seconds between two polls, at least and at most, whatever the server asks for."""
_USUAL_PAUSE = 0.5
_WORKING = "working"
_cancelling: set[asyncio.Task[None]] = set()
"""Held until they are done: the event loop itself holds tasks only weakly."""


async def run_as_task(
    live: LiveSession, params: Mapping[str, Any], scope: RequestScope
) -> dict[str, Any]:
    """Call a tool as a task and return its result.

    If the caller gives up, the task is cancelled. Raises `MCPError`, or `ResultError`.
    """
    created = await _sent(live, "tools/call", {**params, "task": {}}, scope)
    task = created.get("task")
    if not is_object(task):
        return created  # the result itself: the server did not need a task after all
    task_id = task.get("taskId")
    if not isinstance(task_id, str) or not 0 < len(task_id) <= MOST_NAME:
        raise ResultError(f"{scope.what}: the server began a task without a usable `taskId`")
    try:
        await _worked(live, task_id, task, scope)
        # This waits until the end, and a server may ask meanwhile.
        return await _sent(live, "tasks/result", {"taskId": task_id}, scope)
    except asyncio.CancelledError:
        cancelling = asyncio.ensure_future(_cancel(live, task_id))
        _cancelling.add(cancelling)
        cancelling.add_done_callback(_cancelling.discard)
        raise


async def _worked(
    live: LiveSession, task_id: str, task: Mapping[str, Any], scope: RequestScope
) -> None:
    """Poll until the task has ended, or asks something."""
    polls, reported = 0, ""
    while task.get("status") == _WORKING:
        message = task.get("statusMessage")
        if isinstance(message, str) and message != reported:
            reported = message
            await scope.progress(polls, None, short(message))
        await asyncio.sleep(_pause(task.get("pollInterval")))
        task = await _sent(live, "tasks/get", {"taskId": task_id}, scope)
        polls += 1


def _pause(milliseconds: Any) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return _USUAL_PAUSE
    least, most = _PAUSES
    return max(least, min(milliseconds / 1000, most))


async def _sent(
    live: LiveSession, method: str, params: Mapping[str, Any], scope: RequestScope
) -> dict[str, Any]:
    """Send a request without the SDK, which refuses a task as the answer to a call."""
    came = await live.sent(method, params, scope)
    if came is None:
        raise ResultError(f"{scope.what}: the server redirects, and tasks do not follow")
    return came


async def _cancel(live: LiveSession, task_id: str) -> None:
    with contextlib.suppress(Exception):  # it may have ended, and so may the server
        async with asyncio.timeout(CLOSE_SECONDS):
            scope = RequestScope("cancelling a task", None)
            await _sent(live, "tasks/cancel", {"taskId": task_id}, scope)
