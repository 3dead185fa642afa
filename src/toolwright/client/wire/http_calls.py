"""Calls over HTTP that need nothing of the SDK."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as t
from mcp.shared.exceptions import MCPError
from pydantic_core import from_json

from ..._json_values import compact_json, is_object
from ..._protocol import STATELESS_SINCE
from ..bounds import MOST_QUESTIONS
from .http_client import BoundedClient, HttpFault, http_error, said
from .interface import RequestScope
from .messages import OwnRequests, ServerMessages, read_json, result_in, unreadable

_DRAIN_SECONDS = 1.0
"""How long a stream may stay open after its last message."""


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


_ATTEMPTS = 3
"""How often a lost stream is asked for before it is given up."""
_LEAST_PAUSE, _PAUSE, _MOST_PAUSE = 0.1, 1.0, 30.0
"""Seconds until a stream is resumed; servers may say how many."""


class HttpAnswer:
    """Reads an answer to its end, which may be in another stream than its beginning."""

    def __init__(self, channel: HttpChannel, messages: ServerMessages, scope: RequestScope) -> None:
        self._channel = channel
        self._messages = messages
        self._scope = scope
        self._questions: dict[str | int, asyncio.Task[None]] = {}
        self._event = ""
        self._pause = _PAUSE

    async def read(self, response: httpx2.Response, own: str) -> dict[str, Any]:
        """Return the result. Raises `MCPError`, or an exception of httpx."""
        kind = response.headers.get("content-type", "").lower()
        try:
            if kind.startswith("text/event-stream"):
                return _result_of(await self._streamed(response), own)
            if kind.startswith("application/json"):
                return _result_of(_json_of(await response.aread()), own)
            if response.status_code == HTTPStatus.NOT_FOUND:
                raise MCPError(code=t.METHOD_NOT_FOUND, message="Not Found")
            text = f"Unexpected content type: {kind or 'none'}"
            raise MCPError(code=t.INVALID_REQUEST, message=text)
        finally:
            if not kind.startswith("text/event-stream"):
                await response.aclose()
            await self._stop_asking()

    async def _streamed(self, response: httpx2.Response) -> Any:
        """Return the message that ends a stream; a stream that is lost before that is resumed."""
        while True:
            try:
                reply = await self._searched(response)
            except httpx2.TransportError:
                if not self._event:
                    raise
                reply = None
            if reply is not None:
                return reply
            if not self._event:
                raise http_error(HttpFault.UNREACHABLE, "its answer ended in the middle")
            response = await self._resumed()

    async def _searched(self, response: httpx2.Response) -> Any:
        """Return the message that is not a notification or a question; None if there is none."""
        events = aiter(httpx2.EventSource(response, max_event_size=self._channel.most))
        reply: Any = None
        try:
            reply = await self._searched_events(events)
        finally:
            if reply is None:
                await response.aclose()
            else:
                self._channel.drain(events, response)
        return reply

    async def _searched_events(self, events: AsyncIterator[httpx2.ServerSentEvent]) -> Any:
        async for event in events:
            if self._channel.has_session:
                self._event = event.id or self._event
                if event.retry is not None:
                    self._pause = min(max(event.retry / 1000, _LEAST_PAUSE), _MOST_PAUSE)
            message = _json_of(event.data) if event.data and event.event == "message" else None
            if is_object(message) and isinstance(message.get("method"), str):
                await self._take(message)
            elif message is not None:
                return message
        return None

    async def _resumed(self) -> httpx2.Response:
        for _ in range(_ATTEMPTS):
            await asyncio.sleep(self._pause)
            response = await self._channel.resumed(self._event)
            kind = response.headers.get("content-type", "").lower()
            if response.status_code == HTTPStatus.OK and kind.startswith("text/event-stream"):
                return response
            await response.aclose()
        text = "its answer ended in the middle, and cannot be resumed"
        raise http_error(HttpFault.UNREACHABLE, text)

    # -- what a server sends before its answer

    async def _take(self, message: Mapping[str, Any]) -> None:
        question_id, params = message.get("id"), message.get("params")
        if not self._channel.has_session or question_id is None:
            if message["method"] == "notifications/cancelled" and is_object(params):
                self._forget(params.get("requestId"))
            else:
                await self._messages.heard(message, self._scope)
        elif isinstance(question_id, str | int) and question_id not in self._questions:
            if len(self._questions) >= MOST_QUESTIONS:
                await asyncio.wait(self._questions.values(), return_when=asyncio.FIRST_COMPLETED)
            self._questions[question_id] = task = asyncio.ensure_future(self._answer(message))
            task.add_done_callback(lambda _: self._questions.pop(question_id, None))

    async def _answer(self, message: Mapping[str, Any]) -> None:
        await self._channel.tell(await self._messages.reply(message, self._scope))

    def _forget(self, question: Any) -> None:
        task = self._questions.get(question) if isinstance(question, str | int) else None
        if task is not None:
            task.cancel()

    async def _stop_asking(self) -> None:
        """Cancel questions that nobody needs an answer to any more."""
        waiting = list(self._questions.values())
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.gather(*waiting, return_exceptions=True)


def _json_of(text: str | bytes) -> Any:
    try:
        return read_json(text)
    except ValueError:
        raise unreadable() from None


def _result_of(reply: Any, own: str) -> dict[str, Any]:
    result = result_in(reply)
    if reply.get("id") != own:
        raise unreadable()
    return result


_PLAIN = re.compile(r"[A-Za-z0-9_./:-]{1,200}")
"""Names that a header can hold as they are."""


class HttpCalls(OwnRequests):
    """Sends `tools/call`: in the session that the SDK has opened, or, since 2026-07-28, in none.

    The SDK shakes hands, listens for what a server says outside of its answers, and ends the
    session. Its requests show what ours must contain.
    """

    def __init__(self, client: BoundedClient, most: int, messages: ServerMessages) -> None:
        self._messages = messages
        self._channel = HttpChannel(client, most)
        super().__init__(self._channel.tell)
        self.plain: frozenset[str] = frozenset()
        """The tools without a parameter that goes into a header."""
        self.end = self._channel.end
        client.on_answered = self._learn
        self._hello: httpx2.Request | None = None
        """The last `server/discover` that was answered."""
        self._known = asyncio.Event()
        """Set once the SDK has sent all that opens a session."""

    def _learn(self, response: httpx2.Response) -> None:
        """Remember where the SDK sends requests, and what it says about session and client."""
        request = response.request
        version = request.headers.get("mcp-protocol-version")
        if self._channel.headers or not version:
            return
        if request.headers.get("mcp-method") == "server/discover":
            self._hello = request if response.is_success else None
            return
        self._known.set()
        if response.is_success:
            self._use(request, version)

    async def opened(self, version: str) -> None:
        """Learn what requests must contain, now that the version is agreed upon."""
        if version < STATELESS_SINCE:
            await self._known.wait()  # until the server has been told that the handshake is over
        elif self._hello is not None and not self._channel.headers:
            self._use(self._hello, version)

    def _use(self, request: httpx2.Request, version: str) -> None:
        channel, request_headers = self._channel, request.headers
        headers = {
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": version,
        }
        if version >= STATELESS_SINCE:
            body = from_json(request.read())
            self.learn(body.get("params") if is_object(body) else None)
            if not self._stamp:
                return
            self.agree(version)
            self.is_stateless = True
        elif "mcp-session-id" in request_headers:
            headers["mcp-session-id"] = request_headers["mcp-session-id"]
        channel.url, channel.headers = request.url, headers
        channel.has_session = not self.is_stateless

    def fits(self, name: str) -> bool:
        """Return whether a call of a tool can be sent without the SDK."""
        if not self._channel.headers or not self.can_send():
            return False
        return not self.is_stateless or (name in self.plain and bool(_PLAIN.fullmatch(name)))

    async def call(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        """Send a request; return its result, or None if sent elsewhere. Raises `MCPError`."""
        if not self._channel.headers:
            return None
        request_id, request = self.written(method, params, scope)
        try:
            return await self._sent(request_id, request, scope)
        except (httpx2.StreamError, httpx2.SSEError, httpx2.TransportError) as error:
            raise http_error(HttpFault.UNREACHABLE, said(error)) from None
        except asyncio.CancelledError:
            if self._channel.has_session:  # else it is enough that nobody reads the answer
                await self.give_up(request_id)
            raise
        finally:
            self._listening.pop(request_id, None)

    async def _sent(
        self, own: str, request: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        headers: dict[str, str] = {}
        if self.is_stateless:
            headers["mcp-method"] = request["method"]
            if "name" in request["params"]:
                headers["mcp-name"] = request["params"]["name"]
        response = await self._channel.post(request, headers)
        if response.is_redirect:
            await response.aclose()
            return None  # it has not run: the SDK knows whether to follow, or what to say
        return await HttpAnswer(self._channel, self._messages, scope).read(response, own)

    async def progress(self, told: Any) -> None:
        """Take a step of progress that came outside the answer that it belongs to."""
        scope = self._listening.get(told.progress_token)
        if scope is not None:
            await scope.progress(told.progress, told.total, told.message)
