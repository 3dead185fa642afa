"""Messages to and from a server: requests, answers, questions, reports, changes."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import mcp_types as t
from anyio.abc import ObjectReceiveStream
from mcp.shared.exceptions import MCPError
from mcp_types.methods import parse_server_notification
from opentelemetry import trace
from pydantic import ValidationError
from pydantic_core import from_json

from ..._json_values import is_object, strict_json, without_surrogates
from ..._log import logger
from ..._protocol import HANDSHAKE_VERSIONS, META
from ...errors import CallError
from ..bounds import MOST_QUESTIONS, short
from ..question_handlers import ABILITIES, FORM, ROOTS, SAMPLE, NoAnswer, QuestionHandlers
from ..settings import ClientSettings
from .interface import RequestScope, current_scope, told

_log = logger("client")
_LISTS = frozenset(("tools", "resources", "resourceTemplates", "prompts"))
_SENT = object()
"""The data of an error that a server has sent without any."""


class IncomingMessages(ObjectReceiveStream[Any]):
    """The stream that the SDK reads; every error in it has data, every notification is valid.

    The SDK reports a lost connection with a number that any server may send for its own errors:
    -32000. But the SDK's own errors have no data, and so an error without any is not the server's.
    It also logs a trace for each notification that is not valid, and a server may send very many.
    """

    def __init__(self, stream: Any, server: str, version: Callable[[], str | None]) -> None:
        self._stream = stream
        self._server = server
        self._version = version
        self._has_warned = False

    @property
    def last_context(self) -> Any:
        """The context of whoever sent the last message, where the transport has one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        """Return the next message. Raises what the stream raises at its end."""
        while True:
            came = await self._stream.receive()
            message = getattr(came, "message", None)
            if isinstance(message, t.JSONRPCError) and message.error.data is None:
                message.error.data = _SENT
            if not isinstance(message, t.JSONRPCNotification) or self._is_valid(message):
                return came

    def _is_valid(self, notice: t.JSONRPCNotification) -> bool:
        version = self._version() or HANDSHAKE_VERSIONS[-1]
        try:
            parse_server_notification(notice.method, version, notice.params)
        except ValidationError:
            if not self._has_warned:
                self._has_warned = True
                text = (
                    "%s sends notifications that break the protocol, such as %s: they are dropped"
                )
                _log.warning(text, self._server, short(notice.method, 100))
            return False
        except (KeyError, ValueError):  # of a method or a version that the SDK does not know
            pass
        return True

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()


@asynccontextmanager
async def told_apart(
    transport: AbstractAsyncContextManager[tuple[Any, Any]],
    server: str,
    version: Callable[[], str | None],
) -> AsyncGenerator[tuple[Any, Any]]:
    """Yield the streams of a transport, in which errors of the server can be told from others."""
    async with transport as (incoming, write):
        yield IncomingMessages(incoming, server, version), write


def result_in(reply: Any) -> dict[str, Any]:
    """Return the result in the answer to a request. Raises `MCPError`."""
    error = reply.get("error") if is_object(reply) else None
    if is_object(error) and isinstance(error.get("code"), int):
        data = error.get("data")
        text = str(error.get("message"))
        raise MCPError(code=error["code"], message=text, data=_SENT if data is None else data)
    if not is_object(reply) or not is_object(reply.get("result")):
        raise unreadable()
    return reply["result"]


def unreadable() -> MCPError:
    """Return the exception for an answer that is not one."""
    return MCPError(code=t.PARSE_ERROR, message="the answer is not valid JSON-RPC")


def is_lost(error: BaseException) -> bool:
    """Return whether the connection was lost: the SDK says so, or we do; not the server."""
    if not isinstance(error, MCPError):
        return False
    return error.code == t.CONNECTION_CLOSED and error.data is None


def read_json(text: str | bytes) -> Any:
    """Read what a server has sent. Raises `ValueError` for what is not JSON.

    A lone surrogate, such as half of an emoji that was cut, is replaced, but not in the items of
    a list: a name must stay what it is, so there it is a fault of that item.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        pass
    try:
        message = strict_json(text)
        result: Any = message.get("result") if is_object(message) else None
        items = (
            {key: result.pop(key) for key in _LISTS & result.keys()} if is_object(result) else {}
        )
        message = without_surrogates(message)
    except RecursionError as error:
        raise ValueError from error
    if items:
        message["result"] |= items
    return message


# -- requests without the SDK

_STAMPS = tuple(f"{META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities"))
"""What each request says about its client since 2026-07-28 (basic, General fields)."""
_NOTICE_SECONDS = 1.0
"""How long a server may take to accept that nobody waits for an answer any more."""


class OwnRequests:
    """Writes requests around the SDK, which takes longer for them: docs/decisions/0027-client.md.

    Calls inside a span of OpenTelemetry go through the SDK, which writes the span into requests.
    """

    def __init__(self, tell: Callable[[Mapping[str, Any]], Awaitable[None]]) -> None:
        self._tell = tell
        self._ids = itertools.count(1)
        self._listening: dict[str, RequestScope] = {}
        """Requests whose progress is asked for, by token."""
        self._stamp: dict[str, Any] = {}
        self.is_stateless = False

    def learn(self, params: Any) -> None:
        """Remember what a request of the SDK says about the client, if it says all of it."""
        meta = params.get("_meta") if is_object(params) else None
        if is_object(meta) and all(key in meta for key in _STAMPS):
            self._stamp = {key: meta[key] for key in _STAMPS}

    def agree(self, version: str) -> None:
        """Say this version from now on; it may not be the one that the SDK has asked for."""
        if self._stamp:
            self._stamp[_STAMPS[0]] = version

    def can_send(self) -> bool:
        """Return whether a request of ours would say what one of the SDK's does."""
        if self.is_stateless and not self._stamp:
            return False
        return not trace.get_current_span().get_span_context().is_valid

    def written(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> tuple[str, dict[str, Any]]:
        """Return a new id, and the request."""
        request_id = f"call-{next(self._ids)}"
        meta = {**params.get("_meta", {}), **(self._stamp if self.is_stateless else {})}
        if scope.on_progress is not None:
            meta["progressToken"] = request_id
            self._listening[request_id] = scope
        sent_params = {**params, "_meta": meta} if meta else params
        return request_id, {
            "jsonrpc": "2.0",
            "id": request_id,
            "method": method,
            "params": sent_params,
        }

    async def give_up(self, request_id: str) -> None:
        """Cancel a request at the server: its answer is no longer wanted."""
        params = {"requestId": request_id, "reason": "the caller no longer waits"}
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_NOTICE_SECONDS):
                await self._tell(notice)


# -- what a server sends by itself

_CHANGES: Mapping[str, str] = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}
_ANSWERS: Mapping[str, Any] = {
    FORM: t.ElicitResult,
    SAMPLE: t.CreateMessageResult,
    ROOTS: t.ListRootsResult,
}
"""The types of answers to questions."""


class ServerMessages:
    """Passes on what a server sends by itself, whether the SDK or one of our calls has read it."""

    def __init__(self, settings: ClientSettings, changed: Callable[[str, str], object]) -> None:
        self.settings = settings
        self.handlers = QuestionHandlers(settings)
        self.changed = changed
        """Told of `tools`, `resources`, `prompts` that have changed, or one `resource`."""
        self.scopes: dict[RequestScope, None] = {}
        """The requests that wait for their answers."""

    def _scope(self) -> RequestScope | None:
        """Return the request that a message belongs to.

        HTTP says which; over standard streams it is known only if there is just one request.
        """
        scope = current_scope.get()
        if scope is not None and scope in self.scopes:
            return scope
        calls = [scope for scope in self.scopes if scope.is_call]
        return calls[0] if len(calls) == 1 else None

    # -- read by the SDK

    def asked(self, method: str) -> Any:
        """Return what answers the SDK's questions of a kind."""

        async def answer(_context: Any, params: Any = None) -> Any:
            asked_params = {} if params is None else _plain(params)
            return await self._asked(method, asked_params, self._scope())

        return answer

    async def logged(self, params: Any) -> None:
        """Pass on a line of a log."""
        scope = self._scope()
        listener = (scope.on_log if scope is not None else None) or self.settings.on_log
        if listener is not None:
            await told(listener, str(params.level), params.data)

    async def noticed(self, message: Any) -> None:
        """Pass on a change."""
        params: Any = getattr(message, "params", None)
        await self._changed(getattr(message, "method", ""), getattr(params, "uri", ""))

    # -- read in the answer to a call

    async def heard(self, message: Mapping[str, Any], scope: RequestScope) -> None:
        """Pass on what a server says while it answers a call."""
        params: Any = message.get("params")
        params = params if is_object(params) else {}
        if message["method"] == "notifications/progress":
            await scope.reported(params)
        elif message["method"] == "notifications/message":
            if scope.on_log is not None and "data" in params:
                await told(scope.on_log, str(params.get("level")), params["data"])
        else:
            await self._changed(message["method"], params.get("uri"))

    async def reply(self, message: Mapping[str, Any], scope: RequestScope) -> dict[str, Any]:
        """Return the answer to a question that is asked while a call is answered."""
        method, params = message["method"], message.get("params")
        if method == "ping":
            came: Any = t.EmptyResult()
        elif method not in ABILITIES:
            came = t.ErrorData(code=t.METHOD_NOT_FOUND, message="Method not found")
        elif ABILITIES[method] not in self.handlers.abilities:
            came = t.ErrorData(code=t.INVALID_REQUEST, message="this client cannot be asked")
        else:
            came = await self._asked(method, dict(params) if is_object(params) else {}, scope)
        kind = "error" if isinstance(came, t.ErrorData) else "result"
        return {"jsonrpc": "2.0", "id": message["id"], kind: _plain(came)}

    # -- both

    async def _asked(
        self, method: str, params: dict[str, Any], scope: RequestScope | None
    ) -> t.ErrorData | Any:
        if scope is not None:
            scope.questions += 1
        key = f"question-{scope.questions if scope is not None else 0}"
        try:
            came = await self.answered(key, {"method": method, "params": params}, scope)
            return _ANSWERS[method].model_validate(came)
        except CallError as error:
            return t.ErrorData(code=t.INVALID_REQUEST, message=short(str(error)))
        except Exception as error:  # noqa: BLE001 - from a handler
            _log.exception("a handler of a server's questions failed")
            return t.ErrorData(
                code=t.INTERNAL_ERROR, message=f"{type(error).__name__} in a handler"
            )

    async def answered(
        self, key: str, asked: Mapping[str, Any], scope: RequestScope | None
    ) -> dict[str, Any]:
        """Return the answer to a question that a request has raised. Raises `CallError`."""
        answer = self.handlers.answer
        if scope is not None and scope.answer is not None:
            answer = scope.answer
        elif scope is None and any(running.answer is not None for running in self.scopes):
            raise NoAnswer("several calls are running, and the server does not say which asks")
        if scope is not None:
            scope.answers += 1
            if scope.answers > MOST_QUESTIONS:
                raise NoAnswer("there were too many questions about one request")
            scope.pause()
        try:
            came = await answer(key, str(asked.get("method", "")), asked.get("params") or {})
            return without_surrogates(came)
        finally:
            if scope is not None:
                scope.go_on()

    async def _changed(self, method: Any, uri: Any) -> None:
        what = _CHANGES.get(method) if isinstance(method, str) else None
        if what is not None:
            await told(self.changed, what, "")
        elif method == "notifications/resources/updated" and uri:
            await told(self.changed, "resource", str(uri))


def _plain(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
