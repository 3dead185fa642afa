"""Where messages over HTTP go, and with which headers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx2

from ...._json_values import compact_json
from .bounded import BoundedClient

_DRAIN_SECONDS = 1.0
"""How long a stream may stay open after its last message."""
_NOTICE_SECONDS = 1.0
"""How long a server may take to accept that nobody waits for an answer any more."""


class HttpChannel:
    """Sends messages as the SDK does, with the headers that its own requests have shown."""

    def __init__(self, client: BoundedClient, most: int) -> None:
        self.most = most
        self.url: httpx2.URL | str = ""
        self.headers: dict[str, str] = {}
        """The headers of each message; none until the SDK has shown them."""
        self.has_session = False
        """Whether a handshake began it: the server may ask in its answers, and resume them."""
        self._client = client
        self._draining: set[asyncio.Task[None]] = set()

    async def post(
        self, message: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        """Send a message; return the response, whose body is still to be read."""
        request = self._client.build_request(
            "POST",
            self.url,
            content=compact_json(message),
            headers={**self.headers, **(headers or {})},
        )
        return await self._client.send(request, stream=True, follow_redirects=False)

    async def resumed(self, event: str) -> httpx2.Response:
        """Ask for what a stream would have brought after an event."""
        headers = {**self.headers, "accept": "text/event-stream", "last-event-id": event}
        del headers["content-type"]
        request = self._client.build_request("GET", self.url, headers=headers)
        return await self._client.send(request, stream=True, follow_redirects=False)

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message that has no answer; whether it arrives changes nothing."""
        with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError):
            response = await self.post(message)
            await response.aclose()

    async def give_up(self, request: str) -> None:
        """Cancel a request at the server: its answer is no longer wanted."""
        params = {"requestId": request, "reason": "the caller no longer waits"}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_NOTICE_SECONDS):
                await self.tell(message)

    def drain(self, events: AsyncIterator[Any], response: httpx2.Response) -> None:
        """Read the end of a stream in the background.

        A response that is closed before its end takes its connection with it, and the next
        call would have to open another.
        """
        task = asyncio.ensure_future(_drained(events, response))
        self._draining.add(task)
        task.add_done_callback(self._draining.discard)

    async def end(self) -> None:
        """Stop reading all streams."""
        for task in list(self._draining):
            task.cancel()
        await asyncio.gather(*self._draining, return_exceptions=True)


async def _drained(events: AsyncIterator[Any], response: httpx2.Response) -> None:
    try:
        with contextlib.suppress(
            httpx2.HTTPError, httpx2.StreamError, httpx2.SSEError, TimeoutError
        ):
            async with asyncio.timeout(_DRAIN_SECONDS):
                async for _ in events:
                    pass
    finally:
        await response.aclose()
