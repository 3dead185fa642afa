"""Request bodies, and clients that hang up."""

from __future__ import annotations

import asyncio
from types import TracebackType

from .asgi import Message, Receive

_PATIENCE = 0.1
"""Seconds after which a call is long enough to look whether its client is still there."""


class Gone(Exception):
    """The client hung up."""


async def read_body(receive: Receive, most: int) -> bytes | None:
    """Read a body; None if it is too large. Raises `Gone`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body which was read already."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return first.pop() if first else await receive()

    return again


class cancelled_if_gone:  # noqa: N801 - reads as a statement
    """Cancel what is awaited inside if the client hangs up; quick calls do not pay for looking."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.task = asyncio.current_task()
        self.watch: asyncio.Future[None] | None = None
        self.gone = False

    def __enter__(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        self.watch = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        if self.task is not None:
            self.task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.timer.cancel()
        if self.watch is not None:
            self.watch.cancel()
        if self.gone and isinstance(error, asyncio.CancelledError):
            if self.task is not None:
                self.task.uncancel()
            raise Gone from None
