"""A newcomer's walk: the commands of the README, one after the other, in an environment of its own."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def commands(heading="First steps"):
    """The commands under a heading."""
    text = (ROOT / "README.md").read_text()
    block = re.search(rf"## {heading}\n.*?```sh\n(.*?)```", text, re.S)[1]
    return [shlex.split(line, comments=True) for line in block.splitlines()]


@pytest.mark.promise("readme.pytest")
def test_what_is_installed_has_all_that_the_steps_need():
    """They run `pytest`, which does not come with the package itself."""
    (install,) = commands("Install")
    assert install == ["pip", "install", ".", "pytest"]
    needed = {words[0] for words in commands()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert needed == {*project["scripts"], "pytest"}


def test_all_brings_what_the_documents_need():
    """Whatever the examples import comes with the package, with [all], or is named as an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert extras["all"] == [f"toolwright[{','.join(name for name in extras if name != 'all')}]"]
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text() for page in pages)
    assert "EmailStr" not in text or any("email-validator" in each for each in extras["email"])
