"""The names under which fields of records are read and written.

Results are written with aliases, unless a record's configuration says `serialize_by_alias=False`.
Pydantic knows one choice for all records, or that of each record, whose default is the opposite.
So the aliases are taken out of the core schemas of those records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from weakref import WeakKeyDictionary

from pydantic_core import SchemaSerializer

from ..._json_values import is_list, is_object
from .rewrite import OPAQUE

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
