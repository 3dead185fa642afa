"""A toolbox as a server of the SDK, in every era."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mcp_types as t
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from ..._protocol import STATELESS_SINCE, TASKS_EXTENSION
from ...errors import CallError, Overloaded, SchemaError, ToolNotFound
from ...outcome.failure import failed, failure_of
from ...questions import CannotAsk, InputNeeded
from ...refusals import Refused
from ...results import Result
from ...run.current import asked_by
from ..access.quotas import (
    MOST_QUESTIONS,
    MOST_QUESTIONS_EACH,
    Running,
    Shares,
    too_many,
)
from ..offering import ask_to_confirm
from ..sender import USER, Sender, sender_here
from .calls import call_of, handed_with
from .notifications import Notifications
from .questions import AskByRepeating, AskByRequest
from .resources import Offered
from .tasks import (
    RunningTask,
    TaskParams,
    Tasks,
    UpdateParams,
    can_take_tasks,
    needs_tasks,
)

if TYPE_CHECKING:
    from ...tools.definition import Tool
    from ..offering import Live

_UNBOUNDED = frozenset(("initialize", "ping", "subscriptions/listen"))
"""Methods that end at once, or with the connection."""
# Deprecated since 2026-07-28, but old clients still want it: the wrapped function does not warn.
_send_log: Any = vars(ServerSession)["send_log_message"].__wrapped__


class SdkServer(Offered):
    """One toolbox, as handlers of the SDK's server."""

    def __init__(
        self,
        box: Live,
        *,
        watch: bool = True,
        user: Sender | None = USER,
        state_keys: Sequence[bytes] = (),
        running: Running | None = None,
    ) -> None:
        super().__init__(box, Notifications(box, watch=watch), user)
        self.tasks = Tasks(box)
        self.running = running or Running()
        self.questions = Shares(MOST_QUESTIONS, MOST_QUESTIONS_EACH)
        about, info = box.now.about, t.Implementation.model_validate(box.now.info())
        self.server: Server[Any] = Server(
            about.name,
            version=about.version,
            title=info.title,
            website_url=info.website_url,
            icons=info.icons,
            instructions=about.instructions or None,
            lifespan=self.changes.lifespan,
            get_tool_input_schema=self.input_schema,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            **self._handlers(watch=watch),
        )
        self._add_handlers()
        changes = NotificationOptions(
            tools_changed=watch, prompts_changed=watch, resources_changed=watch
        )
        handshake: Any = self.server.create_initialization_options(changes)
        self.options = handshake
        """What the handshake says."""
        # The HTTP transport asks for this without saying what can change.
        vars(self.server)["create_initialization_options"] = lambda: handshake
        self._add_middleware(state_keys)

    def _handlers(self, *, watch: bool) -> dict[str, Any]:
        """Return handlers for what exists here: the SDK derives the capabilities from them."""
        box, is_live = self.box.now, self.box.is_live
        handlers: dict[str, Any] = {}
        offers_prompts = bool(box.prompts) or is_live
        if box.resources or is_live:
            handlers |= {
                "on_list_resources": self.list_resources,
                "on_list_resource_templates": self.list_templates,
                "on_read_resource": self.read_resource,
            }
            if watch:
                handlers["on_subscribe_resource"] = self.subscribe
                handlers["on_unsubscribe_resource"] = self.unsubscribe
        if offers_prompts:
            handlers |= {"on_list_prompts": self.list_prompts, "on_get_prompt": self.get_prompt}
        if offers_prompts or any(resource.is_template for resource in box.resources.values()):
            handlers["on_completion"] = self.complete
        if watch:
            handlers["on_subscriptions_listen"] = self.listen
        return handlers

    def _add_handlers(self) -> None:
        """Add handlers for methods that the SDK's constructor does not take."""
        if self.box.is_live or self.box.now.has_tasks:
            self.server.extensions[TASKS_EXTENSION] = {}
            self.server.add_request_handler("tasks/get", TaskParams, self.tasks.get)
            self.server.add_request_handler("tasks/update", UpdateParams, self.tasks.update)
            self.server.add_request_handler("tasks/cancel", TaskParams, self.tasks.cancel)
        if self.box.is_live or self.box.now.sees_calls:
            self.server.add_request_handler(
                "logging/setLevel", t.SetLevelRequestParams, self.set_level
            )

    def _add_middleware(self, state_keys: Sequence[bytes]) -> None:
        # `requestState` comes back from a client, so it is sealed, and bound to its recipient
        # (2026-07-28, basic/patterns/mrtr). Without keys, only this process opens it.
        keys = RequestStateSecurity(keys=state_keys) if state_keys else None
        security = keys or RequestStateSecurity.ephemeral()
        security.bind_principal = lambda ctx: handed_with(ctx).sender.principal
        boundary = RequestStateBoundary(security, default_audience=self.box.now.about.name)
        self.server.middleware += [boundary, self.changes.meet, self._bounded]

    async def _bounded(self, ctx: Any, call_next: Any) -> Any:
        """Run a request, unless too many run already; this is middleware of the SDK.

        The work of a client with a handshake goes on if it hangs up, so that it can come back:
        a bound on open connections does not bound it.
        """
        sender, size, run, _ = handed_with(ctx)
        # A call that the short path has begun was counted when it began.
        if ctx.request_id is None or ctx.method in _UNBOUNDED or run is not None:
            return await call_next(ctx)
        client = sender.client
        if not self.running.begin(client, size):
            return self._too_many(ctx)
        try:
            return await call_next(ctx)
        finally:
            self.running.end(client, size)

    def _too_many(self, ctx: Any) -> Any:
        busy = too_many()
        if ctx.method != "tools/call":
            raise MCPError(code=t.INTERNAL_ERROR, message=f"{busy.message}: {busy.hint}")
        params: Mapping[str, Any] = ctx.params or {}
        name = params.get("name")
        if isinstance(name, str):
            name, _ = self._directed(name, params.get("arguments"))
        self._refused(ctx, "tool", "overloaded", name if isinstance(name, str) else "")
        return self._finished(ctx, failed(busy))

    # -- tools

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return a tool's input schema, for the headers that repeat arguments."""
        sender = self.user or sender_here()
        tool = self.box.now.tools.usable(name, *sender.viewer(self.box.now))
        try:
            return None if tool is None else tool.input_schema
        except SchemaError:
            return None

    async def list_tools(self, ctx: Any, params: Any) -> Any:
        """Answer `tools/list`."""
        self.changes.seen(ctx)
        listed = json.loads(
            self.box.now.tools.to_mcp_json(ctx.protocol_version, *self._viewer(ctx))
        )
        return self._page(ctx, params, "tools", listed["tools"])

    async def call_tool(self, ctx: Any, params: Any) -> Any:
        """Answer `tools/call`."""
        self.changes.seen(ctx)
        name, arguments = self._directed(params.name, params.arguments)
        if name != params.name:
            params = params.model_copy(update={"name": name, "arguments": arguments})
        begun_run = handed_with(ctx).run
        if begun_run is not None:
            return self._finished(ctx, await self._asked(ctx, params, begun_run.go_on))
        is_task = self._usable(ctx, params.name).options.task
        if is_task and can_take_tasks(ctx):
            return await self._call_as_task(ctx, params)
        if is_task == "required":
            self._refused(ctx, "tool", "needs_tasks", params.name)
            raise needs_tasks(params.name)
        return self._finished(ctx, await self._asked(ctx, params, self._run_tool))

    def _directed(self, name: str, arguments: Any) -> tuple[str, Any]:
        """Return the tool that a call is meant for, and its arguments."""
        directed = self.box.now.directed
        return (name, arguments) if directed is None else directed(name, arguments)

    def _finished(self, ctx: Any, result: Any) -> Any:
        """Write the result of a call, or what it asks for."""
        if not isinstance(result, Result):
            return result
        return self._whole(ctx, json.loads(result.to_mcp_json(ctx.protocol_version)), kept=False)

    async def _call_as_task(self, ctx: Any, params: Any) -> Any:
        """Run a call that may take long, for a client that can come back for its result."""
        running = RunningTask(self.tasks, ctx, params, _abilities(ctx))
        if not self.tasks.shares.begin(running.client):
            self._refused(ctx, "tool", "overloaded", params.name)
            busy = Overloaded("too many tasks are already running or kept", retry_after=1)
            return self._finished(ctx, failed(busy))

        async def work() -> Result:
            with asked_by(running.sender):
                return await self._run_tool(params, running.call)

        def finish(result: Result) -> Any:
            return self._finished(ctx, self._settled(ctx, running.before, result))

        return await self.tasks.run(running, work, finish)

    def _usable(self, ctx: Any, name: str) -> Tool:
        """Return a tool that the caller may use. Raises `MCPError`.

        An unknown tool is a protocol error, invalid parameters (server/tools, Error Handling).
        """
        viewer, tools = self._viewer(ctx), self.box.now.tools
        tool = tools.usable(name, *viewer)
        if tool is None:
            self._hidden(ctx, "tool", name, lambda roles: tools.usable(name, roles))
            raise MCPError(code=t.INVALID_PARAMS, message=str(tools.not_found(name, *viewer)))
        return tool

    async def _run_tool(self, params: Any, call: Any) -> Result:
        name: str = params.name
        arguments: dict[str, Any] = params.arguments or {}
        with self.box.busy() as box:
            tool = box.tools.usable(name, None)
            if tool is None:  # removed a moment ago
                return failed(ToolNotFound(name))
            if tool.options.confirm:
                try:
                    await ask_to_confirm(name, arguments, call)
                except InputNeeded as needed:
                    return failure_of(name, needed, ())
                except CallError as error:
                    box.refused(Refused("tool", error.code, name, call.caller))
                    return failed(error)
            return await box.call(name, arguments, call)

    async def _asked(self, ctx: Any, params: Any, run: Any) -> Any:
        """Run something that may ask the client; return its result, or what it asks for."""
        modern = ctx.protocol_version >= STATELESS_SINCE
        asker: Any = AskByRepeating(params) if modern else AskByRequest(ctx, self.questions)
        asker.abilities = _abilities(ctx)
        async with call_of(ctx, asker, self._log) as call:
            result: Result = await run(params, call)
        return self._settled(ctx, asker, result)

    def _settled(self, ctx: Any, asker: Any, result: Result) -> Any:
        """Return a result, or what must be answered before there can be one."""
        cause = result.error.__cause__ if result.error is not None else None
        if type(cause) is InputNeeded:  # its type, not what it claims: a tool may raise anything
            return asker.needed(cause)
        error = result.error
        # Nothing may be asked that the client has not declared (2026-07-28, basic/patterns/mrtr).
        if isinstance(error, CannotAsk) and ctx.protocol_version >= STATELESS_SINCE:
            needed: dict[str, Any] = {ability: {} for ability in error.abilities}
            raise MCPError(
                code=t.MISSING_REQUIRED_CLIENT_CAPABILITY,
                message=str(error),
                data={"requiredCapabilities": needed},
            )
        return result

    # -- logging

    async def set_level(self, ctx: Any, params: Any) -> Any:
        """Answer `logging/setLevel`."""
        self.changes.set_level(ctx, params.level)
        return t.EmptyResult()

    async def _log(self, ctx: Any, level: str, data: Any, name: str | None) -> None:
        if self.changes.wants(ctx, level):
            await _send_log(
                ctx.session, level, data, name or self.box.now.about.name, ctx.request_id
            )


def _abilities(ctx: Any) -> frozenset[str]:
    capabilities = ctx.session.client_capabilities
    names = ("elicitation", "sampling", "roots")
    return frozenset(name for name in names if getattr(capabilities, name, None) is not None)


def client(box: Live, mode: Any, *, search: bool = False) -> Client:
    """Return a client of the SDK, connected to a toolbox in memory."""
    if search:
        from ..search import with_search

        box = with_search(box, trusted=True)
    return Client(SdkServer(box).server, mode=mode)
