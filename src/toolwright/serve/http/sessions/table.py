"""The open sessions of one app, bounded per client."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import from_json

from ...access.quotas import Client, Excess, Shares, is_within
from ...sdk.replay import EventMemory, SessionEvents
from ...sender import Owner, Sender
from ...settings import ServerConfig
from ...short_path import ClientProfile
from ..asgi import say
from ..streams import LATER

if TYPE_CHECKING:
    from ..asgi import Header, Send

_MIB = 1024 * 1024
_MOST_HELD = 128 * _MIB
_MOST_HELD_EACH = 16 * _MIB


class EndsWithSession(Protocol):
    """Something that runs in a session."""

    def end(self) -> None:
        """Stop it: its session has ended."""
        ...


class Session:
    """One session: whose it is, what it holds, and whether anything uses it now.

    It begins on the short path, with nothing but its handshake. When something is asked that the
    short path does not answer, the SDK is shown this handshake, and shares the session from then
    on.
    """

    __slots__ = (
        "adopting",
        "client",
        "cost",
        "events",
        "hello",
        "id",
        "in_use",
        "is_initialized",
        "is_over",
        "is_plain",
        "level",
        "owner",
        "profile_read",
        "protocol",
        "running",
        "transport",
        "used",
    )

    def __init__(self, sender: Sender, cost: int) -> None:
        self.id = secrets.token_hex(16)
        self.client = sender.client
        self.owner = sender.owner
        self.cost = cost
        self.protocol = ""
        """The version that was agreed upon; empty if only the SDK knows it."""
        self.hello = b""
        """The handshake that was answered here, for the SDK if it is needed later."""
        self.is_initialized = False
        self.level = ""
        """The least severe level of log messages that was asked for."""
        self.profile_read: ClientProfile | None = None
        self.is_plain = False
        """Whether the short path may answer what is asked in it."""
        self.running: dict[Any, EndsWithSession] = {}
        """The calls of the short path, by the id of their request."""
        self.in_use = 0
        self.used = time.monotonic()
        self.is_over = False
        self.events: SessionEvents | None = None
        self.transport: Any = None
        """The SDK's half of the session."""
        self.adopting: asyncio.Future[None] | None = None
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
        session = Session(sender, cost)
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
