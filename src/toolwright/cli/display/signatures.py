"""Signatures of tools as Python writes them, for people to read."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable as AbstractCallable
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..._json_values import is_list, is_object
from ...arguments.wording import truncate
from ...read.signature import EMPTY, VAR_KEYWORD, VAR_POSITIONAL
from ...schema.output import BOX_KEY
from ...tools.definition import signature_of

if TYPE_CHECKING:
    from ...read.signature import Parameter
    from ...tools.definition import Tool

_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_LONGEST_DEFAULT = 40
_LONGEST_KIND = 120
_DEEPEST = 8


class Argument(NamedTuple):
    """One argument of a tool, as callers see it."""

    name: str
    kind: str
    default: str
    """As Python writes it; empty if the argument is required."""
    schema: Mapping[str, Any]

    def __str__(self) -> str:
        typed = f"{self.name}: {self.kind}" if self.kind else self.name
        if not self.default:
            return typed
        return f"{typed} = {self.default}" if self.kind else f"{typed}={self.default}"


def signature_text(tool: Tool, name: str = "") -> str:
    """Return a signature: `search(query: str, limit: int = 10) -> list[Product]`."""
    returns = returns_text(tool)
    arrow = f" -> {returns}" if returns else ""
    return f"{name or tool.published_name}({', '.join(map(str, arguments_of(tool)))}){arrow}"


def returns_text(tool: Tool) -> str:
    """Return the type of a tool's value; empty if it is not declared."""
    if tool.options.output_schema is not None:
        text = _schema_text(_unboxed(tool.options.output_schema))
        return "" if text == "Any" else text
    returns = signature_of(tool).returns
    return "" if returns is EMPTY else hint_text(returns)


def arguments_of(tool: Tool) -> list[Argument]:
    """Return the arguments that callers give: neither injected nor hidden ones."""
    schema = tool.input_schema
    required = schema.get("required", ())
    is_own = tool.options.input_schema is not None
    known = {} if is_own else {each.name: each for each in signature_of(tool).parameters}
    found: list[Argument] = []
    for name, node in schema.get("properties", {}).items():
        parameter = known.get(name)
        kind = _schema_text(node) if parameter is None else _kind(parameter)
        default = "" if name in required else _default(parameter, node)
        found.append(Argument(name, kind, default, node))
    if schema.get("additionalProperties"):
        found += [
            Argument(f"**{each.name}", hint_text(each.hint), "", {})
            for each in known.values()
            if each.kind is VAR_KEYWORD
        ]
    return found


def _kind(parameter: Parameter) -> str:
    if parameter.untyped:
        return ""
    text = hint_text(parameter.hint)
    return f"list[{text}]" if parameter.kind is VAR_POSITIONAL else text


def _default(parameter: Parameter | None, node: Mapping[str, Any]) -> str:
    """Return a default as Python writes it; `...` if that would say nothing."""
    if parameter is not None and parameter.kind is VAR_POSITIONAL:
        return "[]"
    value: Any = EMPTY if parameter is None else parameter.default
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | int | float | str):
        return truncate(repr(value), _LONGEST_DEFAULT)
    return truncate(repr(node["default"]), _LONGEST_DEFAULT) if "default" in node else "..."


def _unboxed(schema: Mapping[str, Any]) -> Any:
    """Return the schema of the value itself, where one of our servers has wrapped it."""
    inner = schema.get("properties")
    return inner.get("result") if schema.get(BOX_KEY) and is_object(inner) else schema


def _schema_text(node: Any, depth: int = 0) -> str:
    """Return the type that a schema describes, where there is no hint."""
    if not is_object(node) or depth > _DEEPEST:
        return "Any"
    if is_list(node.get("enum")):
        return truncate(" | ".join(map(repr, node["enum"])), _LONGEST_KIND)
    kind: Any = node.get("type")
    if is_list(node.get("anyOf")):
        arms = [_schema_text(arm, depth + 1) for arm in node["anyOf"]]
        return truncate(" | ".join(dict.fromkeys(arms)), _LONGEST_KIND)
    if is_list(kind):
        return " | ".join(_NAMES.get(str(each), "Any") for each in kind)
    if kind == "array" and is_object(node.get("items")):
        return f"list[{_schema_text(node['items'], depth + 1)}]"
    title = node.get("title")
    if kind == "object" and isinstance(title, str) and title.isidentifier():
        return truncate(title, _LONGEST_DEFAULT)
    return _NAMES.get(str(kind), "Any")


# -- hints


def hint_text(hint: Any) -> str:
    """Return a hint as its author would write it, without modules and markers."""
    return truncate(_text(hint, 0), _LONGEST_KIND)


def _text(hint: Any, depth: int) -> str:
    if depth > _DEEPEST:
        return "..."
    if hint is None or hint is types.NoneType:
        return "None"
    if hint is Ellipsis:
        return "..."
    if isinstance(hint, str):
        return hint
    if isinstance(hint, list | tuple):  # the parameters of a callable
        inner = cast("Sequence[Any]", hint)
        return f"[{', '.join(_text(each, depth + 1) for each in inner)}]"
    arguments: tuple[Any, ...] = typing.get_args(hint)
    if arguments:
        return _generic(hint, typing.get_origin(hint), arguments, depth)
    name = getattr(hint, "__name__", None) or getattr(hint, "__forward_arg__", None)
    return str(name or repr(hint).removeprefix("typing."))


def _generic(hint: Any, origin: Any, arguments: tuple[Any, ...], depth: int) -> str:
    if origin is typing.Literal:
        return " | ".join(repr(_plain(each)) for each in arguments)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_text(each, depth + 1) for each in arguments))
    if hasattr(hint, "__metadata__") or origin in (typing.Required, typing.NotRequired):
        return _text(arguments[0], depth + 1)
    if origin is AbstractCallable:
        return f"Callable[{_text(arguments[0], depth + 1)}, {_text(arguments[-1], depth + 1)}]"
    inner = ", ".join(_text(each, depth + 1) for each in arguments)
    return f"{_text(origin, depth + 1)}[{inner}]"


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value
