"""The file of a program is edited by hand: every mistake in it is named with its place."""

import copy
import json
import os

import pytest

from toolwright.sources import program_file
from toolwright.sources.program import (
    UNSET,
    Command,
    CommandParameter,
    Exclusive,
    Fingerprint,
    Program,
)
from toolwright.sources.program_file import ProgramFileError

TEXT = {"type": "string"}
PROGRAM = Program(
    name="skyctl",
    argv=("skyctl",),
    framework="cobra",
    root=Command(
        summary="Manage clouds",
        commands=(
            Command(
                path=("disk",),
                parameters=(
                    CommandParameter(name="size", schema={"type": "integer"}, flags=("--size",)),
                    CommandParameter(
                        name="ice",
                        schema={"type": "boolean"},
                        emit="pair",
                        flags=("--ice",),
                        negatives=("--no-ice",),
                    ),
                    CommandParameter(name="name", schema=TEXT, required=True, default=UNSET),
                ),
                exclusive=(Exclusive(names=("size", "ice")),),
            ),
            Command(path=("zone",), runs=False),
        ),
    ),
)


@pytest.fixture
def edited(tmp_path):
    """Write the file as an editor would leave it, and read it."""
    data = program_file.program_to_json(PROGRAM)

    def edit(change):
        written = copy.deepcopy(data)
        change(written)
        path = tmp_path / "sky.tools.json"
        path.write_text(json.dumps(written))
        return program_file.read(path)

    return edit


def test_a_file_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "sky.tools.json"
    program_file.write(PROGRAM, path)
    assert program_file.read(path) == PROGRAM
    assert path.read_text() == program_file.program_text(PROGRAM)
    assert [each.name for each in tmp_path.iterdir()] == ["sky.tools.json"]


def test_a_file_can_be_read_by_people():
    assert (
        program_file.program_text(PROGRAM)
        == """\
{
  "format": 1,
  "name": "skyctl",
  "argv": ["skyctl"],
  "framework": "cobra",
  "root": {
    "summary": "Manage clouds",
    "commands": [
      {
        "name": "disk",
        "parameters": [
          {"name": "size", "schema": {"type": "integer"}, "flags": ["--size"]},
          {
            "name": "ice",
            "schema": {"type": "boolean"},
            "emit": "pair",
            "flags": ["--ice"],
            "negatives": ["--no-ice"]
          },
          {"name": "name", "schema": {"type": "string"}, "required": true}
        ],
        "exclusive": [
          {"names": ["size", "ice"]}
        ]
      },
      {"name": "zone", "runs": false}
    ]
  }
}
"""
    )


def disk(data):
    return data["root"]["commands"][0]


def first(data):
    return disk(data)["parameters"][0]


MISTAKES = {
    "format": (lambda data: data.update(format=2), "format: is 2; this version reads 1"),
    "no format": (lambda data: data.pop("format"), "format: is None; this version reads 1"),
    "no root": (lambda data: data.pop("root"), "the file: `root` is missing"),
    "no argv": (
        lambda data: data.pop("argv"),
        'argv: must name the executable, such as ["docker"]',
    ),
    "argv": (lambda data: data.update(argv="skyctl"), "argv: must be a list, not 'skyctl'"),
    "field": (
        lambda data: first(data).update(emitt="value"),
        (
            "root.commands[0] (disk).parameters[0] (size).emitt: there is no such field"
            " (did you mean `emit`?)"
        ),
    ),
    "emit": (
        lambda data: first(data).update(emit="flagg"),
        "root.commands[0] (disk).parameters[0] (size).emit: must be one of ",
    ),
    "type": (
        lambda data: first(data)["schema"].update(type="int"),
        "root.commands[0] (disk).parameters[0] (size).schema.type: must be one of array, boolean,",
    ),
    "keyword": (
        lambda data: first(data)["schema"].update(minimun=1),
        (
            "root.commands[0] (disk).parameters[0] (size).schema.minimun: is not a known keyword of an"
            " option's schema (did you mean `minimum`?)"
        ),
    ),
    "bound": (
        lambda data: first(data)["schema"].update(minimum="1"),
        "root.commands[0] (disk).parameters[0] (size).schema.minimum: must be a number, not '1'",
    ),
    "pattern": (
        lambda data: first(data)["schema"].update(pattern="("),
        "root.commands[0] (disk).parameters[0] (size).schema.pattern: is not a regular expression:",
    ),
    "flag": (
        lambda data: first(data).update(flags=["size"]),
        "root.commands[0] (disk).parameters[0] (size): 'size' is not a flag such as `--size` or",
    ),
    "value in flag": (
        lambda data: first(data).update(flags=["--size=3"]),
        "root.commands[0] (disk).parameters[0] (size): '--size=3' is not a flag",
    ),
    "two flags": (
        lambda data: first(data).update(flags=["--ice"]),
        "root.commands[0] (disk).parameters[1] (ice): --ice is also a flag of `size`",
    ),
    "two names": (
        lambda data: first(data).update(name="name"),
        "root.commands[0] (disk).parameters[2] (name): must have a name that no other",
    ),
    "negatives": (
        lambda data: disk(data)["parameters"][1].pop("negatives"),
        "root.commands[0] (disk).parameters[1] (ice): `emit` is `pair`: it needs `negatives`",
    ),
    "positional": (
        lambda data: first(data).update(flags=[], emit="truth"),
        "root.commands[0] (disk).parameters[0] (size).emit: `truth` needs `flags`",
    ),
    "list": (
        lambda data: first(data).update(emit="repeat"),
        "root.commands[0] (disk).parameters[0] (size).schema.type: must be `array`",
    ),
    "required": (
        lambda data: first(data).update(required="yes"),
        "root.commands[0] (disk).parameters[0] (size).required: must be true or false, not 'yes'",
    ),
    "command": (
        lambda data: disk(data).update(name="--force"),
        (
            "root.commands[0] (--force).name: must be one word that does not begin with a dash,"
            " not '--force'"
        ),
    ),
    "two commands": (
        lambda data: disk(data).update(name="zone"),
        "root.commands[1] (zone): there are two commands of this name",
    ),
    "path": (
        lambda data: disk(data).update(path=["disk"]),
        "root.commands[0] (disk).path: must be left out: the position of the command gives it",
    ),
    "exclusive": (
        lambda data: disk(data)["exclusive"][0]["names"].append("hot"),
        "root.commands[0] (disk).exclusive[0].names: `hot` is not a parameter of this command",
    ),
    "no alternatives": (
        lambda data: first(data).update(schema={"anyOf": []}),
        "root.commands[0] (disk).parameters[0] (size).schema.anyOf: must have at least one schema",
    ),
    "required keys": (
        lambda data: first(data).update(schema={"type": "object", "required": 5}),
        "root.commands[0] (disk).parameters[0] (size).schema.required: must be a list, not 5",
    ),
    "schema of JSON": (
        lambda data: first(data).update(emit="json", schema={"type": "nope"}),
        "root.commands[0] (disk).parameters[0] (size).schema: is not a JSON Schema",
    ),
    "reference": (
        lambda data: first(data).update(emit="json", schema={"$ref": "http://example.com/x"}),
        "root.commands[0] (disk).parameters[0] (size).schema: refers to http://example.com/x",
    ),
    "commands": (
        lambda data: data["root"].update(commands={}),
        "root.commands: must be a list, not {}",
    ),
}


@pytest.mark.parametrize(("change", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_its_place_in_one_line(edited, tmp_path, change, said):
    with pytest.raises(ProgramFileError) as raised:
        edited(change)
    text = str(raised.value)
    assert text.startswith(f"{tmp_path}/sky.tools.json: {said}")
    assert "\n" not in text
    assert len(text) < 700


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON: Expecting property name"),
        ("[]", "must be an object with `format`, `name` and `root`"),
        ('{"name": 1, "name": 2}', "`name` is in one object twice"),
        ("[" * 100_000, "is nested too deeply"),
        ('"\udcff"', "is not JSON"),
    ],
)
def test_what_is_no_json_of_a_program_is_said_in_one_line(tmp_path, text, said):
    path = tmp_path / "sky.tools.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ProgramFileError, match="sky.tools.json") as raised:
        program_file.read(path)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_or_too_large_is_said_in_one_line(tmp_path):
    with pytest.raises(ProgramFileError, match="cannot be read: No such file or directory$"):
        program_file.read(tmp_path / "none")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(ProgramFileError, match="large cannot be read: it has more than 50,000,000"):
        program_file.read(tmp_path / "large")


def test_a_program_that_is_not_the_one_that_was_scanned_is_said(tmp_path):
    path = tmp_path / "skyctl"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    found = path.stat()
    seen = Fingerprint(path=str(path), size=found.st_size, modified=found.st_mtime_ns)
    program = Program(name="skyctl", root=Command(), argv=(str(path),), fingerprint=seen)
    assert program_file.is_stale(program) == ""
    later = found.st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(later, later))
    assert program_file.is_stale(program) == (
        f"{path} is newer than its scan: run toolwright scan {path} again"
    )
    os.utime(path, ns=(1, 1))
    assert "is not what was scanned" in program_file.is_stale(program)
    path.unlink()
    assert "no longer exists" in program_file.is_stale(program)
    assert program_file.is_stale(Program(name="x", root=Command(), argv=("x",))) == ""
