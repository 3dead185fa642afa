"""What is sent and what comes back: JSON, checked, typed."""

from __future__ import annotations

import dataclasses
import functools
import math
import typing
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Final, Literal, cast, final

from ..._json_values import JsonObject, is_object
from ..._words import path_text, truncate, value_text
from ...arguments.explain import broken_faults
from ...arguments.repair import Repairer
from ...arguments.shape import Shape
from ...errors import ArgumentError, Fault, ResultError
from ...json_schema.document import REF, REF_PREFIX
from ...results import Repair
from ...schema.explicit import broken_rules, searcher, validator_for

# -- not given


@final
class Unset:
    """The type of `UNSET`, the default of arguments that are sent only if they are given."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False

    def __reduce__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


# -- checked

_MOST_STEPS = 5000
"""The most references that one check follows: a few that each refer twice make billions."""


class TooTangled(Exception):
    """A schema whose check would take too long."""


class _Running:
    """One check: the definitions, and how many references were followed."""

    def __init__(self, definitions: JsonObject) -> None:
        self.definitions = definitions
        self.steps = 0


_running: ContextVar[_Running] = ContextVar("_running")


class Checker:
    """Checks values against one schema in normal form, which is not trusted.

    The checks are those of jsonschema, except where a hostile schema could make them slow: patterns
    are matched by an engine that takes linear time, and the number of references is limited.
    """

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema
        self.definitions: JsonObject = schema.get("$defs", {})
        self.validator = _validators()(schema)

    def faults(self, value: Any) -> tuple[list[Fault], bool]:
        """Return what is wrong with a value, and whether there is more. Raises `TooTangled`."""
        token = _running.set(_Running(self.definitions))
        try:
            errors, more = broken_rules(self.validator, value)
        except (RecursionError, TooTangled):
            raise TooTangled from None
        finally:
            _running.reset(token)
        return broken_faults(errors, value, self.shape) if errors else [], more

    @functools.cached_property
    def shape(self) -> Shape:
        """What the schema declares, for repairs and explanations."""
        return Shape(self.schema)

    def repaired(self, arguments: JsonObject) -> tuple[JsonObject, list[Repair]]:
        """Return arguments, repaired where they can be, and what was repaired."""
        repairer = Repairer(self.shape)
        return repairer.whole(arguments), repairer.done


@functools.cache
def _validators() -> Any:
    from jsonschema import validators

    base = validator_for({}).__class__
    keyword_checks = {
        REF: _ref,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    return cast("Any", validators).extend(base, keyword_checks)


def _ref(validator: Any, reference: str, value: Any, _schema: Any) -> Iterator[Any]:
    """Follow a reference, which is always into `$defs`; jsonschema would look it up each time."""
    check = _running.get()
    check.steps += 1
    if check.steps > _MOST_STEPS:
        raise TooTangled
    yield from validator.descend(value, check.definitions[reference.removeprefix(REF_PREFIX)])


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and not matches(pattern, value):
        yield _error(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if is_object(value):
        for pattern, schema in patterns.items():
            for key, item in value.items():
                if matches(pattern, key):
                    yield from validator.descend(item, schema, path=key)


def _additional_properties(validator: Any, rest: Any, value: Any, schema: Any) -> Iterator[Any]:
    if not is_object(value) or rest is True:
        return
    properties: JsonObject = schema.get("properties", {})
    patterns: JsonObject = schema.get("patternProperties", {})
    for key, item in value.items():
        if key in properties or any(matches(pattern, key) for pattern in patterns):
            continue
        if rest == {"not": {}}:
            yield _error(f"{key!r} is not known here")
        else:
            yield from validator.descend(item, rest, path=key)


def _error(message: str) -> Any:
    import jsonschema

    return jsonschema.ValidationError(message)


def matches(pattern: str, text: str) -> bool:
    """Return whether a text matches; a pattern that needs a backtracking engine always does."""
    search = searcher(pattern)
    return search is None or search(text)


# -- to JSON, and from it

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
