"""One open session of the SDK, and its task."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
from collections.abc import Generator, Mapping
from contextlib import AsyncExitStack
from typing import Any, cast

import mcp_types as t
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from ..._log import logger
from ..._protocol import STATELESS_SINCE
from ...run.loop import background
from ..bounds import CLOSE_SECONDS, MOST_TEXT, short
from ..question_handlers import ABILITIES, FORM, ROOTS, SAMPLE, can_ask
from ..settings import ClientSettings
from ..targets import ServerAddress, ServerObject, StartedServer
from .hosted import HostedServer
from .http_calls import HttpCalls
from .http_client import http_client
from .interface import RequestScope, ServerInfo, told
from .messages import ServerMessages, is_lost, told_apart
from .stdio import ProcessStreams, StreamCalls, kill_servers, servers_ended

_log = logger("client")
_open: set[LiveSession] = set()
_WATCH_PAUSE = 5.0
"""Seconds until a stream of changes that has ended is opened again."""


class LiveSession:
    """A session from its start to its end; the SDK wants both in the same task."""

    def __init__(
        self,
        target: ServerAddress | StartedServer | ServerObject,
        messages: ServerMessages,
        mode: str,
    ) -> None:
        self.target = target
        self.messages = messages
        self.mode = mode
        self.streams: ProcessStreams | None = None
        self.hosted: HostedServer | None = None
        self.http: HttpCalls | None = None
        self._own: HttpCalls | StreamCalls | None = None
        """Requests that need nothing of the SDK."""
        self.failure = ""
        self._client: Client | None = None
        self._leave = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._hears = False
        self._stateless: bool | None = None
        self._patience: asyncio.Timeout | None = None
        """How long it may take to connect."""

    @property
    def _settings(self) -> ClientSettings:
        return self.messages.settings

    @property
    def session(self) -> Any:
        """The SDK's session. Raises `MCPError` once it has ended."""
        if self._client is None or self.has_ended:
            raise MCPError(code=t.CONNECTION_CLOSED, message=self.failure or "it has ended")
        return self._client.session

    @property
    def _version(self) -> str | None:
        """The version that was agreed upon; None before."""
        return None if self._client is None else self._client.session.protocol_version

    @property
    def is_stateless(self) -> bool:
        """Whether each request stands alone, without a handshake."""
        stateless = self._stateless
        if stateless is None:
            stateless = self._stateless = (self.session.protocol_version or "") >= STATELESS_SINCE
        return stateless

    @property
    def has_ended(self) -> bool:
        """Whether nothing more can be sent."""
        carrier = self.streams or self.hosted
        gone = carrier is not None and carrier.ended.is_set()
        return gone or self._leave.is_set() or self._task is None or self._task.done()

    @property
    def ended_early(self) -> bool:
        """Whether the server ended during the first request."""
        return self.streams is not None and self.streams.ended.is_set()

    async def why(self) -> str:
        """Return why it ended; an exit code comes a moment after the end of a stream."""
        if self.streams is None:
            return self.failure or "it was closed"
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self.streams.ended.wait()
        return self.streams.why()

    async def start(self) -> None:
        """Connect. Raises whatever prevents that."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        _open.add(self)
        self._task = asyncio.ensure_future(self._hold(ready))
        self._task.add_done_callback(lambda _: _open.discard(self))
        try:
            async with asyncio.timeout(self._settings.connect_timeout) as self._patience:
                await asyncio.shield(ready)
        except BaseException:
            ready.cancel()
            await self.stop()
            raise
        finally:
            self._patience = None

    async def stop(self) -> None:
        """Disconnect, and wait until that is done."""
        self._leave.set()
        task = self._task
        if task is None:
            return
        if self._client is None:
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def _hold(self, ready: asyncio.Future[None]) -> None:
        try:
            async with AsyncExitStack() as stack:
                transport = await self._transport(stack)
                transport = told_apart(transport, str(self.target), lambda: self._version)
                client = await stack.enter_async_context(self._sdk_client(transport))
                if self.mode == STATELESS_SINCE:
                    await _discover(client.session)
                self._client = client
                if self._own is not None:
                    await self._own.opened(client.session.protocol_version or "")
                if not ready.done():
                    ready.set_result(None)
                await self._until_end()
                await self._stop_watching()
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001 - no library may end the loop
            self.failure = self.failure or short(str(first_of(error)) or "it failed")
            _log.debug("%s: the session has ended", self.target, exc_info=error)
            if not ready.done():
                ready.set_exception(await self._explained(first_of(error)))
        finally:
            if self._watching is not None:
                self._watching.cancel()
            self._leave.set()
            if not ready.done():
                ready.cancel()

    async def _explained(self, error: BaseException) -> BaseException:
        """Return an error that says why a server ended, not only that its stream was closed."""
        if self.hosted is not None and self.hosted.failure is not None:
            return first_of(self.hosted.failure)
        if self.streams is not None and is_lost(error):
            return MCPError(code=t.CONNECTION_CLOSED, message=await self.why())
        return error if isinstance(error, Exception) else RuntimeError(str(error))

    async def _until_end(self) -> None:
        waits = [asyncio.ensure_future(self._leave.wait())]
        carrier = self.streams or self.hosted
        if carrier is not None:
            waits.append(asyncio.ensure_future(carrier.ended.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _transport(self, stack: AsyncExitStack) -> Any:
        target, settings = self.target, self._settings
        if isinstance(target, StartedServer):
            self.streams = ProcessStreams(target, settings.max_answer)
            self._own = self.streams.calls
            return self.streams.open()
        if isinstance(target, ServerObject):
            self.hosted = HostedServer(target.server)
            return self.hosted.open()
        auth: Any = None
        headers = {**target.headers, **settings.headers}
        if _signs_in(settings, headers):
            from ..sign_in import signing_in

            auth = await stack.enter_async_context(signing_in(target.url, self._waiting))
        client = http_client(headers, settings.token, settings.max_answer, auth)
        await stack.enter_async_context(client)
        self._own = self.http = HttpCalls(client, settings.max_answer, self.messages)
        stack.push_async_callback(self.http.end)
        return streamable_http_client(
            target.url, http_client=client, max_sse_event_size=settings.max_answer
        )

    def _sdk_client(self, transport: Any) -> Client:
        from importlib.metadata import version

        messages = self.messages
        asked = {
            method: messages.asked(method) if ability in messages.handlers.abilities else None
            for method, ability in ABILITIES.items()
        }
        return Client(
            transport,
            mode=self.mode,
            cache=None,
            client_info=t.Implementation(name="toolwright", version=version("toolwright")),
            elicitation_callback=asked[FORM],
            sampling_callback=asked[SAMPLE],
            list_roots_callback=asked[ROOTS],
            logging_callback=messages.logged,
            message_handler=self._noticed,
        )

    # -- requests without the SDK

    def goes_short(self, name: str) -> bool:
        """Return whether a call of a tool can be sent without the SDK."""
        return self._own is not None and self._own.fits(name)

    async def sent(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        """Send a request without the SDK; None if it was sent elsewhere. Raises `MCPError`."""
        return None if self._own is None else await self._own.call(method, params, scope)

    @contextlib.contextmanager
    def _waiting(self) -> Generator[None]:
        """Stop the clocks of all requests while a person signs in."""
        paused, patience = list(self.messages.scopes), self._patience
        for scope in paused:
            scope.pause()
        if patience is not None:
            patience.reschedule(None)
        try:
            yield
        finally:
            for scope in paused:
                scope.go_on()
            seconds = self._settings.connect_timeout
            if patience is not None and seconds is not None:
                patience.reschedule(asyncio.get_running_loop().time() + seconds)

    async def _noticed(self, message: Any) -> None:
        """Take a notification that belongs to no request of the SDK."""
        if isinstance(message, t.ProgressNotification):
            if self.http is not None:
                await self.http.progress(message.params)
        else:
            await self.messages.noticed(message)

    # -- what a server is asked for

    async def hear(self) -> None:
        """Ask for messages of all levels, once; before 2026-07-28 it holds for the session."""
        if self._hears:
            return
        self._hears = True
        capabilities: Any = self.session.server_capabilities
        if capabilities is not None and capabilities.logging is not None:
            with contextlib.suppress(MCPError):
                await self.session.send_request(
                    t.SetLevelRequest(params=t.SetLevelRequestParams(level="debug")), t.EmptyResult
                )

    def offers(self, kind: str) -> bool:
        """Return whether the server says that it has any of these."""
        capabilities: Any = self.session.server_capabilities
        key = "resources" if kind == "templates" else kind
        return capabilities is None or getattr(capabilities, key, None) is not None

    # -- changes, since 2026-07-28

    def watch(self) -> None:
        """Listen for changes, where a server has to be asked for them."""
        if self._watching is None and self._client is not None:
            self._watching = asyncio.ensure_future(self._watch(self._client))

    async def _stop_watching(self) -> None:
        """Stop listening, and tell the server, which would otherwise wait for us when it ends."""
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            await asyncio.wait([watching], timeout=1)

    async def _watch(self, client: Client) -> None:
        while not self.has_ended:
            try:
                async with client.listen(
                    tools_list_changed=True,
                    prompts_list_changed=True,
                    resources_list_changed=True,
                ) as events:
                    async for _ in events:
                        pass  # each also comes as a notification
            except MCPError as error:
                if error.code in (t.METHOD_NOT_FOUND, t.INVALID_REQUEST, t.INVALID_PARAMS):
                    return
            except Exception as error:  # noqa: BLE001
                if type(error).__name__ == "ListenNotSupportedError":
                    return  # before 2026-07-28 a server reports changes unasked
                _log.debug("%s: listening has ended", self.target, exc_info=error)
            await asyncio.sleep(_WATCH_PAUSE)
            for what in ("tools", "resources", "prompts"):  # something may have been missed
                await told(self.messages.changed, what, "")


def _signs_in(settings: ClientSettings, headers: Mapping[str, str]) -> bool:
    """Return whether a person may be asked to sign in with the browser."""
    if settings.token is not None or any(header.lower() == "authorization" for header in headers):
        return False
    return can_ask() if settings.sign_in is None else settings.sign_in


async def _stop_all() -> None:
    while _open:  # a connection that is being opened may try a second time
        await asyncio.gather(*(live.stop() for live in list(_open)), return_exceptions=True)
    await servers_ended()


def _end_all() -> None:
    """Disconnect everything, and end the servers that were started, when the program ends."""
    loop = background.loop
    if loop is None:
        return
    try:
        with contextlib.suppress(Exception):
            asyncio.run_coroutine_threadsafe(_stop_all(), loop).result(CLOSE_SECONDS)
    finally:  # also if the user does not want to wait
        kill_servers()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.clear)  # they are the parent's


async def _discover(session: Any) -> None:
    """Ask what a server offers: a client with a fixed version assumes that it offers nothing."""
    reply = await session.send_discover(STATELESS_SINCE)
    session.adopt(t.DiscoverResult.model_validate(reply))


def describe(live: LiveSession) -> ServerInfo:
    """Return what a server says about itself; it may say nothing."""
    session = live.session
    server_info: Any = session.server_info
    name = server_info.name if server_info is not None else str(live.target)
    return ServerInfo(
        short(name, 200),
        short(server_info.version or "", 200) if server_info is not None else "",
        short(server_info.title or "", 200) if server_info is not None else "",
        short(session.instructions or "", MOST_TEXT),
        session.protocol_version or "",
    )


def first_of(error: BaseException) -> BaseException:
    """Return the first exception of a group: the SDK's task groups wrap what goes wrong."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        error = group.exceptions[0]
    return error
