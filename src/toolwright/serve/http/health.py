"""Whether the server lives, and whether it takes requests: for probes."""

from __future__ import annotations

from .asgi import Send, respond

LIVE = "/health"
READY = "/ready"
PATHS = frozenset((LIVE, READY))


async def tell_health(send: Send, method: str, path: str, *, is_ready: bool) -> None:
    """Answer a probe: 503 at `/ready` while the server is stopping, else 200.

    Anybody may ask, under any name of the server, since probes use its address: there is nothing
    to learn but that it runs.
    """
    if method not in ("GET", "HEAD"):
        await respond(send, 405, b"", (b"allow", b"GET, HEAD"))
    elif path == READY and not is_ready:
        await respond(send, 503, b"", (b"retry-after", b"1"))
    else:
        await respond(send, 200, b"")
