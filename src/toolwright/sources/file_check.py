"""Checks whether JSON is a program, and names each mistake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, NoReturn, cast, get_args

from .._words import did_you_mean, truncate
from .program import Command, CommandParameter, Emit, Exclusive, Fingerprint, Program

_EMITS = frozenset(get_args(Emit))
_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_KEYWORDS = frozenset(
    (
        *("type", "enum", "const", "items", "prefixItems", "properties", "additionalProperties"),
        *("required", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("pattern", "format", "anyOf", "oneOf", "allOf", "description", "title", "examples"),
    )
)
_NUMBERS = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
_SIZES = frozenset(("minItems", "maxItems", "minLength", "maxLength"))
_PLAIN: dict[str, tuple[type[Any], str]] = {
    "str": (str, "text"),
    "Emit": (str, "text"),
    "bool": (bool, "true or false"),
    "int": (int, "an integer"),
}
"""The annotations of fields, and what they stand for."""
_FLAG = re.compile(r"-[^\s=\x00-\x1f]{1,200}")
_WORD = re.compile(r"[^\s\x00-\x1f-][^\s\x00-\x1f]{0,200}")
_MOST_DEPTH = 30
_MOST_COMMANDS = 20_000
_POSITIONAL = frozenset(("value", "json", "rest", "remainder"))
_LISTED = frozenset(("repeat", "words", "joined", "rest", "remainder", "choices"))
_NEED_NEGATIVES = frozenset(("pair", "negative"))
_NEED_CHOICES = frozenset(("choice", "choices"))


class ProgramFileError(ValueError):
    """A file does not hold a program; the message names the place, in one line."""


def check_program(data: Any, form: int) -> None:
    """Raise `ProgramFileError` unless this is a program as JSON."""
    if not isinstance(data, dict):
        _fail("", "must be an object with `format`, `name` and `root`")
    document = cast("dict[str, Any]", data)
    if document.get("format") != form or isinstance(document.get("format"), bool):
        _fail("format", f"is {document.get('format')!r}; this version reads {form}")
    program = {key: value for key, value in document.items() if key != "format"}
    _check_fields(program, Program, "")
    if not program.get("argv"):
        _fail("argv", 'must name the executable, such as ["docker"]')
    for index, word in enumerate(program["argv"]):
        if not word or "\0" in word:
            _fail(f"argv[{index}]", "must be a word of a command line")
    if program.get("fingerprint") is not None:
        _check_fields(_object(program["fingerprint"], "fingerprint"), Fingerprint, "fingerprint")
    _Tree().check(program["root"], "root", ())


class _Tree:
    """Checks commands, and counts them."""

    def __init__(self) -> None:
        self.commands = 0

    def check(self, data: Any, place: str, path: tuple[str, ...]) -> None:
        command = dict(_object(data, place))
        self.commands += 1
        if self.commands > _MOST_COMMANDS or len(path) > _MOST_DEPTH:
            _fail(place, f"is beyond {_MOST_COMMANDS} commands or {_MOST_DEPTH} levels")
        name = command.pop("name", None)
        if path and not (isinstance(name, str) and _WORD.fullmatch(name)):
            _fail(
                f"{place}.name", f"must be one word that does not begin with a dash, not {name!r}"
            )
        if not path and name:
            _fail(f"{place}.name", "is not for the root: it has no word of its own")
        if "path" in command:
            _fail(f"{place}.path", "must be left out: the position of the command gives it")
        _check_fields(command, Command, place)
        names = _check_parameters(command.get("parameters", ()), place)
        for index, group in enumerate(command.get("exclusive", ())):
            _check_exclusive(group, names, f"{place}.exclusive[{index}]")
        self.below(command.get("commands", ()), place, path)

    def below(self, commands: Any, place: str, path: tuple[str, ...]) -> None:
        names: set[str] = set()
        for index, command in enumerate(commands):
            location = f"{place}.commands[{index}]"
            name = _object(command, location).get("name")
            label = f"{location} ({name})" if isinstance(name, str) and len(name) < 60 else location
            if name in names:
                _fail(label, "there are two commands of this name")
            self.check(command, label, (*path, str(name)))
            names.add(str(name))


def _check_parameters(parameters: Any, place: str) -> set[str]:
    names: set[str] = set()
    flags: dict[str, str] = {}
    for index, parameter in enumerate(parameters):
        location = f"{place}.parameters[{index}]"
        data = _object(parameter, location)
        name = data.get("name")
        location = f"{location} ({name})" if isinstance(name, str) and len(name) < 60 else location
        _check_fields(data, CommandParameter, location)
        if not name or name in names:
            _fail(location, "must have a name that no other parameter of its command has")
        names.add(cast("str", name))
        for flag in _check_parameter(data, location):
            if flag in flags:
                _fail(location, f"{flag} is also a flag of `{flags[flag]}`")
            flags[flag] = cast("str", name)
    return names


def _check_parameter(data: Mapping[str, Any], place: str) -> list[str]:
    emit = data.get("emit", "value")
    chosen: dict[str, str] = data.get("chosen_by", {})
    flags = [*data.get("flags", ()), *data.get("negatives", ()), *chosen.values()]
    for flag in flags:
        if _FLAG.fullmatch(flag) is None or flag in ("-", "--"):
            _fail(place, f"{flag!r} is not a flag such as `--size` or `-s`")
    if not flags and emit not in _POSITIONAL:
        _fail(f"{place}.emit", f"`{emit}` needs `flags`; without them it is a positional")
    if emit in _NEED_NEGATIVES and not data.get("negatives"):
        _fail(place, f'`emit` is `{emit}`: it needs `negatives`, such as ["--no-color"]')
    if emit in _NEED_CHOICES and not chosen:
        _fail(place, f"`emit` is `{emit}`: it needs `chosen_by`, a flag for each value")
    schema = data["schema"]
    if emit == "json":
        _check_json_schema(schema, f"{place}.schema")
    else:
        _check_schema(schema, f"{place}.schema")
    kind = schema.get("type")
    if emit in _LISTED and kind not in ("array", None):
        _fail(f"{place}.schema.type", f"must be `array`, since `emit` is `{emit}`")
    if emit in ("flag", "pair", "negative", "truth") and kind != "boolean":
        _fail(f"{place}.schema.type", f"must be `boolean`, since `emit` is `{emit}`")
    return [*data.get("flags", ()), *data.get("negatives", ())]


def _check_json_schema(schema: Any, place: str) -> None:
    from ..schema.explicit import schema_fault  # readers in other programs do without it

    if fault := schema_fault(_object(schema, place)):
        _fail(place, fault)


def _check_schema(schema: Any, place: str, depth: int = 0) -> None:
    keywords = _object(schema, place)
    if depth > _MOST_DEPTH:
        _fail(place, "is nested too deeply")
    for key, value in keywords.items():
        location = f"{place}.{key}"
        if key not in _KEYWORDS:
            _fail(
                location,
                f"is not a known keyword of an option's schema{did_you_mean(key, _KEYWORDS, ' ({})')}",
            )
        for where, below in _schemas_in(key, value, location):
            _check_schema(below, where, depth + 1)
        _check_keyword(key, value, location)


def _schemas_in(key: str, value: Any, place: str) -> list[tuple[str, Any]]:
    """Return the schemas that a keyword holds, with their places."""
    if key == "items" or (key == "additionalProperties" and not isinstance(value, bool)):
        return [(place, value)]
    if key in ("prefixItems", "anyOf", "oneOf", "allOf"):
        if not _list(value, place):
            _fail(place, "must have at least one schema")
        return [(f"{place}[{index}]", schema) for index, schema in enumerate(_list(value, place))]
    if key == "properties":
        return [(f"{place}.{name}", schema) for name, schema in _object(value, place).items()]
    return []


def _check_keyword(key: str, value: Any, place: str) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if key == "type":
        types = cast("list[Any]", value if isinstance(value, list) else [value])
        if not types or not all(isinstance(name, str) and name in _TYPES for name in types):
            _fail(place, f"must be one of {', '.join(sorted(_TYPES))}, not {_shown(value)}")
    elif key == "enum" and (not isinstance(value, list) or not value):
        _fail(place, "must be a list of values")
    elif key == "pattern":
        _check_pattern(value, place)
    elif key == "required":
        for index, name in enumerate(_list(value, place)):
            _check_text(name, f"{place}[{index}]")
    elif key in _NUMBERS and not is_number:
        _fail(place, f"must be a number, not {_shown(value)}")
    elif key in _SIZES and not (is_number and isinstance(value, int)):
        _fail(place, f"must be an integer, not {_shown(value)}")


def _check_text(value: Any, place: str) -> None:
    if not isinstance(value, str):
        _fail(place, f"must be text, not {_shown(value)}")


def _check_pattern(value: Any, place: str) -> None:
    _check_text(value, place)
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        _fail(place, f"is not a regular expression: {error}")


def _check_exclusive(data: Any, names: set[str], place: str) -> None:
    group = _object(data, place)
    _check_fields(group, Exclusive, place)
    for name in group["names"]:
        if name not in names:
            _fail(f"{place}.names", f"`{name}` is not a parameter of this command")


# -- fields


def _check_fields(data: Mapping[str, Any], owner: type[Any], place: str) -> None:
    """Check the names and types of the fields of a dataclass."""
    known_fields = {field.name: field for field in fields(owner)}
    for name, value in data.items():
        location = f"{place}.{name}".lstrip(".")
        if name not in known_fields:
            _fail(location, f"there is no such field{did_you_mean(name, known_fields, ' ({})')}")
        _check_type(value, str(known_fields[name].type), location)
    for name, field in known_fields.items():
        needed = field.default is MISSING and field.default_factory is MISSING
        if needed and name not in data:
            _fail(place or "the file", f"`{name}` is missing")


def _check_type(value: Any, kind: str, place: str) -> None:
    """Check a value against the annotation of its field."""
    plain, expected = _PLAIN.get(kind, (object, ""))
    if not isinstance(value, plain) or (plain is int and isinstance(value, bool)):
        _fail(place, f"must be {expected}, not {_shown(value)}")
    if kind == "Emit" and value not in _EMITS:
        _fail(place, f"must be one of {', '.join(sorted(_EMITS))}, not {_shown(value)}")
    if kind.startswith("tuple["):
        for index, element in enumerate(_list(value, place)):
            if kind == "tuple[str, ...]":
                _check_text(element, f"{place}[{index}]")
    elif kind.startswith("Mapping["):
        for key, element in _object(value, place).items():
            if kind == "Mapping[str, str]":
                _check_text(element, f"{place}.{key}")


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _fail(place, f"must be an object, not {_shown(value)}")
    return cast("dict[str, Any]", value)


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(place, f"must be a list, not {_shown(value)}")
    return cast("list[Any]", value)


def _shown(value: Any) -> str:
    return truncate(repr(value), 60)


def _fail(place: str, problem: str) -> NoReturn:
    message = f"{place}: {problem}" if place else problem
    raise ProgramFileError(" ".join(message[:500].split()))
