"""One answer: a text, or a stream of messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as t
from mcp.shared.exceptions import MCPError

from ...._json_values import is_object
from ...bounds import MOST_QUESTIONS
from ..incoming import read_json, server_error
from ..messages import ServerMessages
from ..scope import RequestScope
from .bounded import HttpFault, http_error
from .channel import HttpChannel

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
        raise MCPError(code=t.PARSE_ERROR, message="the answer is not valid JSON-RPC") from None


def _result_of(told: Any, own: str) -> dict[str, Any]:
    error = told.get("error") if is_object(told) else None
    if is_object(error) and isinstance(error.get("code"), int):
        raise server_error(error)
    if not is_object(told) or told.get("id") != own or not is_object(told.get("result")):
        raise MCPError(code=t.PARSE_ERROR, message="the answer is not valid JSON-RPC")
    return told["result"]
