"""The `Call` of a request that the SDK answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..._log import log
from ...call import Call, end
from ...run.process.pipe import sendable
from ..plain_run import RUN

if TYPE_CHECKING:
    from ..http.asgi import Scope
    from ..plain_run import PlainRun


_MOST_WAITING = 10_000
"""How many notifications of one call may wait to be sent."""


class Outbox:
    """Sends notifications in the order in which a tool makes them, from any thread."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.thread = threading.get_ident()
        self.queue: asyncio.Queue[Callable[[], Awaitable[None]] | None] | None = None
        self.task: asyncio.Task[None] | None = None
        self.is_over = False
        """Whether the answer is about to be sent: nothing else of the call may follow it."""
        self.waiting = 0
        self.dropped = 0

    def put(self, send: Callable[[], Awaitable[None]]) -> None:
        """Send a notification soon, unless too many already wait for a slow client."""
        if self.is_over:
            return
        if self.waiting > _MOST_WAITING:
            self.dropped += 1
            return
        self.waiting += 1
        if threading.get_ident() == self.thread:
            self._put(send)
        else:
            with contextlib.suppress(RuntimeError):  # a closed loop: the server has ended
                self.loop.call_soon_threadsafe(self._put, send)

    def _put(self, send: Callable[[], Awaitable[None]]) -> None:
        if self.is_over:
            return
        if self.queue is None:
            self.queue = asyncio.Queue()
            self.task = self.loop.create_task(self._work(self.queue))
        self.queue.put_nowait(send)

    async def _work(self, queue: asyncio.Queue[Any]) -> None:
        while (send := await queue.get()) is not None:
            await send()
            self.waiting -= 1

    async def flush(self) -> None:
        """Wait until everything is sent."""
        await asyncio.sleep(0)  # notifications from another thread are about to arrive
        self.is_over = True
        if self.dropped:
            log.warning("%d notifications were not sent: the client is too slow", self.dropped)
        if self.queue is not None and self.task is not None:
            self.queue.put_nowait(None)
            await self.task

    def drop(self) -> None:
        """Send nothing more."""
        self.is_over = True
        if self.task is not None:
            self.task.cancel()


current_caller: ContextVar[Any] = ContextVar("current_caller", default=None)
"""The sender of the HTTP request being answered, where the SDK does not pass the request on."""
current_view: ContextVar[Callable[[], Call]] = ContextVar("current_view", default=Call)
"""Makes a `Call` of that request, for predicates to see."""


def client_of(ctx: Any) -> str:
    """Return the address that a request came from; empty if it came over stdio or in memory."""
    scope: Scope = getattr(ctx.request, "scope", None) or {}
    known = scope.get("toolwright.client_address") or (scope.get("client") or ("",))[0]
    return str(known)


def run_of(ctx: Any) -> PlainRun | None:
    """Return the call that the short path has begun for this request; None if there is none."""
    scope: Scope = getattr(ctx.request, "scope", None) or {}
    return scope.get(RUN)


def caller_of(ctx: Any) -> Any:
    """Return the owner of a request's token; None without a sign-in."""
    scope: Scope = getattr(ctx.request, "scope", None) or {}
    return scope.get("toolwright.caller")


def principal_of(ctx: Any) -> str | None:
    """Return what identifies the caller of a request; None without a sign-in."""
    caller = caller_of(ctx)
    if caller is None:
        return None
    return json.dumps([caller.name, *(str(caller.claims.get(key)) for key in ("iss", "sub"))])


def sender_of(ctx: Any) -> dict[str, Any]:
    """Return the arguments of a `Call` that describe the sender of a request."""
    headers = getattr(ctx.request, "headers", None)
    user = caller_of(ctx)
    return {
        "request_id": str(ctx.request_id),
        "caller": user.name if user is not None else None,
        "roles": user.roles if user is not None else (),
        "claims": user.claims if user is not None else None,
        "headers": dict(headers) if headers is not None else {},
    }


@asynccontextmanager
async def call_of(
    ctx: Any, asker: Any, send_log: Callable[[Any, str, Any, str | None], Awaitable[None]]
) -> AsyncGenerator[Call]:
    """Make the call of a request; the tool's notifications are sent before its result."""
    outbox = Outbox()
    call = Call(
        **sender_of(ctx),
        on_progress=lambda done, total, said: outbox.put(
            lambda: ctx.session.report_progress(done, total, said or None)
        ),
        on_log=lambda level, said, name=None: outbox.put(
            lambda: send_log(ctx, level, sendable(said), name)
        ),
        asker=asker,
        hang_up=ctx.close_sse_stream,
    )
    try:
        yield call
    except BaseException:
        end(call)
        outbox.drop()
        raise
    end(call)
    await outbox.flush()
