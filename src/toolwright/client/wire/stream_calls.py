"""Calls over standard streams that need nothing of the SDK."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as t
from mcp.shared.exceptions import MCPError
from opentelemetry import trace

from ..._json_values import compact_json, is_object
from ..._protocol import META
from .incoming import server_error
from .scope import RequestScope

_Progress = Callable[[float, float | None, str | None], Awaitable[None]]
STAMPS = tuple(f"{META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities"))
"""What each request says about its client since 2026-07-28 (basic, General fields)."""


class StreamCalls:
    """Sends `tools/call`, which is almost all traffic, and finds its answers among the lines.

    The SDK's session does the same with six times the work: see docs/decisions/0027-client.md.
    Everything else, and calls inside a span of OpenTelemetry, which the SDK writes into requests,
    goes through the SDK.
    """

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._ids = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._progress: dict[str, _Progress] = {}
        self._reports: set[asyncio.Task[None]] = set()
        self._stamp: dict[str, Any] = {}
        self._ended = False

    def learn(self, message: Any) -> None:
        """Remember what the SDK says about the client in its requests since 2026-07-28."""
        params = getattr(message, "params", None)
        meta = params.get("_meta") if is_object(params) else None
        if is_object(meta) and any(key in meta for key in STAMPS):
            self._stamp = {key: meta[key] for key in STAMPS if key in meta}

    def opened(self, version: str) -> None:
        """Say the version that was agreed upon, and no longer the one that was asked for."""
        if self._stamp:
            self._stamp[STAMPS[0]] = version

    def fits(self, *, stateless: bool) -> bool:
        """Return whether a call can be sent without the SDK."""
        if stateless and len(self._stamp) != len(STAMPS):
            return False
        return not trace.get_current_span().get_span_context().is_valid

    async def call(
        self, method: str, params: Mapping[str, Any], scope: RequestScope, *, stateless: bool
    ) -> dict[str, Any]:
        """Send a request and return its result. Raises `MCPError`."""
        if self._ended:
            raise _closed()
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        request_id, request = self._prepared(method, params, scope, stateless=stateless)
        self._waiting[request_id] = answer
        try:
            await self._send(request)
            return await answer
        except OSError:
            raise _closed() from None
        except asyncio.CancelledError:
            await self._give_up(request_id)
            raise
        finally:
            self._waiting.pop(request_id, None)
            self._progress.pop(request_id, None)

    def _prepared(
        self, method: str, params: Mapping[str, Any], scope: RequestScope, *, stateless: bool
    ) -> tuple[str, bytes]:
        """Return a new id and the request."""
        request_id = f"call-{next(self._ids)}"
        meta = {**params.get("_meta", {}), **(self._stamp if stateless else {})}
        if scope.on_progress is not None:
            meta["progressToken"] = request_id
        sent_params = {**params, "_meta": meta} if meta else params
        request = compact_json(
            {"jsonrpc": "2.0", "id": request_id, "method": method, "params": sent_params}
        )
        if scope.on_progress is not None:
            self._progress[request_id] = scope.progress
        return request_id, request

    async def _give_up(self, own: str) -> None:
        params = {"requestId": own, "reason": "the caller no longer waits"}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(1):
                await self._send(compact_json(message))

    def takes(self, told: Any) -> bool:
        """Take a message that belongs to a call; return whether it does."""
        if not is_object(told) or not self._waiting:
            return False
        if told.get("method") == "notifications/progress":
            return self._reported(told.get("params"))
        reply_id = told.get("id")
        if not isinstance(reply_id, str) or "method" in told:
            return False
        answer = self._waiting.pop(reply_id, None)
        if answer is None:
            return False
        result, error = told.get("result"), told.get("error")
        if is_object(error) and isinstance(error.get("code"), int):
            _fail(answer, server_error(error))
        elif not is_object(result):
            fault = "the answer is not valid JSON-RPC"
            _fail(answer, MCPError(code=t.PARSE_ERROR, message=fault))
        elif not answer.done():
            answer.set_result(result)
        return True

    def fails(self, fault: Any) -> bool:
        """Fail the call whose answer cannot be read; return whether there is one."""
        answer = self._waiting.pop(fault.id, None) if isinstance(fault.id, str) else None
        if answer is None:
            return False
        _fail(answer, MCPError(code=fault.error.code, message=fault.error.message))
        return True

    def _reported(self, params: Any) -> bool:
        token = params.get("progressToken") if is_object(params) else None
        listener = self._progress.get(token) if isinstance(token, str) else None
        if listener is None:
            return False
        done, total, text = (params.get(key) for key in ("progress", "total", "message"))
        if isinstance(done, int | float):
            of_all = total if isinstance(total, int | float) else None
            step = listener(done, of_all, text if isinstance(text, str) else None)
            self._reports.add(task := asyncio.ensure_future(step))
            task.add_done_callback(self._reports.discard)
        return True

    def end(self) -> None:
        """Notify all waiting calls that nothing more will come."""
        self._ended = True
        for answer in self._waiting.values():
            _fail(answer, _closed())


def _fail(answer: asyncio.Future[dict[str, Any]], error: MCPError) -> None:
    if not answer.done():
        answer.set_exception(error)


def _closed() -> MCPError:
    return MCPError(code=t.CONNECTION_CLOSED, message="Connection closed")
