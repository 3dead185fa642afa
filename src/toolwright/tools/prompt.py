"""Prompts: functions that write messages for users of clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, cast

from .._door import public
from ..errors import ResultError
from ..options import ToolOptions
from .definition import Tool

if TYPE_CHECKING:
    from ..results import Result

__all__ = ["Prompt", "PromptOptions", "messages_of"]


class PromptOptions(TypedDict, total=False):
    """What a toolbox may be told about a prompt, besides its function."""

    name: str | None
    title: str | None
    description: str | None
    roles: Sequence[str] | None
    enabled: bool | Callable[[Any], object] | None


@public
class Prompt:
    """A function whose value is one message, or a list of them.

    Text and content are messages of the user; `{"role": ..., "content": ...}` names its own role.
    """

    def __init__(
        self,
        target: Any,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        roles: Sequence[str] | None = None,
        enabled: bool | Callable[[Any], object] | None = None,
    ) -> None:
        options = ToolOptions(name=name, title=title, description=description)
        if roles is not None:  # otherwise those of `@tool` apply
            options["roles"] = roles
        if enabled is not None:
            options["enabled"] = enabled
        self.tool = Tool(target, **options)

    def __repr__(self) -> str:
        return f"<Prompt {self.tool.name}>"

    def to_mcp(self) -> dict[str, Any]:
        """Return the prompt as lists show it."""
        tool = self.tool
        entry: dict[str, Any] = {"name": tool.name}
        if tool.title:
            entry["title"] = tool.title
        if tool.description:
            entry["description"] = tool.description
        schema = tool.input_schema
        arguments: list[dict[str, Any]] = []
        for name, node in schema.get("properties", {}).items():
            argument: dict[str, Any] = {"name": name}
            if node.get("description"):
                argument["description"] = node["description"]
            argument["required"] = name in schema.get("required", ())
            arguments.append(argument)
        if arguments:
            entry["arguments"] = arguments
        return entry


def messages_of(prompt: Prompt, result: Result) -> list[dict[str, Any]]:
    """Return the messages in what the function of a prompt returned. Raises `ResultError`."""
    value = result.value
    many = isinstance(value, list | tuple) and not isinstance(value, str)
    items: Sequence[Any] = cast("Sequence[Any]", value) if many else [value]
    messages = [message for item in items for message in _messages(prompt.tool.name, item)]
    if not messages:
        raise ResultError(f"{prompt.tool.name}: a prompt must have at least one message")
    return messages


def _messages(name: str, item: Any) -> list[dict[str, Any]]:
    from ..outcome.encode import block_dict, blocks_of

    if isinstance(item, str):
        return [_message("user", {"type": "text", "text": item})]
    if hasattr(item, "model_dump") and hasattr(item, "role"):
        item = item.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(item, Mapping) and {"role", "content"} <= cast("Any", item).keys():
        message = cast("Mapping[str, Any]", item)
        content = message["content"]
        if isinstance(content, str):
            content = {"type": "text", "text": content}
        blocks = blocks_of(content) or block_dict(content)
        if message["role"] in ("user", "assistant") and blocks:
            return [_message(message["role"], block) for block in blocks]
    else:
        blocks = blocks_of(item) or block_dict(item)
        if blocks:
            return [_message("user", block) for block in blocks]
    text = "gives text, content, or messages with a `role` of user or assistant and a `content`"
    raise ResultError(f"{name}: a prompt {text}")


def _message(role: str, block: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": dict(block)}
