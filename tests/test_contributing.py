"""The tables of CONTRIBUTING that say where a behaviour is implemented match the source."""

import importlib
import re
import tomllib
from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WHERE = TEXT[TEXT.index("### Where is it?") : TEXT.index("## How the tests are organised")]
BEHAVIOURS, DRAWN = (
    [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    for table in re.findall(r"(?:^\|.*\n)+", WHERE, re.MULTILINE)
)
PLACES = sorted(set(re.findall(r"`([\w.]+:[\w.]+)`", WHERE)))


@pytest.mark.parametrize("place", PLACES)
def test_what_a_table_names_is_there(place):
    module, name = place.split(":")
    attrgetter(name)(importlib.import_module(f"toolwright.{module}"))


def test_every_row_names_a_place():
    assert len(BEHAVIOURS) == 15
    assert all(re.search(r"`[\w.]+:[\w.]+`", place) for _, place in BEHAVIOURS)


def test_thirty_promises_were_drawn_and_most_were_found():
    promises = tomllib.loads((ROOT / "tests" / "promises.toml").read_text(encoding="utf-8"))
    assert len(DRAWN) == 30
    assert {promise.strip("`") for promise, *_ in DRAWN} <= set(promises)
    assert sum(verdict.startswith("no") for *_, verdict in DRAWN) <= 2


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
