"""Tell clients of changes: each one once, and only as long as it is there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import mcp_types as t
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from ..options import BARE_SINCE
from .quotas import MOST_URI, Shares, client_of_request

if TYPE_CHECKING:
    from .box import Box

_EVENTS: dict[str, Any] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}
_MOST_SUBSCRIBED = 64 * 1024 * 1024
_MOST_SUBSCRIBED_EACH = 8 * 1024 * 1024
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Changes:
    """The clients of one server, and what each of them wants to hear.

    Connections are held weakly: whoever hangs up is forgotten.
    """

    def __init__(self, box: Box, *, watch: bool) -> None:
        self.watch = watch
        """Whether clients can be told of changes: not where each request is on its own."""
        self.bus = InMemorySubscriptionBus()
        self.clients: WeakSet[Any] = WeakSet()
        self.watchers: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
        self.subscribed = Shares(_MOST_SUBSCRIBED, _MOST_SUBSCRIBED_EACH)
        """The bytes of the URIs that each client has subscribed to."""
        self.levels: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[Any] = set()
        box.on_change(self._changed)

    def seen(self, ctx: Any) -> None:
        """Remember a client who has asked for a list."""
        self._loop = asyncio.get_running_loop()
        if self.watch and ctx.protocol_version < BARE_SINCE:
            self.clients.add(connection_of(ctx))

    def subscribe(self, ctx: Any, uri: str) -> None:
        """Tell a client when a resource changes."""
        self.seen(ctx)
        connection = connection_of(ctx)
        wanted = self.watchers.get(connection, set())
        if uri in wanted:
            return
        if len(uri) > MOST_URI:
            raise MCPError(t.INVALID_PARAMS, f"a URI may have {MOST_URI} characters")
        client = client_of_request(ctx)
        if not self.subscribed.take(client, _cost(uri)):
            raise MCPError(t.INVALID_PARAMS, "too many subscriptions: unsubscribe from some first")
        if connection not in self.watchers:
            self.watchers[connection] = wanted
            # The watched URIs are counted until the connection ends.
            connection.exit_stack.callback(self._left, client, wanted)
        wanted.add(uri)

    def unsubscribe(self, ctx: Any, uri: str) -> None:
        """Tell it no more."""
        wanted = self.watchers.get(connection_of(ctx), set())
        if uri in wanted:
            wanted.remove(uri)
            self.subscribed.give_back(client_of_request(ctx), _cost(uri))

    def _left(self, client: str, wanted: set[str]) -> None:
        """Forget what a client wanted who has left."""
        while wanted:
            self.subscribed.give_back(client, _cost(wanted.pop()))

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
        for each in list(self.clients):
            await _quietly(getattr(each, f"send_{what.removesuffix('s')}_list_changed")())


def _cost(uri: str) -> int:
    """Return about how many bytes a subscription takes."""
    return 200 + 4 * len(uri)


def connection_of(ctx: Any) -> Any:
    """Return what lives as long as the client is there; a session is made for each request."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no public name for it here


async def _quietly(sending: Any) -> None:
    try:
        await sending
    except Exception:  # noqa: BLE001 - a client that is gone hears nothing
        return
