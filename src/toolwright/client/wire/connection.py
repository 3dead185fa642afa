"""A connection to a server: opened when needed, and reopened."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import mcp_types as t
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from ..._json_values import compact_json, is_list, is_object, is_utf8, without_surrogates
from ..._log import logger
from ..._protocol import META, STATELESS_SINCE
from ..._words import one_line, path_text
from ...errors import (
    ArgumentError,
    CallError,
    Fault,
    ResultError,
    ServerUnavailable,
    ToolError,
    ToolTimeout,
)
from ...run.loop import background
from ..bounds import CLOSE_SECONDS, MOST_NAME, MOST_ROUNDS, short
from ..settings import ClientSettings
from ..targets import ServerAddress, ServerObject, StartedServer
from .http_client import HttpFault, http_fault
from .interface import RequestScope, ServerInfo, ServerList, current_scope, told
from .live import LiveSession, describe
from .messages import ServerMessages, is_lost
from .pages import all_pages

_log = logger("client")
T = TypeVar("T")
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
        self.messages = ServerMessages(settings, self._changed)
        self.how_to_sign_in = "pass token=..., or sign_in=True"
        """What an error says about it; the command has flags for that."""
        self.on_change: Callable[[str, str], object] = lambda _what, _uri: None
        """Told of `tools`, `resources`, `prompts` that have changed, or one `resource`."""
        self.watches = False
        """Whether changes are listened for; before 2026-07-28 servers report them unasked."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._live: LiveSession | None = None
        self._opening: asyncio.Task[LiveSession] | None = None
        self._was_open = False
        self._ending: set[asyncio.Task[None]] = set()
        """Sessions that are lost, and whose servers are being ended."""

    def __str__(self) -> str:
        return str(self.target)

    def _changed(self, what: str, uri: str) -> None:
        self.on_change(what, uri)

    async def info(self) -> ServerInfo:
        """Connect, if need be, and return what the server says about itself."""
        return describe(await self._connected("connecting"))

    async def listed(self, kind: str) -> ServerList:
        """Return all tools, resources, templates or prompts. Raises `CallError`."""

        async def pages(live: LiveSession) -> ServerList:
            if not live.offers(kind):
                return ServerList([], {})
            try:
                return await all_pages(live, kind, str(self))
            except MCPError as error:
                if error.code != t.METHOD_NOT_FOUND:
                    raise
            return ServerList([], {})

        scope = RequestScope(f"listing {kind}", self.settings.timeout)
        return await self._in_session(scope, pages)

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request from async code of any loop, and return its result. Raises `CallError`."""
        scope.is_call = True
        return await background.run_async(
            self._in_session(scope, lambda live: self._answered(live, method, params, scope))
        )

    async def _in_session(
        self, scope: RequestScope, work: Callable[[LiveSession], Awaitable[T]]
    ) -> T:
        """Do what needs a session; again in another one if the server has forgotten it."""
        live = self._live
        if live is None or live.has_ended or self._loop is not background.loop:
            live = await self._connected(scope.what)
        async with self._bounded(scope):
            try:
                return await work(live)
            except MCPError as error:
                if http_fault(error) is not HttpFault.FORGOTTEN:
                    raise
                await self._drop(live)
            return await work(await self._opened())
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
            live = LiveSession(self.target, self.messages, mode)
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
        self.messages.scopes.clear()

    async def pass_on(self) -> None:
        """Let a toolbox have what the server offers: its callers also answer questions."""
        self.watches = True
        if not self.messages.handlers.passes_on:
            self.messages.handlers.passes_on = True
            await self.close()  # what a client can be asked for is said when it connects
        elif self._live is not None and self._loop is asyncio.get_running_loop():
            self._live.watch()

    # -- requests

    @contextlib.asynccontextmanager
    async def _bounded(self, scope: RequestScope) -> AsyncGenerator[None]:
        """Hold a request to its deadline; what goes wrong becomes one of our own errors."""
        self.messages.scopes[scope] = None
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
            self.messages.scopes.pop(scope, None)
            scope.deadline = None

    async def _failure(self, scope: RequestScope, error: MCPError) -> CallError:
        reason = one_line(short(error.message))
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
            answers = [
                self.messages.answered(key, question, scope) for key, question in questions.items()
            ]
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
        """Send a request: without the SDK, where nothing is lost by that."""
        token = current_scope.set(scope)
        try:
            if scope.as_task and not live.is_stateless:
                return await run_as_task(live, params, scope)
            for last in (False, True):
                try:
                    if method == "tools/call" and not last and live.goes_short(params["name"]):
                        raw = await live.sent(method, params, scope)
                        if raw is not None:
                            return raw
                    return await _sent_by_sdk(live, method, params, scope)
                except MCPError as error:
                    if last or live.http is None or error.code != t.HEADER_MISMATCH:
                        raise
                # The parameters that go into headers have changed: the listing says which.
                await all_pages(live, "tools", str(self))
        finally:
            current_scope.reset(token)
        raise AssertionError


async def _sent_by_sdk(
    live: LiveSession, method: str, params: Mapping[str, Any], scope: RequestScope
) -> dict[str, Any]:
    # The SDK writes in a task of its own, and what cannot be written would end that one.
    compact_json(params)
    kind, kind_of_params = _REQUESTS[method]
    request = kind(params=kind_of_params.model_validate(params))
    progress = None if scope.on_progress is None else scope.progress
    return await live.session.send_request(request, _RAW, progress_callback=progress)


# -- texts that UTF-8 cannot hold

Path = tuple[str | int, ...]


def unsendable(name: str, params: Mapping[str, Any]) -> ArgumentError:
    """Return the error for a request that UTF-8 cannot hold, with the argument or other part."""
    arguments: Mapping[str, Any] = params.get("arguments") or {}
    places = (*_texts(arguments), *_texts(params))
    path = next((path for path, text in places if not is_utf8(text)), ())
    place = without_surrogates(path_text(path))
    text = f"{place} must not contain a lone surrogate, which UTF-8 cannot hold"
    return ArgumentError(without_surrogates(name), [Fault(path, "text", text)])


def _texts(part: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield every text in JSON values with its path; names of members are texts as well."""
    waiting: deque[tuple[Path, Any]] = deque([((), dict(part))])
    while waiting:
        path, value = waiting.popleft()
        if isinstance(value, str):
            yield path, value
        elif is_object(value):
            yield from (((*path, key), key) for key in value)
            waiting.extend(((*path, key), member) for key, member in value.items())
        elif is_list(value):
            waiting.extend(((*path, index), member) for index, member in enumerate(value))


# -- calls as tasks: begun, polled and fetched, or cancelled
#
# These are the tasks of 2025-11-25 (basic/utilities/tasks), which a tool may require of its caller.
# Since 2026-07-28 a server decides by itself, and answers clients that know no tasks as usual.

_PAUSES = (0.05, 5.0)
"""Seconds between two polls, at least and at most, whatever the server asks for."""
_USUAL_PAUSE = 0.5
_WORKING = "working"
_cancelling: set[asyncio.Task[None]] = set()
"""Held until they are done: the event loop itself holds tasks only weakly."""


async def run_as_task(
    live: LiveSession, params: Mapping[str, Any], scope: RequestScope
) -> dict[str, Any]:
    """Call a tool as a task and return its result.

    If the caller gives up, the task is cancelled. Raises `MCPError`, or `ResultError`.
    """
    created = await _sent(live, "tools/call", {**params, "task": {}}, scope)
    task = created.get("task")
    if not is_object(task):
        return created  # the result itself: the server did not need a task after all
    task_id = task.get("taskId")
    if not isinstance(task_id, str) or not 0 < len(task_id) <= MOST_NAME:
        raise ResultError(f"{scope.what}: the server began a task without a usable `taskId`")
    try:
        await _worked(live, task_id, task, scope)
        # This waits until the end, and a server may ask meanwhile.
        return await _sent(live, "tasks/result", {"taskId": task_id}, scope)
    except asyncio.CancelledError:
        cancelling = asyncio.ensure_future(_cancel(live, task_id))
        _cancelling.add(cancelling)
        cancelling.add_done_callback(_cancelling.discard)
        raise


async def _worked(
    live: LiveSession, task_id: str, task: Mapping[str, Any], scope: RequestScope
) -> None:
    """Poll until the task has ended, or asks something."""
    polls, reported = 0, ""
    while task.get("status") == _WORKING:
        message = task.get("statusMessage")
        if isinstance(message, str) and message != reported:
            reported = message
            await scope.progress(polls, None, short(message))
        await asyncio.sleep(_pause(task.get("pollInterval")))
        task = await _sent(live, "tasks/get", {"taskId": task_id}, scope)
        polls += 1


def _pause(milliseconds: Any) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return _USUAL_PAUSE
    least, most = _PAUSES
    return max(least, min(milliseconds / 1000, most))


async def _sent(
    live: LiveSession, method: str, params: Mapping[str, Any], scope: RequestScope
) -> dict[str, Any]:
    """Send a request without the SDK, which refuses a task as the answer to a call."""
    came = await live.sent(method, params, scope)
    if came is None:
        raise ResultError(f"{scope.what}: the server redirects, and tasks do not follow")
    return came


async def _cancel(live: LiveSession, task_id: str) -> None:
    with contextlib.suppress(Exception):  # it may have ended, and so may the server
        async with asyncio.timeout(CLOSE_SECONDS):
            scope = RequestScope("cancelling a task", None)
            await _sent(live, "tasks/cancel", {"taskId": task_id}, scope)
