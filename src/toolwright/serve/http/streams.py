"""Bounds on requests in progress: for each client, and in all."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from ..access.quotas import Client, Shares, is_within
from .asgi import AsgiApp, Message, Receive, Scope, Send, say

LATER = (b"retry-after", b"5")
_SERVER_ENDS = "graceful shutdown"


class Stream:
    """One answer that is being sent."""

    def __init__(self, client: Client, send: Send) -> None:
        self.client = client
        self.task = asyncio.current_task()
        self.started = False
        self.finished = False
        self.gives_way = False
        self._send = send

    async def send(self, message: Message) -> None:
        """Send a part of the answer, and remember how far it has got."""
        if message["type"] == "http.response.start":
            self.started = True
        elif not message.get("more_body"):
            self.finished = True
        await self._send(message)

    def end(self) -> None:
        """End it, for the sake of another client."""
        self.gives_way = True
        if self.task is not None:
            self.task.cancel()

    async def finish(self) -> None:
        """Complete an answer that was ended early, or with its session."""
        if not self.started:
            await say(self._send, 503, "too many open streams: try again later", LATER)
        elif not self.finished:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class Streams:
    """All answers being sent; when there are too many, the client with the most gives way."""

    def __init__(self, most: int, most_each: int) -> None:
        self.counted = Shares(most, most_each)
        self.open: dict[Client, OrderedDict[int, Stream]] = {}

    async def run(
        self, app: AsgiApp, client: Client, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request, or say that there are too many."""
        if not self._make_room(client):
            await say(send, 429, "too many open streams: close some, or try again later", LATER)
            return
        stream = Stream(client, send)
        self.counted.add(client)
        self.open.setdefault(client, OrderedDict())[id(stream)] = stream
        try:
            await app(scope, receive, stream.send)
        except asyncio.CancelledError as error:
            # If it gives way, or uvicorn (which says so) ends it with the server, its answer is
            # ended properly. Any other cancellation is passed on.
            if stream.task is None or not (stream.gives_way or _SERVER_ENDS in str(error)):
                raise
            stream.task.uncancel()
        finally:
            self._remove(stream)
        await stream.finish()

    def _make_room(self, client: Client) -> bool:
        bound = self.counted.excess(client)
        if not bound or bound == "client":
            return not bound
        groups = (
            streams for owner, streams in self.open.items() if is_within(bound, client, owner)
        )
        largest = max(groups, key=len)
        if len(largest) <= len(self.open.get(client, ())) + 1:
            return False
        oldest = next(iter(largest.values()))
        self._remove(oldest)
        oldest.end()
        return True

    def _remove(self, stream: Stream) -> None:
        streams = self.open.get(stream.client)
        if streams is not None and streams.pop(id(stream), None) is not None:
            self.counted.give_back(stream.client)
            if not streams:
                del self.open[stream.client]
