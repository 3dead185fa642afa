"""Sessions of clients with a handshake, bounded per client."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from ..access.quotas import Client, Excess, SessionLimits, Shares, is_within
from .replay import EventMemory, SessionEvents
from .session_streams import Incoming, Outgoing

if TYPE_CHECKING:
    from ..http.asgi import Receive, Scope, Send

_RETRY_MS = 500
_MIB = 1024 * 1024
_MOST_HELD = 128 * _MIB
_MOST_HELD_EACH = 16 * _MIB
_opening: ContextVar[tuple[Client, int]] = ContextVar("opening", default=(Client(), 0))


class Session(StreamableHTTPServerTransport):
    """A session: who it counts for, what it holds, and whether anything uses it now."""

    def __init__(
        self, memory: EventMemory, client: Client, cost: int, session_id: str, idle: float
    ) -> None:
        self.events = SessionEvents(memory, client)
        self.client = client
        self.cost = cost
        self.in_use = 0
        super().__init__(
            mcp_session_id=session_id,
            event_store=self.events,
            retry_interval=_RETRY_MS,
            idle_timeout=idle,
        )

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Return the streams that the SDK reads from and writes to."""
        async with super().connect() as (incoming, outgoing):
            yield Incoming(incoming), Outgoing(outgoing)


class BoundedSessions(StreamableHTTPSessionManager):
    """The sessions of the SDK, with bounds for each client.

    At the bound, the client's own session that was not used for longest is ended. When all
    sessions are taken, the client with most of them gives way. A server may end a session at any
    time; its client gets a 404, and starts another one (2025-11-25, basic/transports, Session
    Management). Since 2026-07-28 there are no sessions.
    """

    def __init__(
        self,
        app: Server[Any],
        limits: SessionLimits,
        *,
        stateless: bool,
        max_request_body_size: int,
    ) -> None:
        super().__init__(
            app=app,
            retry_interval=None if stateless else _RETRY_MS,
            stateless=stateless,
            max_request_body_size=max_request_body_size,
            max_sessions=limits.max_sessions,
        )
        self.limits = limits
        self.memory = EventMemory()
        self.held = Shares(_MOST_HELD, _MOST_HELD_EACH)
        """The bytes that sessions keep of what opened them."""
        self.counted = Shares(limits.max_sessions, limits.max_sessions_per_client)
        self.of_client: dict[Client, OrderedDict[str, Session]] = {}
        """The sessions of each client; the one that was not used for longest comes first."""

    @contextmanager
    def opening(self, client: Client, cost: int) -> Generator[None]:
        """Say who asks, and what their request costs if a session begins with it."""
        token = _opening.set((client, cost))
        try:
            yield
        finally:
            _opening.reset(token)

    def _admit_session(self, requestor: Any) -> StreamableHTTPServerTransport | None:
        client, cost = _opening.get()
        if not self.make_room(client, cost):
            return None
        session_id = uuid4().hex
        session = Session(self.memory, client, cost, session_id, self.limits.session_idle)
        if requestor is not None:
            self._session_owners[session_id] = requestor
        self._server_instances[session_id] = session
        self.held.add(client, cost)
        self.counted.add(client)
        self.of_client.setdefault(client, OrderedDict())[session_id] = session
        return session

    def _own(self, client: Client) -> OrderedDict[str, Session]:
        """Return the sessions of a client."""
        return self.of_client.get(client) or OrderedDict()

    def make_room(self, client: Client, cost: int) -> bool:
        """Return whether a client may begin a session; others may have to end for it."""
        while bound := self.counted.excess(client) or self.held.excess(client, cost):
            ended = self._gives_way(client, bound)
            if ended is None:
                return False
            self._forget(ended)
            if self._task_group is not None:
                self._task_group.start_soon(ended.terminate)
        return True

    def _gives_way(self, client: Client, bound: Excess) -> Session | None:
        """Return the session that ends for a new one of a client; None if it is not to begin."""
        groups = [own for other, own in self.of_client.items() if is_within(bound, client, other)]
        groups.sort(key=len, reverse=True)
        unused = (session for own in groups for session in own.values() if not session.in_use)
        idle = next(unused, None)
        if idle is not None or bound == "client" or len(groups[0]) <= len(self._own(client)) + 1:
            return idle
        return next(iter(groups[0].values()))

    def _forget(self, session: Session) -> None:
        """Let go of everything that is kept for a session."""
        session_id = session.mcp_session_id or ""
        self._server_instances.pop(session_id, None)
        self._session_owners.pop(session_id, None)
        own = self._own(session.client)
        if own.pop(session_id, None) is None:
            return
        if not own:
            del self.of_client[session.client]
        self.counted.give_back(session.client)
        self.held.give_back(session.client, session.cost)
        session.events.end()

    async def _discard_session(self, session_id: str, transport: Any) -> None:
        self._forget(transport)
        await super()._discard_session(session_id, transport)

    async def _handle_stateful_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = dict(scope["headers"]).get(b"mcp-session-id", b"").decode("latin-1")
        session: Any = self._server_instances.get(sent)
        if session is None:
            await super()._handle_stateful_request(scope, receive, send)
            return
        session.in_use += 1
        try:
            await super()._handle_stateful_request(scope, receive, send)
        finally:
            session.in_use -= 1
            own = self._own(session.client)
            if sent in own:
                own.move_to_end(sent)

    async def end_all(self) -> None:
        """End every session: by closing its streams, which is cheaper than cancelling its tasks."""
        for sessions in list(self.of_client.values()):
            for session in list(sessions.values()):
                self._forget(session)
                await session.terminate()
        for _ in range(3):  # let their tasks notice that the streams are closed
            await asyncio.sleep(0)
