"""Requests that the SDK answers: who sent them, and their `Call`."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._log import log
from ...call import Call, end
from ...run.current import asked_by
from ...run.pipe import sendable
from ..sender import NOBODY, Sender

if TYPE_CHECKING:
    from ..http.asgi import Scope
    from ..plain_run import PlainRun

HANDED = "toolwright.handed"
"""The one key of ours in the scope of a request that the SDK answers."""

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


class Handed(NamedTuple):
    """What is handed to the SDK beside a request, and found again where the SDK asks for an answer."""

    sender: Sender = NOBODY
    size: int = 0
    """How many bytes the request has."""
    run: PlainRun | None = None
    """The call that the short path has begun for it."""
    cost: int = 0
    """About how many bytes it takes to keep the request, if it opens something."""


_NOTHING = Handed()


def handed(scope: Scope | None) -> Handed:
    """Return what was handed to the SDK beside a request, by its scope."""
    return _NOTHING if scope is None else scope.get(HANDED, _NOTHING)


def handed_with(ctx: Any) -> Handed:
    """Return what was handed to the SDK beside a request, by the SDK's own context for it."""
    return handed(getattr(ctx.request, "scope", None))


@asynccontextmanager
async def call_of(
    ctx: Any, asker: Any, send_log: Callable[[Any, str, Any, str | None], Awaitable[None]]
) -> AsyncGenerator[Call]:
    """Make the call of a request; the tool's notifications are sent before its result."""
    outbox, sender = Outbox(), handed_with(ctx).sender
    call = sender.made(
        ctx.request_id,
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
        with asked_by(sender):
            yield call
    except BaseException:
        end(call)
        outbox.drop()
        raise
    end(call)
    await outbox.flush()
