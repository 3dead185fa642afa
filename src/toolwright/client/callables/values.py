"""From Python values to JSON, and from JSON to typed values."""

from __future__ import annotations

import dataclasses
import functools
import math
import typing
from collections.abc import Mapping
from typing import Any, cast

from ..._json_values import JsonObject
from ..._words import path_text, truncate, value_text
from ...errors import ArgumentError, Fault, ResultError

_DEEPEST = 200


def plain_json(value: Any, tool: str, path: tuple[str | int, ...] = ()) -> Any:
    """Return a Python value as JSON: models, data classes, dates, paths, sets and so on.

    Raises `ArgumentError` for what JSON cannot hold.
    """
    if value is None or isinstance(value, str | bool | int):
        # Not an enum's member, whose class may be one of these: its value is sent.
        return value if type(value) in _EXACT else _by_pydantic(value, tool, path)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refused(tool, path, "must be a finite number")
        return value
    if len(path) > _DEEPEST:
        raise _refused(tool, path[:3], "is nested too deeply")
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return {_key(key, tool, path): plain_json(v, tool, (*path, str(key))) for key, v in pairs}
    if type(value) in _LISTS:
        items = cast("list[Any]", value)
        return [plain_json(item, tool, (*path, index)) for index, item in enumerate(items)]
    if dataclasses.is_dataclass(value) and not hasattr(value, "__pydantic_serializer__"):
        return plain_json(_fields(value), tool, path)
    return _by_pydantic(value, tool, path)


_EXACT = frozenset((str, bool, int, type(None)))
_LISTS = frozenset((list, tuple, set, frozenset))
"""Exactly these: named tuples and other sequences are pydantic's business."""


def _key(key: Any, tool: str, path: tuple[str | int, ...]) -> str:
    key_json = _by_pydantic(key, tool, path) if type(key) is not str else key
    return key_json if isinstance(key_json, str) else value_text(key_json)


def _by_pydantic(value: Any, tool: str, path: tuple[str | int, ...]) -> Any:
    from pydantic_core import to_jsonable_python

    try:
        jsonable = to_jsonable_python(value, by_alias=True)
    except Exception as error:  # the caller's values may raise anything
        what = f"cannot be sent as JSON ({type(value).__name__})"
        raise _refused(tool, path, what) from error
    exact = type(jsonable) in _EXACT
    return (
        jsonable
        if exact or type(jsonable) not in (dict, list, float)
        else plain_json(jsonable, tool, path)
    )


def _refused(tool: str, path: tuple[str | int, ...], what: str) -> ArgumentError:
    return ArgumentError(tool, [Fault(path, "not_json", f"{path_text(path)} {what}")])


def serializer() -> Any:
    """Return the serializer that pydantic uses for our data classes."""
    from pydantic_core import SchemaSerializer, core_schema

    core = core_schema.plain_serializer_function_ser_schema(_fields)
    return SchemaSerializer(core_schema.any_schema(serialization=core))


def _fields(value: Any) -> JsonObject:
    """Return the fields of a data class by their names in JSON.

    A field that is None because nothing was given, or nothing came, is left out.
    """
    cls: type = value.__class__
    aliases = _aliases(cls)
    fields: JsonObject = {}
    for field in dataclasses.fields(value):
        content: Any = getattr(value, field.name)
        if content is not None or field.default is not None:
            fields[aliases.get(field.name, field.name)] = content
    return fields


@functools.lru_cache(maxsize=200)
def _aliases(cls: type) -> dict[str, str]:
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - hints of the caller's class that cannot be resolved
        return {}
    marks = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {
        name: mark.alias
        for name, metadata in marks.items()
        for mark in metadata
        if isinstance(getattr(mark, "alias", None), str)
    }


def adapter_of(hint: Any) -> Any:
    """Return the adapter that makes typed values from JSON, for any hint."""
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def typed(adapter: Any, value: Any, tool: str) -> Any:
    """Return the typed value of JSON. Raises `ResultError` if it is not of the declared type."""
    from pydantic import ValidationError

    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_context=False)[0]
        place = path_text(tuple(first["loc"])) if first["loc"] else "the value"
        problem = truncate(f"{place}: {first['msg']}", 300)
        raise broken_result(tool, problem) from None
    except RecursionError:
        raise broken_result(tool, "the value is nested too deeply") from None


def broken_result(tool: str, said: str) -> ResultError:
    """Return the error for a server whose result breaks its own output schema."""
    what = "the server's result is not what its output schema says"
    return ResultError(f"{truncate(tool, 100)}: {what}: {said}")
