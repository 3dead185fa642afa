"""The tests stand in three tiers, and each tier has the folders of the package."""

import ast
from pathlib import Path

import toolwright

TESTS = Path(__file__).parent
SOURCE = Path(toolwright.__file__).parent
TIERS = ("unit", "wire", "soak")
TOP = {*TIERS, "seeds", "typing", "data"}
OTHERS = {"probes", "properties", "real"}
"""Folders of the unit tests that belong to no single part: see CONTRIBUTING.md."""


def modules():
    return sorted(path for path in TESTS.rglob("*.py") if "node_modules" not in path.parts)


def test_every_folder_is_a_tier_or_one_of_the_package():
    parts = {path.parent.name for path in SOURCE.glob("*/__init__.py")} | OTHERS
    folders = {path.relative_to(TESTS).parts[:-1] for path in modules()} - {()}
    assert {top for top, *_ in folders} - TOP == set()
    rooms = {
        room for top, room, *_ in (folder for folder in folders if len(folder) > 1) if top in TIERS
    }
    assert rooms - parts - {"wire", "node"} == set()


def test_no_folder_of_tests_hides_a_module_from_imports():
    folders = {path.parent for path in modules() if "typing" not in path.parts}
    bare = [folder for folder in folders if not (folder / "__init__.py").exists()]
    assert [str(folder) for folder in bare if folder.name != "node"] == []


def test_no_test_is_defined_twice_in_a_module():
    """The second one would hide the first."""
    for path in modules():
        names = [node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")]
        tests = [name for name in names if name.startswith("test_")]
        assert len(tests) == len(set(tests)), path


def test_the_tests_that_the_makefile_names_are_there():
    makefile = (TESTS.parent / "Makefile").read_text()
    listed = makefile.split("LOWEST_TESTS = ")[1].split("\nlowest:")[0].replace("\\\n", " ")
    named, _, units = listed.partition("$(addprefix tests/unit/,")
    paths = [*named.split(), *(f"tests/unit/{name}" for name in units.rstrip(" )").split())]
    assert len(paths) > 10
    assert [path for path in paths if not (TESTS.parent / path).exists()] == []
