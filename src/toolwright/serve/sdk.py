"""A toolbox as a server of the official SDK, which knows every method, era and edge."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mcp_types as t
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from ..asking import CannotAsk, InputNeeded
from ..catalog import may_use
from ..errors import CallError, Overloaded, ResultError, ToolError, ToolNotFound
from ..options import BARE_SINCE
from ..results import Result
from ..run.failure import failed, failure_of
from ..run.words import show
from .asker import Answers, Pushes
from .calls import call_of, caller_of
from .changes import Changes
from .tasks import (
    EXTENSION,
    Running,
    TaskParams,
    Tasks,
    UpdateParams,
    can_take_tasks,
    needs_tasks,
)

if TYPE_CHECKING:
    from .box import Box

_CONFIRM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Confirm"}},
    "required": ["confirm"],
}
RESOURCE_NOT_FOUND = -32002
"""What older clients are told; newer ones get invalid parameters."""
# Deprecated, and still what old clients want: the function inside does not warn.
_send_log: Any = vars(ServerSession)["send_log_message"].__wrapped__


class Served:
    """One toolbox, as handlers of the SDK's server."""

    def __init__(self, box: Box, *, watch: bool = True, trusted: bool = True) -> None:
        self.box = box
        self.changes = Changes(box, watch=watch)
        self.tasks = Tasks(box)
        self.trusted = trusted
        """Whether the client is the user himself, who may do anything: over stdio."""
        handlers: dict[str, Any] = {}
        offers_resources = bool(box.resources) or box.is_live
        offers_prompts = bool(box.prompts) or box.is_live
        if offers_resources:
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
        if offers_prompts or any(each.is_template for each in box.resources.values()):
            handlers["on_completion"] = self.complete
        if watch:
            handlers["on_subscriptions_listen"] = ListenHandler(self.changes.bus)
        self.server: Server[Any] = Server(
            box.name,
            version=box.version,
            instructions=box.instructions or None,
            get_tool_input_schema=self.input_schema,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            **handlers,
        )
        if box.has_tasks or box.is_live:
            self.server.extensions[EXTENSION] = {}
            self.server.add_request_handler("tasks/get", TaskParams, self.tasks.get)
            self.server.add_request_handler("tasks/update", UpdateParams, self.tasks.update)
            self.server.add_request_handler("tasks/cancel", TaskParams, self.tasks.cancel)
        if box.sees_calls:
            self.server.add_request_handler(
                "logging/setLevel", t.SetLevelRequestParams, self.set_level
            )
        changes = NotificationOptions(
            tools_changed=watch, prompts_changed=watch, resources_changed=watch
        )
        handshake: Any = self.server.create_initialization_options(changes)
        self.options = handshake
        """What the handshake says."""
        # The HTTP transport asks for this without saying what can change.
        vars(self.server)["create_initialization_options"] = lambda: handshake
        security = RequestStateSecurity.ephemeral()
        self.server.middleware.append(RequestStateBoundary(security, default_audience=box.name))

    def _whole(self, ctx: Any, made: dict[str, Any], *, kept: bool = True) -> dict[str, Any]:
        """Add what newer clients must be told: that it is complete, and how long it may be kept."""
        if ctx.protocol_version < BARE_SINCE:
            return made
        if kept:
            made = {**made, "ttlMs": 0, "cacheScope": "private"}
        return {**made, "resultType": "complete"}

    def _page(
        self, ctx: Any, params: Any, key: str, items: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return a page of a list: what comes behind the item that a cursor names."""
        cursor = params.cursor if params is not None else None
        begin = _place(cursor, items) if cursor else 0
        most = self.box.page_size or len(items)
        made: dict[str, Any] = {key: items[begin : begin + most]}
        if begin + most < len(items):
            made["nextCursor"] = _cursor(items[begin + most - 1])
        return self._whole(ctx, made)

    # -- tools

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return a tool's input schema, for the headers that repeat arguments."""
        try:
            return self.box[name].input_schema
        except (ToolNotFound, CallError):
            return None

    async def list_tools(self, ctx: Any, params: Any) -> Any:
        """Answer `tools/list`."""
        self.changes.seen(ctx)
        listed = json.loads(self.box.to_mcp_json(ctx.protocol_version, self._roles(ctx)))
        return self._page(ctx, params, "tools", listed["tools"])

    async def call_tool(self, ctx: Any, params: Any) -> Any:
        """Answer `tools/call`."""
        self.changes.seen(ctx)
        self._known(params.name, self._roles(ctx))
        is_task = self.box[params.name].options.task
        if is_task and can_take_tasks(ctx):
            return await self._call_as_task(ctx, params)
        if is_task == "required" and ctx.protocol_version >= BARE_SINCE:
            raise needs_tasks()
        return self._finished(ctx, await self._asked(ctx, params, self._run_tool))

    def _finished(self, ctx: Any, result: Any) -> Any:
        """Write the result of a call, or what it asks for."""
        if not isinstance(result, Result):
            return result
        return self._whole(ctx, json.loads(result.to_mcp_json(ctx.protocol_version)), kept=False)

    async def _call_as_task(self, ctx: Any, params: Any) -> Any:
        """Run a call that may take long, for a client that can come back for its result."""
        if self.tasks.are_too_many:
            busy = Overloaded("too many tasks run already", retry_after=1)
            return self._finished(ctx, failed(busy))
        running = Running(self.tasks, ctx, params, _abilities(ctx))

        async def work() -> Result:
            with self.box.busy():
                return await self._run_tool(params, running.call)

        def finish(result: Result) -> Any:
            return self._finished(ctx, self._settled(ctx, running.before, result))

        return await self.tasks.run(running, work, finish)

    def _roles(self, ctx: Any) -> tuple[str, ...] | None:
        if self.trusted:
            return None
        caller = caller_of(ctx)
        return caller.roles if caller is not None else ()

    def _known(self, name: str, roles: tuple[str, ...] | None) -> None:
        try:
            known = self.box.is_enabled(name) and may_use(self.box[name], roles)
        except ToolNotFound as error:
            raise MCPError(code=t.INVALID_PARAMS, message=str(error)) from None
        if not known:
            raise MCPError(code=t.INVALID_PARAMS, message=f"unknown tool `{name}`")

    async def _run_tool(self, params: Any, call: Any) -> Result:
        name = params.name
        if self.box[name].options.confirm:
            try:
                sent = show(params.arguments or {}, 500)
                form = await call.ask(_CONFIRM, f"Run {name} with {sent}?", key="confirm")
                if not form.get("confirm"):
                    return failed(ToolError("the user did not confirm it", code="declined"))
            except (CallError, InputNeeded) as error:
                return failure_of(name, error, ())
        return await self.box.call_async(params.name, params.arguments or {}, call=call)

    async def _asked(self, ctx: Any, params: Any, run: Any) -> Any:
        """Run something that may ask the client; return its result, or what it asks for."""
        asker: Any = Answers(params) if ctx.protocol_version >= BARE_SINCE else Pushes(ctx)
        asker.abilities = _abilities(ctx)
        async with call_of(ctx, asker, self._log) as call:
            with self.box.busy():
                result: Result = await run(params, call)
        return self._settled(ctx, asker, result)

    def _settled(self, ctx: Any, asker: Any, result: Result) -> Any:
        """Return a result, or what must be answered before there can be one."""
        cause = result.error.__cause__ if result.error is not None else None
        if type(cause) is InputNeeded:  # not what it says of itself: it may be anybody's
            return asker.needed(cause)
        error = result.error
        if isinstance(error, CannotAsk) and ctx.protocol_version >= BARE_SINCE:
            needed: dict[str, Any] = {ability: {} for ability in error.abilities}
            raise MCPError(
                code=t.MISSING_REQUIRED_CLIENT_CAPABILITY,
                message=str(error),
                data={"requiredCapabilities": needed},
            )
        return result

    # -- resources

    async def list_resources(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/list`."""
        self.changes.seen(ctx)
        plain = [each.to_mcp() for each in self.box.resources.values() if not each.is_template]
        return self._page(ctx, params, "resources", plain)

    async def list_templates(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/templates/list`."""
        many = [each.to_mcp() for each in self.box.resources.values() if each.is_template]
        return self._page(ctx, params, "resourceTemplates", many)

    async def read_resource(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/read`."""
        uri = str(params.uri)
        for resource in self.box.resources.values():
            variables = resource.matches(uri)
            if variables is not None:
                break
        else:
            modern = ctx.protocol_version >= BARE_SINCE
            code = t.INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
            raise MCPError(code=code, message=f"unknown resource `{uri}`", data={"uri": uri})

        async def run(_: Any, call: Any) -> Result:
            await self.box.ready()
            return await resource.read(uri, variables, call)

        result: Any = await self._asked(ctx, params, run)
        if not isinstance(result, Result):
            return result
        if result.error is not None:
            raise MCPError(code=t.INTERNAL_ERROR, message=result.text, data={"uri": uri})
        return self._whole(ctx, {"contents": resource.contents(uri, result)})

    async def subscribe(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/subscribe`."""
        self.changes.subscribe(ctx, str(params.uri))
        return t.EmptyResult()

    async def unsubscribe(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/unsubscribe`."""
        self.changes.unsubscribe(ctx, str(params.uri))
        return t.EmptyResult()

    # -- prompts and completion

    async def list_prompts(self, ctx: Any, params: Any) -> Any:
        """Answer `prompts/list`."""
        self.changes.seen(ctx)
        all_of_them = [each.to_mcp() for each in self.box.prompts.values()]
        return self._page(ctx, params, "prompts", all_of_them)

    async def get_prompt(self, ctx: Any, params: Any) -> Any:
        """Answer `prompts/get`."""
        prompt = self.box.prompts.get(params.name)
        if prompt is None:
            raise MCPError(code=t.INVALID_PARAMS, message=f"unknown prompt `{params.name}`")

        async def run(asked: Any, call: Any) -> Result:
            await self.box.ready()
            return await prompt.run(asked.arguments, call)

        result: Any = await self._asked(ctx, params, run)
        if not isinstance(result, Result):
            return result
        try:
            if result.error is None:
                made: dict[str, Any] = {"messages": prompt.messages(result)}
                if prompt.tool.description:
                    made["description"] = prompt.tool.description
                return self._whole(ctx, made, kept=False)
            text, code = result.text, result.error.code
        except ResultError as error:
            text, code = str(error), "result"
        known = t.INVALID_PARAMS if code == "arguments" else t.INTERNAL_ERROR
        raise MCPError(code=known, message=text)

    async def complete(self, ctx: Any, params: Any) -> Any:
        """Answer `completion/complete`."""
        ref = params.ref
        if ref.type == "ref/prompt":
            owner: Any = self.box.prompts.get(ref.name)
        else:
            uri = str(ref.uri)
            owner = next((r for r in self.box.resources.values() if r.uri == uri), None)
        if owner is None:
            raise MCPError(code=t.INVALID_PARAMS, message="nothing of that name to complete")
        values = self.box.completions(owner.tool, params.argument.name, params.argument.value)
        shown = values[:100]
        found = {"values": shown, "total": len(values), "hasMore": len(values) > 100}
        return self._whole(ctx, {"completion": found}, kept=False)

    # -- logging

    async def set_level(self, ctx: Any, params: Any) -> Any:
        """Answer `logging/setLevel`."""
        self.changes.set_level(ctx, params.level)
        return t.EmptyResult()

    async def _log(self, ctx: Any, level: str, data: Any) -> None:
        if self.changes.wants(ctx, level):
            await _send_log(ctx.session, level, data, self.box.name, ctx.request_id)


def _abilities(ctx: Any) -> frozenset[str]:
    known = ctx.session.client_capabilities
    names = ("elicitation", "sampling", "roots")
    return frozenset(name for name in names if getattr(known, name, None) is not None)


def _identity(item: Mapping[str, Any]) -> str:
    """Return what an item of a list is known by."""
    return item.get("uri") or item.get("uriTemplate") or item["name"]


def _cursor(last: Mapping[str, Any]) -> str:
    """Name the last item of a page: a list may change before the next one is asked for."""
    return base64.urlsafe_b64encode(_identity(last).encode()).decode()


def _place(cursor: str, items: Sequence[Mapping[str, Any]]) -> int:
    """Return where the page behind a cursor begins. Raises `MCPError`."""
    try:
        last = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
        return [_identity(item) for item in items].index(last) + 1
    except (binascii.Error, ValueError):
        raise MCPError(code=t.INVALID_PARAMS, message="unknown cursor") from None
