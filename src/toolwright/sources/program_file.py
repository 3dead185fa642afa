"""A program as JSON, and back.

Only what differs from its default is written, so that a file of it can be read and edited. A command
is written with its last word alone: its place gives the rest of its path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, cast

from .program import UNSET, Command, CommandParameter, Exclusive, Fingerprint, Program

_TUPLES = ("flags", "negatives", "environment", "refused_values")
FORMAT = 1
"""The number of this form; another one is not read."""


def program_to_json(program: Program) -> dict[str, Any]:
    """Return a program as plain JSON values."""
    return {"format": FORMAT} | _fields_of(program)


def program_from_json(data: Mapping[str, Any]) -> Program:
    """Return the program that was written so; `ValueError` if the form is another one."""
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
    """Return fields with those that are tuples made from lists."""
    return {name: tuple(each) if name in names else each for name, each in data.items()}
