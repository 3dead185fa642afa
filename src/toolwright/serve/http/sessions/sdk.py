"""The SDK's HTTP server: started when first needed, its streams bounded."""

from __future__ import annotations

import asyncio
import signal
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from ...._json_values import without_surrogates
from ....run.current import asked_by
from ...access.guard import state_keys
from ...access.quotas import MOST_HELLO, Client, Running, Shares, cost_of, is_within
from ...sdk.calls import HANDED, Handed
from ...settings import ServerConfig
from ..asgi import LATER, AsgiApp, Message, Receive, Scope, Send, refuse, say
from .table import SessionTable, refuse_session

if TYPE_CHECKING:
    from ...lifecycle import Drain
    from ...offering import Live
    from ..asgi import Header
    from ..exchanges import Exchange
    from ..http_call import HttpCall


_SERVER_ENDS = "graceful shutdown"


class Stream:
    """One answer that is being sent."""

    def __init__(self, client: Client, send: Send) -> None:
        self.client = client
        self.task = asyncio.current_task()
        self.started = False
        self.finished = False
        self.gives_way = False
        self._send = send

    async def send(self, message: Message) -> None:
        """Send a part of the answer, and remember how far it has got."""
        if message["type"] == "http.response.start":
            self.started = True
        elif not message.get("more_body"):
            self.finished = True
        await self._send(message)

    def end(self) -> None:
        """End it, for the sake of another client."""
        self.gives_way = True
        if self.task is not None:
            self.task.cancel()

    async def finish(self) -> None:
        """Complete an answer that was ended early, or with its session."""
        if not self.started:
            await say(self._send, 503, "too many open streams: try again later", LATER)
        elif not self.finished:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class Streams:
    """All answers being sent; when there are too many, the client with the most gives way."""

    def __init__(self, most: int, most_each: int) -> None:
        self.counted = Shares(most, most_each)
        self.open: dict[Client, OrderedDict[int, Stream]] = {}

    async def run(
        self, app: AsgiApp, client: Client, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request, or say that there are too many."""
        if not self._make_room(client):
            await say(send, 429, "too many open streams: close some, or try again later", LATER)
            return
        stream = Stream(client, send)
        self.counted.add(client)
        self.open.setdefault(client, OrderedDict())[id(stream)] = stream
        try:
            await app(scope, receive, stream.send)
        except asyncio.CancelledError as error:
            # If it gives way, or uvicorn (which says so) ends it with the server, its answer is
            # ended properly. Any other cancellation is passed on.
            if stream.task is None or not (stream.gives_way or _SERVER_ENDS in str(error)):
                raise
            stream.task.uncancel()
        finally:
            self._remove(stream)
        await stream.finish()

    def _make_room(self, client: Client) -> bool:
        bound = self.counted.excess(client)
        if not bound or bound == "client":
            return not bound
        groups = (
            streams for owner, streams in self.open.items() if is_within(bound, client, owner)
        )
        largest = max(groups, key=len)
        if len(largest) <= len(self.open.get(client, ())) + 1:
            return False
        oldest = next(iter(largest.values()))
        self._remove(oldest)
        oldest.end()
        return True

    def _remove(self, stream: Stream) -> None:
        streams = self.open.get(stream.client)
        if streams is not None and streams.pop(id(stream), None) is not None:
            self.counted.give_back(stream.client)
            if not streams:
                del self.open[stream.client]


_LOOK = 0.1
_watching: set[object] = set()
"""The apps of this process that have not ended yet; they share one switch."""


async def watch_host(stop: Callable[[], Awaitable[None]]) -> None:
    """Stop when uvicorn does: it tells its apps only after their last stream has ended.

    The SDK's streams would be cut at the signal, by the library that writes them. It is asked to
    leave that to us, with its own switch, until our calls have ended.
    """
    server = _host()
    if server is None:
        return
    from sse_starlette.sse import AppStatus

    _watching.add(stop)
    AppStatus.disable_automatic_graceful_drain()
    try:
        while not server.should_exit:  # noqa: ASYNC110 - uvicorn has no event
            await asyncio.sleep(_LOOK)
        await stop()
    finally:
        _watching.discard(stop)
        if not _watching:
            AppStatus.enable_automatic_graceful_drain_mode()


def _host() -> Any:
    """Return the uvicorn that handles the signals of this process, unless it is our own."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    is_ours = getattr(server, "stops_its_app", False)
    return server if hasattr(server, "should_exit") and not is_ours else None


_MOST_LISTENING = 64 * 1024 * 1024
_MOST_LISTENING_EACH = 8 * 1024 * 1024


class SdkSessions:
    """Answers whatever the short path does not, including sessions with a handshake."""

    def __init__(
        self,
        box: Live,
        config: ServerConfig,
        *,
        table: SessionTable,
        running: Running,
        drain: Drain,
        stop: Callable[[], Awaitable[None]],
    ) -> None:
        self.box = box
        self.stateless = config.stateless
        self.drain = drain
        drain.sources.append(lambda: self._served is not None and bool(self._served.tasks.running))
        self.state_keys = state_keys(config.state_key)
        self.stop = stop
        """Ends the whole app when the server around it ends."""
        self._served: Any = None
        self._sessions: Any = None
        self.table = table
        self.running = running
        self.streams = Streams(config.max_streams, config.max_streams_per_client)
        self.listening = Shares(_MOST_LISTENING, _MOST_LISTENING_EACH)
        """The bytes kept of the requests that opened listeners."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop: Any = None
        self._starting: Any = None

    async def answer(
        self, exchange: Exchange, receive: Receive, send: Send, run: HttpCall | None = None
    ) -> None:
        """Answer one request, or go on with a call that the short path has begun for it."""
        sessions = await self._started()
        body, sender = exchange.body, exchange.sender
        client = sender.client
        keeper = _kept(exchange.scope, stateless=self.stateless)
        if keeper and len(body) > MOST_HELLO:
            reason = (
                f"a request that opens a session or a stream may have at most {MOST_HELLO} bytes"
            )
            await refuse(send, reason)
            return
        cost = cost_of(body) if keeper else 0
        if keeper == "session" and not self.table.make_room(client, cost):
            await refuse_session(send)
        elif keeper == "listener" and not self.listening.take(client, cost):
            await say(send, 429, "too many open streams: end some, or try again later", LATER)
        else:
            scope = {
                **exchange.scope,
                "headers": _trimmed(exchange.scope["headers"]),
                HANDED: Handed(sender, len(body), run, cost),
            }
            try:
                # The SDK asks for the schema of a tool without passing on the request.
                with asked_by(sender):
                    await self.streams.run(sessions.asgi_app, client, scope, receive, send)
            finally:
                if keeper == "listener":
                    self.listening.give_back(client, cost)

    async def _started(self) -> Any:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._stop = loop, asyncio.Event()
            self._starting = loop.create_future()
            self._task = loop.create_task(self._run(self._starting, self._stop))
        return await asyncio.shield(self._starting)

    async def _run(self, starting: Any, stop: Any) -> None:
        try:
            await self._serve(starting, stop)
        except Exception as error:
            if starting.done():
                raise
            self._loop = None  # the next request tries again
            starting.set_exception(error)

    async def _serve(self, starting: Any, stop: Any) -> None:
        from ...sdk.bounded_sessions import BoundedSessions
        from ...sdk.server import SdkServer

        served = SdkServer(
            self.box,
            watch=not self.stateless,
            user=None,
            state_keys=self.state_keys,
            running=self.running,
        )
        served.server.middleware.append(self.drain.count)
        served.server.middleware.append(_bounded_hello)
        sessions = BoundedSessions(served.server, self.table)
        host = asyncio.ensure_future(watch_host(self.stop))
        async with sessions.run():
            self._served, self._sessions = served, sessions
            starting.set_result(sessions)
            await stop.wait()
            host.cancel()
            await served.tasks.close()
            await sessions.end_all()
            self._served = self._sessions = None

    def end_listeners(self) -> None:
        """End the streams of `subscriptions/listen`, each with its result."""
        if self._served is not None:
            self._served.changes.close()

    async def end_sessions(self) -> None:
        """End sessions with a handshake, and all their streams."""
        if self._sessions is not None:
            await self._sessions.end_all()
        self.table.clear()

    async def close(self) -> None:
        """End all sessions."""
        if self._task is not None and self._loop is asyncio.get_running_loop():
            self._stop.set()
            await self._task
            self._task = self._loop = None


async def _bounded_hello(ctx: Any, call_next: Any) -> Any:
    """Refuse a large `initialize` in an open session: it would also be kept."""
    if ctx.method != "initialize":
        return await call_next(ctx)
    if len(to_json(without_surrogates(ctx.params), fallback=str)) > MOST_HELLO:
        from mcp.shared.exceptions import MCPError

        raise MCPError(-32602, f"`initialize` may have at most {MOST_HELLO} bytes")
    return await call_next(ctx)


def _kept(scope: Scope, *, stateless: bool) -> str:
    """Return what keeps a request's content, `session` or `listener`; empty if nothing does."""
    if scope["method"] != "POST":
        return ""
    headers = dict(scope["headers"])
    if headers.get(b"mcp-method", b"") == b"subscriptions/listen":
        return "listener"
    # A session begins without an id; the SDK refuses any other request without one.
    modern = headers.get(b"mcp-protocol-version", b"") >= b"2026"
    begins = not stateless and not modern and b"mcp-session-id" not in headers
    return "session" if begins else ""


def _trimmed(headers: Iterable[Header]) -> list[Header]:
    """Return headers without the blanks around their values, which are not part of them.

    RFC 9110, 5.5. Not every server strips them: uvicorn does with h11, but not with httptools.
    """
    return [(name, value.strip(b" \t")) for name, value in headers]
