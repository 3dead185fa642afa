"""Plain requests in sessions, answered on the short path."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING, Any

from ...._json_values import is_object
from ...._protocol import HANDSHAKE_VERSIONS
from ....arguments.sample import parsed
from ....run.current import asked_by
from ...access.quotas import MOST_HELLO, Running, cost_of
from ...short_path import (
    PlainRequest,
    claims_modern,
    level_asked,
    plain_request,
    reply,
)
from ..asgi import JSON, respond
from ..exchanges import Exchange
from ..http_call import ShortRequests
from .call import SessionCall, answer_in
from .table import Session, SessionTable, named, refuse_session

if TYPE_CHECKING:
    from ....call import Call
    from ...offering import Live
    from ..http_call import TakeOver

_VERSIONS = frozenset(version.encode() for version in HANDSHAKE_VERSIONS)
_NOTICE = frozenset(("jsonrpc", "method", "params"))
_MOST_DIGITS = 40


class SessionRequests(ShortRequests[SessionCall]):
    """Answers in sessions what the short path can; anything else is for the SDK."""

    def __init__(
        self, box: Live, running: Running, table: SessionTable, take_over: TakeOver
    ) -> None:
        super().__init__(box, running, take_over, watch=True)
        self.table = table

    async def answered(self, exchange: Exchange) -> bool:
        """Answer a plain request; return whether it was one."""
        headers = exchange.headers
        version = headers.get(b"mcp-protocol-version")
        if version is not None and version not in _VERSIONS:
            return False
        sent = headers.get(b"mcp-session-id")
        if sent is None:
            return exchange.method == "POST" and await self._begun(exchange)
        session = self.table.find(sent.decode("latin-1"), exchange.sender.owner)
        if session is None:
            return False
        session.in_use += 1
        try:
            if exchange.method == "DELETE":
                self.table.end(session)
                await respond(exchange.send, 200, b"", JSON, named(session))
                return True
            return exchange.method == "POST" and await self._within(session, exchange)
        finally:
            self.table.leave(session)

    async def _begun(self, exchange: Exchange) -> bool:
        """Answer `initialize`, which begins a session."""
        body = exchange.body
        request = _asked(exchange)
        if not isinstance(request, PlainRequest) or request.method != "initialize":
            return False
        if claims_modern(request) or len(body) > MOST_HELLO:
            return False
        agreed = self.short_path.handshake(request)
        if agreed is None:
            return False
        session = self.table.open(exchange.sender, cost_of(body))
        if session is None:
            await refuse_session(exchange.send)
            return True
        session.hello = body
        session.protocol = agreed[1]
        session.is_plain = True
        await answer_in(session, self.table, exchange, agreed[0])
        return True

    async def _within(self, session: Session, exchange: Exchange) -> bool:
        request = _asked(exchange)
        if request is None:
            return False
        if not isinstance(request, PlainRequest):
            return await self._noticed(session, request, exchange)
        if request.method == "initialize":
            session.is_plain = False  # from now on only the SDK knows what was agreed upon
        if not session.is_plain or claims_modern(request):
            return False
        if request.method != "tools/call":
            return await self._quick(session, request, exchange)
        viewer = exchange.sender.viewer(self.box.now, request.id)
        task = self.short_path.task(request, session.protocol, viewer)
        if task is None:
            return False
        await self.start(SessionCall(task, self.box, exchange, self.take_over, session, self.table))
        return True

    async def _quick(self, session: Session, asked: PlainRequest, exchange: Exchange) -> bool:
        """Answer what is known without running anything."""
        if asked.method == "ping" and not asked.params:
            await answer_in(session, self.table, exchange, reply(asked.id, b"{}"))
            return True
        if asked.method == "logging/setLevel":
            return await self._level(session, asked, exchange)
        is_bare = asked.params.keys() <= {"_meta"} and "progressToken" not in asked.meta
        if asked.method != "tools/list" or not is_bare or self.box.now.about.page_size is not None:
            return False
        if self.running.count.excess(exchange.sender.client):
            return False  # the SDK says that too many run
        viewer = exchange.sender.viewer(self.box.now, asked.id)
        listed = self.short_path.listed(asked, session.protocol, viewer)
        await answer_in(session, self.table, exchange, listed)
        return True

    async def _level(self, session: Session, asked: PlainRequest, exchange: Exchange) -> bool:
        """Answer `logging/setLevel`; the SDK must know of it if it shares the session."""
        level = level_asked(asked)
        if level is None or not (self.box.is_live or self.box.now.sees_calls):
            return False
        session.level = level
        if session.transport is not None:
            return False
        await answer_in(session, self.table, exchange, reply(asked.id, b"{}"))
        return True

    # -- calls

    async def run(self, run: SessionCall, call: Call | None) -> None:
        """Run a call, which goes on if its client hangs up."""
        task, running, key = run.task, run.session.running, _key(run.task.id)
        running[key] = run
        run.watch(self.patience)
        try:
            with asked_by(run), self.box.busy() as box:
                result = await box.call(task.runner.name, task.arguments, call)
            await run.answer(self.short_path, result)
        except asyncio.CancelledError:
            if not await run.interrupted():
                raise
        finally:
            run.unwatch()
            if running.get(key) is run:
                del running[key]

    # -- notices

    async def _noticed(self, session: Session, notice: dict[str, Any], exchange: Exchange) -> bool:
        """Take a notification; return False if the SDK must know of it."""
        method, params = notice["method"], notice.get("params", {})
        if method == "notifications/cancelled":
            run = session.running.get(_key(params.get("requestId")))
            if isinstance(run, SessionCall) and not run.is_taken:
                run.cancel()
                await self._accept(session, exchange)
                return True
        elif method == "notifications/initialized" and params == {}:
            session.is_initialized = True
        elif method == "notifications/initialized":
            return False  # the SDK says whether these are valid
        if session.transport is not None or not session.is_plain:
            return False
        # Others are about the server's requests, and only the SDK makes any.
        await self._accept(session, exchange)
        return True

    async def _accept(self, session: Session, exchange: Exchange) -> None:
        await respond(exchange.send, 202, b"", JSON, named(session))


def _asked(exchange: Exchange) -> PlainRequest | dict[str, Any] | None:
    """Return the request or notification in a body; None if anything about it is unusual."""
    headers = exchange.headers
    if not _is_json(headers.get(b"content-type", b"")):
        return None
    if not _accepts_both(headers.get(b"accept", b"")):
        return None
    try:
        message: Any = parsed(exchange.body)
    except ValueError:
        return None
    request = plain_request(message)
    if request is not None:
        return request
    if not is_object(message) or message.get("jsonrpc") != "2.0" or not message.keys() <= _NOTICE:
        return None
    is_notice = isinstance(message.get("method"), str) and is_object(message.get("params", {}))
    return message if is_notice else None


def _is_json(sent: bytes) -> bool:
    return sent == b"application/json" or sent.startswith(b"application/json;")


@functools.lru_cache(64)
def _accepts_both(sent: bytes) -> bool:
    """Return whether a client takes JSON and events, as it must (basic/transports)."""
    kinds = {kind.split(b";")[0].strip().lower() for kind in sent.split(b",")}
    if b"*/*" in kinds:
        return True
    return bool(kinds & {b"application/json", b"application/*"}) and bool(
        kinds & {b"text/event-stream", b"text/*"}
    )


def _key(number: Any) -> Any:
    """Return an id as it is compared; like the SDK, read numeric text as a number."""
    if isinstance(number, str) and len(number) < _MOST_DIGITS:
        with contextlib.suppress(ValueError):
            return int(number)
    return None if isinstance(number, bool) or not isinstance(number, int | str) else number
