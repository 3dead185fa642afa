"""A connection to a server: opened when needed, and reopened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from typing import Any

import mcp_types as t
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from ..._json_values import compact_json, without_surrogates
from ..._log import logger
from ..._protocol import META, STATELESS_SINCE
from ...errors import CallError, ResultError, ServerUnavailable, ToolError, ToolTimeout
from ...run.loop import background
from ..bounds import CLOSE_SECONDS, MOST_QUESTIONS, MOST_ROUNDS, short
from ..question_handlers import NoAnswer, QuestionHandlers
from ..settings import ClientSettings
from ..targets import ServerAddress, ServerObject, StartedServer
from .http.bounded import HttpFault, http_fault
from .incoming import is_lost
from .interface import ServerList
from .live import LiveSession, describe
from .lone_surrogates import unsendable
from .pages import all_pages
from .scope import RequestScope, current_scope, told
from .server_info import ServerInfo
from .task_calls import run_as_task

_log = logger("client")
_RAW: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
_REQUESTS: Mapping[str, tuple[Any, Any]] = {
    "tools/call": (t.CallToolRequest, t.CallToolRequestParams),
    "resources/read": (t.ReadResourceRequest, t.ReadResourceRequestParams),
    "prompts/get": (t.GetPromptRequest, t.GetPromptRequestParams),
}


def _looked_at(opening: asyncio.Task[Any]) -> None:
    if not opening.cancelled():
        opening.exception()


class Connection:
    """Sends requests to one server; lives on the background loop."""

    is_local = False

    def __init__(
        self, target: ServerAddress | StartedServer | ServerObject, settings: ClientSettings
    ) -> None:
        self.target = target
        self.settings = settings
        self.handlers = QuestionHandlers(settings)
        self.how_to_sign_in = "pass token=..., or sign_in=True"
        """What an error says about it; the command has flags for that."""
        self.on_change: Callable[[str, str], object] = lambda _what, _uri: None
        """Told of `tools`, `resources`, `prompts` that have changed, or one `resource`."""
        self.watches = False
        """Whether changes are listened for; before 2026-07-28 servers report them unasked."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._live: LiveSession | None = None
        self._opening: asyncio.Task[LiveSession] | None = None
        self._starting: LiveSession | None = None
        self._was_open = False
        self._ending: set[asyncio.Task[None]] = set()
        """Sessions that are lost, and whose servers are being ended."""
        self.scopes: dict[RequestScope, None] = {}
        """The requests that wait for their answers."""

    def __str__(self) -> str:
        return str(self.target)

    async def info(self) -> ServerInfo:
        """Connect, if need be, and return what the server says about itself."""
        return describe(await self._connected("connecting"))

    async def listed(self, kind: str) -> ServerList:
        """Return all tools, resources, templates or prompts. Raises `CallError`."""
        scope = RequestScope(f"listing {kind}", self.settings.timeout)
        live = await self._connected(scope.what)
        async with self._bounded(scope):
            if not live.offers(kind):
                return ServerList([], {})
            try:
                return await all_pages(live, kind, str(self))
            except MCPError as error:
                if error.code == t.METHOD_NOT_FOUND:
                    return ServerList([], {})
                if http_fault(error) is not HttpFault.FORGOTTEN:
                    raise
                await self._drop(live)
            return await all_pages(await self._opened(), kind, str(self))
        raise AssertionError

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request from async code of any loop, and return its result. Raises `CallError`."""
        return await background.run_async(self._sent(method, params, scope))

    async def _sent(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        scope.is_call = True
        live = self._live
        if live is None or live.has_ended or self._loop is not background.loop:
            live = await self._connected(scope.what)
        async with self._bounded(scope):
            try:
                return await self._answered(live, method, params, scope)
            except MCPError as error:
                if http_fault(error) is not HttpFault.FORGOTTEN:
                    raise
                await self._drop(live)
            return await self._answered(await self._opened(), method, params, scope)
        raise AssertionError

    async def close(self) -> None:
        """End the connection; the next request opens another."""
        if self._loop is not asyncio.get_running_loop():
            self._forget()  # of a process that this one was forked from
            return
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
        if self._live is not None:
            await self._drop(self._live)
        if self._ending:
            await asyncio.wait(list(self._ending), timeout=CLOSE_SECONDS)

    # -- opening

    async def _connected(self, what: str) -> LiveSession:
        """Return the open session, or open one in the time allowed for that."""
        async with self._bounded(RequestScope(what, self.settings.connect_timeout)):
            return await self._opened()
        raise AssertionError

    async def _opened(self) -> LiveSession:
        """Return the open session, or open one; several requests wait for the same one."""
        if self._loop is not asyncio.get_running_loop():
            self._forget()
            self._loop = asyncio.get_running_loop()
        if self._live is not None and not self._live.has_ended:
            return self._live
        if self._live is not None:
            await self._drop(self._live)
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
            self._opening.add_done_callback(_looked_at)  # perhaps nobody waits for it any more
        opening = self._opening
        try:
            return await asyncio.shield(opening)
        finally:
            if opening.done() and self._opening is opening:
                self._opening = None

    async def _open(self) -> LiveSession:
        modes = {"auto": ("auto",), "handshake": ("legacy",), "stateless": (STATELESS_SINCE,)}
        tries = modes[self.settings.era]
        if self.settings.era == "auto" and isinstance(self.target, StartedServer):
            tries = ("auto", "legacy")  # some end at a request that comes before the handshake
        if self.settings.era == "auto" and isinstance(self.target, ServerObject):
            tries = ("legacy",)  # FastMCP's `ctx.elicit` needs a session, and every server has one
        failure: Exception | None = None
        for mode in tries:
            live = LiveSession(self, mode)
            self._starting = live
            try:
                await live.start()
            except Exception as error:  # noqa: BLE001 - from any library below
                failure = failure or error
                if not live.ended_early:
                    break
                continue
            self._live = live
            if self.watches:
                live.watch()
            if self._was_open:  # a new server may have other tools
                for what in ("tools", "resources", "prompts"):
                    await told(self.on_change, what, "")
            self._was_open = True
            return live
        raise failure or AssertionError

    async def _drop(self, live: LiveSession) -> None:
        if self._live is live:
            self._live = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await live.stop()

    def _forget(self) -> None:
        self._live = self._opening = None
        self.scopes.clear()

    async def pass_on(self) -> None:
        """Let a toolbox have what the server offers: its callers also answer questions."""
        self.watches = True
        if not self.handlers.passes_on:
            self.handlers.passes_on = True
            await self.close()  # what a client can be asked for is said when it connects
        elif self._live is not None and self._loop is asyncio.get_running_loop():
            self._live.watch()

    # -- requests

    @contextlib.asynccontextmanager
    async def _bounded(self, scope: RequestScope) -> AsyncGenerator[None]:
        """Hold a request to its deadline; what goes wrong becomes one of our own errors."""
        self.scopes[scope] = None
        try:
            async with asyncio.timeout(scope.seconds) as scope.deadline:
                yield
        except TimeoutError:
            text = f"{scope.what}: {self} gave no answer in {scope.seconds:g} s"
            raise ToolTimeout(text) from None
        except MCPError as error:
            raise await self._failure(scope, error) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            text = (
                f"{scope.what}: the answer of {self} breaks the protocol: {where}: {first['msg']}"
            )
            raise ResultError(short(text)) from None
        except CallError:
            raise
        except OSError as error:
            text = f"{scope.what}: {self} cannot be reached: {error}"
            raise ServerUnavailable(short(text)) from None
        except Exception as error:  # from the SDK, or a library below it
            _log.debug("%s: %s failed", self, scope.what, exc_info=error)
            raise ServerUnavailable(short(f"{scope.what}: {self}: {error}")) from error
        finally:
            self.scopes.pop(scope, None)
            scope.deadline = None

    async def _failure(self, scope: RequestScope, error: MCPError) -> CallError:
        reason = short(error.message)
        if http_fault(error) is not None:
            hint = self.how_to_sign_in if "HTTP 401" in reason else ""
            return ServerUnavailable(f"{scope.what}: {self}: {reason}", hint=hint)
        if is_lost(error):
            live: LiveSession | None = scope.session or self._live
            why = await live.why() if live is not None else reason
            if live is not None and live is self._live:  # else another one is open by now
                self._live = None
                self._ending.add(ending := asyncio.ensure_future(self._drop(live)))
                ending.add_done_callback(self._ending.discard)
            hint = (
                "it may or may not have run; the next call connects again" if scope.is_call else ""
            )
            return ServerUnavailable(
                f"{scope.what}: the connection to {self} was lost: {why}", hint=hint
            )
        return ToolError(f"{scope.what}: {reason}", code=f"protocol {error.code}")

    async def _answered(
        self, live: LiveSession, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request as often as the server has questions about it."""
        sent, scope.session = dict(params), live
        if scope.on_log is not None:
            await self._hear(live, sent)
        for _ in range(MOST_ROUNDS):
            try:
                raw = await self._once(live, method, sent, scope)
            except UnicodeEncodeError:
                raise unsendable(scope.what, sent) from None
            if raw.get("resultType") != "input_required":
                return raw
            questions: Mapping[str, Any] = raw.get("inputRequests") or {}
            answers = [self.answered(key, question, scope) for key, question in questions.items()]
            came = dict(zip(questions, await asyncio.gather(*answers), strict=True))
            if not questions:
                await asyncio.sleep(0.2)
            sent = {**sent, "inputResponses": came, "requestState": raw.get("requestState")}
        raise ToolError(f"{scope.what}: {self} asks again and again", code="cannot_ask")

    async def _hear(self, live: LiveSession, given: dict[str, Any]) -> None:
        """Have the messages of a request sent: by the request itself, or once and for all."""
        if live.is_stateless:
            given["_meta"] = {**given.get("_meta", {}), f"{META}logLevel": "debug"}
        else:
            await live.hear()

    async def _once(
        self, live: LiveSession, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        if scope.as_task and not live.is_stateless:
            return await self._run_as_task(live, params, scope)
        if method == "tools/call":
            raw = await self._sent_short(live, params, scope)
            if raw is not None:
                return raw
        # The SDK writes in a task of its own, and what cannot be written would end that one.
        compact_json(params)
        kind, kind_of_params = _REQUESTS[method]
        request = kind(params=kind_of_params.model_validate(params))
        progress = None if scope.on_progress is None else scope.progress
        token = current_scope.set(scope)
        try:
            for last in (False, True):
                try:
                    return await live.session.send_request(
                        request, _RAW, progress_callback=progress
                    )
                except MCPError as error:
                    if last or live.http is None or error.code != t.HEADER_MISMATCH:
                        raise
                # The parameters that go into headers have changed: the listing says which.
                await all_pages(live, "tools", str(self))
        finally:
            current_scope.reset(token)
        raise AssertionError

    async def _run_as_task(
        self, live: LiveSession, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        token = current_scope.set(scope)
        try:
            return await run_as_task(live, params, scope)
        finally:
            current_scope.reset(token)

    async def _sent_short(
        self, live: LiveSession, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any] | None:
        """Send a call without the SDK; None if the SDK has to send it."""
        if not live.goes_short(params["name"]):
            return None
        try:
            return await live.sent("tools/call", params, scope)
        except MCPError as error:
            if live.http is None or error.code != t.HEADER_MISMATCH:
                raise
        return None

    # -- questions

    def scope_of_message(self) -> RequestScope | None:
        """Return the request that a message of the server belongs to.

        HTTP says which; over standard streams it is known only if there is just one request.
        """
        scope = current_scope.get()
        if scope is not None and scope in self.scopes:
            return scope
        calls = [scope for scope in list(self.scopes) if scope.is_call]
        return calls[0] if len(calls) == 1 else None

    @contextlib.contextmanager
    def waiting(self) -> Generator[None]:
        """Stop the clocks of all requests while a person signs in."""
        paused = list(self.scopes)
        for scope in paused:
            scope.pause()
        starting = None if self._starting is None else self._starting.patience
        if starting is not None:
            starting.reschedule(None)
        try:
            yield
        finally:
            for scope in paused:
                scope.go_on()
            seconds = self.settings.connect_timeout
            if starting is not None and seconds is not None:
                starting.reschedule(asyncio.get_running_loop().time() + seconds)

    async def answered(
        self, key: str, asked: Mapping[str, Any], scope: RequestScope | None
    ) -> dict[str, Any]:
        """Return the answer to a question that a request has raised. Raises `CallError`."""
        answer = self.handlers.answer
        if scope is not None and scope.answer is not None:
            answer = scope.answer
        elif scope is None and any(running.answer is not None for running in list(self.scopes)):
            raise NoAnswer("several calls are running, and the server does not say which asks")
        if scope is not None:
            scope.answers += 1
            if scope.answers > MOST_QUESTIONS:
                raise NoAnswer("there were too many questions about one request")
            scope.pause()
        try:
            came = await answer(key, str(asked.get("method", "")), asked.get("params") or {})
            return without_surrogates(came)
        finally:
            if scope is not None:
                scope.go_on()
