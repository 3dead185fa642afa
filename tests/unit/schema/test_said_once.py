"""What lists say: no style and no saving of bytes loses what an author has written."""

import importlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.counting import examples
from tests.unit.properties.specs import NAMES, specs
from toolwright import Tool, Toolbox
from toolwright.schema.style_rules import both_texts, without_default

BENCHMARKS = str(Path(__file__).parents[3] / "benchmarks")
COUNT = 35


@pytest.fixture(scope="module")
def lists():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, BENCHMARKS])
        names = ("compare_lists", "information", "workload", "contestants")
        yield {name: importlib.import_module(name) for name in names}


def workload(lists, kind):
    made = lists["workload"]
    return made.shop_functions() if kind == "shop" else made.functions(kind, COUNT)


def entries(lists, style, functions):
    return lists["compare_lists"].entries(lists["compare_lists"].OURS[style], functions)


@pytest.mark.promise("schema.compact-loses-nothing")
@pytest.mark.parametrize("kind", ["shared", "shop", "fields", "own"])
def test_the_compact_style_says_what_the_portable_one_says(lists, kind):
    functions = workload(lists, kind)
    portable, compact = (entries(lists, style, functions) for style in ("portable", "compact"))
    facts = lists["information"].facts
    for name, entry in portable.items():
        assert facts(compact[name]) == facts(entry)


@pytest.mark.promise("schema.compact-loses-nothing")
@given(
    drawn=st.lists(specs(), min_size=1, max_size=3), names=st.lists(NAMES, unique=True, min_size=4)
)
@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
def test_the_compact_style_says_the_same_of_types_that_nobody_chose(lists, drawn, names):
    hints = {f"p_{name}": spec.hint for name, spec in zip(names, drawn * 2, strict=False)}
    source = f"def target({', '.join(hints)}): ..."
    space: dict[str, Any] = {}
    exec(source, space)
    target = space["target"]
    target.__annotations__ = {**hints, "return": drawn[0].hint}
    facts = lists["information"].facts
    portable = Tool(target).to_mcp()
    compact = Tool(target, style="compact").to_mcp()
    assert facts(compact) == facts(portable)
    assert lists["information"].size(compact) <= lists["information"].size(portable)


class Line(BaseModel):
    """One line of an order."""

    sku: str = Field(description="Stock number.")
    count: int = Field(default=1, ge=1, le=100)


class Tiny(BaseModel):
    a: int


@pytest.mark.promise("schema.compact-style")
def test_a_definition_used_twice_is_written_once():
    def move(first: Line, second: Line) -> list[Line]:
        """Move lines.

        Args:
            first: Where from.
            second: Where to.
        """
        return []

    schema = Tool(move, style="compact").input_schema
    assert schema == {
        "type": "object",
        "properties": {
            "first": {"$ref": "#/$defs/Line", "description": "Where from."},
            "second": {"$ref": "#/$defs/Line", "description": "Where to."},
        },
        "required": ["first", "second"],
        "additionalProperties": False,
        "$defs": {"Line": Tool(move).output_schema["items"]},
    }
    assert "$ref" not in json.dumps(Tool(move).to_mcp())
    assert "$ref" not in json.dumps(Tool(move, style="compact").output_schema)  # used once


def test_a_definition_that_is_no_longer_than_a_reference_is_written_out():
    def both(a: Annotated[int, Field(ge=1)], b: Annotated[int, Field(ge=1)], c: Tiny) -> None: ...

    assert "$ref" not in json.dumps(Tool(both, style="compact").input_schema)


class Keys(TypedDict, total=False):
    a: int


def test_definitions_that_save_nothing_together_are_written_out():
    def both(first: Keys, second: Keys) -> None: ...

    assert Tool(both, style="compact").input_schema == Tool(both).input_schema


def test_a_box_takes_the_style_of_its_defaults():
    def move(first: Line, second: Line) -> None: ...

    box = Toolbox("lines", defaults={"style": "compact"})
    box.add(move)
    box.add(move, name="other", style="portable")
    assert "$defs" in box["move"].input_schema
    assert "$defs" not in box["other"].input_schema


@pytest.mark.promise("schema.default-said-once")
@pytest.mark.parametrize(
    ("text", "default", "kept"),
    [
        ("Most hits. Defaults to 10.", 10, "Most hits."),
        ("Most hits (default: 10)", 10, "Most hits"),
        ("Most hits (default 10).", 10, "Most hits."),
        ("Most hits (defaults to `10`).", 10, "Most hits."),
        ("Most hits, default: 10", 10, "Most hits"),
        ("Whether to try. Default is True.", True, "Whether to try."),
        ("Whether to try. Default is true.", True, "Whether to try."),
        ('The mode. Defaults to "safe".', "safe", "The mode."),
        ("The mode. Defaults to 'safe'.", "safe", "The mode."),
        ("The mode. Defaults to safe.", "safe", "The mode."),
        ("A share. Default: 0.5.", 0.5, "A share."),
        # What the schema does not say, or says differently, stays.
        ("Most hits. Defaults to 20.", 10, "Most hits. Defaults to 20."),
        ("Most hits. Defaults to 10 per page.", 10, "Most hits. Defaults to 10 per page."),
        ("Defaults to 10. At most 50.", 10, "Defaults to 10. At most 50."),
        ("The name. Defaults to None.", None, "The name. Defaults to None."),
        ("The name. Defaults to .", "", "The name. Defaults to ."),
        ("Uses the default 10", 10, "Uses the default 10"),
        ("A default: x", 10, "A default: x"),
    ],
)
def test_a_text_does_not_repeat_its_default(text, default, kept):
    assert without_default(text, default) == kept


@pytest.mark.promise("schema.default-said-once")
def test_the_portable_style_keeps_every_word():
    def page(
        limit: Annotated[int, Field(description="Most hits. Defaults to 10.")] = 10,
    ) -> None: ...

    portable = Tool(page).input_schema["properties"]["limit"]
    compact = Tool(page, style="compact").input_schema["properties"]["limit"]
    assert portable["description"] == "Most hits. Defaults to 10."
    assert (compact["description"], compact["default"]) == ("Most hits.", 10)


def test_long_texts_are_searched_at_their_end_only():
    text = "(default " * 100_000
    assert without_default(text, 10) == text


@pytest.mark.parametrize(
    ("here", "there", "both"),
    [
        ("A buyer.", "A buyer.  Pays at once.", "A buyer.  Pays at once."),
        ("or", "Order.", "or\n\nOrder."),
        ("Somebody who buys, and pays.", "Somebody", "Somebody who buys, and pays."),
        ("What is bought", "What is bought.", "What is bought"),
        ("Where to.", "One line.", "Where to.\n\nOne line."),
    ],
)
def test_a_text_that_is_part_of_the_other_is_said_once(here, there, both):
    assert both_texts(here, there) == both
