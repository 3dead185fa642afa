"""What a server has, asked for once, until it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._json_values import compact_json
from .._log import logger
from .._log.printable import printable
from .._words import nearest
from ..errors import SchemaError, ToolNotFound
from .answers import result_of
from .bounds import MOST_ITEMS, MOST_NAME, MOST_SCHEMA, harmless, short
from .callables.remote_callable import RemoteCallable
from .callables.signature import shapes_of
from .wire.interface import AnyConnection, RequestScope, needs_task

if TYPE_CHECKING:
    from ..results import Result
    from .wire.interface import ServerInfo

_log = logger("client")
_AT_ONCE = 50
"""Tools that are read before others get their turn."""


class RemoteTool(RemoteCallable):
    """A tool of a connected server: called like a function, or added to a toolbox."""

    connection: Any
    told: Mapping[str, Any]

    def __tool_target__(self, options: Any) -> tuple[Any, Any]:
        """Return a target and options for a toolbox: they publish what the server describes."""
        from .proxy import described, plain_name, proxied_tool

        name = self.tool.name
        target, published = proxied_tool(self.connection, name, self.told)
        tool_options: Any = {"name": plain_name(name), **published, **options}
        return target, described(tool_options)


class Listing:
    """The tools, resources and prompts of a server; lives on the background loop."""

    def __init__(self, connection: AnyConnection) -> None:
        self._connection = connection
        self._known: dict[str, Any] = {}
        self._version = 0
        self.problems: dict[str, str] = {}
        """Why a tool cannot be used, by its name."""
        self.definitions: dict[str, dict[str, Any]] = {}
        """The tools as the server describes them, by name."""
        self.listeners: list[Callable[[str, str], object]] = []

    def forget(self) -> None:
        """Forget everything; the server is asked again when it is next needed."""
        self._version += 1
        self._known = {}

    def changed(self, what: str, uri: str = "") -> None:
        """Forget what has changed, and tell the listeners."""
        self._version += 1
        self._known.pop(what, None)
        if what == "resources":
            self._known.pop("templates", None)
        for listener in list(self.listeners):
            listener(what, uri)

    async def info(self) -> ServerInfo:
        """Return what the server says about itself."""
        if "info" not in self._known:
            self._known["info"] = await self._connection.info()
        return self._known["info"]

    def known_tools(self) -> dict[str, RemoteTool] | None:
        """Return the tools, in any thread, unless the server has to be asked for them."""
        return self._known.get("tools")

    async def tools(self) -> dict[str, RemoteTool]:
        """Return the tools that can be used, by name."""
        known_tools = self._known.get("tools")
        if known_tools is not None:
            return known_tools
        version = self._version
        tools: dict[str, RemoteTool] = {}
        definitions: dict[str, dict[str, Any]] = {}
        await self.info()
        listed = await self._connection.listed("tools")
        problems = dict(listed.faults)
        for number, entry in enumerate(listed.items):
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)  # others on the loop get their turn
            name = entry.get("name")
            fault = self._fault(entry, name, tools)
            if fault:
                problems[short(str(name), 100)] = fault
                continue
            definition = harmless(entry)
            try:
                tool = RemoteTool(shapes_of(definition), self._dispatch)
            except (SchemaError, RecursionError) as error:
                problems[short(str(name), 100)] = short(str(error))
                continue
            tool.connection, tool.told = self._connection, definition
            tools[str(name)], definitions[str(name)] = tool, definition
        for name, fault in problems.items():
            _log.warning("%s: the tool %s cannot be used: %s", self._connection, name, fault)
        self.problems, self.definitions = problems, definitions
        if version == self._version:
            self._known["tools"] = tools
        return tools

    def _fault(self, told: Mapping[str, Any], name: Any, made: Mapping[str, Any]) -> str:
        if not isinstance(name, str) or not name or len(name) > MOST_NAME:
            return f"its name is not a text of 1 to {MOST_NAME} characters"
        if printable(name) != name or "\n" in name:
            return "its name has characters that control a terminal"
        if name in made:
            return "there are two of that name"
        try:
            size = len(compact_json(told))
        except (ValueError, TypeError, RecursionError):
            return "its definition is not JSON, or is nested too deeply"
        return f"its definition has {size:,} bytes" if size > MOST_SCHEMA else ""

    async def tool(self, name: str) -> RemoteTool:
        """Return a tool by name. Raises `ToolNotFound`."""
        tools = await self.tools()
        tool = tools.get(name)
        if tool is None:
            hint = self.problems.get(name, "")
            if not hint and (near := self.near(name)):
                hint = f"did you mean `{near}`?"
            raise ToolNotFound(short(str(name), 200), hint=hint)
        return tool

    def near(self, name: str) -> str:
        """Return the name that was probably meant; empty if there is none."""
        tools: Mapping[str, Any] = self._known.get("tools") or {}
        return nearest(name, list(tools)[:500])

    async def of(self, kind: str, key: str) -> dict[str, dict[str, Any]]:
        """Return what the server says about each item of a kind, by its name or URI."""
        if kind not in self._known:
            await self.info()
            version = self._version
            items, faults = await self._connection.listed(kind)
            for name, fault in faults.items():
                _log.warning("%s: %s: %s: %s", self._connection, kind, name, fault)
            entries = {
                str(entry[key]): harmless(entry)
                for entry in items[:MOST_ITEMS]
                if isinstance(entry.get(key), str) and len(entry[key]) <= 8 * MOST_NAME
            }
            if version != self._version:
                return entries
            self._known[kind] = entries
        return dict(self._known[kind])

    async def everything(self) -> list[Mapping[str, Any]]:
        """Ask for every list, and return what they say about each item.

        Raises `CallError` if the server does not answer for one of them.
        """
        await self.tools()
        items: list[Mapping[str, Any]] = list(self.definitions.values())
        for kind, key in (("resources", "uri"), ("templates", "uriTemplate"), ("prompts", "name")):
            items += (await self.of(kind, key)).values()
        return items

    async def called(
        self, tool: RemoteTool, arguments: Mapping[str, Any], scope: RequestScope
    ) -> Result:
        """Call a tool, and check what comes back. Raises `CallError`."""
        result = await self._result(tool.told, arguments, scope)
        if result.error is None and tool.tool.output_schema is not None:
            tool.unboxed(result.value)
        return result

    async def _dispatch(self, name: str, arguments: dict[str, Any]) -> Any:
        """Send a call of a tool, which has checked its arguments; return its value."""
        settings = self._connection.settings
        scope = RequestScope(
            name, settings.timeout, on_progress=settings.on_progress, on_log=settings.on_log
        )
        definition = self.definitions.get(name) or {"name": name}
        return (await self._result(definition, arguments, scope)).value

    async def _result(
        self, definition: Mapping[str, Any], arguments: Mapping[str, Any], scope: RequestScope
    ) -> Result:
        name = definition["name"]
        scope.as_task = needs_task(definition)
        params = {"name": name, "arguments": dict(arguments)}
        payload = await self._connection.send("tools/call", params, scope)
        return result_of(name, payload, definition.get("outputSchema"))
