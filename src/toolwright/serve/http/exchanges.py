"""HTTP requests that are being answered, and what becomes of them when the server stops."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic_core import from_json, to_json

from ..drain import INTERNAL_ERROR, STOPPED, STOPPING, Drain, is_still_answered
from .asgi import Send, answer, say

Kind = Literal["plain", "sdk"]


class Exchange:
    """One request. It is work from the moment its body is there until its answer is written."""

    __slots__ = ("body", "is_stopped", "kind", "task")

    def __init__(self) -> None:
        self.task: Any = asyncio.current_task()
        self.kind: Kind | None = None
        """Which path answers it; None while it is read, and for streams of listeners."""
        self.body = b""
        self.is_stopped = False

    def stop(self) -> None:
        """Cancel it; whoever answers it says so to its client."""
        self.is_stopped = True
        self.task.cancel()


class Exchanges:
    """The requests of one app that are open now."""

    def __init__(self, drain: Drain) -> None:
        self.open: set[Exchange] = set()
        drain.sources.append(lambda: self.are_at_work)

    @property
    def are_at_work(self) -> bool:
        """Whether one of them is owed an answer."""
        return any(each.kind for each in self.open)

    def stop(self, kind: Kind | None = None) -> None:
        """Stop requests of a kind, or all that are left."""
        for each in list(self.open):
            if kind is None or each.kind == kind:
                each.stop()


def is_listener(method: str, headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a request opens a stream that only its client ends."""
    return method == "GET" or headers.get(b"mcp-method") == b"subscriptions/listen"


def is_new(method: str, headers: Mapping[bytes, bytes], body: bytes) -> bool:
    """Return whether a request begins something that a server which stops does not begin."""
    if method == "GET":  # a stream that is resumed may carry an answer
        return b"last-event-id" not in headers
    if method != "POST":
        return False
    try:
        return not is_still_answered(from_json(body))
    except ValueError:
        return True


async def refuse(send: Send) -> None:
    """Say that the server stops; another one may be there soon."""
    await say(send, 503, STOPPING, (b"retry-after", b"1"))


async def give_up(send: Send, exchange: Exchange) -> None:
    """End an answer that was stopped, whether it has begun or not."""
    exchange.task.uncancel()
    try:
        message: Any = from_json(exchange.body)
        number = message.get("id")
    except (ValueError, AttributeError):
        number = None
    error = {"code": INTERNAL_ERROR, "message": STOPPED}
    try:
        await answer(send, to_json({"jsonrpc": "2.0", "id": number, "error": error}))
    except Exception:  # noqa: BLE001 - servers differ in what they raise if it has begun
        with contextlib.suppress(Exception):
            await send({"type": "http.response.body", "body": b""})
