"""The open sessions of one app, and their events, within bounds."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pydantic_core import from_json

from ...access.quotas import Client, Excess, Shares, is_within
from ...sender import Owner, Sender
from ...settings import ServerConfig
from ...short_path import ClientProfile
from ..asgi import LATER, say

if TYPE_CHECKING:
    from ..asgi import Header, Send


SHOWN = secrets.token_hex(16)
"""The id of requests that the SDK is only shown. No client can guess it; no event is kept."""
NO_STREAM = secrets.token_hex(16)
"""The id of a message without a receiver: it is no event of any stream."""
_MOST = 1_000
_MOST_BYTES = 8 * 1024 * 1024
_MOST_BYTES_IN_ALL = 64 * 1024 * 1024
_OVERHEAD = 400
"""Bytes that an event costs on top of its message."""


class Event(NamedTuple):
    """A message of one stream, as it was sent."""

    turn: int
    """Which use of the stream it belongs to."""
    message: bytes | None

    @property
    def size(self) -> int:
        """The bytes it costs."""
        return _OVERHEAD + len(self.message or b"")


class EventMemory:
    """The memory that all sessions share: the client that holds the most gives way."""

    def __init__(self, most_bytes: int = _MOST_BYTES_IN_ALL) -> None:
        self.shares = Shares(most_bytes, most_bytes // 2)
        """The bytes that the sessions of each client hold."""
        self.order: dict[Client, OrderedDict[str, SessionEvents]] = {}
        """The events of each client, in the order in which they came."""

    def add(self, client: Client, number: str, store: SessionEvents, size: int) -> None:
        """Count an event; drop the oldest ones of a client that holds more than its share."""
        shares = self.shares
        shares.add(client, size)
        self.order.setdefault(client, OrderedDict())[number] = store
        while bound := shares.excess(client, 0):
            largest = client
            if bound != "client" and shares.held[client.name] <= shares.most // len(self.order):
                groups = (owner for owner in self.order if is_within(bound, client, owner))
                largest = max(groups, key=lambda other: shares.held[other.name])
            oldest = next(iter(self.order[largest]))
            self.order[largest][oldest].drop(oldest)

    def remove(self, client: Client, number: str, size: int) -> None:
        """Stop counting an event."""
        self.shares.give_back(client, size)
        del self.order[client][number]
        if not self.order[client]:
            del self.order[client]


class SessionEvents:
    """The last events of one session, for `Last-Event-ID` (2025-11-25, basic/transports).

    Since 2026-07-28 there is no resumption: this is for clients with a handshake.

    The SDK names a stream by the number of its request, and a client may use a number again. So
    each use of a name is a turn: it begins with the first event of a request, and ends with its
    answer. Only events of the same turn are replayed. It has the methods of the SDK's `EventStore`.
    """

    def __init__(
        self,
        memory: EventMemory,
        client: Client,
        *,
        most: int = _MOST,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        self.memory = memory
        self.client = client
        self.most = most
        self.most_bytes = most_bytes
        self.kept: OrderedDict[str, Event] = OrderedDict()
        self.bytes = 0
        self.turns: OrderedDict[str, int] = OrderedDict()
        """The turn of each stream that waits for its answer."""
        self.turn = 0
        self.ended = False
        self._renamed: set[str] = set()
        """Streams that go on with the turn of another one."""
        self._resumed: asyncio.Task[Any] | None = None

    async def store_event(self, stream_id: str, message: Any) -> str:
        """Keep an event of the SDK; return its id."""
        import mcp_types as t

        if stream_id == SHOWN or getattr(message, "id", None) == NO_STREAM:
            return ""
        body = None
        if message is not None:
            body = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        ends = isinstance(message, t.JSONRPCResponse | t.JSONRPCError)
        return self.keep(stream_id, body, ends=ends)

    def keep(self, stream_id: str, message: bytes | None, *, ends: bool) -> str:
        """Keep an event; return its id, which cannot be guessed."""
        number = secrets.token_urlsafe(16)
        turn = self._turn(stream_id, begins=message is None)
        if ends:
            self.turns.pop(stream_id, None)
        if not self.ended:
            self._keep(number, Event(turn, message))
        return number

    def _turn(self, stream_id: str, *, begins: bool) -> int:
        """Return the turn of a stream's next event."""
        # A stream begins with an event that has no message. So does a resumed stream, in the
        # task that has just replayed its events: it goes on with its turn.
        resumed, self._resumed = self._resumed, None
        is_renamed = stream_id in self._renamed
        self._renamed.discard(stream_id)
        if begins and resumed is not asyncio.current_task() and not is_renamed:
            self.turns.pop(stream_id, None)
        if stream_id not in self.turns:
            self.turn += 1
            self.turns[stream_id] = self.turn
            if len(self.turns) > self.most:
                self.turns.popitem(last=False)
        return self.turns[stream_id]

    def rename(self, stream_id: str, other: str) -> None:
        """Let another stream go on with the turn of this one."""
        turn = self.turns.pop(stream_id, None)
        if turn is not None:
            self.turns[other] = turn
            self._renamed.add(other)

    def _keep(self, number: str, event: Event) -> None:
        self.kept[number] = event
        self.bytes += event.size
        self.memory.add(self.client, number, self, event.size)
        while len(self.kept) > self.most or self.bytes > self.most_bytes:
            self.drop(next(iter(self.kept)))

    def drop(self, number: str) -> None:
        """Forget an event."""
        event = self.kept.pop(number)
        self.bytes -= event.size
        self.memory.remove(self.client, number, event.size)

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        """Send the later events of the same stream; return the stream if it goes on."""
        import mcp_types as t
        from mcp.server.streamable_http import EventMessage

        last = self.kept.get(last_event_id)
        if last is None:
            return None
        sent = last_event_id
        # While an event is being sent, others may come: go on until there are no more.
        while (number := self._next(sent, last.turn)) is not None:
            body = self.kept[number].message or b""
            message = t.jsonrpc_message_adapter.validate_json(body, by_name=False)
            await send_callback(EventMessage(message, number))
            sent = number
        going_on = (name for name, turn in self.turns.items() if turn == last.turn)
        stream = next(going_on, None)
        if stream is not None:
            self._resumed = asyncio.current_task()
        return stream

    def _next(self, last: str, turn: int) -> str | None:
        """Return the id of a turn's next event that has a message."""
        after = iter(self.kept.items())
        for number, _ in after:
            if number == last:
                break
        return next((n for n, e in after if e.turn == turn and e.message is not None), None)

    def end(self) -> None:
        """Forget everything: the session has ended."""
        self.ended = True
        self.turns.clear()
        self._renamed.clear()
        for number in list(self.kept):
            self.drop(number)


_MIB = 1024 * 1024
_MOST_HELD = 128 * _MIB
_MOST_HELD_EACH = 16 * _MIB


class EndsWithSession(Protocol):
    """Something that runs in a session."""

    def end(self) -> None:
        """Stop it: its session has ended."""
        ...


@dataclass(slots=True, eq=False)
class Session:
    """One session: whose it is, what it holds, and whether anything uses it now.

    It begins on the short path, with nothing but its handshake. When something is asked that the
    short path does not answer, the SDK is shown this handshake, and shares the session from then
    on.
    """

    client: Client
    owner: Owner
    cost: int
    id: str = field(default_factory=partial(secrets.token_hex, 16))
    protocol: str = ""
    """The version that was agreed upon; empty if only the SDK knows it."""
    hello: bytes = b""
    """The handshake that was answered here, for the SDK if it is needed later."""
    is_initialized: bool = False
    level: str = ""
    """The least severe level of log messages that was asked for."""
    profile_read: ClientProfile | None = None
    is_plain: bool = False
    """Whether the short path may answer what is asked in it."""
    running: dict[Any, EndsWithSession] = field(default_factory=dict[Any, EndsWithSession])
    """The calls of the short path, by the id of their request."""
    in_use: int = 0
    used: float = field(default_factory=time.monotonic)
    is_over: bool = False
    events: SessionEvents | None = None
    transport: Any = None
    """The SDK's half of the session."""
    adopting: asyncio.Future[None] | None = None
    """Done when the SDK has seen the handshake."""

    def profile(self) -> ClientProfile:
        """Return what its client can be asked, and which log messages it wants."""
        if self.profile_read is None:
            hello = from_json(self.hello)
            self.profile_read = ClientProfile(hello["params"]["capabilities"], None)
        self.profile_read.level = self.level or "debug"
        return self.profile_read


class SessionTable:
    """The sessions of one app.

    At the bound, the client's own session that has been unused longest is ended. When all
    sessions are taken, the client with the most gives way. A server may end a session at any
    time; its client gets a 404, and starts another one (2025-11-25, basic/transports, Session
    Management). Since 2026-07-28 there are no sessions.
    """

    def __init__(self, limits: ServerConfig) -> None:
        self.limits = limits
        self.memory = EventMemory()
        self.held = Shares(_MOST_HELD, _MOST_HELD_EACH)
        """The bytes kept of the requests that opened sessions."""
        self.counted = Shares(limits.max_sessions, limits.max_sessions_per_client)
        self.by_id: dict[str, Session] = {}
        self.of_client: dict[Client, OrderedDict[str, Session]] = {}
        """The sessions of each client; the one that has been unused longest comes first."""
        self._loop: asyncio.AbstractEventLoop | None = None

    # -- beginning

    def open(self, sender: Sender, cost: int) -> Session | None:
        """Begin a session; return None if there is no room for it."""
        self._expire_in(asyncio.get_running_loop())
        client = sender.client
        if not self.make_room(client, cost):
            return None
        session = Session(client, sender.owner, cost)
        self.by_id[session.id] = session
        self.held.add(client, cost)
        self.counted.add(client)
        self.of_client.setdefault(client, OrderedDict())[session.id] = session
        return session

    def make_room(self, client: Client, cost: int) -> bool:
        """Return whether a client may begin a session; others may be ended for it."""
        while bound := self.counted.excess(client) or self.held.excess(client, cost):
            replaced = self._gives_way(client, bound)
            if replaced is None:
                return False
            self.end(replaced)
        return True

    def _gives_way(self, client: Client, bound: Excess) -> Session | None:
        """Return the session that ends for a client's new one; None if that may not begin."""
        groups = [
            sessions
            for owner, sessions in self.of_client.items()
            if is_within(bound, client, owner)
        ]
        groups.sort(key=len, reverse=True)
        unused = (
            session for sessions in groups for session in sessions.values() if not session.in_use
        )
        idle = next(unused, None)
        count = len(self.of_client.get(client, ()))
        if idle is not None or bound == "client" or len(groups[0]) <= count + 1:
            return idle
        return next(iter(groups[0].values()))

    # -- use

    def find(self, session_id: str, owner: Owner) -> Session | None:
        """Return a session of an owner; to anybody else it does not exist."""
        session = self.by_id.get(session_id)
        if session is None or session.owner != owner:
            return None
        if self._is_idle(session, time.monotonic()):
            self.end(session)
            return None
        return session

    def leave(self, session: Session) -> None:
        """Note that a request no longer uses a session."""
        session.in_use -= 1
        session.used = time.monotonic()
        sessions = self.of_client.get(session.client)
        if sessions is not None and session.id in sessions:
            sessions.move_to_end(session.id)

    def events_of(self, session: Session) -> SessionEvents:
        """Return the events of a session that can be asked for again."""
        if session.events is None:
            session.events = SessionEvents(self.memory, session.client)
            if session.is_over:
                session.events.end()
        return session.events

    def _is_idle(self, session: Session, now: float) -> bool:
        return not session.in_use and now - session.used > self.limits.session_idle

    def _expire_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """End sessions that nobody uses: one timer for all, as long as there are any."""
        if self._loop is loop:
            return
        self.clear()  # those of another loop have ended with it
        self._loop = loop
        self._look_later(loop)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(min(60.0, self.limits.session_idle / 4), self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not loop:
            return
        now = time.monotonic()
        for session in list(self.by_id.values()):
            if self._is_idle(session, now):
                self.end(session)
        if self.by_id:
            self._look_later(loop)
        else:
            self._loop = None

    # -- the end

    def end(self, session: Session) -> None:
        """End a session, and the SDK's half of it."""
        self.forget(session)
        if session.transport is not None:
            session.transport.end_soon()

    def forget(self, session: Session) -> None:
        """Let go of everything that is kept for a session, and stop what runs in it."""
        if session.is_over:
            return
        session.is_over = True
        del self.by_id[session.id]
        sessions = self.of_client[session.client]
        del sessions[session.id]
        if not sessions:
            del self.of_client[session.client]
        self.counted.give_back(session.client)
        self.held.give_back(session.client, session.cost)
        if session.events is not None:
            session.events.end()
        for run in list(session.running.values()):
            run.end()

    def clear(self) -> None:
        """Forget all sessions; what ran in them was stopped before, or with its loop."""
        for session in list(self.by_id.values()):
            session.running.clear()
            self.forget(session)
        self._loop = None


def named(session: Session) -> Header:
    """Return the header that names a session."""
    return b"mcp-session-id", session.id.encode()


async def refuse_session(send: Send) -> None:
    """Say that there is no room for another session."""
    await say(send, 503, "too many open sessions: end some, or try again later", LATER)
