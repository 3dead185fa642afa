"""The ASGI app of a toolbox, alone or mounted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..._log import log
from ...limits import rate_from
from ...refusals import Refused
from ..access.guard import (
    Guard,
    Refusal,
    TrustedProxies,
    is_loopback,
    tokens_from,
    user_of,
)
from ..access.quotas import Client, Running
from ..lifecycle import Drain, LifespanFailed, closed, open_stores, opened
from ..sender import Sender
from ..settings import CONSOLE_PATH, ServerConfig
from .admission import Admission, answer_refusal, reached
from .asgi import Header, Message, Receive, Scope, Send, say
from .body import MOST_BODIES, Bodies, replayed
from .exchanges import Exchange, Exchanges, give_up, is_listener, is_new, refuse
from .http_call import HttpCall
from .plain import PlainRequests
from .routes import (
    METRICS_PATH,
    PATHS,
    Found,
    Metadata,
    RouteTable,
    answer_browser,
    answer_metadata,
    answer_metrics,
    answer_preflight,
    is_browser,
    is_preflight,
    method_asked,
    readable_by,
    tell_health,
    wrapped,
)
from .sessions.requests import SessionRequests
from .sessions.sdk import SdkSessions
from .sessions.table import SessionTable

if TYPE_CHECKING:
    from ..offering import Live


_ERRORS = 1.0
"""Seconds for the errors that answer stopped calls to be written."""
_STREAMS = 0.5
"""Seconds for streams to end by themselves, and again after they were cancelled."""


_MOST_REASONS = 100
_LOG_SECONDS = 10.0
"""How long the same reason for a refusal is not logged again."""
_ONCE = frozenset((b"host", b"origin", b"authorization"))


class App:
    """Answers one path; started by its first request, ended with its loop or by `lifespan`."""

    def __init__(self, box: Live, config: ServerConfig) -> None:
        open_stores(box.now)
        source = box
        if config.search:
            from ..search import with_search

            box = with_search(box, trusted=False)
        self.box = box
        self.path = config.path.rstrip("/")
        self._logged: dict[str, float] = {}
        """Why requests were refused, and until when that is not logged again."""
        self.guard = Guard(
            hosts=config.hosts, origins=config.origins, tokens=tokens_from(config.tokens)
        )
        self.counted = config.metrics
        """Whether the Prometheus metrics are shown at `/metrics`."""
        sign_in = config.sign_in
        self.metadata = None if sign_in is None else Metadata.of(sign_in, config.resource)
        self.bodies = Bodies(config.max_body, config.body_timeout)
        self.proxies = TrustedProxies(config.trusted_proxies)
        self.admission = Admission(
            self.guard,
            proxies=self.proxies,
            sign_in=sign_in,
            metadata=self.metadata,
            rate=None if config.rate_limit is None else rate_from(config.rate_limit),
            failed_sign_ins=rate_from(config.failed_sign_ins, "failed_sign_ins"),
        )
        self.running = Running(
            config.max_streams, config.max_streams_per_client, MOST_BODIES * config.max_body
        )
        watch = not config.stateless
        plain = PlainRequests(box, self.running, self._take_over, watch=watch)
        self.short = plain if config.short else None
        table = SessionTable(config)
        self.sessions = None
        """Answers requests in sessions on the short path; a stateless app has no sessions."""
        if config.short and not config.stateless:
            self.sessions = SessionRequests(box, self.running, table, self._take_over)
        self.drain = Drain(config.drain)
        self.exchanges = Exchanges(self.drain)
        self.sdk = SdkSessions(
            box, config, table=table, running=self.running, drain=self.drain, stop=self.stop
        )
        self._stopping: asyncio.Future[None] | None = None
        reserved = {self.path, "", *PATHS, METRICS_PATH if config.metrics else self.path}
        self.routes = RouteTable(config.routes, box, reserved)
        if config.console and source.now.console is not None:
            source.now.console(self, source)
        self.has_console = config.console
        self._entry = wrapped(self._request, config.middleware)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or the events of `lifespan`."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._entry(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        path = _place(scope)
        if await self._told(path, scope, headers, send):
            return
        origin = headers.get(b"origin")
        shares = origin is not None and self.guard.shares_with(origin)
        if origin is not None and shares:
            send = readable_by(origin, send)
        route: Found | None = None
        if path not in (self.path, "") and not (self.counted and path == METRICS_PATH):
            if path in PATHS:
                await tell_health(send, scope["method"], path, is_ready=not self.drain.is_draining)
                return
            route = self.routes.find(scope, path)
            if route is None:
                await say(send, 404, "not found")
                return
        if len(headers) != len(scope["headers"]) and _is_ambiguous(scope["headers"]):
            await say(send, 400, "a header that may appear only once was sent twice")
            return
        if shares and is_preflight(scope["method"], headers):
            asked = method_asked(headers)
            methods = () if route is None else self.routes.allowed(scope, path, asked)
            if methods is not None:
                await self._preflight(scope, headers, send, methods)
                return
        if route is None:
            await self._checked(scope, headers, receive, send)
        else:
            await self._routed(route, scope, headers, receive, send)

    async def _told(
        self, path: str, scope: Scope, headers: Mapping[bytes, bytes], send: Send
    ) -> bool:
        """Answer what everybody may ask: for the OAuth metadata, or with a browser; else False."""
        if self.metadata and path == self.metadata.path:
            await answer_metadata(send, scope["method"], headers, self.metadata)
        elif path == self.path and is_browser(scope["method"], headers):
            refused = self.guard.refusal(headers, reached(scope))
            if refused is None:
                root = scope.get("root_path", "")
                console = root + CONSOLE_PATH if self.has_console else None
                await answer_browser(send, self.box.now.about.name, console)
            else:
                await answer_refusal(send, refused)
        else:
            return False
        return True

    async def _routed(
        self,
        route: Found,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
    ) -> None:
        """Let one of the author's routes answer, under the rules that apply to the tools."""
        client = self.proxies.client(scope)
        if route.is_public:
            who = self.guard.refusal(headers, reached(scope))
        else:
            who = await self.admission.check(scope, headers, client)
        if isinstance(who, Refusal):
            await self._refuse(who, client, send)
            return
        identity = {} if who is None else {"toolwright.caller": who, "user": user_of(who)}
        await route.app({**route.scope, **identity}, receive, send)

    async def _refuse(self, who: Refusal, client: str, send: Send) -> None:
        kind = "rate" if who.status == 429 else "sign-in"
        self.box.now.refused(Refused(kind, str(who.status), "", who.caller, client, who.said))
        if kind == "sign-in":
            self._log_refusal(client, who)
        await answer_refusal(send, who)

    def _log_refusal(self, client: str, who: Refusal) -> None:
        """Log why a request was refused: a line for each reason, again after a while.

        Anybody can send such requests, and must not fill a disk with them.
        """
        now = time.monotonic()
        if now < self._logged.get(who.said, now):
            return
        if len(self._logged) >= _MOST_REASONS:
            self._logged.clear()
        self._logged[who.said] = now + _LOG_SECONDS
        reason = who.said.replace("bearer token", "token")  # which looks like a secret in a log
        log.warning("%s: a request from %s is refused: %s", self.box.now.about.name, client, reason)

    async def _preflight(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        send: Send,
        methods: Iterable[str] = (),
    ) -> None:
        refused = self.guard.refusal(headers, reached(scope))
        if refused is not None:
            await answer_refusal(send, refused)
        else:
            await answer_preflight(send, headers, methods)

    async def _checked(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        """Answer a request, if its sender may ask."""
        address = self.proxies.client(scope)
        caller = await self.admission.check(scope, headers, address)
        if isinstance(caller, Refusal):
            await self._refuse(caller, address, send)
            return
        is_shared = is_loopback(address) or self.proxies.trusts(address)
        name = address if caller is None else f"caller {caller.name}"
        client = Client(name, "" if is_shared else address)
        sender = Sender(caller, address, client, scope["headers"])
        if self.counted and _place(scope) == METRICS_PATH:
            await answer_metrics(send, sender, self.box)
        else:
            await self._admitted(Exchange(scope, headers, receive, send, sender))

    async def _admitted(self, exchange: Exchange) -> None:
        self.exchanges.open.add(exchange)
        try:
            if exchange.method != "POST" or await self.bodies.read(exchange):
                await self._answered(exchange)
        except asyncio.CancelledError:
            if not exchange.is_stopped:
                raise
            await give_up(exchange)
        finally:
            self.exchanges.open.discard(exchange)

    async def _answered(self, exchange: Exchange) -> None:
        """Answer on the short path, or through the SDK."""
        if self.drain.is_draining and is_new(exchange):
            await refuse(exchange.send)
            return
        receive, is_post = exchange.receive, exchange.method == "POST"
        if len(exchange.headers) == len(exchange.scope["headers"]):  # which are read one by one
            if is_post:
                exchange.kind = "plain"
                if self.short and await self.short.answered(exchange):
                    return
            if self.sessions and await self.sessions.answered(exchange):
                return
        if is_post:
            receive = replayed(exchange.body, receive)
        exchange.kind = None if is_listener(exchange) else "sdk"
        await self.sdk.answer(exchange, receive, exchange.send)

    async def _take_over(self, run: HttpCall, receive: Receive, send: Send) -> None:
        await self.sdk.answer(run.exchange, receive, send, run)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            is_start = message["type"] == "lifespan.startup"
            try:
                await (opened(self.box) if is_start else self.close())
            except LifespanFailed as error:
                await send({"type": f"{message['type']}.failed", "message": str(error)})
                return
            await send({"type": f"{message['type']}.complete"})
            if not is_start:
                return

    async def stop(self) -> None:
        """Answer running requests, refuse new ones, and end every stream: once, whoever asks."""
        if self._stopping is None:
            self._stopping = asyncio.ensure_future(self._stop())
        # One of the waiting tasks may be cancelled: the others still need it.
        await asyncio.shield(self._stopping)

    async def _stop(self) -> None:
        drain, exchanges = self.drain, self.exchanges
        drain.begin()
        # Each listener gets its result, so that its client can tell an end from a lost connection
        # (2026-07-28, basic/patterns/subscriptions).
        self.sdk.end_listeners()
        await drain.wait()
        exchanges.stop("plain")
        await drain.stop()
        await drain.until(lambda: not exchanges.are_at_work, _ERRORS)
        # An answer may go to a stream that was resumed, which does not count as work.
        await drain.settle()
        await self.sdk.end_sessions()
        await drain.until(lambda: not exchanges.open, _STREAMS)
        exchanges.stop()
        await drain.until(lambda: not exchanges.open, _STREAMS)

    async def close(self) -> None:
        """End all sessions, and close the toolbox. Raises `LifespanFailed`."""
        await self.stop()
        await self.sdk.close()
        self.drain.over()  # a request in another event loop may start it again
        self._stopping = None
        await closed(self.box)


def _is_ambiguous(headers: Iterable[Header]) -> bool:
    """Return whether a header that admission reads was sent twice."""
    names = [name for name, _ in headers if name in _ONCE]
    return len(names) != len(set(names))


def _place(scope: Scope) -> str:
    """Return the path of a request, as seen from where the app is mounted."""
    return scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")


class Reply(NamedTuple):
    """The answer of `Toolbox.handle`, for an HTTP server to send."""

    status: int
    headers: dict[str, str]
    body: bytes


class Once:
    """Answers requests that come one by one, each on its own."""

    def __init__(self, box: Live) -> None:
        # The platform that runs the function has checked the host and the origin.
        self.app = App(box, ServerConfig(stateless=True, hosts=("*",), origins=("*",)))

    async def handle(self, body: bytes | str, headers: Mapping[str, str]) -> Reply:
        """Answer one POST."""
        data = body.encode() if isinstance(body, str) else body
        lowered = {name.lower(): value for name, value in headers.items()}
        lowered.setdefault("content-type", "application/json")
        lowered.setdefault("accept", "application/json, text/event-stream")
        scope = {
            "type": "http",
            "method": "POST",
            "path": self.app.path,
            "root_path": "",
            "query_string": b"",
            "scheme": "https",
            "http_version": "1.1",
            "headers": [(name.encode(), value.encode()) for name, value in lowered.items()],
            "client": None,
            "server": None,
        }
        sent: list[Message] = [{"type": "http.request", "body": data, "more_body": False}]
        status = 500
        said: dict[str, str] = {}
        parts: list[bytes] = []

        async def receive() -> Message:
            if not sent:
                await asyncio.Event().wait()  # this client never hangs up
            return sent.pop()

        async def send(message: Message) -> None:
            nonlocal status, said
            if message["type"] == "http.response.start":
                status = message["status"]
                said = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                parts.append(message.get("body", b""))

        await self.app(scope, receive, send)
        return Reply(status, said, b"".join(parts))
