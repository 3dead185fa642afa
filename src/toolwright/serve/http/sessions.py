"""The SDK's HTTP server: started by the first request that needs it, ended with its loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from .host import watch_host

if TYPE_CHECKING:
    from ..box import Box
    from ..drain import Drain
    from .asgi import Receive, Scope, Send


class SdkSessions:
    """Answers whatever the short path does not, sessions with a handshake among it."""

    def __init__(
        self,
        box: Box,
        *,
        stateless: bool,
        most_body: int,
        drain: Drain,
        state_keys: Sequence[bytes],
        stop: Callable[[], Awaitable[None]],
    ) -> None:
        self.box = box
        self.stateless = stateless
        self.most_body = most_body
        self.drain = drain
        drain.sources.append(lambda: self._served is not None and bool(self._served.tasks.running))
        self.state_keys = state_keys
        self.stop = stop
        """What ends the whole app, if the server around it ends."""
        self._served: Any = None
        self._manager: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop: Any = None
        self._starting: Any = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        manager = await self._started()
        await manager.asgi_app(scope, receive, send)

    async def _started(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stop = loop, asyncio.Event()
            self._starting = loop.create_future()
            self._task = loop.create_task(self._run(self._starting, self._stop))
        return await asyncio.shield(self._starting)

    async def _run(self, starting: Any, stop: Any) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from ..events import Events
        from ..sdk import Served

        served = Served(
            self.box, watch=not self.stateless, trusted=False, state_keys=self.state_keys
        )
        served.server.middleware.append(self.drain.count)
        manager = StreamableHTTPSessionManager(
            app=served.server,
            event_store=None if self.stateless else Events(),
            retry_interval=None if self.stateless else 500,
            stateless=self.stateless,
            max_request_body_size=self.most_body,
        )
        host = asyncio.ensure_future(watch_host(self.stop))
        async with manager.run():
            self._served, self._manager = served, manager
            starting.set_result(manager)
            await stop.wait()
            host.cancel()
            await served.tasks.close()
            self._served = self._manager = None

    def end_listeners(self) -> None:
        """End the streams of `subscriptions/listen`, each with its result."""
        if self._served is not None:
            self._served.changes.close()

    async def end_sessions(self) -> None:
        """End sessions with a handshake, and all their streams."""
        if self._manager is not None:
            open_ones: dict[str, Any] = self._manager._server_instances  # noqa: SLF001 - no other way
            for transport in list(open_ones.values()):
                await transport.terminate()

    async def close(self) -> None:
        """End all sessions."""
        if self._task is not None and self._loop is asyncio.get_running_loop():
            self._stop.set()
            await self._task
            self._task = self._loop = None
