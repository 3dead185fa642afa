"""Calls over HTTP that need nothing of the SDK."""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2
import mcp_types as t
from mcp.shared.exceptions import MCPError
from opentelemetry import trace
from pydantic_core import from_json

from ..._json_values import compact_json, is_object
from .http import UNREACHABLE, BoundedClient
from .stream_calls import STAMPS

_PLAIN = re.compile(r"[A-Za-z0-9_./:-]{1,200}")
"""Names that a header can hold as they are."""


class HttpCalls:
    """Sends `tools/call` where each request says all about itself: since 2026-07-28.

    There a server asks nothing in the middle of an answer, and streams are not resumed.
    """

    def __init__(self, url: str, client: BoundedClient, most: int) -> None:
        self._url = url
        self._client = client
        self._most = most
        self._ids = itertools.count(1)
        self._stamp: dict[str, Any] = {}
        self._headers: dict[str, str] = {}
        self.plain: frozenset[str] = frozenset()
        """The tools of which no parameter goes into a header."""
        client.on_request = self._learn

    def _learn(self, request: httpx2.Request) -> None:
        """Remember what the SDK says about the client in its requests."""
        if self._stamp or request.headers.get("mcp-method", "server/discover") == "server/discover":
            return
        told = from_json(request.content)
        params = told.get("params") if is_object(told) else None
        meta = params.get("_meta") if is_object(params) else None
        if is_object(meta) and all(key in meta for key in STAMPS):
            self._stamp = {key: meta[key] for key in STAMPS}
            self._headers = {
                "accept": "application/json, text/event-stream",
                "content-type": "application/json",
                "mcp-protocol-version": request.headers["mcp-protocol-version"],
                "mcp-method": "tools/call",
            }

    def fits(self, name: str) -> bool:
        """Return whether a call of a tool can be sent without the SDK."""
        if not self._stamp or name not in self.plain or not _PLAIN.fullmatch(name):
            return False
        return not trace.get_current_span().get_span_context().is_valid

    async def call(
        self,
        params: Mapping[str, Any],
        on_message: Callable[[Any], Awaitable[None]],
        *,
        reports: bool,
    ) -> dict[str, Any] | None:
        """Send a call and return its result; None if it was sent elsewhere. Raises `MCPError`."""
        own = f"call-{next(self._ids)}"
        meta = {**params.get("_meta", {}), **self._stamp}
        if reports:
            meta["progressToken"] = own
        told = {"jsonrpc": "2.0", "id": own, "method": "tools/call"}
        body = compact_json({**told, "params": {**params, "_meta": meta}})
        headers = {**self._headers, "mcp-name": str(params["name"])}
        request = self._client.build_request("POST", self._url, content=body, headers=headers)
        try:
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                return await self._answer(response, own, on_message)
            finally:
                await response.aclose()
        except (httpx2.StreamError, httpx2.SSEError, httpx2.TransportError) as error:
            raise MCPError(code=UNREACHABLE, message=str(error)) from None

    async def _answer(
        self, response: httpx2.Response, own: str, on_message: Callable[[Any], Awaitable[None]]
    ) -> dict[str, Any] | None:
        kind = response.headers.get("content-type", "").lower()
        if kind.startswith("text/event-stream"):
            async for event in httpx2.EventSource(response, max_event_size=self._most):
                told = _json_of(event.data) if event.data else None
                if is_object(told) and told.get("method") is not None:
                    await on_message(told)
                elif told is not None:
                    return _result_of(told, own)
            raise MCPError(code=UNREACHABLE, message="its answer ended in the middle")
        if response.is_redirect or not kind.startswith("application/json"):
            return None  # a redirect, or a page: the SDK knows what to do, or to say
        return _result_of(_json_of(await response.aread()), own)


def _json_of(text: str | bytes) -> Any:
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        raise MCPError(code=t.PARSE_ERROR, message="the answer is not valid JSON-RPC") from None


def _result_of(told: Any, own: str) -> dict[str, Any]:
    error = told.get("error") if is_object(told) else None
    if is_object(error) and isinstance(error.get("code"), int):
        raise MCPError(code=error["code"], message=str(error.get("message")))
    if not is_object(told) or told.get("id") != own or not is_object(told.get("result")):
        raise MCPError(code=t.PARSE_ERROR, message="the answer is not valid JSON-RPC")
    return told["result"]
