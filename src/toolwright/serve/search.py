"""A search that stands for all tools of a toolbox."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Awaitable, Callable, Generator, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from pydantic import Field

from .._json_values import compact_json, is_object, strict_json
from .._protocol import STATELESS_SINCE, TITLES_SINCE
from .._words import first_line, truncate
from ..call import Call, view_of
from ..errors import SchemaError, ToolError
from ..tools.definition import Tool, compile_tools
from .search_index import IndexedTool, ToolIndex

if TYPE_CHECKING:
    from ..errors import ToolNotFound
    from ..results import Result
    from .offering import Listener, Live, Offering, Roles
    from .sender import Viewer


NAMES = ("search_tools", "describe_tool", "call_tool")
_MOST_FOUND = 50
_MOST_SUMMARY = 300
_MOST_DESCRIBED = 4_000_000
"""Bytes: a schema that is cut would no longer be one."""
_MOST_NAMED = 20
"""How many parameters a found tool shows."""


class FoundTool(TypedDict):
    """A tool that was found."""

    name: str
    description: str
    arguments: Annotated[str, Field(description="Those with a question mark may be left out.")]


Search = Callable[[str, int, Call], list[FoundTool]]
Describe = Callable[[str, Call], dict[str, Any]]


def own_tools(search: Search, describe: Describe) -> tuple[Tool, ...]:
    """Return the three tools, which call these functions."""

    def search_tools(
        query: Annotated[str, Field(description="Words for what is to be done.")],
        limit: Annotated[int, Field(ge=1, le=_MOST_FOUND)] = 10,
        *,
        call: Call,
    ) -> list[FoundTool]:
        """Find tools by what they do, the best first. An empty query lists all."""
        return search(query, limit, call)

    def describe_tool(
        name: Annotated[str, Field(description="As search_tools gives it.")], *, call: Call
    ) -> dict[str, Any]:
        """Show everything about one tool: what it does, and the schema of its arguments."""
        return describe(name, call)

    def call_tool(
        name: Annotated[str, Field(description="As search_tools gives it.")],
        arguments: Annotated[
            dict[str, Any] | None, Field(description="As describe_tool shows them.")
        ] = None,
    ) -> None:
        """Call a tool that was found."""
        del arguments
        # A call of any other tool was directed to that tool itself.
        raise ToolError(f"`{name}` is called by itself, not through call_tool", code="not_found")

    return (
        Tool(search_tools, read_only=True, open_world=False),
        Tool(describe_tool, read_only=True, open_world=False, max_result=_MOST_DESCRIBED),
        Tool(call_tool),
    )


def summary_of(tool: Tool) -> str:
    """Return the first line of a description; the title if there is none."""
    return truncate(first_line(tool.description) or tool.title or "", _MOST_SUMMARY)


def takes(tool: Tool) -> str:
    """Return the names of a tool's arguments, in one line."""
    try:
        schema = tool.input_schema
    except SchemaError:
        return ""
    required = frozenset(schema.get("required", ()))
    names = [name if name in required else f"{name}?" for name in schema.get("properties", {})]
    more = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])


CALL_TOOL = "call_tool"


def with_search(box: Live, *, trusted: bool) -> Live:
    """Return a toolbox behind its search. Raises what `check_names` raises.

    A trusted client may use tools that have roles, as it may without search.
    """
    check_names(box.now)
    return Searched(box, trusted=trusted)


def check_names(box: Offering) -> None:
    """Raise `ValueError` if a tool has the name of one that search adds.

    Raises `SearchUnavailable` where nothing can be searched.
    """
    ToolIndex(())
    for tool in box.tools.values():
        if tool.published_name in NAMES:
            msg = (
                f"{box.about.name} has a tool `{tool.published_name}`, and so has search:"
                " rename it, or serve without search"
            )
            raise ValueError(msg)


class Searched:
    """Has, at any time, the three tools that stand before those of another."""

    def __init__(self, box: Live, *, trusted: bool) -> None:
        self._box = box
        self._trusted = trusted
        self._fronts: tuple[Offering, Offering] = (box.now, self._front(box.now))
        """What is offered, and what stands before it."""
        self.is_live = box.is_live
        self.enter = box.enter
        self.aclose = box.aclose

    def _front(self, box: Offering) -> Offering:
        tools = SearchTools(box, trusted=self._trusted)
        return replace(box, tools=tools, call=tools.call, directed=tools.directed)

    def _before(self, box: Offering) -> Offering:
        behind, front = self._fronts
        if behind is not box:
            front = self._front(box)
            self._fronts = box, front
        return front

    @property
    def now(self) -> Offering:
        """What stands before the newest version."""
        return self._before(self._box.now)

    @contextlib.contextmanager
    def busy(self) -> Generator[Offering]:
        """Keep open what is behind it."""
        with self._box.busy() as box:
            yield self._before(box)

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call a function at each change except of the tools: the list of these three stays."""

        def heard(what: str, uri: str) -> None:
            if what != "tools":
                listener(what, uri)

        return self._box.on_change(heard)


class SearchTools:
    """Three tools, behind which those of an offering are found and called.

    A call through `call_tool` becomes a call of the tool itself before anything looks at it: so
    validation, limits, roles, questions, tasks, audit and metrics are those of a direct call.
    """

    def __init__(self, box: Offering, *, trusted: bool) -> None:
        self._box = box
        self._trusted = trusted
        self._own = {tool.name: tool for tool in own_tools(self._search, self._describe)}
        self._listed: dict[tuple[bool, bool], bytes] = {}
        self._entries: dict[Tool, IndexedTool | None] = {}
        """The searched texts of each tool; None if the tool is refused."""
        self._indexes: dict[tuple[Tool, ...], ToolIndex] = {}
        """By the tools in them; the one that was used last is at the end."""
        self._lock = threading.Lock()

    def directed(self, name: str, arguments: Any) -> tuple[str, Any]:
        """Return the tool that a call is for, and its arguments."""
        if name != CALL_TOOL or not is_object(arguments) or not arguments.keys() <= _CALLED:
            return name, arguments
        tool_name, tool_arguments = arguments.get("name"), _read(arguments.get("arguments"))
        if not isinstance(tool_name, str) or tool_name in self._own or not _is_sent(tool_arguments):
            return name, arguments  # refused by its own schema, with the reason
        return tool_name, tool_arguments

    def values(self) -> Iterable[Tool]:
        """Return the tools behind the search."""
        return self._box.tools.values()

    def usable(self, name: str, roles: Roles, call: Call | None = None) -> Tool | None:
        """Return a tool that a caller with these roles may use."""
        return self._own.get(name) or self._box.tools.usable(name, roles, call)

    def not_found(self, name: str, roles: Roles, call: Call | None = None) -> ToolNotFound:
        """Return the error for a name that a caller with these roles cannot use."""
        return self._box.tools.not_found(name, roles, call)

    def to_mcp_json(self, protocol: str, roles: Roles = None, call: Call | None = None) -> bytes:
        """Return the list of the three tools."""
        del roles, call  # they are there for everybody
        key = (protocol >= STATELESS_SINCE, protocol >= TITLES_SINCE)
        listed = self._listed.get(key)
        if listed is None:
            tools = b",".join(tool.to_mcp_json(protocol) for tool in self._own.values())
            listed = self._listed.setdefault(key, b'{"tools":[' + tools + b"]}")
        return listed

    def call(self, name: str, arguments: Any, call: Call | None = None) -> Awaitable[Result]:
        """Call a tool that the caller may use."""
        own_tool = self._own.get(name)
        if own_tool is not None:
            return own_tool.call_async(arguments, call=call)
        return self._box.call(name, arguments, call)

    # -- the tools

    def _search(self, query: str, limit: int, call: Call) -> list[FoundTool]:
        viewer = self._viewer(call)
        tools: list[FoundTool] = []
        for name in self._index_for(viewer).ranked(query):
            tool = self._box.tools.usable(name, *viewer)
            if tool is not None:
                tools.append(
                    {"name": name, "description": summary_of(tool), "arguments": takes(tool)}
                )
                if len(tools) == limit:
                    break
        return tools

    def _describe(self, name: str, call: Call) -> dict[str, Any]:
        viewer = self._viewer(call)
        tool = self._box.tools.usable(name, *viewer)
        if tool is None:
            missing = self._box.tools.not_found(name, *viewer)
            raise ToolError(str(missing), code=missing.code)
        try:
            return tool.to_mcp()
        except SchemaError:
            reason = f"{name} is not available: its definition is refused"
            raise ToolError(reason, code="not_found") from None

    def _viewer(self, call: Call) -> Viewer:
        """Return the roles of a caller and, if predicates need more than that, a call."""
        roles = None if self._trusted else call.roles
        return roles, view_of(call) if self._box.asks() else None

    def _index_for(self, viewer: Viewer) -> ToolIndex:
        """Return an index of the tools that a caller may use now, and of no others.

        In an index of all tools, words that only hidden ones have would affect what is found:
        they would count as known, and so not as misspelled.
        """
        tools = self._box.tools
        every = tuple(tools.values())
        usable = tuple(
            tool for tool in every if tools.usable(tool.published_name, *viewer) is not None
        )
        with self._lock:
            index = self._indexes.pop(usable, None)
            if index is None:
                self._read(every)
                entries = (self._entries.get(tool) for tool in usable)
                index = ToolIndex(entry for entry in entries if entry is not None)
            self._indexes[usable] = index
            while len(self._indexes) > _MOST_INDEXES:
                del self._indexes[next(iter(self._indexes))]
            return index

    def _read(self, every: tuple[Tool, ...]) -> None:
        """Read the searched texts of new tools, and forget tools that are gone."""
        compile_tools(every)
        self._entries = {
            tool: self._entries[tool] if tool in self._entries else _indexed(tool) for tool in every
        }


_MOST_INDEXES = 8
"""How many indexes are kept, for callers with different rights."""
_CALLED = frozenset(("name", "arguments"))


def _is_sent(given: Any) -> bool:
    return given is None or is_object(given)


def _read(given: Any) -> Any:
    """Parse arguments that were sent as text, as models do; return others as they are."""
    if not isinstance(given, str):
        return given
    try:
        decoded = strict_json(given)
    except (ValueError, RecursionError):
        return given
    return decoded if is_object(decoded) else given


def _indexed(tool: Tool) -> IndexedTool | None:
    try:
        schema = tool.input_schema
    except SchemaError:
        return None  # it is in no list either
    first, _, details = tool.description.partition("\n")
    texts = compact_json(schema.get("properties", {})).decode()
    tags = " ".join(tool.options.tags)
    return IndexedTool(
        tool.published_name, f"{tool.title or ''} {first}", details, f"{tags} {texts}"
    )
