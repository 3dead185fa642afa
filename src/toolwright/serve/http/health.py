"""Probes: whether the server is alive, and whether it takes requests."""

from __future__ import annotations

from .asgi import Send, respond

LIVE = "/health"
READY = "/ready"
PATHS = frozenset((LIVE, READY))


async def tell_health(send: Send, method: str, path: str, *, is_ready: bool) -> None:
    """Answer a probe: 503 at `/ready` while the server is stopping, else 200.

    No sign-in is needed, and any host name will do, since probes use the address: the answer says
    no more than that the server runs.
    """
    if method not in ("GET", "HEAD"):
        await respond(send, 405, b"", (b"allow", b"GET, HEAD"))
    elif path == READY and not is_ready:
        await respond(send, 503, b"", (b"retry-after", b"1"))
    else:
        await respond(send, 200, b"")
