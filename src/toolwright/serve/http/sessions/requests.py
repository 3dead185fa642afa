"""Plain requests of clients with a handshake, answered on the short path."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from typing import TYPE_CHECKING, Any

from ...._json_values import is_object
from ...._protocol import HANDSHAKE_VERSIONS
from ....arguments.sample import is_large, parsed
from ....call import Call
from ....outcome.failure import failed
from ....run.current import asked_by
from ...access.quotas import MOST_HELLO, Running, cost_of, too_many
from ...drain import STOPPED, refusal
from ...short_path import (
    PlainCall,
    PlainRequest,
    ShortPath,
    claims_modern,
    plain_request,
    progress,
    reply,
)
from ..asgi import JSON, Header, answer, respond
from ..exchanges import Exchange
from ..plain import call_of
from .event_stream import EventStream
from .sdk import refuse_session
from .table import Session, SessionTable, owner_of

if TYPE_CHECKING:
    from ...servable import Servable

_VERSIONS = frozenset(version.encode() for version in HANDSHAKE_VERSIONS)
_NOTICE = frozenset(("jsonrpc", "method", "params"))
_MOST_DIGITS = 40
_CANCELLED = -32800
"""The code with which the SDK answers a cancelled request of this era."""


class SessionCall:
    """One call that runs in a session."""

    def __init__(self, task: PlainCall, stream: EventStream) -> None:
        self.task = task
        self.stream = stream
        self.stopped_by = ""

    def cancel(self) -> None:
        """Stop it: its client does not want it any more."""
        self._stop("client")

    def end(self) -> None:
        """Stop it: its session has ended."""
        self._stop("session")

    def _stop(self, by: str) -> None:
        if not self.stopped_by:
            self.stopped_by = by
            self.stream.exchange.task.cancel()

    def outcome(self) -> bytes | None:
        """Return the answer to a call that was stopped. Raises what was not asked for here."""
        exchange = self.stream.exchange
        if not self.stopped_by and not exchange.is_stopped:
            raise asyncio.CancelledError
        exchange.task.uncancel()
        if self.stopped_by == "session":
            return None
        if self.stopped_by == "client":
            return refusal(self.task.id, "Request cancelled", _CANCELLED)
        return refusal(self.task.id, STOPPED)


class SessionRequests:
    """Answers in sessions what the short path can; anything else is for the SDK."""

    def __init__(self, box: Servable, running: Running, table: SessionTable) -> None:
        self.box = box
        self.running = running
        self.table = table
        self.short_path = ShortPath(box, watch=True)

    async def answered(self, exchange: Exchange) -> bool:
        """Answer a plain request; return whether it was one."""
        headers = exchange.headers
        version = headers.get(b"mcp-protocol-version")
        if not headers or (version is not None and version not in _VERSIONS):
            return False
        sent = headers.get(b"mcp-session-id")
        if sent is None:
            return exchange.method == "POST" and await self._begun(exchange)
        session = self.table.find(sent.decode("latin-1"), owner_of(exchange.caller))
        if session is None:
            return False
        session.in_use += 1
        try:
            if exchange.method == "DELETE":
                self.table.end(session)
                await respond(exchange.send, 200, b"", JSON, _named(session))
                return True
            return exchange.method == "POST" and await self._within(session, exchange)
        finally:
            self.table.leave(session)

    async def _begun(self, exchange: Exchange) -> bool:
        """Answer `initialize`, which begins a session."""
        body = exchange.body
        asked = _asked(exchange)
        if not isinstance(asked, PlainRequest) or asked.method != "initialize":
            return False
        if claims_modern(asked) or len(body) > MOST_HELLO:
            return False
        agreed = self.short_path.handshake(asked)
        if agreed is None:
            return False
        session = self.table.open(exchange.counts_for, owner_of(exchange.caller), cost_of(body))
        if session is None:
            await refuse_session(exchange.send)
            return True
        session.hello = body
        session.protocol = agreed[1]
        session.is_plain = True
        await answer(exchange.send, agreed[0], _named(session))
        return True

    async def _within(self, session: Session, exchange: Exchange) -> bool:
        asked = _asked(exchange)
        if asked is None:
            return False
        if not isinstance(asked, PlainRequest):
            return await self._noticed(session, asked, exchange)
        if asked.method == "initialize":
            session.is_plain = False  # from now on only the SDK knows what was agreed upon
        if not session.is_plain or claims_modern(asked):
            return False
        if asked.method == "tools/call":
            return await self._called(session, asked, exchange)
        return await self._quick(session, asked, exchange)

    async def _quick(self, session: Session, asked: PlainRequest, exchange: Exchange) -> bool:
        """Answer what is known without running anything."""
        if asked.method == "ping" and not asked.params:
            await answer(exchange.send, reply(asked.id, b"{}"), _named(session))
            return True
        is_bare = asked.params.keys() <= {"_meta"} and "progressToken" not in asked.meta
        if asked.method != "tools/list" or not is_bare or self.box.page_size is not None:
            return False
        if self.running.count.excess(exchange.counts_for):
            return False  # the SDK says that too many run
        who = exchange.caller
        roles = who.roles if who is not None else ()
        listed = self.short_path.listed(asked, session.protocol, roles)
        await answer(exchange.send, listed, _named(session))
        return True

    # -- calls

    async def _called(self, session: Session, asked: PlainRequest, exchange: Exchange) -> bool:
        who = exchange.caller
        task = self.short_path.task(asked, session.protocol, who.roles if who is not None else ())
        if task is None:
            return False
        runner = task.runner
        is_small = not is_large(task.arguments)
        if runner.inline and runner.is_plain and not self.box.is_wrapped and is_small:
            with self.box.busy(), asked_by(lambda: call_of(task, exchange)):
                result = runner.call(task.arguments)
            await answer(exchange.send, self.short_path.finished(task, result), _named(session))
        elif self.running.begin(exchange.counts_for, len(exchange.body)):
            try:
                await self._run(task, session, exchange)
            finally:
                self.running.end(exchange.counts_for, len(exchange.body))
        else:
            await self._refuse(task, session, exchange)
        return True

    async def _run(self, task: PlainCall, session: Session, exchange: Exchange) -> None:
        """Run a call, which goes on if its client hangs up."""
        stream = EventStream(exchange, session, self.table)
        run = session.running[_key(task.id)] = SessionCall(task, stream)
        message: bytes | None
        try:
            with asked_by(lambda: call_of(task, exchange)):
                call = self._call(task, stream)
                sent = task.arguments
                result = await self.box.call_async(task.runner.name, sent, call=call)
            message = self.short_path.finished(task, result)
        except asyncio.CancelledError:
            message = run.outcome()
        finally:
            stream.timer.cancel()
            if session.running.get(_key(task.id)) is run:
                del session.running[_key(task.id)]
        await stream.finish(message)

    def _call(self, task: PlainCall, stream: EventStream) -> Call | None:
        """Return the call that a tool or a hook sees; None if nothing can see it."""
        tells = task.token is not None and task.runner.may_tell
        if not tells and stream.exchange.caller is None and not self.box.is_wrapped:
            return None
        if not tells:
            return call_of(task, stream.exchange)

        def on_progress(done: float, total: float | None, said: str) -> None:
            stream.tell(progress(task.token, done, total, said))

        return call_of(task, stream.exchange, on_progress)

    async def _refuse(self, task: PlainCall, session: Session, exchange: Exchange) -> None:
        """Answer a call that may not run now: too many do."""
        busy, who = too_many(), exchange.caller
        name = None if who is None else who.name
        self.box.refused("tool", busy.code, task.runner.name, caller=name, client=exchange.client)
        finished = self.short_path.finished(task, failed(busy))
        await answer(exchange.send, finished, _named(session))

    # -- notices

    async def _noticed(self, session: Session, notice: dict[str, Any], exchange: Exchange) -> bool:
        """Take a notification; return whether the SDK need not know of it."""
        method, params = notice["method"], notice.get("params", {})
        if method == "notifications/cancelled":
            run = session.running.get(_key(params.get("requestId")))
            if isinstance(run, SessionCall):
                run.cancel()
                await self._accept(session, exchange)
                return True
        elif method == "notifications/initialized" and params == {}:
            session.is_initialized = True
        elif method == "notifications/initialized":
            return False  # the SDK says whether these are right
        if session.transport is not None or not session.is_plain:
            return False
        # Others are about requests of the server, and only the SDK makes any.
        await self._accept(session, exchange)
        return True

    async def _accept(self, session: Session, exchange: Exchange) -> None:
        await respond(exchange.send, 202, b"", JSON, _named(session))


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
    asked = plain_request(message)
    if asked is not None:
        return asked
    if not is_object(message) or message.get("jsonrpc") != "2.0" or not message.keys() <= _NOTICE:
        return None
    is_notice = isinstance(message.get("method"), str) and is_object(message.get("params", {}))
    return message if is_notice else None


def _is_json(sent: bytes) -> bool:
    return sent == b"application/json" or sent.startswith(b"application/json;")


@functools.lru_cache(64)
def _accepts_both(sent: bytes) -> bool:
    """Return whether a client takes JSON and events, as it must (basic/transports)."""
    kinds = {each.split(b";")[0].strip().lower() for each in sent.split(b",")}
    if b"*/*" in kinds:
        return True
    return bool(kinds & {b"application/json", b"application/*"}) and bool(
        kinds & {b"text/event-stream", b"text/*"}
    )


def _named(session: Session) -> Header:
    return b"mcp-session-id", session.id.encode()


def _key(number: Any) -> Any:
    """Return an id as it is compared; like the SDK, take text for the number that it says."""
    if isinstance(number, str) and len(number) < _MOST_DIGITS:
        with contextlib.suppress(ValueError):
            return int(number)
    return None if isinstance(number, bool) or not isinstance(number, int | str) else number
