"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...limits import check_count, rate_from
from ..guard import Caller, Guard, Refusal, tokens_from, user_of
from ..metadata import Metadata
from ..pace import Pace
from ..quotas import SessionLimits
from .asgi import Header, Receive, Scope, Send, answer, respond, say
from .body import Gone, read_body, replayed
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
        short: bool = True,
        **session_limits: Any,
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
        limits = SessionLimits(**session_limits)
        self.sdk = SdkSessions(box, stateless=stateless, most_body=max_body, limits=limits)

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
        body: bytes | None = b""
        if scope["method"] == "POST":
            try:
                body = await read_body(receive, self.most_body)
            except Gone:
                return
            if body is None:
                await say(send, 413, f"a request may have {self.most_body} bytes")
                return
            if self.short and await self.short.answered(headers, body, receive, send, who):
                return
            receive = replayed(body, receive)
        if who is not None:
            scope = {**scope, "toolwright.caller": who, "user": user_of(who)}
        await self.sdk.answer(scope, receive, send, body)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def close(self) -> None:
        """End all sessions, and close the toolbox."""
        await self.sdk.close()
        await self.box.aclose()


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
