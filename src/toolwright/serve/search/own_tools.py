"""The three tools of a search, as clients see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from pydantic import Field

from ..._words import first_line, truncate
from ...call import Call
from ...errors import SchemaError, ToolError
from ...tools.definition import Tool

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
