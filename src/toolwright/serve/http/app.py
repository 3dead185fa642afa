"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...limits import check_count, rate_from
from ..drain import HTTP_SECONDS, Drain
from ..guard import Caller, Guard, Refusal, tokens_from, user_of
from ..metadata import Metadata
from ..pace import Pace
from ..state_key import Keys, state_keys
from .asgi import Header, Receive, Scope, Send, answer, respond, say
from .body import Gone, read_body, replayed
from .exchanges import Exchange, Exchanges, give_up, is_listener, is_new, refuse
from .health import PATHS, tell_health
from .plain import PlainRequests
from .sessions import SdkSessions

if TYPE_CHECKING:
    from ..box import Box
    from ..signin import SignIn

MOST_BODY = 4 * 1024 * 1024
_ONCE = frozenset((b"host", b"origin", b"authorization"))


class App:
    """Answers one path; started by its first request, ended with its loop or by `lifespan`."""

    def __init__(
        self,
        box: Box,
        *,
        path: str = "/mcp",
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        tokens: Any = None,
        sign_in: SignIn | None = None,
        resource: str = "",
        stateless: bool = False,
        max_body: int = MOST_BODY,
        rate_limit: str | None = None,
        metrics: bool = False,
        drain: float = HTTP_SECONDS,
        state_key: Keys = None,
        short: bool = True,
    ) -> None:
        self.box = box
        self.path = path.rstrip("/")
        self.guard = Guard(hosts=hosts, origins=origins, tokens=tokens_from(tokens))
        self.counted = metrics
        """Whether the metrics of Prometheus are shown at `/metrics`."""
        self.sign_in = sign_in
        self.metadata = None if sign_in is None else Metadata.of(sign_in, resource)
        check_count("max_body", max_body)
        self.most_body = max_body
        self.pace = Pace(rate_from(rate_limit)) if rate_limit is not None else None
        self.short = PlainRequests(box, watch=not stateless) if short else None
        self.drain = Drain(drain)
        self.exchanges = Exchanges(self.drain)
        self._stopping: asyncio.Future[None] | None = None
        self.sdk = SdkSessions(
            box,
            stateless=stateless,
            most_body=max_body,
            drain=self.drain,
            state_keys=state_keys(state_key),
            stop=self.stop,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        asked = scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")
        if self.metadata and asked == self.metadata.path and scope["method"] == "GET":
            # Anybody may read who lets people in, a page of any origin included.
            await answer(send, self.metadata.document, (b"access-control-allow-origin", b"*"))
            return
        if asked not in (self.path, "") and not (self.counted and asked == "/metrics"):
            if asked in PATHS:
                await tell_health(send, scope["method"], asked, is_ready=not self.drain.begun)
            else:
                await say(send, 404, "not found")
            return
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        once = len(headers) == len(scope["headers"])
        if not once and _is_ambiguous(scope["headers"]):
            await say(send, 400, "a header that must come once came twice")
            return
        who = await self._who(headers)
        # Whoever guesses tokens is counted, too.
        if self.pace is not None and (wait := self.pace.wait(_client(scope, who))):
            await say(send, 429, "too many requests", (b"retry-after", b"%d" % wait))
        elif isinstance(who, Refusal):
            await _refuse(send, who)
        elif self.counted and asked == "/metrics":
            await _metrics(send)
        else:
            # Headers that came twice are for somebody who looks at them closely.
            await self._admitted(scope, headers if once else {}, receive, send, who)

    async def _who(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal | None:
        """Return who asks, or why they are refused; None if anybody may ask."""
        who = self.guard.check(headers)
        if self.sign_in is None or isinstance(who, Caller):
            return who
        if isinstance(who, Refusal) and who.status != 401:
            return who
        found = await self.sign_in.check(headers)
        if not isinstance(found, Refusal) or found.status == 503:
            return found
        where = self.metadata.address if self.metadata is not None else ""
        return found._replace(challenge=self.sign_in.challenge(found, where))

    async def _admitted(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        who: Caller | None,
    ) -> None:
        exchange = Exchange()
        self.exchanges.open.add(exchange)
        try:
            await self._exchange(exchange, scope, headers, receive, send, who)
        except asyncio.CancelledError:
            if not exchange.is_stopped:
                raise
            await give_up(send, exchange)
        finally:
            self.exchanges.open.discard(exchange)

    async def _exchange(
        self,
        exchange: Exchange,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        who: Caller | None,
    ) -> None:
        method = scope["method"]
        if method == "POST":
            try:
                body = await read_body(receive, self.most_body)
            except Gone:
                return
            if body is None:
                await say(send, 413, f"a request may have {self.most_body} bytes")
                return
            exchange.body = body
        if self.drain.begun and is_new(method, headers, exchange.body):
            await refuse(send)
            return
        if method == "POST":
            exchange.kind = "plain"
            if self.short and await self.short.answered(headers, exchange.body, receive, send, who):
                return
            receive = replayed(exchange.body, receive)
        exchange.kind = None if is_listener(method, headers) else "sdk"
        if who is not None:
            scope = {**scope, "toolwright.caller": who, "user": user_of(who)}
        await self.sdk.answer(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def stop(self) -> None:
        """Answer what runs, refuse what is new, and end every stream."""
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self._stop())
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        drain, exchanges = self.drain, self.exchanges
        drain.begin()
        self.sdk.end_listeners()
        await drain.wait()
        exchanges.stop("plain")
        await drain.stop()
        await drain.until(lambda: not exchanges.are_at_work, 1)
        await drain.settle()  # an answer may go to a stream that was resumed, which is no work
        await self.sdk.end_sessions()
        await drain.until(lambda: not exchanges.open, 0.5)
        exchanges.stop()
        await drain.until(lambda: not exchanges.open, 0.5)

    async def close(self) -> None:
        """End all sessions, and close the toolbox."""
        await self.stop()
        await self.sdk.close()
        await self.box.aclose()
        self.drain.over()
        self._stopping = None


def _client(scope: Scope, who: Caller | Refusal | None) -> str:
    """Return who a request counts for: the owner of its token, or the machine it comes from."""
    if isinstance(who, Caller):
        return f"caller {who.name}"
    return str(scope["client"][0]) if scope.get("client") else ""


def _is_ambiguous(headers: Iterable[Header]) -> bool:
    """Return whether what decides who may ask was sent twice."""
    seen = [name for name, _ in headers if name in _ONCE]
    return len(seen) != len(set(seen))


async def _refuse(send: Send, why: Refusal) -> None:
    more: list[Header] = []
    if why.challenge:
        more.append((b"www-authenticate", why.challenge.encode()))
    if why.status == 503:
        more.append((b"retry-after", b"10"))
    await say(send, why.status, why.said, *more)


async def _metrics(send: Send) -> None:
    import prometheus_client as prometheus

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    await respond(send, 200, prometheus.generate_latest(), kind)
