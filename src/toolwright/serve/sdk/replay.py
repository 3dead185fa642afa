"""Events that clients can ask for again: one store per session.

The short path keeps events here too, so the SDK is loaded only once something is handed over to it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import Any, NamedTuple

from ..access.quotas import Client, Shares, is_within

SHOWN = secrets.token_hex(16)
"""The id of requests that the SDK is only shown. No client can guess it; no event is kept."""
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

        from .session_streams import NOTHING

        if message is NOTHING or stream_id == SHOWN:
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
