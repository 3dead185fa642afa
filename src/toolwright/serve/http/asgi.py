"""ASGI types, and whole answers in one call."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

JSON: Header = (b"content-type", b"application/json")
LATER: Header = (b"retry-after", b"5")


async def respond(send: Send, status: int, body: bytes, *headers: Header) -> None:
    """Send a whole answer; its length is added to the headers."""
    # Our own server takes it in one piece, unless something in between wraps `send`.
    at_once = getattr(getattr(send, "__self__", None), "respond_at_once", None)
    if at_once is not None and at_once(status, headers, body):
        return
    every = [*headers, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": every})
    await send({"type": "http.response.body", "body": body})


async def answer(send: Send, body: bytes, *more: Header) -> None:
    """Send JSON that is already encoded."""
    await respond(send, 200, body, JSON, *more)


async def say(send: Send, status: int, text: str, *more: Header) -> None:
    """Send an error message as JSON."""
    await respond(send, status, json.dumps({"error": text}).encode(), JSON, *more)


async def read_body(receive: Receive, most: int, seconds: float) -> bytes | None:
    """Return a small body; None if it is larger than `most`, or does not come in time."""
    body, is_more = b"", True
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while is_more and len(body) <= most:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                is_more = message.get("more_body", False)
    return None if is_more or len(body) > most else body


async def refuse(send: Send, text: str) -> None:
    """Refuse a JSON-RPC request with an error, without reading its id."""
    error = {"code": -32600, "message": text}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    await respond(send, 400, body, JSON)
