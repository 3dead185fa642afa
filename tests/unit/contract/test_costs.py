"""What tools cost: parts, savings, budgets."""

import json

import pytest

from toolwright import Toolbox
from toolwright.contract.tokens import TokenBudget, costs_of, estimate_tokens, savings_in
from toolwright.contract.tokens import budget_from
from toolwright.dialects import DIALECTS, render

box = Toolbox("shop")


@box.tool(read_only=True)
def search(query: str, limit: int = 10) -> list[str]:
    """Search the catalogue for products.

    Args:
        query: Words in the name of a product.
        limit: Most hits to return.
    """
    return []


@box.tool
def stock(sku: str) -> str:
    """Say how many are in stock."""
    return sku


@pytest.mark.promise("tokens.parts")
def test_the_parts_of_a_definition_make_up_the_whole():
    tools = box.to_mcp()["tools"]
    for cost, tool in zip(costs_of(tools), tools, strict=True):
        whole = estimate_tokens(json.dumps(tool, separators=(",", ":")))
        assert cost.total == whole
        parts = cost.name + cost.description + cost.schema + cost.output + cost.other
        assert abs(parts - whole) <= 3
        assert set(cost.parameters) == set(tool["inputSchema"]["properties"])
        assert sum(cost.parameters.values()) < cost.schema


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_counted(dialect):
    definitions = render(box.values(), dialect).definitions
    found = costs_of(definitions)
    assert [cost.tool for cost in found] == ["search", "stock"]
    assert set(found[0].parameters) == {"query", "limit"}
    assert all(cost.description > 4 for cost in found)
    assert sum(cost.total for cost in found) <= estimate_tokens(json.dumps(definitions)) + 5


def savings(*definitions):
    return savings_in(definitions, costs_of(definitions))


def tool(name="t", description="Does it.", **properties):
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": description, "inputSchema": schema}


def test_nothing_is_suggested_for_a_short_tool():
    assert savings(tool(x={"type": "string", "description": "Short."})) == []


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        (tool(description="Many words. " * 100), "its description takes"),
        (tool(x={"description": "more " * 100}), "the description of x takes"),
        (tool(x={"enum": [f"value {at}" for at in range(60)]}), "x lists 60 values"),
        (tool(x={"default": "word " * 80}), "x has a default of"),
        (
            tool(x={"type": "object", "properties": {"deep": {"default": ["a b c d"] * 30}}}),
            "x.deep has a default of",
        ),
    ],
)
@pytest.mark.promise("tokens.savings")
def test_what_costs_much_is_named_with_what_it_would_save(definition, said):
    found = savings(definition)
    assert len(found) == 1
    assert said in found[0].what
    assert found[0].tokens > 20


def test_the_same_object_in_one_schema_is_found():
    address = {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": f"The {name} of it, in words."}
            for name in "abcdef"
        },
    }
    (saving,) = savings(tool(home=address, work={**address, "description": "Other."}))
    assert "the same object is at " in saving.what
    assert {"home", "work"} <= set(saving.what.replace(",", "").replace(":", "").split())


def test_sentences_that_all_tools_share_are_found():
    text = "All amounts are in cents, of the currency of the account."
    found = savings(*(tool(f"t{at}", f"Does {at}. {text}") for at in range(4)))
    assert [each.what for each in found] == [
        f"`{text}` appears 4 times in 4 tools: say it once, in the instructions"
    ]
    assert found[0].tokens == 3 * estimate_tokens(text)


def test_output_schemas_and_many_tools_are_found():
    many = [
        {**tool(f"t{at}", f"Tool {at}: " + f"word{at} " * 90), "outputSchema": {"type": "string"}}
        for at in range(60)
    ]
    said = [each.what for each in savings(*many)]
    assert said[0].startswith("60 tools: `serve --search`")
    assert any(each.startswith("60 output schemas") for each in said)


def test_deep_schemas_are_found():
    node = {"type": "object", "properties": {"z": {"type": "string"}}}
    for _ in range(6):
        node = {"type": "object", "properties": {"a": node}}
    assert any("levels deep" in each.what for each in savings(tool(x=node)))


@pytest.mark.parametrize(
    ("limits", "over"),
    [
        ({}, []),
        ({"max_tool": 10_000, "max_total": 10_000}, []),
        ({"max_tool": 5}, ["search takes", "stock takes"]),
        ({"max_total": 5}, ["all tools together take"]),
    ],
)
def test_a_budget_names_what_is_over(limits, over):
    lines = TokenBudget(**limits).over(costs_of(box.to_mcp()["tools"]))
    assert [line.partition(" take")[0] for line in lines] == [
        each.partition(" take")[0] for each in over
    ]


def test_a_budget_of_a_provider_counts_more():
    table = {"max_tool": 5, "max_total": 6, "openai": {"max_tool": 7}}
    known = ("mcp", "openai")
    assert budget_from(table, "openai", known) == TokenBudget(max_tool=7, max_total=6)
    assert budget_from(table, "mcp", known) == TokenBudget(max_tool=5, max_total=6)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"max": 5}, "has no `max`"),
        ({"max_tool": "x"}, "must be a whole number"),
        ({"max_tool": True}, "must be a whole number"),
        ({"max_tool": -1}, "must be a whole number"),
        ({"openai": 5}, "must be a table"),
        ({"openai": {"x": 5}}, "has no `x`"),
    ],
)
def test_a_wrong_budget_is_refused(table, said):
    with pytest.raises(ValueError, match=said):
        budget_from(table, "openai", ("mcp", "openai"))


@pytest.mark.parametrize(
    "definitions",
    [
        [],
        [None],
        [5],
        [{}],
        [{"name": 5}],
        [{"name": "x", "inputSchema": 5}],
        [[[[[[{"name": "x"}]]]]]],
    ],
)
def test_odd_definitions_do_no_harm(definitions):
    assert savings_in(definitions, costs_of(definitions)) == []
