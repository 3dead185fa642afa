"""A program as JSON and as a file, and back.

Only what differs from its default is written, so that the file can be read and edited. A command
is written with its last word alone: its place gives the rest of its path.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, cast

from .._files import read_file, replace_file
from .._json_values import RepeatedKey, unique_keys
from .file_check import ProgramFileError, check_program
from .program import UNSET, Command, CommandParameter, Exclusive, Fingerprint, Program

_TUPLES = ("flags", "negatives", "environment", "refused_values")
FORMAT = 1
"""The number of this format; no other is read."""
SUFFIX = ".tools.json"
"""How the name of a program's file ends."""
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
        values["fingerprint"] = Fingerprint(**values["fingerprint"])
    return Program(**_with_tuples(values, "argv", "left_out"))


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
    if isinstance(value, Program | Command | CommandParameter | Exclusive | Fingerprint):
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
    parameters = tuple(_parameter(parameter) for parameter in values.pop("parameters", ()))
    below = tuple(_command(command, path) for command in values.pop("commands", ()))
    exclusive = tuple(
        Exclusive(**_with_tuples(group, "names")) for group in values.pop("exclusive", ())
    )
    return Command(
        path=path,
        parameters=parameters,
        commands=below,
        exclusive=exclusive,
        **_with_tuples(values, "aliases"),
    )


def _parameter(data: Mapping[str, Any]) -> CommandParameter:
    return CommandParameter(**_with_tuples(data, *_TUPLES))


def _with_tuples(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return fields, the named ones turned from lists into tuples."""
    return {name: tuple(member) if name in names else member for name, member in data.items()}
