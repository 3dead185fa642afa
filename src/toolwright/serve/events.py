"""What clients missed while they were away: the last events of each stream, in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from mcp.server.streamable_http import EventMessage, EventStore

_MOST = 10_000
_MOST_BYTES = 32 * 1024 * 1024


class Events(EventStore):
    """Keeps so many events, and so many bytes, of all streams together; the oldest go first."""

    def __init__(self, most: int = _MOST) -> None:
        self.most = most
        self.kept: OrderedDict[str, tuple[str, Any, int]] = OrderedDict()
        self.count = 0
        self.bytes = 0

    async def store_event(self, stream_id: str, message: Any) -> str:
        """Keep an event; return its number."""
        self.count += 1
        number = f"{self.count:x}"
        size = 0 if message is None else len(message.model_dump_json())
        self.kept[number] = (stream_id, message, size)
        self.bytes += size
        while len(self.kept) > self.most or self.bytes > _MOST_BYTES:
            self.bytes -= self.kept.popitem(last=False)[1][2]
        return number

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        """Send what came on the same stream after an event."""
        if last_event_id not in self.kept:
            return None
        stream = self.kept[last_event_id][0]
        after = False
        for number, (where, message, _) in list(self.kept.items()):
            if after and where == stream and message is not None:
                await send_callback(EventMessage(message, number))
            after = after or number == last_event_id
        return stream
