"""Calls over HTTP that need nothing of the SDK."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Mapping
from typing import Any

import httpx2
from opentelemetry import trace
from pydantic_core import from_json

from ...._json_values import is_object
from ...._protocol import STATELESS_SINCE
from ..messages import ServerMessages
from ..scope import RequestScope
from ..stream_calls import STAMPS
from .answer import HttpAnswer
from .bounded import BoundedClient, HttpFault, http_error, said
from .channel import HttpChannel

_PLAIN = re.compile(r"[A-Za-z0-9_./:-]{1,200}")
"""Names that a header can hold as they are."""


class HttpCalls:
    """Sends `tools/call`: in the session that the SDK has opened, or, since 2026-07-28, in none.

    The SDK shakes hands, listens for what a server says outside of its answers, and ends the
    session. Its requests show what ours must contain.
    """

    def __init__(self, client: BoundedClient, most: int, messages: ServerMessages) -> None:
        self._messages = messages
        self._channel = HttpChannel(client, most)
        self._ids = itertools.count(1)
        self._stamp: dict[str, Any] = {}
        self._listening: dict[str, RequestScope] = {}
        """Calls whose progress is asked for, by token."""
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
            self._stamp = _stamp_of(request, version)
            if not self._stamp:
                return
        elif "mcp-session-id" in request_headers:
            headers["mcp-session-id"] = request_headers["mcp-session-id"]
        channel.url, channel.headers = request.url, headers
        channel.has_session = not self._stamp

    def fits(self, name: str) -> bool:
        """Return whether a call of a tool can be sent without the SDK."""
        if not self._channel.headers or trace.get_current_span().get_span_context().is_valid:
            return False
        in_header = self._stamp and (name not in self.plain or not _PLAIN.fullmatch(name))
        return not in_header

    async def call(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        """Send a request; return its result, or None if sent elsewhere. Raises `MCPError`."""
        if not self._channel.headers:
            return None
        request_id = f"call-{next(self._ids)}"
        meta = {**params.get("_meta", {}), **self._stamp}
        if scope.on_progress is not None:
            meta["progressToken"] = request_id
            self._listening[request_id] = scope
        sent_params = {**params, "_meta": meta} if meta else params
        try:
            request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": sent_params}
            return await self._sent(request_id, request, scope)
        except (httpx2.StreamError, httpx2.SSEError, httpx2.TransportError) as error:
            raise http_error(HttpFault.UNREACHABLE, said(error)) from None
        except asyncio.CancelledError:
            if self._channel.has_session:  # else it is enough that nobody reads the answer
                await self._channel.give_up(request_id)
            raise
        finally:
            self._listening.pop(request_id, None)

    async def _sent(
        self, own: str, request: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        headers: dict[str, str] = {}
        if self._stamp:
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


def _stamp_of(request: httpx2.Request, version: str) -> dict[str, Any]:
    """Return what a request says about its client; empty if it does not say everything."""
    body = from_json(request.read())
    params = body.get("params") if is_object(body) else None
    meta = params.get("_meta") if is_object(params) else None
    if not is_object(meta) or not all(key in meta for key in STAMPS):
        return {}
    return {**{key: meta[key] for key in STAMPS}, STAMPS[0]: version}
