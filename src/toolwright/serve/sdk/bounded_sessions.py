"""The SDK's half of sessions with a handshake."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import anyio
import mcp_types as t
from mcp.server.auth.middleware.bearer_auth import authorization_context
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventMessage, StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage
from pydantic_core import from_json, to_json

from ...run.current import asked
from ..access.guard import user_of
from ..http.sessions.table import NO_STREAM, SHOWN, Session, SessionTable, named, refuse_session
from ..sender import Sender
from ..short_path import level_request
from .calls import handed

if TYPE_CHECKING:
    from ..http.asgi import Message, Receive, Scope, Send


NOTHING = t.JSONRPCResponse(jsonrpc="2.0", id=NO_STREAM, result={})
"""A message without a receiver, which belongs to no stream."""


class Incoming:
    """The stream that the SDK reads from. Its loop holds the last message until the next one comes.

    In an idle session that may take half an hour, and the message may have megabytes. So the item
    that the loop holds is emptied as soon as the loop waits again.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._last: SessionMessage | None = None
        self.last_context: Any = None

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> Any:
        self._let_go()
        item = await self._inner.__anext__()
        self.last_context = self._inner.last_context
        if isinstance(item, SessionMessage):
            self._last = item
        return item

    def _let_go(self) -> None:
        self.last_context = self._inner.last_context = None
        if self._last is not None:
            self._last.message = NOTHING
            self._last.metadata = None
            self._last = None

    async def receive(self) -> Any:
        """Return the next message."""
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Read no more."""
        self._let_go()
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Outgoing:
    """The stream that the SDK writes to. Its reader holds the last message, too.

    That message cannot be emptied, since it is on its way to the client. So `NOTHING` follows it,
    to be held instead.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def send(self, item: Any) -> None:
        """Send a message."""
        await self._inner.send(item)
        # A session that has ended meanwhile no longer holds anything.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._inner.send(SessionMessage(NOTHING))

    async def aclose(self) -> None:
        """Write no more."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


_RETRY_MS = 500
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_POSTED = (
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
)


class SdkTransport(StreamableHTTPServerTransport):
    """The streams of one session, as the SDK has them."""

    def __init__(self, sessions: BoundedSessions, session: Session) -> None:
        self.sessions = sessions
        self.session = session
        store: Any = sessions.table.events_of(session)
        super().__init__(mcp_session_id=session.id, event_store=store, retry_interval=_RETRY_MS)

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Yield the streams that the SDK reads from and writes to."""
        async with super().connect() as (incoming, outgoing):
            yield Incoming(incoming), Outgoing(outgoing)

    def end_soon(self) -> None:
        """End the transport along with its session."""
        self.sessions.end_soon(self)

    def pass_on(self, stream: str, message: bytes, number: str) -> None:
        """Send an event of the short path to a client that has come back for it."""
        streams = self._request_streams.get(stream)
        if streams is None:
            return
        event = EventMessage(t.jsonrpc_message_adapter.validate_json(message), number)
        self.sessions.start(_sent(streams[0], event))


async def _sent(stream: Any, event: EventMessage) -> None:
    with contextlib.suppress(Exception):  # the client has left again
        await stream.send(event)


class BoundedSessions(StreamableHTTPSessionManager):
    """The sessions of the SDK, which share the table of all sessions, and so its bounds."""

    def __init__(self, app: Server[Any], table: SessionTable) -> None:
        config = table.limits
        super().__init__(
            app=app,
            retry_interval=None if config.stateless else _RETRY_MS,
            stateless=config.stateless,
            max_request_body_size=config.max_body,
            max_sessions=config.max_sessions,
        )
        self.table = table
        self._tasks: set[asyncio.Future[Any]] = set()

    def _taken(self, session: Session, sender: Sender) -> SdkTransport:
        session.transport = transport = SdkTransport(self, session)
        if sender.caller is not None:
            self._session_owners[session.id] = authorization_context(user_of(sender.caller))
        self._server_instances[session.id] = transport
        # The task of the session begins in this context, which it keeps: each of its requests says
        # who asks, and the headers of the first one would stay in memory.
        asked.set(None)
        return transport

    # -- sessions that began on the short path

    async def _adopt(self, session: Session, scope: Scope) -> None:
        """Take over a session: it goes on as if the SDK had answered its handshake."""
        if session.adopting is None:
            session.adopting = self.start(self._shown(session, scope))
        await asyncio.shield(session.adopting)

    async def _shown(self, session: Session, scope: Scope) -> None:
        transport = self._taken(session, handed(scope).sender)
        hello = _with_own_id(session.hello)
        opening = {**scope, "method": "POST", "headers": list(_POSTED)}
        await self._serve_opening_request(transport, opening, _body(hello), _ignore)
        messages = [_INITIALIZED] if session.is_initialized else []
        messages += [_with_own_id(level_request(session.level))] if session.level else []
        later = {**opening, "headers": [*_POSTED, named(session)]}
        for message in messages if not session.is_over else ():
            await transport.handle_request(later, _body(message), _ignore)

    # -- requests

    async def _handle_stateful_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = (value for name, value in scope["headers"] if name == b"mcp-session-id")
        sent = next(names, None)
        if sent is None:
            await self._open(scope, receive, send)
            return
        sender = handed(scope).sender
        session = self.table.find(sent.decode("latin-1"), sender.owner)
        if sender.caller is not None:  # the SDK looks whose session it is as well
            scope = {**scope, "user": user_of(sender.caller)}
        if session is None:
            await super()._handle_stateful_request(scope, receive, send)
            return
        session.in_use += 1
        try:
            if session.hello:
                await self._adopt(session, scope)
            await super()._handle_stateful_request(scope, receive, send)
        finally:
            self.table.leave(session)

    async def _open(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Begin a session with a request that the SDK answers."""
        sender, _, _, cost = handed(scope)
        session = self.table.open(sender, cost)
        if session is None:
            await refuse_session(send)
        else:
            await self._serve_opening_request(self._taken(session, sender), scope, receive, send)

    # -- the end

    def start(self, work: Any) -> asyncio.Future[Any]:
        """Run a coroutine in the background."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def end_soon(self, transport: SdkTransport) -> None:
        """End the SDK's half of a session that has ended."""
        self._server_instances.pop(transport.session.id, None)
        self._session_owners.pop(transport.session.id, None)
        if self._task_group is not None:
            self._task_group.start_soon(transport.terminate)

    async def _discard_session(self, session_id: str, transport: Any) -> None:
        self.table.forget(transport.session)
        await super()._discard_session(session_id, transport)

    async def end_all(self) -> None:
        """End every session: by closing its streams, which is cheaper than cancelling its tasks."""
        for session in list(self.table.by_id.values()):
            self.table.forget(session)
            if session.transport is not None:
                self._server_instances.pop(session.id, None)
                self._session_owners.pop(session.id, None)
                await session.transport.terminate()
        for _ in range(3):  # let their tasks notice that the streams are closed
            await asyncio.sleep(0)


def _with_own_id(message: bytes) -> bytes:
    """Return a request with a new id: its own may belong to a running request by now."""
    return to_json({**from_json(message), "id": SHOWN})


def _body(content: bytes) -> Receive:
    """Return a `receive` that gives a body, and then nothing: its client never hangs up."""
    parts: list[Message] = [{"type": "http.request", "body": content, "more_body": False}]

    async def receive() -> Message:
        if not parts:
            await asyncio.Event().wait()
        return parts.pop()

    return receive


async def _ignore(_: Message) -> None:
    """Drop an answer: the client has had one."""
