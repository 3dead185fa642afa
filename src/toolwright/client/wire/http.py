"""HTTP with bounds, and errors that say what happened."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as t

UNREACHABLE = -32050
"""Our own code for what no server has said: no connection, or no answer."""
REFUSED = -32051
"""Our own code for an HTTP status that says no."""
_CONNECT_SECONDS = 15.0


class BoundedStream(httpx2.AsyncByteStream):
    """The body of an answer, up to a number of bytes."""

    def __init__(self, inner: Any, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the parts. Raises `StreamError`, which the SDK answers the request with."""
        size = 0
        try:
            async for part in self._inner:
                size += len(part)
                if size > self._most:
                    msg = f"the answer has more than {self._most:,} bytes"
                    raise httpx2.StreamError(msg)
                yield part
        except httpx2.TransportError as error:
            msg = f"the connection was lost: {_said(error)}"
            raise httpx2.StreamError(msg) from error

    async def aclose(self) -> None:
        """Close it."""
        await self._inner.aclose()


class BoundedClient(httpx2.AsyncClient):
    """Sends requests; what goes wrong with one is its own answer, and harms no other.

    The SDK's transport ends the whole connection for an exception of one request.
    """

    def __init__(self, most: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._most = most
        self.on_request: Callable[[httpx2.Request], None] | None = None

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send a request; there is always a response."""
        if self.on_request is not None and request.method == "POST":
            self.on_request(request)
        try:
            response = await super().send(request, **settings)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            return _error(request, 503, UNREACHABLE, f"it cannot be reached: {_said(error)}")
        except Exception as error:  # noqa: BLE001 - of the sign-in
            return _error(request, 401, REFUSED, f"the sign-in failed: {_said(error)}")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()  # a few bytes may stand for very many
            return _error(
                request, 502, REFUSED, "it sent a compressed answer, which was not asked for"
            )
        kind = response.headers.get("content-type", "").lower()
        if response.status_code >= 400 and request.method == "POST":
            return await self._refused(request, response, kind)
        if not kind.startswith("text/event-stream"):
            response.stream = BoundedStream(response.stream, self._most)
        return response

    async def _refused(
        self, request: httpx2.Request, response: httpx2.Response, kind: str
    ) -> httpx2.Response:
        """Say which status it was: the SDK does not."""
        if response.status_code == HTTPStatus.NOT_FOUND:
            response.stream = BoundedStream(response.stream, self._most)
            return response
        if kind.startswith("application/json"):
            response.stream = BoundedStream(response.stream, self._most)
            try:
                body = await response.aread()
                if isinstance(json.loads(body).get("error"), dict):
                    return response
            except (httpx2.StreamError, ValueError, AttributeError, RecursionError):
                pass
        await response.aclose()
        try:
            phrase = HTTPStatus(response.status_code).phrase
        except ValueError:
            phrase = ""
        text = f"it answered with HTTP {response.status_code} {phrase}".rstrip()
        return _error(request, response.status_code, REFUSED, text, response.headers)


def _error(
    request: httpx2.Request,
    status: int,
    code: int,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    fault = t.ErrorData(code=code, message=message)
    body = {"jsonrpc": "2.0", "id": None, "error": fault.model_dump(exclude_none=True)}
    kept = {
        name: value
        for name, value in (headers or {}).items()
        if name.lower() in ("www-authenticate", "retry-after")
    }
    return httpx2.Response(status, headers=kept, json=body, request=request)


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def http_client(
    headers: Mapping[str, str], token: str | None, most: int, auth: httpx2.Auth | None
) -> BoundedClient:
    """Return what sends the requests of one connection."""
    told = {"accept-encoding": "identity", **headers}
    if token is not None:
        told["authorization"] = f"Bearer {token}"
    # Answers may take long: each request has a deadline of its own.
    timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS, write=60.0, pool=None)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    return BoundedClient(most, headers=told, timeout=timeout, auth=auth, limits=limits)
