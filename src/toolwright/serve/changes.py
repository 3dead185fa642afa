"""Tell clients of changes: each one once, and only as long as it is there."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from ..options import BARE_SINCE

if TYPE_CHECKING:
    from .box import Box

_EVENTS: dict[str, Any] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Changes:
    """The clients of one server, and what each of them wants to hear.

    Connections are held weakly: whoever hangs up is forgotten.
    """

    def __init__(self, box: Box, *, watch: bool) -> None:
        self.watch = watch
        """Whether clients can be told of changes: not where each request is on its own."""
        self.bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self.bus)
        self.clients: WeakSet[Any] = WeakSet()
        self.watchers: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
        self.levels: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self.tells_of_lists = True
        """Whether clients with a handshake hear from here that a list has changed."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[Any] = set()
        box.on_change(self._changed)

    async def meet(self, ctx: Any, call_next: Any) -> Any:
        """Remember whoever says anything at all; this is middleware of the SDK.

        Before it is called there is nobody who could be told, and so no loop to tell them in.
        """
        if ctx.method != "initialize":  # not before a version is agreed upon
            self.seen(ctx)
        return await call_next(ctx)

    def seen(self, ctx: Any) -> None:
        """Remember a client."""
        self._loop = asyncio.get_running_loop()
        if self.watch and ctx.protocol_version < BARE_SINCE:
            self.clients.add(connection_of(ctx))

    async def listen(self, ctx: Any, params: Any) -> Any:
        """Answer `subscriptions/listen`; a change after the acknowledgement is never missed."""
        return await self._listeners(ctx, params)

    def close(self) -> None:
        """End the streams of listeners, each with its result (basic/patterns/subscriptions)."""
        self._listeners.close()

    def subscribe(self, ctx: Any, uri: str) -> None:
        """Tell a client when a resource changes."""
        self.seen(ctx)
        self.watchers.setdefault(connection_of(ctx), set()).add(uri)

    def unsubscribe(self, ctx: Any, uri: str) -> None:
        """Tell it no more."""
        self.watchers.get(connection_of(ctx), set()).discard(uri)

    def set_level(self, ctx: Any, level: str) -> None:
        """Send a client only log messages of this level and above."""
        self.levels[connection_of(ctx)] = level

    def wants(self, ctx: Any, level: str) -> bool:
        """Tell whether a client wants log messages of a level."""
        least = self.levels.get(connection_of(ctx), "debug")
        return _LEVELS.index(level) >= _LEVELS.index(least)

    def _changed(self, what: str, uri: str) -> None:
        """Take a change; called in any thread."""
        if self._loop is None or self._loop.is_closed() or not self.watch:
            return
        with contextlib.suppress(RuntimeError):  # it has been closed just now
            self._loop.call_soon_threadsafe(self._start, what, uri)

    def _start(self, what: str, uri: str) -> None:
        task = asyncio.ensure_future(self._tell(what, uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, what: str, uri: str) -> None:
        if what == "resource":
            await self.bus.publish(ResourceUpdated(uri=uri))
            for each, wanted in list(self.watchers.items()):
                if uri in wanted:
                    await _quietly(each.send_resource_updated(uri))
            return
        await self.bus.publish(_EVENTS[what]())
        for each in list(self.clients) if self.tells_of_lists else ():
            await _quietly(getattr(each, f"send_{what.removesuffix('s')}_list_changed")())


def connection_of(ctx: Any) -> Any:
    """Return what lives as long as the client is there; a session is made for each request."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no public name for it here


async def _quietly(sending: Any) -> None:
    try:
        await sending
    except Exception:  # noqa: BLE001 - a client that is gone hears nothing
        return
