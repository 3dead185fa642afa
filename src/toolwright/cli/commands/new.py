"""`new`: write a first toolbox, or a whole project."""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from ...testing.snapshots import snapshot
from ..command import CliCommand, option, positional, switch
from ..load import load
from ..output import print_json, say
from ..usage import UsageError

_TOOLBOX = '''\
"""The tools of {name}."""

from typing import Annotated

from toolwright import Toolbox, ToolError

{name} = Toolbox("{name}", version="0.1.0")

NOTES: dict[int, str] = {{1: "Buy milk"}}


@{name}.tool(read_only=True)
def find_notes(
    query: Annotated[str, "What to look for, in any case."] = "",
    limit: Annotated[int, "How many notes to show at most."] = 10,
) -> dict[int, str]:
    """Find notes that contain some words."""
    found = {{number: text for number, text in NOTES.items() if query.lower() in text.lower()}}
    return dict(list(found.items())[:limit])


@{name}.tool
def add_note(text: Annotated[str, "The words of the note."]) -> int:
    """Write a note down, and return its number."""
    if not text.strip():
        raise ToolError("a note has words in it")
    number = max(NOTES, default=0) + 1
    NOTES[number] = text
    return number


if __name__ == "__main__":
    {name}.serve()
'''
_TEST = '''\
"""Tests of {name}: through a real client, as a model would call it."""

from {name} import {name}


def test_a_note_is_found_again(toolbox_client):
    client = toolbox_client({name})
    number = client.call("add_note", text="Call Ada")
    assert client.call("find_notes", query="ada") == {{str(number): "Call Ada"}}


def test_an_empty_note_is_refused(toolbox_client):
    result = toolbox_client({name}).result("add_note", text=" ")
    assert result.is_error
    assert "words" in result.text


def test_what_models_see_stays_the_same(schema_snapshot):
    schema_snapshot({name})
'''
_PROJECT = """\
[project]
name = "{title}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["toolwright"]

[dependency-groups]
test = ["pytest"]

# What `toolwright serve`, `call`, `list` and the others work on in this folder.
[tool.toolwright]
target = "{name}.py"
serve.transport = "stdio"  # "http" serves at http://127.0.0.1:8000/mcp

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
"""
_IGNORED = ".env\n__pycache__/\n"

_TAKEN = frozenset(
    [
        "toolwright",
        "test",
        "conftest",
        "client",
        "number",
        "result",
        "toolbox_client",
        "schema_snapshot",
        "find_notes",
        "add_note",
        "NOTES",
        "Annotated",
        "Toolbox",
        "ToolError",
    ]
)
"""Names that the two files use for something else."""


class NewCommand(CliCommand):
    """Writes a first toolbox, or a whole project."""

    name: str = positional("NAME", "what it is called, such as notes")
    folder: str = option("where to (here)", default=".", metavar="DIR")
    project: bool = switch("a folder with pyproject.toml, server and tests")
    json: bool = switch("print JSON")

    def run(self) -> int:
        """Write a toolbox and its test; existing files are never overwritten."""
        name = _name_from(self.name)
        folder = Path(self.folder)
        if self.project:
            folder /= name
        main, tests = folder / f"{name}.py", folder / "tests" if self.project else folder
        schema = tests / "schemas" / f"{name}.json"
        files = {main: _TOOLBOX, tests / f"test_{name}.py": _TEST}
        if self.project:
            files |= {folder / "pyproject.toml": _PROJECT, folder / ".gitignore": _IGNORED}
        title = name.replace("_", "-")
        _write({path: text.format(name=name, title=title) for path, text in files.items()}, schema)
        if self.json:
            print_json({"files": [str(path) for path in (*files, schema)]})
        elif self.project:
            inside = ", ".join(str(file.relative_to(folder)) for file in (*files, schema))
            place = shlex.quote(str(folder))
            _say_next(f"{place} is written: {inside}", "", "pytest", f"cd {place}")
        else:
            toolbox, test, snapshot_file = (shlex.quote(str(file)) for file in (*files, schema))
            written = f"{toolbox}, {test} and {snapshot_file} are written"
            _say_next(written, f" {toolbox}", f"pytest {test}")
        return 0


def _name_from(given: str) -> str:
    """Return the name of a toolbox and its module. Raises `UsageError`."""
    name = given.removesuffix(".py").replace("-", "_")
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"a toolbox is named like a Python module, such as `notes`; got `{name}`")
    if name in _TAKEN or hasattr(builtins, name) or _is_module(name):
        raise UsageError(f"`{name}` is the name of something else: choose another name")
    return name


def _write(files: Mapping[Path, str], schema: Path) -> None:
    """Write the files and the snapshot of the schemas. Raises `UsageError` if one is there."""
    for path in (*files, schema):
        if os.path.lexists(path):
            raise UsageError(f"{path} already exists: it is left alone")
    main = next(iter(files))
    try:
        schema.parent.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        box = load(str(main)).box
        schema.write_text(snapshot(box), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{main.parent} cannot be written: {error.strerror}") from error


def _say_next(written: str, target: str, test: str, *first: str) -> None:
    """Say what was written, and which commands come next; `target` begins with a blank."""
    say(f"{written}. Next:")
    for command in (
        *first,
        f"toolwright call{target} find_notes query=milk",
        f"toolwright serve{target} --http --reload",
        f"toolwright install claude-desktop{target}",
        test,
    ):
        say(f"  {command}")


def _is_module(name: str) -> bool:
    """Return whether a name is that of a Python module or of an installed package."""
    if name in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return True
    return spec is not None and bool(spec.origin) and "site-packages" in str(spec.origin)
