"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .guard import Caller, Guard, Refusal, tokens_from

if TYPE_CHECKING:
    from ..toolbox import Toolbox

MOST_BODY = 4 * 1024 * 1024


class App:
    """Answers one path; started by its first request, ended with its loop or by `lifespan`."""

    def __init__(
        self,
        box: Toolbox,
        *,
        path: str = "/mcp",
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        tokens: Any = None,
        stateless: bool = False,
        most_body: int = MOST_BODY,
    ) -> None:
        self.box = box
        self.path = path.rstrip("/")
        self.guard = Guard(hosts=hosts, origins=origins, tokens=tokens_from(tokens))
        self.stateless = stateless
        self.most_body = most_body
        self._manager: Any = None
        self._loop: Any = None
        self._task: Any = None
        self._stop: Any = None
        self._starting: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        asked = scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")
        if asked not in (self.path, ""):
            await _say(send, 404, "not found")
            return
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        who = self.guard.check(headers)
        if isinstance(who, Refusal):
            await _say(send, who.status, who.said)
            return
        if isinstance(who, Caller):
            scope["toolwright.caller"] = who
        manager = await self._started()
        await manager.asgi_app(scope, receive, send)

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _started(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stop = loop, asyncio.Event()
            self._starting = loop.create_future()
            self._task = loop.create_task(self._run(self._starting, self._stop))
        return await asyncio.shield(self._starting)

    async def _run(self, starting: Any, stop: Any) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from .events import Events
        from .sdk import Served

        served = Served(self.box, watch=not self.stateless)
        manager = StreamableHTTPSessionManager(
            app=served.server,
            event_store=None if self.stateless else Events(),
            retry_interval=None if self.stateless else 500,
            stateless=self.stateless,
            max_request_body_size=self.most_body,
        )
        async with manager.run():
            starting.set_result(manager)
            await stop.wait()

    async def close(self) -> None:
        """End all sessions, and close the toolbox."""
        if self._task is not None and self._loop is asyncio.get_running_loop():
            self._stop.set()
            await self._task
            self._task = self._loop = None
        await self.box.aclose()


async def _say(send: Any, status: int, text: str) -> None:
    body = json.dumps({"error": text}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
