"""An ASGI app for a toolbox: works by itself, and mounted in another app."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..call import Call
from ..limits import check_count, rate_from
from ..options import LATEST_PROTOCOL
from ..run.sample import is_large, parsed
from .desk import Asked, Desk, Task, asked_of, is_modern
from .guard import Caller, Guard, Refusal, tokens_from, user_of
from .metadata import Metadata
from .pace import Pace

if TYPE_CHECKING:
    from .box import Box
    from .signin import SignIn

MOST_BODY = 4 * 1024 * 1024


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
    ) -> None:
        self.box = box
        self.path = path.rstrip("/")
        self.guard = Guard(hosts=hosts, origins=origins, tokens=tokens_from(tokens))
        self.counted = metrics
        """Whether the metrics of Prometheus are shown at `/metrics`."""
        self.sign_in = sign_in
        self.metadata = None if sign_in is None else Metadata.of(sign_in, resource)
        self.stateless = stateless
        check_count("max_body", max_body)
        self.most_body = max_body
        self.pace = Pace(rate_from(rate_limit)) if rate_limit is not None else None
        self.short = short
        self.desk = Desk(box, watch=not stateless)
        self._manager: Any = None
        self._loop: Any = None
        self._task: Any = None
        self._stop: Any = None
        self._starting: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one connection."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        asked = scope["path"].removeprefix(scope.get("root_path", "")).rstrip("/")
        if self.metadata and asked == self.metadata.path and scope["method"] == "GET":
            # Anybody may read who lets people in, a page of any origin included.
            await _answer(send, self.metadata.document, (b"access-control-allow-origin", b"*"))
            return
        if asked not in (self.path, "") and not (self.counted and asked == "/metrics"):
            await _say(send, 404, "not found")
            return
        headers: Mapping[bytes, bytes] = dict(scope["headers"])
        once = len(headers) == len(scope["headers"])
        if not once and _is_ambiguous(scope["headers"]):
            await _say(send, 400, "a header that must come once came twice")
            return
        who = await self._who(headers)
        # Whoever guesses tokens is counted, too.
        if self.pace is not None and (wait := self.pace.wait(_client(scope, who))):
            await _say(send, 429, "too many requests", (b"retry-after", b"%d" % wait))
        elif isinstance(who, Refusal):
            await _refuse(send, who)
        elif self.counted and asked == "/metrics":
            await _metrics(send)
        else:
            # Headers that came twice are for somebody who looks at them closely.
            await self._admitted(scope, headers if once else {}, receive, send, who)

    async def _who(self, headers: Mapping[bytes, bytes]) -> Caller | Refusal | None:
        """Return who asks, or why he is refused; None if anybody may ask."""
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
        scope: Any,
        headers: Mapping[bytes, bytes],
        receive: Any,
        send: Any,
        who: Caller | None,
    ) -> None:
        if scope["method"] == "POST":
            receive = await self._post(headers, receive, send, who)
        if receive is not None:
            manager = await self._started()
            if who is not None:
                scope = {**scope, "toolwright.caller": who, "user": user_of(who)}
            await manager.asgi_app(scope, receive, send)

    async def _post(self, headers: Mapping[bytes, bytes], receive: Any, send: Any, who: Any) -> Any:
        """Answer here what can be; else return what gives the body to somebody else."""
        try:
            body = await _body(receive, self.most_body)
        except Gone:
            return None
        if body is None:
            await _say(send, 413, f"a request may have {self.most_body} bytes")
            return None
        if (
            self.short
            and _is_plain(headers)
            and await self._short(headers, body, receive, send, who)
        ):
            return None
        return _again(body, receive)

    async def _short(
        self, headers: Mapping[bytes, bytes], body: bytes, receive: Any, send: Any, who: Any
    ) -> bool:
        """Answer a plain request here; tell whether it was one."""
        try:
            asked = asked_of(parsed(body))
        except ValueError:
            return False
        if asked is None or not is_modern(asked) or not _fits(headers, asked):
            return False
        roles = who.roles if isinstance(who, Caller) else ()
        if asked.method == "tools/call":
            task = self.desk.task(asked, LATEST_PROTOCOL, roles)
            if task is None or (task.token is not None and task.runner.may_tell):
                return False
            return await self._call(task, receive, send, who)
        if asked.params.keys() != {"_meta"} or "progressToken" in asked.meta:
            return False
        if asked.method == "tools/list" and self.box.page_size is None:
            await _answer(send, self.desk.listed(asked, LATEST_PROTOCOL, roles))
            return True
        if asked.method == "server/discover":
            await _answer(send, self.desk.discover(asked))
            return True
        return False

    async def _call(self, task: Task, receive: Any, send: Any, who: Any) -> bool:
        runner = task.runner
        small = not is_large(task.arguments)
        if runner.inline and runner.is_plain and not self.box.is_wrapped and small:
            with self.box.busy():
                result = runner.call(task.arguments)
            await _answer(send, self.desk.finished(task, result))
            return True
        call = None
        if isinstance(who, Caller):
            call = Call(caller=who.name, roles=who.roles, claims=who.claims)
        try:
            with leaving(receive):
                result = await self.box.call_async(runner.name, task.arguments, call=call)
        except Gone:
            return True
        await _answer(send, self.desk.finished(task, result))
        return True

    async def _lifespan(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _started(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stop = loop, asyncio.Event()
            self._starting = loop.create_future()
            self._task = loop.create_task(self._run(self._starting, self._stop))
        return await asyncio.shield(self._starting)

    async def _run(self, starting: Any, stop: Any) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from .events import Events
        from .sdk import Served

        served = Served(self.box, watch=not self.stateless, trusted=False)
        manager = StreamableHTTPSessionManager(
            app=served.server,
            event_store=None if self.stateless else Events(),
            retry_interval=None if self.stateless else 500,
            stateless=self.stateless,
            max_request_body_size=self.most_body,
        )
        async with manager.run():
            starting.set_result(manager)
            await stop.wait()
            await served.tasks.close()

    async def close(self) -> None:
        """End all sessions, and close the toolbox."""
        if self._task is not None and self._loop is asyncio.get_running_loop():
            self._stop.set()
            await self._task
            self._task = self._loop = None
        await self.box.aclose()


_PLAIN_HEADERS = frozenset((b"mcp-protocol-version", b"mcp-method", b"mcp-name"))


_ACCEPTED = frozenset((b"application/json", b"text/event-stream"))
_ONCE = frozenset((b"host", b"origin", b"authorization"))


def _client(scope: Any, who: Caller | Refusal | None) -> str:
    """Return who a request counts for: the owner of its token, or the machine it comes from."""
    if isinstance(who, Caller):
        return f"caller {who.name}"
    return str(scope["client"][0]) if scope.get("client") else ""


def _is_ambiguous(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Tell whether what decides who may ask was sent twice."""
    seen = [name for name, _ in headers if name in _ONCE]
    return len(seen) != len(set(seen))


def _is_plain(headers: Mapping[bytes, bytes]) -> bool:
    """Tell the headers of a plain request of 2026-07-28: nothing that needs a second look."""
    return (
        headers.get(b"mcp-protocol-version") == LATEST_PROTOCOL.encode()
        and headers.get(b"content-type") == b"application/json"
        and {each.strip() for each in headers.get(b"accept", b"").split(b",")} >= _ACCEPTED
        and not any(name.startswith(b"mcp-") and name not in _PLAIN_HEADERS for name in headers)
    )


def _fits(headers: Mapping[bytes, bytes], asked: Asked) -> bool:
    """Tell whether the headers say what the body does."""
    if headers.get(b"mcp-method") != asked.method.encode():
        return False
    name = asked.params.get("name")
    said = headers.get(b"mcp-name")
    return said == (name.encode() if isinstance(name, str) else None)


async def _body(receive: Any, most: int) -> bytes | None:
    """Read a body; None if it is too large. Raises `Gone`."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Gone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Any) -> Any:
    """Return a `receive` that gives a body which was read already."""
    first: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return first.pop() if first else await receive()

    return again


class Gone(Exception):
    """The client hung up."""


class leaving:  # noqa: N801 - reads as a statement
    """Cancel what is awaited inside if the client hangs up; quick calls do not pay for looking."""

    def __init__(self, receive: Any) -> None:
        self.receive = receive
        self.task: Any = asyncio.current_task()
        self.watch: Any = None
        self.gone = False

    def __enter__(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        self.watch = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        self.task.cancel()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:  # noqa: PYI036 - anything
        self.timer.cancel()
        if self.watch is not None:
            self.watch.cancel()
        if self.gone and isinstance(error, asyncio.CancelledError):
            self.task.uncancel()
            raise Gone from None


_PATIENCE = 0.1
"""Seconds after which a call is long enough to look whether its client is still there."""
_HEAD = (b"content-type", b"application/json")


async def _answer(send: Any, body: bytes, *more: tuple[bytes, bytes]) -> None:
    headers = [_HEAD, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _say(send: Any, status: int, text: str, *more: tuple[bytes, bytes]) -> None:
    body = json.dumps({"error": text}).encode()
    headers = [_HEAD, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Any, why: Refusal) -> None:
    more: list[tuple[bytes, bytes]] = []
    if why.challenge:
        more.append((b"www-authenticate", why.challenge.encode()))
    if why.status == 503:
        more.append((b"retry-after", b"10"))
    await _say(send, why.status, why.said, *more)


async def _metrics(send: Any) -> None:
    import prometheus_client as prometheus

    body = prometheus.generate_latest()
    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    headers = [kind, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
