"""Signatures of remote tools, for `inspect`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..._json_values import JsonObject, is_object
from ...json_schema.normal_form import normal_form
from .definition import ToolDefinition, definition_of
from .hints import HintMaker
from .names import python_name, python_names
from .shape_reader import ShapeReader
from .shapes import RecordField, SchemaShape

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
