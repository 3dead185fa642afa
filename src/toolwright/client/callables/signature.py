"""Signatures of remote tools, and the classes in their hints."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import inspect
import pathlib
import sys
import typing
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Union

import typing_extensions

from ..._json_values import JsonObject, is_object
from ...json_schema.normal_form import normal_form
from .definition import ToolDefinition, definition_of
from .remote_values import serializer
from .shapes import (
    ListShape,
    LiteralShape,
    MapShape,
    PlainShape,
    RecordField,
    RecordShape,
    SchemaShape,
    ShapeReader,
    TupleShape,
    UnionShape,
    admits_none,
    python_name,
    python_names,
)

# -- hints: classes that inspect and pydantic know

_PLAIN: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "None": None,
    "Any": Any,
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "UUID": uuid.UUID,
    "Path": pathlib.Path,
}
_TYPED_DICT: Any = typing.TypedDict if sys.version_info >= (3, 12) else typing_extensions.TypedDict
"""The one that pydantic accepts."""


class HintMaker:
    """Makes hints: objects are `TypedDict`s for what is sent, data classes for what comes back."""

    def __init__(self, *, sent: bool, module: str = "") -> None:
        self.sent = sent
        self.module = module or __name__
        self.made: dict[RecordShape, Any] = {}

    def hint(self, shape: SchemaShape) -> Any:
        """Return the hint for a shape."""
        match shape:
            case PlainShape():
                return _PLAIN[shape.hint]
            case LiteralShape():
                return Literal[shape.values]
            case ListShape():
                return list[self.hint(shape.item)]
            case TupleShape():
                return tuple[tuple(map(self.hint, shape.items))]
            case MapShape():
                return dict[str, self.hint(shape.value)]
            case UnionShape():
                return _union([self.hint(arm) for arm in shape.arms])
            case RecordShape():
                return self._record(shape)

    def _record(self, record: RecordShape) -> Any:
        if record not in self.made:
            if self.sent or not has_plain_names(record.fields):
                self._typed_dict(record)
            else:
                self._data_class(record)
        return self.made[record]

    def _typed_dict(self, record: RecordShape) -> None:
        typed_dict = _TYPED_DICT(record.name, {field.name: Any for field in record.fields})
        self._dress(typed_dict, record)
        # Filled in afterwards: the hints may hold the class itself.
        typed_dict.__annotations__ = {
            field.name: self.hint(field.shape)
            if field.required
            else NotRequired[self.hint(field.shape)]
            for field in record.fields
        }
        typed_dict.__required_keys__ = frozenset(
            field.name for field in record.fields if field.required
        )
        typed_dict.__optional_keys__ = frozenset(
            field.name for field in record.fields if not field.required
        )

    def _data_class(self, record: RecordShape) -> None:
        names = [python_name(field.name) for field in record.fields]
        ordered = sorted(zip(names, record.fields, strict=True), key=lambda e: not e[1].required)
        data_class = dataclasses.make_dataclass(
            record.name,
            [(n, Any) if record_field.required else (n, Any, None) for n, record_field in ordered],
            kw_only=True,
            namespace={"__pydantic_serializer__": serializer()},
        )
        self._dress(data_class, record)
        hints = {name: self._field_hint(name, record_field) for name, record_field in ordered}
        data_class.__annotations__ = hints
        for field in dataclasses.fields(data_class):
            field.type = hints[field.name]

    def _field_hint(self, name: str, field: RecordField) -> Any:
        hint = self.hint(field.shape)
        if not field.required and not admits_none(field.shape):
            hint = _union([hint, None])
        if name != field.name:
            from pydantic import Field

            hint = Annotated[hint, Field(alias=field.name)]
        return hint

    def _dress(self, made: Any, record: RecordShape) -> None:
        self.made[record] = made
        made.__module__ = self.module
        if record.description:
            made.__doc__ = record.description


def has_plain_names(fields: Sequence[RecordField]) -> bool:
    """Return whether the names of fields make attribute names that are all different."""
    names = [python_name(field.name) for field in fields]
    hidden = any(name.startswith("__") for name in names)
    return not hidden and len(set(names)) == len(names)


def _union(hints: list[Any]) -> Any:
    """Return a union: `X | Y` where possible, which people read best."""
    union = hints[0]
    for hint in hints[1:]:
        try:
            union = union | hint
        except TypeError:
            union = Union[union, hint]  # noqa: UP007
    return union


# -- what the schemas of a tool say

EMPTY: Any = inspect.Parameter.empty
BOX_KEYS = ("x-toolwright-box", "x-fastmcp-wrap-result")
BOX_FIELD = "result"


@dataclass(frozen=True)
class ToolShapes:
    """What the schemas of a tool say: its parameters, and its value."""

    definition: ToolDefinition
    normal_input: JsonObject
    normal_output: JsonObject | None
    fields: tuple[RecordField, ...]
    names: Mapping[str, str]
    """The Python name of each parameter."""
    takes_more: bool
    """Whether arguments that the schema does not name are invited."""
    returns: SchemaShape | None
    """The shape of the value, out of its box; None if the tool declares none."""
    is_boxed: bool


def shapes_of(
    tool: Any, *, formats: bool = False, taken: set[str] | None = None, value_name: str = ""
) -> ToolShapes:
    """Read the schemas of a tool definition. Raises `SchemaError`."""
    definition = definition_of(tool)
    reader = ShapeReader(formats=formats, taken=taken)
    input_schema = normal_form(definition.input_schema)
    fields = tuple(reader.fields(input_schema, definition.name))
    names = python_names([field.name for field in fields], definition.name)
    extra = reader.reader.facts(input_schema).keyword("additionalProperties")
    returns: SchemaShape | None = None
    output: JsonObject | None = None
    boxed = False
    if definition.output_schema is not None:
        output = normal_form(definition.output_schema)
        boxed = is_box(definition.output_schema, definition.name)
        value = opened_box(output) if boxed else output
        returns = reader.shape(value, value_name or f"{definition.name} result")
    invited = extra is True or (is_object(extra) and extra != {"not": {}})
    return ToolShapes(definition, input_schema, output, fields, names, invited, returns, boxed)


def is_box(schema: JsonObject, tool: str) -> bool:
    """Return whether an output schema only wraps a value in `{"result": ...}`.

    Toolwright and FastMCP say so. The SDK's server does not: it calls the wrapper `<tool>Output`.
    """
    properties: Any = schema.get("properties")
    if not is_object(properties) or list(properties) != [BOX_FIELD]:
        return False
    return any(schema.get(key) for key in BOX_KEYS) or schema.get("title") == f"{tool}Output"


def opened_box(schema: JsonObject) -> JsonObject:
    """Return the schema of the value in a box, with the definitions that it may refer to."""
    boxed: Any = schema["properties"][BOX_FIELD]
    definitions = {
        word: schema[word] for word in ("$schema", "$defs", "definitions") if word in schema
    }
    return {**(boxed if is_object(boxed) else {}), **definitions}


# -- signatures, for `inspect`


def signature_of_shapes(shapes: ToolShapes, sent: HintMaker, given: HintMaker) -> inspect.Signature:
    """Return the signature: required parameters first, the others by keyword only."""
    parameters = [
        _parameter(field, shapes.names[field.name], sent.hint(field.shape))
        for field in shapes.fields
    ]
    if shapes.takes_more:
        name = "more"
        while name in shapes.names.values():
            name += "_"
        parameters.append(inspect.Parameter(name, inspect.Parameter.VAR_KEYWORD, annotation=Any))
    returns = EMPTY if shapes.returns is None else given.hint(shapes.returns)
    return inspect.Signature(parameters, return_annotation=returns)


def _parameter(field: RecordField, name: str, hint: Any) -> inspect.Parameter:
    if field.required:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Parameter(name, kind, annotation=hint)
    default = copy.deepcopy(field.default) if field.has_default else None
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=hint, default=default)


def schema_to_signature(tool: Any, *, formats: bool = False) -> inspect.Signature:
    """Return the signature of a tool definition.

    Required parameters come first, in the order of the schema; the others are keyword-only, with
    the default of the schema or None. Raises `SchemaError` if two names become one in Python.

    >>> tool = {
    ...     "name": "search",
    ...     "inputSchema": {
    ...         "properties": {
    ...             "limit": {"type": "integer", "default": 10},
    ...             "query": {"type": "string"},
    ...         },
    ...         "required": ["query"],
    ...     },
    ... }
    >>> schema_to_signature(tool)
    <Signature (query: str, *, limit: int = 10)>
    """
    shapes = shapes_of(tool, formats=formats)
    return signature_of_shapes(shapes, HintMaker(sent=True), HintMaker(sent=False))


def make_param(
    name: str,
    schema: Mapping[str, Any],
    required: Collection[str] = (),
    python: str | None = None,
    *,
    formats: bool = False,
) -> inspect.Parameter:
    """Return the parameter for one property of a schema.

    >>> make_param("approval-policy", {"type": "string", "default": "never"})
    <Parameter "approval_policy: str = 'never'">
    """
    root = {"properties": {name: schema}, "required": [name] if name in required else []}
    (field,) = ShapeReader(formats=formats).fields(normal_form(definition_of_root(root)), name)
    hint = HintMaker(sent=True).hint(field.shape)
    return _parameter(field, python or python_name(name), hint)


def definition_of_root(root: Mapping[str, Any]) -> JsonObject:
    """Return the input schema of a nameless definition, as plain dicts."""
    return definition_of({"name": "parameter", "inputSchema": root}).input_schema
