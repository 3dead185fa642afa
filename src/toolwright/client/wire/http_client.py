"""HTTP with bounds, and errors that say what happened."""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as t
from mcp.shared.exceptions import MCPError

from ..._json_values import is_object

_CONNECT_SECONDS = 15.0
_OURS = secrets.token_hex(16)
"""Stands in the data of errors that are made here: a server could send any number."""


class HttpFault(StrEnum):
    """What no server has said in an answer to a request."""

    UNREACHABLE = "unreachable"
    """There is no connection, or no answer."""
    REFUSED = "refused"
    """An HTTP status says no."""
    FORGOTTEN = "forgotten"
    """The server does not know the session: it has not looked at the request."""


def http_error(fault: HttpFault, message: str) -> MCPError:
    """Return the exception for what no server has said."""
    return MCPError(code=t.INTERNAL_ERROR, message=message, data=_data_of(fault))


def http_fault(error: MCPError) -> HttpFault | None:
    """Return the fault that an error stands for; None if it is the server's, or the SDK's."""
    data = error.data
    return HttpFault(data["fault"]) if is_object(data) and data.get("from") == _OURS else None


def _data_of(fault: HttpFault) -> dict[str, str]:
    return {"from": _OURS, "fault": fault}


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
            msg = f"the connection was lost: {said(error)}"
            raise httpx2.StreamError(msg) from error

    async def aclose(self) -> None:
        """Close it."""
        await self._inner.aclose()


class BoundedClient(httpx2.AsyncClient):
    """Sends requests; what goes wrong with one becomes its response, and harms no other.

    The SDK's transport ends the whole connection on an exception in one request.
    """

    def __init__(self, most: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._most = most
        self._refusal = ""
        """Why the sign-in failed while the connection was opened: nobody is asked twice for it."""
        self._has_worked = False
        self.on_answered: Callable[[httpx2.Response], None] | None = None
        """Gets the response to each POST that was not sent elsewhere."""

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        """Send a request; there is always a response."""
        if self._refusal and not self._has_worked:
            return _error(request, 401, HttpFault.REFUSED, self._refusal)
        response = await self._response_to(request, **settings)
        self._has_worked = self._has_worked or response.is_success
        if self.on_answered is not None and request.method == "POST" and not response.is_redirect:
            self.on_answered(response)
        return response

    async def _response_to(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        try:
            response = await super().send(request, **settings)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            return _error(
                request, 503, HttpFault.UNREACHABLE, f"it cannot be reached: {said(error)}"
            )
        except Exception as error:  # noqa: BLE001 - from the sign-in
            self._refusal = f"the sign-in failed: {said(error)}"
            return _error(request, 401, HttpFault.REFUSED, self._refusal)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()  # a few bytes may stand for very many
            text = "it sent a compressed answer, which was not asked for"
            return _error(request, 502, HttpFault.REFUSED, text)
        kind = response.headers.get("content-type", "").lower()
        if response.status_code >= 400 and request.method == "POST":
            return await self._refused(request, response, kind)
        if not kind.startswith("text/event-stream"):
            response.stream = BoundedStream(response.stream, self._most)
        return response

    async def _refused(
        self, request: httpx2.Request, response: httpx2.Response, kind: str
    ) -> httpx2.Response:
        """Return a response that names the status: the SDK does not."""
        status = response.status_code
        response.stream = BoundedStream(response.stream, self._most)
        error: Any = None
        if kind.startswith("application/json"):
            with contextlib.suppress(
                httpx2.StreamError, ValueError, AttributeError, RecursionError
            ):
                error = json.loads(await response.aread()).get("error")
        if "mcp-session-id" in request.headers and _forgets(status, error):
            await response.aclose()
            text = "it no longer knows the session"
            return _error(request, status, HttpFault.FORGOTTEN, text)
        if is_object(error) or status == HTTPStatus.NOT_FOUND:
            return response
        await response.aclose()
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = ""
        text = f"it answered with HTTP {status} {phrase}".rstrip()
        return _error(request, status, HttpFault.REFUSED, text, response.headers)


def _forgets(status: int, error: Any) -> bool:
    """Return whether a server says that it does not know a session.

    That is 404; but many servers, which follow an example of the TypeScript SDK, say 400.
    """
    fields = error if is_object(error) else {}
    if status == HTTPStatus.NOT_FOUND:
        return fields.get("code") != t.METHOD_NOT_FOUND
    return status == HTTPStatus.BAD_REQUEST and "session" in str(fields.get("message")).lower()


def _error(
    request: httpx2.Request,
    status: int,
    fault: HttpFault,
    message: str,
    headers: Mapping[str, str] | None = None,
) -> httpx2.Response:
    error = http_error(fault, message).error.model_dump(mode="json", exclude_none=True)
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    passed_on = {
        name: value
        for name, value in (headers or {}).items()
        if name.lower() in ("www-authenticate", "retry-after")
    }
    return httpx2.Response(status, headers=passed_on, json=body, request=request)


def said(error: Exception) -> str:
    """Return what an exception says, or its name."""
    return str(error) or type(error).__name__


def http_client(
    headers: Mapping[str, str], token: str | None, most: int, auth: httpx2.Auth | None
) -> BoundedClient:
    """Return the client that sends the requests of one connection."""
    sent_headers = {"accept-encoding": "identity", **headers}
    if token is not None:
        sent_headers["authorization"] = f"Bearer {token}"
    # Answers may take a long time: each request has a deadline of its own.
    timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS, write=60.0, pool=None)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    return BoundedClient(most, headers=sent_headers, timeout=timeout, auth=auth, limits=limits)
