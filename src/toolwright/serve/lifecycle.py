"""How a server begins and ends: its stores, its lifespan, draining."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from .._words import first_line

if TYPE_CHECKING:
    from .offering import Live, Offering


_GLANCE = 0.1


class LifespanFailed(Exception):
    """The lifespan raised; the message is one line, and `__cause__` is what was raised."""

    def __init__(self, box: Live, doing: str, error: BaseException) -> None:
        reason = first_line(str(error))
        what = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        super().__init__(f"the lifespan of {box.now.about.name} failed to {doing}: {what}")
        self.__cause__ = error


async def opened(box: Live, is_told: Callable[[], bool] = lambda: False) -> bool:
    """Enter the lifespan; return False if the server is told to end meanwhile.

    Raises `LifespanFailed`.
    """
    opening = asyncio.ensure_future(_entered(box))
    try:
        while not opening.done():
            await asyncio.wait((opening,), timeout=_GLANCE)
            if is_told():
                return False
        failure = opening.result()
    finally:
        opening.cancel()
    if failure is not None:
        raise LifespanFailed(box, "open", failure)
    return True


async def _entered(box: Live) -> BaseException | None:
    """Enter the lifespan; return what it raised, since SystemExit would end the loop at once."""
    try:
        await box.enter()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001
        return error
    return None


async def closed(box: Live) -> None:
    """Leave the lifespan. Raises `LifespanFailed`."""
    try:
        await box.aclose()
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        raise LifespanFailed(box, "close", error) from error


STOPPING = "the server is stopping: try again soon"
STOPPED = "the server was stopped while this request ran"
INTERNAL_ERROR = -32603
_LOOK = 0.01
_LAST = 2.0
"""Seconds that a server has to close what is open after it was told twice to end."""
_HOPS = 50

# They belong to a call that runs already, or cost nothing.
_STILL_ANSWERED = frozenset(("ping", "tasks/get", "tasks/update", "tasks/cancel"))


class Drain:
    """Whether a server is stopping, and which requests it still works on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_draining = False
        self.hurried = False
        """Whether the server was told twice to end: then it waits for nothing."""
        self.sources: list[Callable[[], bool]] = []
        """Each returns whether anything runs beyond the requests that are counted here."""
        self._requests: set[asyncio.Task[Any]] = set()
        self._stopped: set[asyncio.Task[Any]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether any request still waits for its answer."""
        return bool(self._requests) or any(runs() for runs in self.sources)

    async def count(self, ctx: Any, call_next: Any) -> Any:
        """Count a request of the SDK's server while it runs; this is middleware of the SDK.

        One that is stopped is answered with an error. Listeners are not counted: they never end.
        """
        task = asyncio.current_task()
        # The SDK runs a handshake in the task that reads: cancelling it would end the connection.
        is_handshake = ctx.method == "initialize"
        if ctx.request_id is None or is_handshake or ctx.method == "subscriptions/listen":
            return await call_next(ctx)
        if task is None:
            return await call_next(ctx)
        self._requests.add(task)
        try:
            return await call_next(ctx)
        except asyncio.CancelledError:
            if task not in self._stopped:
                raise
            from mcp.shared.exceptions import MCPError

            task.uncancel()
            raise MCPError(code=INTERNAL_ERROR, message=STOPPED) from None
        finally:
            self._requests.discard(task)
            self._stopped.discard(task)

    def begin(self) -> None:
        """Refuse new requests from now on."""
        self.is_draining = True

    async def wait(self) -> None:
        """Wait for running work, but no longer than the setting says."""
        await self.until(lambda: self.hurried or not self.is_busy, self.seconds)

    async def stop(self) -> None:
        """Answer requests that still run with an error, and let these answers be written."""
        for task in self._requests:
            self._stopped.add(task)
            task.cancel()
        await self.until(lambda: not self._requests, 1)

    async def until(self, ready: Callable[[], bool], seconds: float) -> None:
        """Wait up to `seconds` for a condition, which other threads may change."""
        end = time.monotonic() + seconds
        while not ready() and time.monotonic() < end:  # noqa: ASYNC110 - no event across threads
            await asyncio.sleep(_LOOK)

    async def settle(self) -> None:
        """Let messages that are on their way through the SDK's queues arrive."""
        for _ in range(_HOPS):
            await asyncio.sleep(0)

    def skip(self) -> None:
        """Stop waiting for running work."""
        self.hurried = True

    def hurry(self) -> None:
        """Stop waiting, and end the process soon even if the loop hangs; called by a signal."""
        self.skip()
        last = threading.Timer(_LAST, os._exit, (1,))
        last.daemon = True
        last.start()

    def over(self) -> None:
        """Accept requests again: the server may be started in another loop."""
        self.is_draining = self.hurried = False


async def ended(ending: Awaitable[None], skip: Callable[[], object]) -> None:
    """Wait for the end of a server, even if cancelled meanwhile: then it is told to hurry."""
    task = asyncio.ensure_future(ending)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
            skip()
    if cancelled is not None:
        raise cancelled
    task.result()


def is_still_answered(message: Any) -> bool:
    """Return whether a message is taken while the server is stopping.

    Responses and notifications are taken, `ping`, and requests of a running call: for its tasks
    (SEP-2663), or the next round of one that asks its caller (2026-07-28, multi round-trip
    requests).
    """
    if not isinstance(message, dict):
        return False
    method: Any = message.get("method")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if method is None or "id" not in message:
        return True
    params: Any = message.get("params")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return method in _STILL_ANSWERED or (isinstance(params, dict) and "requestState" in params)


def refusal(number: Any, text: str, code: int = INTERNAL_ERROR) -> bytes:
    """Write the error that answers a request which the server does not finish."""
    error = {"code": code, "message": text}
    return to_json({"jsonrpc": "2.0", "id": number, "error": error})


def ending_signals() -> tuple[int, ...]:
    """Return the signals that end a server: the last one comes when its terminal is closed.

    A server started with `nohup` ignores that one, and lives on.
    """
    hang_up: Any = getattr(signal, "SIGHUP", None)  # not on Windows
    if hang_up is None or signal.getsignal(hang_up) is not signal.SIG_DFL:
        return (signal.SIGTERM, signal.SIGINT)
    return (signal.SIGTERM, signal.SIGINT, hang_up)


def open_stores(box: Offering) -> None:
    """Open every store that a toolbox names, before it is served. Raises `StoreError`.

    If the default file cannot be opened, there are no tasks: callers wait for long calls.
    """
    box.open_store()
    about = box.about
    if isinstance(about.tasks, str) and box.has_tasks:
        from .sdk.task_records import open_task_records

        open_task_records(about.tasks, about.name, about.keep_tasks).store.close()
