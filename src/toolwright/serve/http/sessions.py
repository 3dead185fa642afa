"""The SDK's HTTP server: started by the first request that needs it, ended with its loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..quotas import MOST_HELLO, SessionLimits, client_of, cost_of
from .asgi import say
from .streams import Streams

if TYPE_CHECKING:
    from ..box import Box
    from .asgi import Receive, Scope, Send


class SdkSessions:
    """Answers whatever the short path does not, sessions with a handshake among it."""

    def __init__(
        self, box: Box, *, stateless: bool, most_body: int, limits: SessionLimits | None = None
    ) -> None:
        self.box = box
        self.stateless = stateless
        self.most_body = most_body
        self.limits = limits or SessionLimits()
        self.streams = Streams(self.limits.max_streams, self.limits.max_streams_per_client)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop: Any = None
        self._starting: Any = None

    async def answer(self, scope: Scope, receive: Receive, send: Send, body: bytes = b"") -> None:
        """Answer one request."""
        manager = await self._started()
        client = client_of(scope)
        cost = 0
        if _is_kept(scope, stateless=self.stateless):
            if len(body) > MOST_HELLO:
                await say(send, 400, f"a request that begins something may have {MOST_HELLO} bytes")
                return
            cost = cost_of(body)
        with manager.opening(client, cost):
            await self.streams.run(manager.asgi_app, client, scope, receive, send)

    async def _started(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stop = loop, asyncio.Event()
            self._starting = loop.create_future()
            self._task = loop.create_task(self._run(self._starting, self._stop))
        return await asyncio.shield(self._starting)

    async def _run(self, starting: Any, stop: Any) -> None:
        from ..sdk import Served
        from .manager import SessionManager

        served = Served(self.box, watch=not self.stateless, trusted=False)
        manager = SessionManager(
            served.server,
            self.limits,
            stateless=self.stateless,
            max_request_body_size=self.most_body,
        )
        async with manager.run():
            starting.set_result(manager)
            await stop.wait()
            await served.tasks.close()
            await manager.end_all()

    async def close(self) -> None:
        """End all sessions."""
        if self._task is not None and self._loop is asyncio.get_running_loop():
            self._stop.set()
            await self._task
            self._task = self._loop = None


def _is_kept(scope: Scope, *, stateless: bool) -> bool:
    """Return whether the content of a request is kept: as long as its session or its stream."""
    if scope["method"] != "POST":
        return False
    headers = dict(scope["headers"])
    if headers.get(b"mcp-method", b"") == b"subscriptions/listen":
        return True
    # A session begins without an id; the SDK answers other requests without one with an error.
    modern = headers.get(b"mcp-protocol-version", b"") >= b"2026"
    return not stateless and not modern and b"mcp-session-id" not in headers
