"""Requests without a server: single ones, or a client in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .http.app import App
from .http.asgi import Message
from .settings import ServerConfig

if TYPE_CHECKING:
    from .offering import Live


class Reply(NamedTuple):
    """The answer of `Toolbox.handle`, for an HTTP server to send."""

    status: int
    headers: dict[str, str]
    body: bytes


class Once:
    """Answers requests that come one by one, each on its own."""

    def __init__(self, box: Live) -> None:
        # The platform that runs the function has checked the host and the origin.
        self.app = App(box, ServerConfig(stateless=True, hosts=("*",), origins=("*",)))

    async def handle(self, body: bytes | str, headers: Mapping[str, str]) -> Reply:
        """Answer one POST."""
        data = body.encode() if isinstance(body, str) else body
        lowered = {name.lower(): value for name, value in headers.items()}
        lowered.setdefault("content-type", "application/json")
        lowered.setdefault("accept", "application/json, text/event-stream")
        scope = {
            "type": "http",
            "method": "POST",
            "path": self.app.path,
            "root_path": "",
            "query_string": b"",
            "scheme": "https",
            "http_version": "1.1",
            "headers": [(name.encode(), value.encode()) for name, value in lowered.items()],
            "client": None,
            "server": None,
        }
        sent: list[Message] = [{"type": "http.request", "body": data, "more_body": False}]
        status = 500
        said: dict[str, str] = {}
        parts: list[bytes] = []

        async def receive() -> Message:
            if not sent:
                await asyncio.Event().wait()  # this client never hangs up
            return sent.pop()

        async def send(message: Message) -> None:
            nonlocal status, said
            if message["type"] == "http.response.start":
                status = message["status"]
                said = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                parts.append(message.get("body", b""))

        await self.app(scope, receive, send)
        return Reply(status, said, b"".join(parts))


def client(box: Live, mode: Any, *, search: bool = False) -> Any:
    """Return a client of the SDK, connected to a toolbox in memory."""
    from mcp import Client

    from .sdk.server import SdkServer

    if search:
        from .search.front import with_search

        box = with_search(box, trusted=True)

    return Client(SdkServer(box).server, mode=mode)
