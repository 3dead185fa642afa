"""A program as JSON and as a file, and back.

Only what differs from its default is written, so that the file can be read and edited. A command
is written with its last word alone: its place gives the rest of its path.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_args

from .._files import read_file, replace_file
from .._json_values import RepeatedKey, unique_keys
from .._words import did_you_mean, truncate
from ..json_schema.walk import COMBINED, LISTS
from .program import UNSET, Command, CommandParameter, Emit, Exclusive, Fingerprint, Program

T = TypeVar("T")

# -- whether JSON is a program: each mistake is named with its place

_EMITS = frozenset(get_args(Emit))
_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_KEYWORDS = frozenset(
    (
        *("type", "enum", "const", "items", "prefixItems", "properties", "additionalProperties"),
        *("required", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("pattern", "format", *COMBINED, "description", "title", "examples"),
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
    from ..schema.explicit import schema_fault

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
    if key in LISTS:
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


# -- its fields


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


# -- files

FORMAT = 1
"""The number of this format; no other is read."""
_WIDTH = 100
_UNORDERED = frozenset(("schema", "annotations", "fingerprint"))
"""Objects whose keys are sorted when they are written."""


def read(path: str | os.PathLike[str]) -> Program:
    """Return the program in a file. Raises `ProgramFileError`: one line that names the place."""
    name = os.fspath(path)
    try:
        data = read_file(name)
    except OSError as error:
        raise ProgramFileError(f"{name} cannot be read: {error.strerror}") from error
    try:
        program = json.loads(data, object_pairs_hook=unique_keys)
        check_program(program, FORMAT)
        return program_from_json(program)
    except RecursionError:
        raise ProgramFileError(f"{name} is nested too deeply") from None
    except (ProgramFileError, RepeatedKey) as error:
        raise ProgramFileError(f"{name}: {error}") from None
    except ValueError as error:
        raise ProgramFileError(f"{name} is not JSON: {error}") from None


def write(program: Program, path: str | os.PathLike[str]) -> None:
    """Write a program to a file; an existing file is replaced as a whole."""
    replace_file(os.fspath(path), program_text(program))


def program_text(program: Program) -> str:
    """Return a program as the text of its file: to be read, compared and edited."""
    data = program_to_json(program)
    data["root"] = data.pop("root")  # the long part comes last
    return "".join(_written(_ordered(data), "")) + "\n"


def is_stale(program: Program) -> str:
    """Return a message if the executable is not the one that was scanned; else an empty text."""
    scanned = program.fingerprint
    if scanned is None or not program.argv:
        return ""
    executable = shutil.which(program.argv[0])
    if executable is None:
        return f"{program.argv[0]} no longer exists; it was scanned as {scanned.path}"
    try:
        now = Path(executable).stat()
    except OSError as error:
        return f"{executable} cannot be examined: {error.strerror}"
    if (now.st_size, now.st_mtime_ns) == (scanned.size, scanned.modified):
        return ""
    what = (
        "is newer than its scan"
        if now.st_mtime_ns > scanned.modified
        else "is not what was scanned"
    )
    return f"{executable} {what}: run toolwright scan {program.argv[0]} again"


def _ordered(value: Any, key: str = "") -> Any:
    """Return JSON whose keys are sorted where their order means nothing."""
    if isinstance(value, list):
        return [_ordered(element) for element in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value).items()
    return {
        name: _ordered(member, name)
        for name, member in (sorted(items) if key in _UNORDERED else items)
    }


def _written(value: Any, indent: str) -> Iterator[str]:
    """Yield JSON in which everything that fits on one line is on one line."""
    flat = json.dumps(value, ensure_ascii=False) if _is_small(value) else ""
    is_leaf = not value or not isinstance(value, dict | list)
    if is_leaf or (flat and len(indent) + len(flat) <= _WIDTH):
        yield flat
        return
    is_object = isinstance(value, dict)
    items: Iterable[tuple[Any, Any]] = enumerate(cast("list[Any]", value))
    if is_object:
        items = cast("dict[str, Any]", value).items()
    deeper = f"{indent}  "
    before = "{" if is_object else "["
    for name, member in items:
        label = f"{json.dumps(name, ensure_ascii=False)}: " if is_object else ""
        yield f"{before}\n{deeper}{label}"
        yield from _written(member, deeper)
        before = ","
    yield f"\n{indent}" + ("}" if is_object else "]")


def _is_small(value: Any) -> bool:
    """Return whether a value may be on one line: it holds no large objects or lists of objects."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).values()
        return len(items) <= 6 and not any(_holds_objects(member) for member in items)
    return not value or not isinstance(value, list) or not _holds_objects(cast("Any", value))


def _holds_objects(value: Any) -> bool:
    if isinstance(value, dict):
        return len(cast("dict[str, Any]", value)) > 4
    return isinstance(value, list) and any(
        isinstance(element, dict) for element in cast("list[Any]", value)
    )


def program_to_json(program: Program) -> dict[str, Any]:
    """Return a program as plain JSON values."""
    return {"format": FORMAT} | _fields_of(program)


def program_from_json(data: Mapping[str, Any]) -> Program:
    """Return the program in such JSON. Raises `ValueError` for another format."""
    form = data.get("format")
    if form != FORMAT:
        raise ValueError(f"a program of format {form!r}, but only {FORMAT} can be read")
    values = {name: value for name, value in data.items() if name != "format"}
    values["root"] = _command(values["root"], ())
    if values.get("fingerprint") is not None:
        values["fingerprint"] = _made(Fingerprint, values["fingerprint"])
    return _made(Program, values)


def _fields_of(value: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields(value):
        content = getattr(value, field.name)
        if content is not UNSET and content != _default_of(field):
            values[field.name] = _plain(content)
    if isinstance(value, Command):
        path = values.pop("path", None)
        values = {"name": path[-1], **values} if path else values
    return values


def _default_of(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _plain(value: Any) -> Any:
    if type(value) in _TUPLES:
        return _fields_of(value)
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in cast("Sequence[Any]", value)]
    return value


def _command(data: Mapping[str, Any], parents: tuple[str, ...]) -> Command:
    values = dict(data)
    name = values.pop("name", "")
    path = (*parents, name) if name else parents
    values["commands"] = [_command(command, path) for command in values.get("commands", ())]
    for key, part in (("parameters", CommandParameter), ("exclusive", Exclusive)):
        values[key] = [_made(part, member) for member in values.get(key, ())]
    return _made(Command, {**values, "path": path})


def _made(owner: Callable[..., T], data: Mapping[str, Any]) -> T:
    """Return an object with these fields; JSON has lists where its fields are tuples."""
    tuples = _TUPLES[owner]
    return owner(**{key: tuple(value) if key in tuples else value for key, value in data.items()})


_TUPLES: Mapping[Any, set[str]] = {
    owner: {field.name for field in fields(owner) if str(field.type).startswith("tuple[")}
    for owner in (Program, Command, CommandParameter, Exclusive, Fingerprint)
}
