"""Change notifications: each client hears each change once."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import mcp_types as t
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from ..._protocol import LOG_LEVELS, STATELESS_SINCE
from ...run.current import asked_by
from ..access.quotas import MOST_STREAMS, Client, Shares
from ..sender import NOBODY, Sender, Viewer, sender_here
from .calls import handed_with

if TYPE_CHECKING:
    from ..offering import Live

_EVENTS: dict[str, Any] = {
    "tools": ToolsListChanged,
    "prompts": PromptsListChanged,
    "resources": ResourcesListChanged,
}
_MOST_SUBSCRIBED = 64 * 1024 * 1024
_MOST_SUBSCRIBED_EACH = 8 * 1024 * 1024

_NOBODY: Viewer = NOBODY.roles, None


class _Bus(InMemorySubscriptionBus):
    """Carries changes to listeners; those of a resource only to listeners who may read it."""

    may_hear: Callable[[Viewer], bool]

    def __init__(self, box: Live) -> None:
        super().__init__()
        self.box = box

    def subscribe(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Add a listener, and remember who it is."""
        viewer = sender_here().viewer(self.box.now)

        def deliver(event: Any) -> None:
            if not isinstance(event, ResourceUpdated) or self.may_hear(viewer):
                listener(event)

        return super().subscribe(deliver)


class Notifications:
    """The clients of one server, and what each of them wants to hear.

    Connections are held weakly: a client that hangs up is forgotten.
    """

    def __init__(self, box: Live, *, watch: bool) -> None:
        self.watch = watch
        """Whether clients can be told of changes: not where each request is on its own."""
        self.box = box
        self.bus = _Bus(box)
        self._listeners = ListenHandler(self.bus, max_subscriptions=MOST_STREAMS)
        self.viewers: WeakKeyDictionary[Any, Viewer] = WeakKeyDictionary()
        self.clients: WeakSet[Any] = WeakSet()
        self.watchers: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
        self.subscribed = Shares(_MOST_SUBSCRIBED, _MOST_SUBSCRIBED_EACH)
        """The bytes of the URIs that each client has subscribed to."""
        self.levels: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self.tells_of_lists = True
        """Whether clients with a handshake hear from here that a list has changed."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[Any] = set()
        self._runs = 0
        self._unsubscribe: Callable[[], None] = lambda: None

    @contextlib.asynccontextmanager
    async def lifespan(self, _server: object) -> AsyncGenerator[dict[str, Any]]:
        """Follow the changes of the toolbox while the SDK's server runs, on any transport.

        In memory, the SDK enters this once for each client of a server.
        """
        if not self._runs:
            self._unsubscribe = self.box.on_change(self._changed)
        self._runs += 1
        try:
            yield {}
        finally:
            self._runs -= 1
            if not self._runs:
                self._unsubscribe()

    async def meet(self, ctx: Any, call_next: Any) -> Any:
        """Remember the sender of any message; this is middleware of the SDK.

        Before the first message there is no client to notify, and so no loop to do it in.
        """
        if ctx.method != "initialize":  # not before a version is agreed upon
            self.seen(ctx)
        return await call_next(ctx)

    def seen(self, ctx: Any) -> None:
        """Remember a client."""
        self._loop = asyncio.get_running_loop()
        if self.watch and ctx.protocol_version < STATELESS_SINCE:
            self.clients.add(connection_of(ctx))

    async def listen(self, ctx: Any, params: Any, sender: Sender) -> Any:
        """Answer `subscriptions/listen`; a change after the acknowledgement is never missed.

        A listener who may not read a resource hears nothing of it.
        """
        with asked_by(sender):
            return await self._listeners(ctx, params)

    def close(self) -> None:
        """End the streams of listeners, each with its result (basic/patterns/subscriptions)."""
        self._listeners.close()

    def subscribe(self, ctx: Any, uri: str, viewer: Viewer) -> None:
        """Notify a client when a resource changes, as long as the client may read it."""
        self.seen(ctx)
        connection = connection_of(ctx)
        self.viewers[connection] = viewer
        uris = self.watchers.get(connection, set())
        if uri in uris:
            return
        client = handed_with(ctx).sender.client
        if not self.subscribed.take(client, _cost(uri)):
            raise MCPError(t.INVALID_PARAMS, "too many subscriptions: unsubscribe from some first")
        if connection not in self.watchers:
            self.watchers[connection] = uris
            # The watched URIs are counted until the connection ends.
            connection.exit_stack.callback(self._left, client, uris)
        uris.add(uri)

    def unsubscribe(self, ctx: Any, uri: str) -> None:
        """Stop notifying a client of a resource."""
        uris = self.watchers.get(connection_of(ctx), set())
        if uri in uris:
            uris.remove(uri)
            self.subscribed.give_back(handed_with(ctx).sender.client, _cost(uri))

    def _left(self, client: Client, wanted: set[str]) -> None:
        """Forget the subscriptions of a client that has left."""
        while wanted:
            self.subscribed.give_back(client, _cost(wanted.pop()))

    def set_level(self, ctx: Any, level: str) -> None:
        """Send a client only log messages of this level and above."""
        self.levels[connection_of(ctx)] = level

    def wants(self, ctx: Any, level: str) -> bool:
        """Return whether a client wants log messages of a level."""
        least = self.levels.get(connection_of(ctx), "debug")
        return LOG_LEVELS.index(level) >= LOG_LEVELS.index(least)

    def _changed(self, what: str, uri: str) -> None:
        """Pass on a change; may be called in any thread."""
        if self._loop is None or self._loop.is_closed() or not self.watch:
            return
        with contextlib.suppress(RuntimeError):  # the loop was closed just now
            self._loop.call_soon_threadsafe(self._start, what, uri)

    def _start(self, what: str, uri: str) -> None:
        task = asyncio.ensure_future(self._tell(what, uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _readers_of(self, uri: str) -> Callable[[Viewer], bool]:
        """Return a function that says who may read a resource; it looks up each viewer once."""

        @functools.cache
        def may_hear(viewer: Viewer) -> bool:
            return not self.box.now.is_hidden(uri, *viewer)

        return may_hear

    async def _tell(self, what: str, uri: str) -> None:
        if what == "resource":
            may_hear = self.bus.may_hear = self._readers_of(uri)
            await self.bus.publish(ResourceUpdated(uri=uri))
            for client, uris in list(self.watchers.items()):
                if uri in uris and may_hear(self.viewers.get(client, _NOBODY)):
                    await _quietly(client.send_resource_updated(uri))
            return
        await self.bus.publish(_EVENTS[what]())
        for client in list(self.clients) if self.tells_of_lists else ():
            await _quietly(getattr(client, f"send_{what.removesuffix('s')}_list_changed")())


def _cost(uri: str) -> int:
    """Return about how many bytes a subscription takes."""
    return 200 + 4 * len(uri)


def connection_of(ctx: Any) -> Any:
    """Return the connection, which lives as long as the client; each request has a new session."""
    return ctx.session._connection  # noqa: SLF001 - the SDK has no public name for it here


async def _quietly(sending: Any) -> None:
    try:
        await sending
    except Exception:  # noqa: BLE001 - a client that is gone hears nothing
        return
