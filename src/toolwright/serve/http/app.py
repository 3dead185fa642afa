"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...limits import check_count, check_seconds, rate_from
from ..address import TrustedProxies
from ..guard import Caller, Guard, Refusal, tokens_from, user_of
from ..metadata import Metadata
from .admission import FAILED_SIGN_INS, Admission, reached
from .asgi import Header, Receive, Scope, Send, answer, respond, say
from .body import BodyMemory, BodyTimes, Full, Gone, Slow, read_body, replayed
from .cors import answer_preflight, is_preflight, readable_by
from .plain import PlainRequests
from .sessions import SdkSessions

if TYPE_CHECKING:
    from ..box import Box
    from ..signin import SignIn

MOST_BODY = 4 * 1024 * 1024
BODY_TIMEOUT = 30.0
"""Seconds for a body, or for taking an answer; large ones have a second more for each 64 kB."""
_BODIES = 64
"""How many bodies of the largest size may be unfinished at a time."""
_CLOSE: Header = (b"connection", b"close")
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
        body_timeout: float = BODY_TIMEOUT,
        trusted_proxies: Iterable[str] = (),
        failed_sign_ins: str = FAILED_SIGN_INS,
        rate_limit: str | None = None,
        metrics: bool = False,
        short: bool = True,
    ) -> None:
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
        self.short = PlainRequests(box, watch=not stateless) if short else None
        self.sdk = SdkSessions(box, stateless=stateless, most_body=max_body)

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
            await say(send, 404, "not found")
        elif len(headers) != len(scope["headers"]) and _is_ambiguous(scope["headers"]):
            await say(send, 400, "a header that must come once came twice")
        elif shares and is_preflight(scope["method"], headers):
            await self._preflight(scope, headers, send)
        else:
            await self._checked(scope, headers, receive, send, asked)

    async def _preflight(self, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        refused = self.guard.refusal(headers, reached(scope))
        await (_refuse(send, refused) if refused else answer_preflight(send, headers))

    async def _checked(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        asked: str,
    ) -> None:
        client = self.proxies.client(scope)
        who = await self.admission.check(scope, headers, client)
        if isinstance(who, Refusal):
            await _refuse(send, who)
        elif self.counted and asked == "/metrics":
            await _metrics(send)
        else:
            # Headers that came twice are for somebody who looks at them closely.
            if len(headers) != len(scope["headers"]):
                headers = {}
            await self._admitted(scope, headers, receive, send, who, client)

    async def _admitted(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        who: Caller | None,
        client: str,
    ) -> None:
        if scope["method"] == "POST":
            body = await self._body(receive, send, client)
            if body is None:
                return
            if self.short and await self.short.answered(headers, body, receive, send, who):
                return
            receive = replayed(body, receive)
        scope = {**scope, "toolwright.client": client}
        if who is not None:
            scope = {**scope, "toolwright.caller": who, "user": user_of(who)}
        await self.sdk.answer(scope, receive, send)

    async def _body(self, receive: Receive, send: Send, client: str) -> bytes | None:
        """Read a body; if it cannot be had, say why and return None."""
        try:
            body = await read_body(receive, self.most_body, self.body_times, self.bodies, client)
        except Gone:
            return None
        except Slow:
            await say(send, 408, "the body of the request did not come in time", _CLOSE)
            return None
        except Full:
            wait = (b"retry-after", b"1")
            await say(send, 503, "too many large requests at once", wait, _CLOSE)
            return None
        if body is None:
            await say(send, 413, f"a request may have {self.most_body} bytes")
        return body

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


async def _metrics(send: Send) -> None:
    import prometheus_client as prometheus

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    await respond(send, 200, prometheus.generate_latest(), kind)
