"""`new --project`: what it writes works as it is."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Stdio, good, refused

__all__ = ["here"]  # a fixture

PAGE = Path(__file__).parents[3] / "docs" / "project.md"


def commands():
    """The commands of the page, without those of the shell itself."""
    block = re.search(r"```sh\n(.*?)```", PAGE.read_text(), re.S)[1]
    return [shlex.split(line) for line in block.splitlines()]


@pytest.mark.promise("project.new")
def test_the_commands_of_the_page(here, monkeypatch):
    new, enter, tests, call, serve = commands()
    assert new == ["toolwright", "new", "notes", "--project"]
    said = good(*new[1:])
    assert enter == ["cd", "notes"]
    monkeypatch.chdir("notes")
    assert tests == ["pytest"]
    assert good(*call[1:]) == '{"1":"Buy milk"}\n'
    assert serve == ["toolwright", "serve"]
    with Stdio() as server:
        assert server.hello["serverInfo"] == {"name": "notes", "version": "0.1.0"}
    for line in said.splitlines()[2:-1]:
        words = shlex.split(line)[1:]
        if words[0] == "install":
            words += ["--dry-run"]
        if words[0] != "serve":
            good(*words)
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"]["name"] == "notes"


def test_its_files_are_named_and_none_is_overwritten(here):
    files = json.loads(good("new", "my-tools", "--project", "--folder", "deep", "--json"))["files"]
    assert files == [
        f"deep/my_tools/{name}"
        for name in (
            "my_tools.py",
            "tests/test_my_tools.py",
            "pyproject.toml",
            ".gitignore",
            "tests/schemas/my_tools.json",
        )
    ]
    assert all(Path(file).is_file() for file in files)
    said = refused(2, "new", "my-tools", "--project", "--folder", "deep")
    assert "deep/my_tools/my_tools.py already exists: it is left alone" in said
    here({"other/pyproject.toml": ""})
    assert "pyproject.toml already exists" in refused(2, "new", "other", "--project")
    assert [path.name for path in Path("other").iterdir()] == ["pyproject.toml"]
