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
        given = json.loads(data, object_pairs_hook=unique_keys)
        check_program(given, FORMAT)
        return program_from_json(given)
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
    seen = program.fingerprint
    if seen is None or not program.argv:
        return ""
    found = shutil.which(program.argv[0])
    if found is None:
        return f"{program.argv[0]} no longer exists; it was scanned as {seen.path}"
    try:
        now = Path(found).stat()
    except OSError as error:
        return f"{found} cannot be examined: {error.strerror}"
    if (now.st_size, now.st_mtime_ns) == (seen.size, seen.modified):
        return ""
    what = (
        "is newer than its scan" if now.st_mtime_ns > seen.modified else "is not what was scanned"
    )
    return f"{found} {what}: run toolwright scan {program.argv[0]} again"


def _ordered(value: Any, key: str = "") -> Any:
    """Return JSON whose keys are sorted where their order means nothing."""
    if isinstance(value, list):
        return [_ordered(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value).items()
    return {
        name: _ordered(each, name) for name, each in (sorted(items) if key in _UNORDERED else items)
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
    inner = f"{indent}  "
    before = "{" if is_object else "["
    for name, each in items:
        label = f"{json.dumps(name, ensure_ascii=False)}: " if is_object else ""
        yield f"{before}\n{inner}{label}"
        yield from _written(each, inner)
        before = ","
    yield f"\n{indent}" + ("}" if is_object else "]")


def _is_small(value: Any) -> bool:
    """Return whether a value may be on one line: it holds no large objects or lists of objects."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).values()
        return len(items) <= 6 and not any(_holds_objects(each) for each in items)
    return not value or not isinstance(value, list) or not _holds_objects(cast("Any", value))


def _holds_objects(value: Any) -> bool:
    if isinstance(value, dict):
        return len(cast("dict[str, Any]", value)) > 4
    return isinstance(value, list) and any(
        isinstance(each, dict) for each in cast("list[Any]", value)
    )


def program_to_json(program: Program) -> dict[str, Any]:
    """Return a program as plain JSON values."""
    return {"format": FORMAT} | _fields_of(program)


def program_from_json(data: Mapping[str, Any]) -> Program:
    """Return the program in such JSON. Raises `ValueError` for another format."""
    found = data.get("format")
    if found != FORMAT:
        raise ValueError(f"a program of format {found!r}, but only {FORMAT} can be read")
    given = {name: value for name, value in data.items() if name != "format"}
    given["root"] = _command(given["root"], ())
    if given.get("fingerprint") is not None:
        given["fingerprint"] = Fingerprint(**given["fingerprint"])
    return Program(**_with_tuples(given, "argv", "left_out"))


def _fields_of(value: Any) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for each in fields(value):
        held = getattr(value, each.name)
        if held is not UNSET and held != _default_of(each):
            written[each.name] = _plain(held)
    if isinstance(value, Command):
        path = written.pop("path", None)
        written = {"name": path[-1], **written} if path else written
    return written


def _default_of(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _plain(value: Any) -> Any:
    if isinstance(value, Program | Command | CommandParameter | Exclusive | Fingerprint):
        return _fields_of(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    return value


def _command(data: Mapping[str, Any], parents: tuple[str, ...]) -> Command:
    given = dict(data)
    name = given.pop("name", "")
    path = (*parents, name) if name else parents
    parameters = tuple(_parameter(each) for each in given.pop("parameters", ()))
    below = tuple(_command(each, path) for each in given.pop("commands", ()))
    exclusive = tuple(
        Exclusive(**_with_tuples(each, "names")) for each in given.pop("exclusive", ())
    )
    return Command(
        path=path,
        parameters=parameters,
        commands=below,
        exclusive=exclusive,
        **_with_tuples(given, "aliases"),
    )


def _parameter(data: Mapping[str, Any]) -> CommandParameter:
    return CommandParameter(**_with_tuples(data, *_TUPLES))


def _with_tuples(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return fields, the named ones turned from lists into tuples."""
    return {name: tuple(each) if name in names else each for name, each in data.items()}
