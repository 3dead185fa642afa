"""CORS: what pages of allowed origins may send and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .asgi import Header, Message, Send, respond

_METHODS = b"GET, POST, DELETE"
_HEADERS = (
    b"accept",
    b"authorization",
    b"content-type",
    b"last-event-id",
    b"mcp-method",
    b"mcp-name",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"traceparent",
    b"tracestate",
    b"baggage",
)
_READABLE = b"mcp-session-id, mcp-protocol-version, www-authenticate, retry-after"
_MOST_ASKED = 100
# Arguments that a tool wants repeated in headers come as `Mcp-Param-...`.
_OWN = re.compile(rb"mcp-[a-z0-9_.~-]{1,100}")
_NAME = re.compile(rb"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_METHOD = re.compile(rb"[A-Z]{1,20}")


def readable_by(origin: bytes, send: Send) -> Send:
    """Return a `send` that lets pages of an origin read the answer, errors included."""
    more: list[Header] = [
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _READABLE),
        (b"vary", b"origin"),
    ]

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sent


def is_preflight(method: str, headers: Mapping[bytes, bytes]) -> bool:
    """Return whether a browser asks what a page may send."""
    return method == "OPTIONS" and b"access-control-request-method" in headers


def method_asked(headers: Mapping[bytes, bytes]) -> str:
    """Return the method that a page wants to use; GET if it is not a method."""
    method = headers.get(b"access-control-request-method", b"").strip()
    return method.decode() if _METHOD.fullmatch(method) else "GET"


async def answer_preflight(
    send: Send, headers: Mapping[bytes, bytes], methods: Iterable[str] = ()
) -> None:
    """Say what a page may send; browsers ask without a token.

    `methods` are those of an author's route, which may be sent any headers.
    """
    requested = headers.get(b"access-control-request-headers", b"").lower().split(b",", _MOST_ASKED)
    pattern = _NAME if methods else _OWN
    allowed = [
        name for header in requested[:_MOST_ASKED] if pattern.fullmatch(name := header.strip())
    ]
    await respond(
        send,
        204,
        b"",
        (b"access-control-allow-methods", ", ".join(sorted(methods)).encode() or _METHODS),
        (b"access-control-allow-headers", b", ".join(dict.fromkeys((*_HEADERS, *allowed)))),
        (b"access-control-max-age", b"600"),
    )
