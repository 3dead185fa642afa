"""Signatures of tools as Python writes them, for people to read."""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable as AbstractCallable
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .._json_values import is_object
from .._words import truncate
from ..json_schema.facts import Facts, facts
from ..json_schema.normal_form import normal_form
from ..read.signature import EMPTY, VAR_KEYWORD, VAR_POSITIONAL
from ..schema.output import BOX_KEY
from ..tools.definition import signature_of
from .callables.shapes import ShapeReader
from .callables.signature import opened_box
from .generate.hint_source import HintWriter, text_literal

if TYPE_CHECKING:
    from ..read.signature import Parameter
    from ..tools.definition import Tool
    from .callables.shapes import SchemaShape

_LONGEST_DEFAULT = 40
_LONGEST_KIND = 120
_DEEPEST = 8
_BOUNDS = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
)
_MOST_NAMES = 12


class Argument(NamedTuple):
    """One argument of a tool, as callers see it."""

    name: str
    kind: str
    default: str
    """As Python writes it; empty if the argument is required."""
    said: Facts
    """What its schema says."""

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
        schema = normal_form(_unboxed(tool.options.output_schema))
        text = _Types().text(ShapeReader().shape(schema, f"{tool.name} result"), sent=False)
        return "" if text == "Any" else text
    returns = signature_of(tool).returns
    return "" if returns is EMPTY else hint_text(returns)


def arguments_of(tool: Tool) -> list[Argument]:
    """Return the arguments that callers give: neither injected nor hidden ones."""
    schema = tool.input_schema
    root = facts(schema)
    is_own = tool.options.input_schema is not None
    parameters = (
        {} if is_own else {parameter.name: parameter for parameter in signature_of(tool).parameters}
    )
    types = {} if root.properties.keys() <= parameters.keys() else _own_types(tool.name, schema)
    arguments: list[Argument] = []
    for name in (
        *root.properties,
        *(argument for argument in types if argument not in root.properties),
    ):
        parameter, node = parameters.get(name), root.inner(name)
        if parameter is None and not node.kinds:
            continue  # a name that may not be given
        kind = types.get(name, "Any") if parameter is None else _kind(parameter)
        default = "" if name in root.required else _default(parameter, node)
        arguments.append(Argument(name, kind, default, node))
    if root.keyword("additionalProperties"):
        arguments += [
            Argument(f"**{variadic.name}", hint_text(variadic.hint), "", facts(True))
            for variadic in parameters.values()
            if variadic.kind is VAR_KEYWORD
        ]
    return arguments


def _own_types(name: str, schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the types that a schema gives its arguments, as generated modules write them."""
    fields = ShapeReader().fields(normal_form(dict(schema)), name)
    types = _Types()
    return {field.name: types.text(field.shape, sent=True) for field in fields}


class _Types(HintWriter):
    """Writes types on one line, for people who know what the classes are."""

    def text(self, shape: SchemaShape, *, sent: bool) -> str:
        """Return the type of a shape."""
        return truncate(self.hint(shape, "", sent=sent), _LONGEST_KIND)

    def alias(self, text: str, context: str) -> str:
        """Return the type itself: nothing else says what a name stands for."""
        return text


def _kind(parameter: Parameter) -> str:
    if parameter.untyped:
        return ""
    text = hint_text(parameter.hint)
    return f"list[{text}]" if parameter.kind is VAR_POSITIONAL else text


def _default(parameter: Parameter | None, said: Facts) -> str:
    """Return a default as Python writes it; `...` if that would say nothing."""
    if parameter is not None and parameter.kind is VAR_POSITIONAL:
        return "[]"
    value: Any = EMPTY if parameter is None else parameter.default
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | int | float | str):
        return truncate(repr(value), _LONGEST_DEFAULT)
    default = said.keyword("default", EMPTY)
    return "..." if default is EMPTY else truncate(repr(default), _LONGEST_DEFAULT)


def _unboxed(schema: Mapping[str, Any]) -> Any:
    """Return the schema of the value itself, where one of our servers has wrapped it."""
    boxed = schema.get(BOX_KEY) and is_object(schema.get("properties"))
    return opened_box(dict(schema)) if boxed else dict(schema)


def limits_in_words(argument: Argument) -> list[str]:
    """Return what a schema says about values, or about the items of a list, in words."""
    node = argument.said
    for _ in range(2):
        node = node.items if node.kinds <= {"array", "null"} else node
    limits: list[str] = []
    if node.values and "Literal[" not in argument.kind and " | " not in argument.kind:
        limits.append(f"One of {_listed([repr(value) for value in node.values])}")
    bounds = [(words, node.keyword(key)) for key, words in _BOUNDS]
    phrases = [f"{words} {bound}" for words, bound in bounds if bound is not None]
    if phrases:
        limits.append(" and ".join(phrases).capitalize())
    if node.properties:
        limits.append(f"With {_listed(list(node.properties))}")
    return limits


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


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
        hints = cast("Sequence[Any]", hint)
        return f"[{', '.join(_text(parameter, depth + 1) for parameter in hints)}]"
    arguments: tuple[Any, ...] = typing.get_args(hint)
    if arguments:
        return _generic(hint, typing.get_origin(hint), arguments, depth)
    name = getattr(hint, "__name__", None) or getattr(hint, "__forward_arg__", None)
    return str(name or repr(hint).removeprefix("typing."))


def _generic(hint: Any, origin: Any, arguments: tuple[Any, ...], depth: int) -> str:
    if origin is typing.Literal:
        values = [_plain(argument) for argument in arguments]
        texts = [text_literal(plain) if isinstance(plain, str) else repr(plain) for plain in values]
        return f"Literal[{', '.join(texts)}]"
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(_text(argument, depth + 1) for argument in arguments))
    if hasattr(hint, "__metadata__") or origin in (typing.Required, typing.NotRequired):
        return _text(arguments[0], depth + 1)
    if origin is AbstractCallable:
        return f"Callable[{_text(arguments[0], depth + 1)}, {_text(arguments[-1], depth + 1)}]"
    listed = ", ".join(_text(argument, depth + 1) for argument in arguments)
    return f"{_text(origin, depth + 1)}[{listed}]"


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, enum.Enum) else value
