"""Limits of a whole request: who gets them, and who is told that nothing is left."""

import json

import pytest

from toolwright import Toolbox
from toolwright.dialects import render


def entry(name, optional=0, needed=1, **schema):
    properties = {f"n{at}": {"type": "string"} for at in range(needed)}
    properties |= {f"o{at}": {"type": "string"} for at in range(optional)}
    required = [f"n{at}" for at in range(needed)]
    return {
        "name": name,
        "inputSchema": {"type": "object", "properties": properties, "required": required, **schema},
    }


def strict_losses(made):
    return {loss.tool for loss in made.losses if loss.keyword == "strict"}


@pytest.mark.promise("dialects.budgets")
def test_the_cheapest_tools_are_strict_first():
    tools = [entry("greedy", optional=20), *(entry(f"t{at}", optional=4) for at in range(8))]
    made = render(tools, "anthropic", strict=True)
    assert made.strict == {f"t{at}" for at in range(6)}
    assert strict_losses(made) == {"greedy", "t6", "t7"}
    sent = {tool["name"]: tool.get("strict", False) for tool in made.definitions}
    assert len(sent) == 9
    assert {name for name, strict in sent.items() if strict} == made.strict


def test_at_most_twenty_tools_are_strict_for_anthropic():
    made = render([entry(f"t{at}") for at in range(25)], "anthropic", strict=True)
    assert made.strict == {f"t{at}" for at in range(20)}
    assert strict_losses(made) == {f"t{at}" for at in range(20, 25)}
    assert len(made.definitions) == 25


def test_a_tool_that_cannot_be_strict_by_itself_is_rendered_all_the_same():
    deep = {"type": "string"}
    for _ in range(12):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"]}
    wide = {"enum": [f"value {at}" for at in range(1200)]}
    tools = [
        entry("deep", properties={"a": deep}),
        entry("wide", properties={"a": wide}),
        entry("good", optional=1),
    ]
    made = render(tools, "openai", strict=True)
    assert made.strict == {"good"}
    functions = {each["function"]["name"]: each["function"] for each in made.definitions}
    assert "strict" not in functions["deep"]
    assert functions["deep"]["parameters"]["properties"]["a"] == deep
    assert {(loss.tool, loss.keyword) for loss in made.losses} == {
        ("deep", "properties"),
        ("wide", "enum"),
    }


def test_where_strict_is_for_all_or_none_it_is_none_if_one_cannot():
    good, none = entry("good"), {"name": "none", "inputSchema": {"type": "object"}}
    assert render([good], "cohere", strict=True).request == {"strict_tools": True}
    made = render([good, none], "cohere", strict=True)
    assert (made.request, made.strict) == ({}, frozenset())
    assert [str(loss) for loss in made.losses] == [
        "none: required has no entry: the tool cannot be strict",
        "strict holds for all tools or none here: no tool is strict",
    ]
    many = [entry(f"t{at}", needed=30) for at in range(7)]
    assert render(many, "cohere", strict=True).strict == frozenset()
    assert render(many[:6], "cohere", strict=True).strict == {f"t{at}" for at in range(6)}


@pytest.mark.parametrize(("dialect", "most"), [("openai", 128), ("cursor", 80), ("windsurf", 100)])
def test_tools_beyond_the_limit_are_left_out_and_named(dialect, most):
    box = Toolbox("many", {f"t{at}": lambda: "" for at in range(most + 2)})
    made = box.render(dialect)
    assert list(made.names) == [f"t{at}" for at in range(most)]
    assert [(loss.tool, loss.keyword) for loss in made.losses] == [
        (f"t{most}", "tools"),
        (f"t{most + 1}", "tools"),
    ]


def test_rendering_again_gives_the_same():
    tools = [entry(f"t{at}", optional=at % 5) for at in range(30)]
    one, other = (render(tools, "anthropic", strict=True) for _ in range(2))
    assert json.dumps(one.definitions) == json.dumps(other.definitions)
    assert one.losses == other.losses
