"""The method of a toolbox that renders it for a provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..dialects.rendered import Rendered
    from ..serve.offering import Offering
    from ..tools.definition import Tool


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

    def __servable__(self) -> Offering:
        """Return it as servers see it."""
        ...


def render(
    box: RenderedBox,
    dialect: str,
    *,
    strict: bool = False,
    prefix: str = "",
    input_examples: bool = True,
    defer_loading: bool | str | Sequence[str] = False,
) -> Rendered:
    """Return the enabled tools as a provider or client takes them, with the way back.

    `strict` asks the provider to enforce the schemas; `prefix` is what an MCP client puts before
    names. Examples of the schema and the docstring are sent where a provider takes them, unless
    `input_examples` is False. `defer_loading` has a provider with a search of its own load tools,
    all or those whose names match a pattern, only when they are found. Raises `ValueError` for an unknown dialect.
    """
    from ..dialects.known import dialect_named
    from ..dialects.rendering import render

    tools = [box[name] for name in box if box.is_enabled(name)]
    if box.__servable__().asks():  # `enabled` functions are asked as for any list
        listed_names = {tool["name"] for tool in box.to_mcp()["tools"]}
        tools = [tool for tool in tools if tool.published_name in listed_names]
    examples = None
    if input_examples and dialect_named(dialect).examples:
        from ..contract.trials.docstrings import written_arguments as examples
    return render(
        tools,
        dialect,
        strict=strict,
        prefix=prefix,
        input_examples=input_examples,
        defer_loading=defer_loading,
        examples=examples,
    )
