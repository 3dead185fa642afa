"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...limits import check_count, check_seconds, rate_from
from ...run.threads import holder
from ..access.address import TrustedProxies, is_loopback
from ..access.guard import Caller, Guard, Refusal, tokens_from, user_of
from ..access.metadata import Metadata
from ..access.quotas import Client, Running, SessionLimits
from ..access.state_key import Keys, state_keys
from ..drain import HTTP_SECONDS, Drain
from ..sdk.calls import current_caller
from ..tasks.records import open_stores
from .admission import FAILED_SIGN_INS, Admission, reached
from .asgi import Header, Receive, Scope, Send, answer, respond, say
from .body import BodyMemory, BodyTimes, Full, Gone, Slow, read_body, replayed
from .cors import answer_preflight, is_preflight, readable_by
from .exchanges import Exchange, Exchanges, give_up, is_listener, is_new, refuse
from .health import PATHS, tell_health
from .plain import PlainRequests
from .sessions import SdkSessions

if TYPE_CHECKING:
    from ..access.oauth import SignIn
    from ..servable import Servable

MOST_BODY = 4 * 1024 * 1024
BODY_TIMEOUT = 30.0
"""Seconds for a body, or for taking an answer; large ones have a second more for each 64 kB."""
_BODIES = 64
"""How many bodies of the largest size may be unfinished at a time, and how many may be at work."""
_CLOSE: Header = (b"connection", b"close")
_ONCE = frozenset((b"host", b"origin", b"authorization"))


class App:
    """Answers one path; started by its first request, ended with its loop or by `lifespan`."""

    def __init__(
        self,
        box: Servable,
        *,
        path: str = "/mcp",
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        tokens: Any = None,
        sign_in: SignIn | None = None,
        resource: str = "",
        stateless: bool = False,
        max_body: int = MOST_BODY,
        body_timeout: float = BODY_TIMEOUT,
        trusted_proxies: Iterable[str] = (),
        failed_sign_ins: str = FAILED_SIGN_INS,
        rate_limit: str | None = None,
        metrics: bool = False,
        drain: float = HTTP_SECONDS,
        state_key: Keys = None,
        short: bool = True,
        **session_limits: Any,
    ) -> None:
        open_stores(box)
        self.box = box
        self.path = path.rstrip("/")
        self.guard = Guard(hosts=hosts, origins=origins, tokens=tokens_from(tokens))
        self.counted = metrics
        """Whether the metrics of Prometheus are shown at `/metrics`."""
        self.metadata = None if sign_in is None else Metadata.of(sign_in, resource)
        check_count("max_body", max_body)
        check_seconds("body_timeout", body_timeout)
        self.most_body = max_body
        self.body_times = BodyTimes(body_timeout)
        self.bodies = BodyMemory(_BODIES * max_body)
        self.proxies = TrustedProxies(trusted_proxies)
        self.admission = Admission(
            self.guard,
            proxies=self.proxies,
            sign_in=sign_in,
            metadata=self.metadata,
            rate=None if rate_limit is None else rate_from(rate_limit),
            failed_sign_ins=failed_sign_ins,
        )
        limits = SessionLimits(**session_limits)
        self.running = Running(
            limits.max_streams, limits.max_streams_per_client, _BODIES * max_body
        )
        self.short = PlainRequests(box, self.running, watch=not stateless) if short else None
        self.drain = Drain(drain)
        self.exchanges = Exchanges(self.drain)
        self._stopping: asyncio.Future[None] | None = None
        self.sdk = SdkSessions(
            box,
            stateless=stateless,
            most_body=max_body,
            limits=limits,
            running=self.running,
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
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        asked = scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")
        if self.metadata and asked == self.metadata.path:
            await _tell_metadata(send, scope["method"], headers, self.metadata)
            return
        origin = headers.get(b"origin")
        shares = origin is not None and self.guard.shares_with(origin)
        if origin is not None and shares:
            send = readable_by(origin, send)
        if asked not in (self.path, "") and not (self.counted and asked == "/metrics"):
            if asked in PATHS:
                await tell_health(send, scope["method"], asked, is_ready=not self.drain.begun)
            else:
                await say(send, 404, "not found")
        elif len(headers) != len(scope["headers"]) and _is_ambiguous(scope["headers"]):
            await say(send, 400, "a header that must come once came twice")
        elif shares and is_preflight(scope["method"], headers):
            await self._preflight(scope, headers, send)
        else:
            await self._checked(Exchange(scope, headers, receive, send), asked)

    async def _preflight(self, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        refused = self.guard.refusal(headers, reached(scope))
        await (_refuse(send, refused) if refused else answer_preflight(send, headers))

    async def _checked(self, exchange: Exchange, asked: str) -> None:
        """Answer a request, if whoever sent it may ask."""
        scope, headers, send = exchange.scope, exchange.headers, exchange.send
        client = exchange.client = self.proxies.client(scope)
        who = await self.admission.check(scope, headers, client)
        if isinstance(who, Refusal):
            kind = "rate" if who.status == 429 else "sign-in"
            self.box.refused(
                kind, str(who.status), caller=who.caller, client=client, reason=who.said
            )
            await _refuse(send, who)
        elif self.counted and asked == "/metrics":
            await _metrics(send, self.box, who)
        else:
            exchange.caller = who
            # Whom the threads that it uses count for.
            exchange.counts_for = self._counts_for(who, client)
            holder.set(exchange.counts_for.name)
            # Headers that came twice are for somebody who looks at them closely.
            if len(headers) != len(scope["headers"]):
                exchange.headers = {}
            await self._admitted(exchange)

    def _counts_for(self, who: Caller | None, address: str) -> Client:
        name = address if who is None else f"caller {who.name}"
        is_shared = is_loopback(address) or self.proxies.trusts(address)
        return Client(name, "" if is_shared else address)

    async def _admitted(self, exchange: Exchange) -> None:
        self.exchanges.open.add(exchange)
        try:
            if exchange.method != "POST" or await self._has_body(exchange):
                await self._answered(exchange)
        except asyncio.CancelledError:
            if not exchange.is_stopped:
                raise
            await give_up(exchange)
        finally:
            self.exchanges.open.discard(exchange)

    async def _has_body(self, exchange: Exchange) -> bool:
        """Read the body; if it cannot be had, say why. Return whether it is there."""
        send = exchange.send
        try:
            body = await read_body(
                exchange.receive, self.most_body, self.body_times, self.bodies, exchange.client
            )
        except Gone:
            return False
        except Slow:
            await say(send, 408, "the body of the request did not come in time", _CLOSE)
            return False
        except Full:
            wait = (b"retry-after", b"1")
            await say(send, 503, "too many large requests at once", wait, _CLOSE)
            return False
        if body is None:
            await say(send, 413, f"a request may have {self.most_body} bytes")
            return False
        exchange.body = body
        return True

    async def _answered(self, exchange: Exchange) -> None:
        """Answer on the short path, or through the SDK."""
        if self.drain.begun and is_new(exchange):
            await refuse(exchange.send)
            return
        receive = exchange.receive
        if exchange.method == "POST":
            exchange.kind = "plain"
            if self.short and await self.short.answered(exchange):
                return
            receive = replayed(exchange.body, receive)
        exchange.kind = None if is_listener(exchange) else "sdk"
        scope = {
            **exchange.scope,
            "toolwright.client": exchange.client,
            "toolwright.counts_for": exchange.counts_for,
            "toolwright.size": len(exchange.body),
        }
        who = exchange.caller
        if who is not None:
            scope = {**scope, "toolwright.caller": who, "user": user_of(who)}
        current_caller.set(who)
        await self.sdk.answer(scope, receive, exchange.send, exchange.body)

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


def _is_ambiguous(headers: Iterable[Header]) -> bool:
    """Return whether what decides who may ask was sent twice."""
    seen = [name for name, _ in headers if name in _ONCE]
    return len(seen) != len(set(seen))


async def _refuse(send: Send, why: Refusal) -> None:
    more: list[Header] = []
    if why.challenge:
        more.append((b"www-authenticate", why.challenge.encode()))
    seconds = why.retry_after or (10 if why.status == 503 else 0)
    if seconds:
        more.append((b"retry-after", b"%d" % seconds))
    await say(send, why.status, why.said, *more)


async def _tell_metadata(
    send: Send, method: str, headers: Mapping[bytes, bytes], metadata: Metadata
) -> None:
    # Anybody may read who lets people in, a page of any origin included.
    send = readable_by(b"*", send)
    if is_preflight(method, headers):
        await answer_preflight(send, headers)
    elif method == "GET":
        await answer(send, metadata.document)
    else:
        await say(send, 404, "not found")


async def _metrics(send: Send, box: Servable, who: Caller | None) -> None:
    import prometheus_client as prometheus

    from ...telemetry.metrics import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    await respond(send, 200, exposition(box, who.roles if who is not None else ()), kind)
