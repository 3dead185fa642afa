"""A program is written as JSON, and read again."""

import json

import pytest

from toolwright.sources.program import (
    Command,
    CommandParameter,
    Exclusive,
    Fingerprint,
    Program,
)
from toolwright.sources.program_file import program_from_json, program_to_json

SIZE = CommandParameter(
    name="size",
    schema={"type": "integer", "minimum": 1},
    flags=("--size", "-s"),
    default=None,
    environment=("APP_SIZE",),
)
FORMAT = CommandParameter(
    name="format",
    schema={"type": "string", "enum": ["upper", "lower"]},
    emit="choice",
    chosen_by={"upper": "--upper", "lower": "--lower"},
)
LIST = Command(
    path=("disk", "list"),
    summary="List.",
    aliases=("ls",),
    parameters=(SIZE, FORMAT),
    exclusive=(Exclusive(names=("size", "format"), required=True),),
    annotations={"read_only": True},
)
DISK = Command(path=("disk",), commands=(LIST,), runs=False)
PROGRAM = Program(
    name="app",
    root=Command(commands=(DISK,), runs=False),
    argv=("/usr/bin/app",),
    fingerprint=Fingerprint(path="/usr/bin/app", size=3, modified=4),
    takes_dashes=False,
)


def test_a_program_is_the_same_after_a_trip_through_json():
    written = json.loads(json.dumps(program_to_json(PROGRAM)))
    assert program_from_json(written) == PROGRAM


def test_only_what_is_not_the_default_is_written():
    assert program_to_json(PROGRAM)["root"] == {
        "commands": [
            {
                "name": "disk",
                "commands": [
                    {
                        "name": "list",
                        "summary": "List.",
                        "parameters": [
                            {
                                "name": "size",
                                "schema": {"type": "integer", "minimum": 1},
                                "flags": ["--size", "-s"],
                                "default": None,
                                "environment": ["APP_SIZE"],
                            },
                            {
                                "name": "format",
                                "schema": {"type": "string", "enum": ["upper", "lower"]},
                                "emit": "choice",
                                "chosen_by": {"upper": "--upper", "lower": "--lower"},
                            },
                        ],
                        "aliases": ["ls"],
                        "exclusive": [{"names": ["size", "format"], "required": True}],
                        "annotations": {"read_only": True},
                    }
                ],
                "runs": False,
            }
        ],
        "runs": False,
    }


def test_another_format_is_refused():
    with pytest.raises(ValueError, match="a program of format 2, but only 1 can be read"):
        program_from_json(program_to_json(PROGRAM) | {"format": 2})
