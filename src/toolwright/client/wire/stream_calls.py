"""Calls over standard streams that need nothing of the SDK."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as t
from mcp.shared.exceptions import MCPError
from opentelemetry import trace

from ..._json_values import compact_json, is_object
from ..._protocol import META
from ...run.loop import background
from .awaited_answer import AwaitedAnswer
from .incoming import server_error
from .scope import RequestScope

_Progress = Callable[[float, float | None, str | None], Awaitable[None]]
_Settle = Callable[[dict[str, Any], BaseException | None], object]
"""Takes the result of a call, or its error."""
STAMPS = tuple(f"{META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities"))
"""What each request says about its client since 2026-07-28 (basic, General fields)."""


class StreamCalls:
    """Sends `tools/call`, which is almost all traffic, and finds its answers among the lines.

    The SDK's session does the same with six times the work: see docs/decisions/0027-client.md.
    Everything else, and calls inside a span of OpenTelemetry, which the SDK writes into requests,
    goes through the SDK.
    """

    def __init__(
        self, send: Callable[[bytes], Awaitable[None]], send_here: Callable[[bytes], bool]
    ) -> None:
        self._send = send
        self._send_here = send_here
        """Sends from any thread; returns False if only the background loop can."""
        self._ids = itertools.count(1)
        self._waiting: dict[str, _Settle] = {}
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
        self._waiting[request_id] = functools.partial(_settle, answer)
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

    def begin(
        self,
        method: str,
        params: Mapping[str, Any],
        scope: RequestScope,
        answer: AwaitedAnswer,
        *,
        stateless: bool,
    ) -> bool:
        """Send a request from any thread; return whether it was sent."""
        try:
            answer.id, request = self._prepared(method, params, scope, stateless=stateless)
        except (ValueError, TypeError, RecursionError):  # not JSON: whoever sends it next says so
            return False
        self._waiting[answer.id] = answer.settle
        with contextlib.suppress(OSError):
            # `end` sets this before it looks for the calls that wait.
            if not self._ended and self._send_here(request):
                return True
        self._waiting.pop(answer.id, None)
        self._progress.pop(answer.id, None)
        return False

    def leave(self, own: str) -> None:
        """Stop waiting for a call, in any thread; if it has no answer, the server is told."""
        self._progress.pop(own, None)
        if self._waiting.pop(own, None) is not None and not self._ended:
            background.start(self._give_up(own))

    def _prepared(
        self, method: str, params: Mapping[str, Any], scope: RequestScope, *, stateless: bool
    ) -> tuple[str, bytes]:
        """Return a new id and the request."""
        request_id = f"call-{next(self._ids)}"
        meta = {**params.get("_meta", {}), **(self._stamp if stateless else {})}
        if scope.on_log is not None and stateless:
            meta[f"{META}logLevel"] = "debug"
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
        settle = self._waiting.pop(reply_id, None)
        if settle is None:
            return False
        result, error = told.get("result"), told.get("error")
        if is_object(result):
            settle(result, None)
        elif is_object(error) and isinstance(error.get("code"), int):
            settle({}, server_error(error))
        else:
            fault = "the answer is not valid JSON-RPC"
            settle({}, MCPError(code=t.PARSE_ERROR, message=fault))
        return True

    def fails(self, fault: Any) -> bool:
        """Fail the call whose answer cannot be read; return whether there is one."""
        settle = self._waiting.pop(fault.id, None) if isinstance(fault.id, str) else None
        if settle is None:
            return False
        settle({}, MCPError(code=fault.error.code, message=fault.error.message))
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
        for request_id in list(self._waiting):
            settle = self._waiting.pop(request_id, None)
            if settle is not None:
                settle({}, _closed())


def _settle(
    answer: asyncio.Future[dict[str, Any]], value: dict[str, Any], failure: BaseException | None
) -> None:
    if answer.done():
        return
    if failure is None:
        answer.set_result(value)
    else:
        answer.set_exception(failure)


def _closed() -> MCPError:
    return MCPError(code=t.CONNECTION_CLOSED, message="Connection closed")
