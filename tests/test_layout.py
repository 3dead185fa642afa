"""The tests have the same folders as the package."""

from collections import Counter
from pathlib import Path

import toolwright

TESTS = Path(__file__).parent
SOURCE = Path(toolwright.__file__).parent
OTHERS = {"seeds", "probes", "properties", "real", "wire", "typing"}
"""Folders whose tests belong to no single part: see CONTRIBUTING.md."""


def modules():
    return sorted(path for path in TESTS.rglob("*.py") if "node_modules" not in path.parts)


def test_every_folder_is_one_of_the_package():
    parts = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert not OTHERS & parts
    folders = {path.relative_to(TESTS).parts[0] for path in modules() if path.parent != TESTS}
    assert folders - parts - OTHERS == set()


def test_no_two_helpers_that_are_imported_by_name_have_the_same_name(pytestconfig):
    folders = [Path(pytestconfig.rootpath, name) for name in pytestconfig.getini("pythonpath")]
    helpers = [path.stem for folder in folders for path in folder.glob("*.py")]
    names = Counter(name for name in helpers if name not in ("conftest", "__init__"))
    assert [name for name, count in names.items() if count > 1] == []
