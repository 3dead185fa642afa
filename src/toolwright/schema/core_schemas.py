"""Pydantic's core schemas: rewriting them; their fields and names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NoReturn, TypedDict, cast
from weakref import WeakKeyDictionary

from pydantic import EncodedBytes
from pydantic_core import PydanticCustomError, SchemaSerializer, core_schema

from .._json_values import is_list, is_object

# Under these keys, a core schema holds data or code of the author, not schemas.
OPAQUE = frozenset(("metadata", "cls", "function", "default", "default_factory", "expected"))
Change = Callable[[dict[str, Any], dict[str, Any]], Any]
"""Takes a node and its copy, whose parts are already rewritten; returns the replacement."""


def rewritten(schema: Any, change: Change) -> Any:
    """Copy a core schema, applying `change` to each node."""
    return _copied(schema, change, {})


def _copied(schema: Any, change: Change, seen: dict[int, Any]) -> Any:
    if is_list(schema):
        return [_copied(item, change, seen) for item in schema]
    if isinstance(schema, tuple):  # a choice with its label
        return tuple(_copied(item, change, seen) for item in cast("tuple[Any, ...]", schema))
    if not is_object(schema):
        return schema
    if id(schema) in seen:
        return seen[id(schema)]
    is_map = not isinstance(schema.get("type"), str)  # a map of names, such as a model's fields
    copied = {
        word: value if word in OPAQUE and not is_map else _copied(value, change, seen)
        for word, value in schema.items()
    }
    replacement = seen[id(schema)] = copied if is_map else change(schema, copied)
    return replacement


# A field that a schema leaves out is refused if it is sent: null or an empty list could otherwise
# match the type of a field for which no value can be sent.
MARK = "toolwright_left_out"
"""The key in the metadata of a field, or of a parameter's default."""


def mark(node: Any) -> None:
    """Mark a field of a core schema as left out."""
    node["metadata"] = {**(node.get("metadata") or {}), MARK: True}


def is_marked(schema: Any) -> bool:
    """Return whether any field of a core schema is left out."""
    todo: list[Any] = [schema]
    visited: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if is_object(node):
            if MARK in (node.get("metadata") or {}):
                return True
            is_map = not isinstance(node.get("type"), str)
            todo += [part for word, part in node.items() if is_map or word not in OPAQUE]
        elif isinstance(node, list | tuple):
            todo += cast("list[Any]", node)
    return False


def refusing(schema: Any) -> Any:
    """Copy a core schema; fields that are left out keep their defaults, and take no value."""
    return rewritten(schema, _without_value)


def _without_value(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    if MARK not in (node.get("metadata") or {}):
        return copied
    with_default: Any = node if node["type"] == "default" else node["schema"]
    if with_default["type"] == "default":
        refused: Any = {**with_default, "schema": _NO_VALUE, "validate_default": False}
    else:
        refused = _NO_VALUE
    return {**copied, **(refused if with_default is node else {"schema": refused})}


def _refuse(_: Any) -> NoReturn:
    raise PydanticCustomError("needs_python_object", "cannot be sent")


_NO_VALUE = core_schema.no_info_plain_validator_function(_refuse)


_INSIDE = ("schema", "strict_schema", "json_schema")
"""Where the record is inside the schemas that are wrapped around it."""

_WITH_FIELDS = ("model-fields", "typed-dict", "dataclass-args")


def keys_of(arguments: Any, name: str) -> frozenset[str]:
    """Return every key that the record of one parameter reads; `arguments` is a core schema."""
    by_ref: dict[str, Any] = {}
    if arguments["type"] == "definitions":
        by_ref = {definition["ref"]: definition for definition in arguments["definitions"]}
        arguments = arguments["schema"]
    for argument in arguments["arguments_schema"]["arguments_schema"]:
        if argument["name"] == name:
            return frozenset(_keys(argument["schema"], by_ref, {}))
    return frozenset()


def _keys(node: Any, known: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    config = node.get("config", config)
    if node["type"] == "definition-ref":
        yield from _keys(known[node["schema_ref"]], known, config)
        return
    fields: Any = node.get("fields") if node["type"] in _WITH_FIELDS else None
    if is_object(fields):
        fields = [{"name": name, **field} for name, field in fields.items()]
    for field in fields or ():
        yield from _keys_of_field(field, config)
    if fields is None:
        for word in _INSIDE:
            if is_object(node.get(word)):
                yield from _keys(node[word], known, config)


def _keys_of_field(field: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    alias = field.get("validation_alias")
    by_name = config.get("validate_by_name") or config.get("populate_by_name")
    if alias is None or by_name:
        yield field["name"]
    if isinstance(alias, str):
        yield alias
    elif is_list(alias):
        # One path, or several; a path begins with a key of the record.
        paths: list[Any] = alias if is_list(alias[0]) else [alias]
        yield from (path[0] for path in paths)


def innermost(schema: Any) -> Mapping[str, Any]:
    """Return the innermost schema, without those that are wrapped around it."""
    while is_object(schema) and is_object(schema.get("schema")):
        schema = schema["schema"]
    return schema or {}


def fields_of(schema: Any) -> Mapping[str, Mapping[str, Any]]:
    """Find the fields in a record's core schema, below any validators around them."""
    while is_object(schema):
        fields = schema.get("fields")
        if is_object(fields):
            return fields
        if is_list(fields) and fields and is_object(fields[0]):
            return {field["name"]: field for field in fields}
        schema = schema.get("schema")
    return {}


# Results are written with aliases, unless a record's configuration says `serialize_by_alias=False`.
# Pydantic knows one choice for all records, or that of each record, whose default is the opposite.
# So the aliases are taken out of the core schemas of those records.
_RECORDS = frozenset(("model", "dataclass", "typed-dict"))
_ALIASES: Mapping[str, str] = {
    "model-field": "serialization_alias",
    "dataclass-field": "serialization_alias",
    "typed-dict-field": "serialization_alias",
    "computed-field": "alias",
}
_NO_CONFIG: Mapping[str, Any] = {}


def goes_by_alias(record: Mapping[str, Any], mode: str) -> bool:
    """Return whether the fields of a record are written, or read, by their aliases."""
    key = "validate_by_alias" if mode == "validation" else "serialize_by_alias"
    return record.get("config", _NO_CONFIG).get(key) is not False


def is_written_by_name(node: Mapping[str, Any]) -> bool:
    """Return whether a node is a record that says `serialize_by_alias=False`."""
    return node["type"] in _RECORDS and not goes_by_alias(node, "serialization")


def first_alias(alias: Any) -> str | None:
    """Return the first alternative of an alias that is one plain name."""
    for path in alias:
        if is_list(path) and len(path) == 1 and isinstance(path[0], str):
            return path[0]
    return None


def with_own_names(schema: Any, seen: dict[int, Any], *, by_name: bool = False) -> Any:
    """Copy a core schema; records that are written by name have no aliases to write."""
    if is_list(schema):
        return [with_own_names(item, seen, by_name=by_name) for item in schema]
    if isinstance(schema, tuple):
        parts = cast("tuple[Any, ...]", schema)
        return tuple(with_own_names(item, seen, by_name=by_name) for item in parts)
    if not is_object(schema):
        return schema
    if id(schema) in seen:
        return seen[id(schema)]
    kind = schema.get("type")
    is_map = not isinstance(kind, str)  # a map of names, such as a model's fields
    if not is_map and kind in _RECORDS:
        by_name = is_written_by_name(schema)
    gone = _ALIASES.get(kind) if by_name and isinstance(kind, str) else None
    copied: dict[str, Any] = {}
    seen[id(schema)] = copied
    for word, value in schema.items():
        if word != gone:
            is_opaque = word in OPAQUE and not is_map
            copied[word] = value if is_opaque else with_own_names(value, seen, by_name=by_name)
    return copied


def own_serializer(cls: Any) -> Any:
    """Return a serialiser of a class by the names its records say; None if all say aliases."""
    schema: Any = cls.__dict__.get("__pydantic_core_schema__")
    if not is_object(schema):
        return None
    entry = _serializers.get(cls)
    if entry is None or entry[0] != id(schema):
        serializer = None
        if _says_by_name(schema, set()):
            serializer = SchemaSerializer(with_own_names(schema, {}), _use_prebuilt=False)
        entry = _serializers[cls] = id(schema), serializer
    return entry[1]


_serializers: WeakKeyDictionary[Any, tuple[int, Any]] = WeakKeyDictionary()
"""By class: the id of its core schema, as it may be rebuilt, and the serialiser made from it."""


def _says_by_name(schema: Any, seen: set[int]) -> bool:
    if is_list(schema) or isinstance(schema, tuple):
        return any(_says_by_name(item, seen) for item in cast("list[Any]", schema))
    if not is_object(schema) or id(schema) in seen:
        return False
    seen.add(id(schema))
    is_map = not isinstance(schema.get("type"), str)
    if not is_map and is_written_by_name(schema):
        return True
    parts = (value for word, value in schema.items() if is_map or word not in OPAQUE)
    return any(_says_by_name(value, seen) for value in parts)


class BytesConfig(TypedDict):
    """How pydantic reads and writes bytes in JSON."""

    ser_json_bytes: Literal["base64"]
    val_json_bytes: Literal["base64"]


BASE64: BytesConfig = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}


class Encoded:
    """Reads and writes bytes with one encoder only: our own base64 stays out of it."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Read and write text through the encoder."""
        return encoded_schema(self.encoder, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Publish the encoder's name for the format."""
        return {"type": "string", "contentEncoding": self.encoder.get_json_format()}


def encoded_schema(encoder: Any, plain: Any) -> Any:
    """Build the core schema of bytes behind an encoder."""

    def from_text(text: str) -> bytes:
        return encoder.decode(text.encode())

    def from_bytes(value: bytes) -> bytes:
        return encoder.decode(value)

    def to_text(value: bytes) -> str:
        return encoder.encode(value).decode()

    text = core_schema.str_schema()
    return core_schema.json_or_python_schema(
        json_schema=core_schema.no_info_after_validator_function(from_text, text),
        python_schema=core_schema.no_info_after_validator_function(from_bytes, plain),
        serialization=core_schema.plain_serializer_function_ser_schema(to_text, return_schema=text),
    )


def encoder_in(schema: Any) -> Any:
    """Return the encoder that a core schema decodes bytes with, if there is one."""
    if schema.get("type") != "function-after":
        return None
    owner = getattr(schema["function"]["function"], "__self__", None)
    return owner.encoder if isinstance(owner, EncodedBytes) else None


def with_base64(schema: Any) -> Any:
    """Copy a core schema; records that have no rule for bytes get base64."""
    return rewritten(schema, _in_base64)


def _in_base64(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    encoder = encoder_in(node)
    if encoder is not None:
        return encoded_schema(encoder, node["schema"])
    if node["type"] in _RECORDS:
        copied["config"] = {**BASE64, **node.get("config", {})}
    return copied
