"""The table of docs/architecture.md that says where a behaviour is implemented matches the source."""

import importlib
import re
from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WHERE = TEXT[TEXT.index("## Where is it?") :]
TABLE = re.search(r"(?:^\|.*\n)+", WHERE, re.MULTILINE)[0]
BEHAVIOURS = [row.strip("| ").split(" | ") for row in TABLE.splitlines()[2:]]
PLACES = sorted(set(re.findall(r"`([\w.]+:[\w.]+)`", WHERE)))


@pytest.mark.parametrize("place", PLACES)
def test_what_a_table_names_is_there(place):
    module, name = place.split(":")
    attrgetter(name)(importlib.import_module(f"toolwright.{module}"))


def test_every_row_names_a_place():
    assert len(BEHAVIOURS) == 15
    assert all(re.search(r"`[\w.]+:[\w.]+`", place) for _, place in BEHAVIOURS)


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_decisions_have_one_template(page):
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]}: ")
    assert re.findall(r"^## (.*)", text, re.MULTILINE) == ["Context", "Choice", "Price", "Measured"]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_decisions_name_modules_that_are_there(page):
    text = page.read_text(encoding="utf-8")
    source = ROOT / "src" / "toolwright"
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)
    roots = (source, ROOT)
    assert [path for path in named if not any((root / path).exists() for root in roots)] == []
