"""HTTP requests in progress, and their end when the server stops."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...arguments.sample import parsed
from ..lifecycle import STOPPED, STOPPING, Drain, is_still_answered, refusal
from ..sender import Sender
from .asgi import Receive, Scope, Send, answer, say

Kind = Literal["plain", "sdk"]


@dataclass(slots=True, eq=False)
class Exchange:
    """One request, and where its answer goes.

    It counts as work from the moment its body has been read until its answer is written.
    """

    scope: Scope
    headers: Mapping[bytes, bytes]
    receive: Receive
    send: Send
    sender: Sender
    task: Any = field(default_factory=asyncio.current_task, init=False)
    kind: Kind | None = None
    """Which path answers it; None while it is read, and for streams of listeners."""
    body: bytes = b""
    is_stopped: bool = False

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.scope["method"]

    def stop(self) -> None:
        """Cancel it; its client gets an error."""
        self.is_stopped = True
        self.task.cancel()


class Exchanges:
    """The requests of one app that are open now."""

    def __init__(self, drain: Drain) -> None:
        self.open: set[Exchange] = set()
        drain.sources.append(lambda: self.are_at_work)

    @property
    def are_at_work(self) -> bool:
        """Whether one of them still waits for its answer."""
        return any(exchange.kind for exchange in self.open)

    def stop(self, kind: Kind | None = None) -> None:
        """Stop requests of a kind, or all that are left."""
        for exchange in list(self.open):
            if kind is None or exchange.kind == kind:
                exchange.stop()


def is_listener(exchange: Exchange) -> bool:
    """Return whether a request opens a stream that only its client ends."""
    return (
        exchange.method == "GET" or exchange.headers.get(b"mcp-method") == b"subscriptions/listen"
    )


def is_new(exchange: Exchange) -> bool:
    """Return whether a request asks for new work, which a stopping server refuses."""
    if exchange.method == "GET":  # a stream that is resumed may carry an answer
        return b"last-event-id" not in exchange.headers
    if exchange.method != "POST":
        return False
    try:
        return not is_still_answered(parsed(exchange.body))
    except ValueError:
        return True


async def refuse(send: Send) -> None:
    """Say that the server is stopping; another one may be there soon."""
    await say(send, 503, STOPPING, (b"retry-after", b"1"))


async def give_up(exchange: Exchange) -> None:
    """End an answer that was stopped, whether its head was sent or not."""
    exchange.task.uncancel()
    try:
        message: Any = parsed(exchange.body)
        number = message.get("id")
    except (ValueError, AttributeError):
        number = None
    try:
        await answer(exchange.send, refusal(number, STOPPED))
    except Exception:  # noqa: BLE001 - servers differ in what they raise if the head was sent
        with contextlib.suppress(Exception):
            await exchange.send({"type": "http.response.body", "body": b""})
