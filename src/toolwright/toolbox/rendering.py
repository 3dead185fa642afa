"""The method of a toolbox that renders it for a provider."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..dialects.rendered import Rendered
    from ..tools.definition import Tool
    from .served import Served


class RenderedBox(Protocol):
    """What this method of a `Toolbox` needs of it."""

    def __iter__(self) -> Iterator[str]: ...

    def __getitem__(self, name: str, /) -> Tool: ...

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is listed."""
        ...

    def to_mcp(self) -> dict[str, Any]:
        """Return the list of tools."""
        ...

    def __servable__(self) -> Served:
        """Return it as servers see it."""
        ...


def render(box: RenderedBox, dialect: str, *, strict: bool = False, prefix: str = "") -> Rendered:
    """Return the enabled tools as a provider or client takes them, with the way back.

    `strict` asks the provider to enforce the schemas; `prefix` is what an MCP client puts before
    names. Raises `ValueError` for an unknown dialect.
    """
    from ..dialects.rendering import render

    tools = [box[name] for name in box if box.is_enabled(name)]
    if box.__servable__().asks:  # `enabled` functions are asked as for any list
        shown = {tool["name"] for tool in box.to_mcp()["tools"]}
        tools = [tool for tool in tools if tool.published_name in shown]
    return render(tools, dialect, strict=strict, prefix=prefix)
