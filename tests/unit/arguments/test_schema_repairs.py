"""Arguments of tools whose schema somebody else wrote: repaired and explained as all others."""

import pytest

from toolwright import Tool, Toolbox
from toolwright.client import connect, make_tool

SCHEMA = {
    "type": "object",
    "properties": {
        "max_count": {"type": "integer", "minimum": 1},
        "names": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
        "color": {"enum": ["red", "blue"]},
        "order": {"$ref": "#/$defs/Order"},
        "one": {"oneOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["max_count"],
    "additionalProperties": False,
    "$defs": {
        "Order": {
            "allOf": [
                {"type": "object", "properties": {"paid": {"type": "boolean"}}},
                {"required": ["paid"]},
            ]
        }
    },
}
REPAIRED = [
    ({"max_count": "2"}, {"max_count": 2}),
    ({"max_count": 1, "names": '["a"]'}, {"max_count": 1, "names": ["a"]}),
    ({"max_count": 1, "names": "a"}, {"max_count": 1, "names": ["a"]}),
    ({"max_count": 1, "note": None}, {"max_count": 1}),
    ({"max_count": 1, "color": "RED"}, {"max_count": 1, "color": "red"}),
    ({"max_count": 1, "order": '{"paid": "yes"}'}, {"max_count": 1, "order": {"paid": True}}),
    ({"max_count": 1, "one": "3"}, {"max_count": 1, "one": 3}),
    ({"max_count": 1, "_meta": {}}, {"max_count": 1}),
    ({"`max_count`": 1}, {"max_count": 1}),
]
REFUSED = [
    ({"max_count": "x"}, '`max_count` must be an integer; got "x"'),
    ({"max_count": 0}, "`max_count` must be at least 1; got 0"),
    ({}, "missing argument `max_count` (an integer)"),
    ({"max_count": 1, "nots": 1}, "unknown argument `nots`; did you mean `note`?"),
    ({"max_count": 1, "color": "rad"}, '`color` must be one of "red", "blue"; got "rad"; did'),
    ({"max_count": 1, "names": "a, b"}, "send a list with each item on its own"),
    ({"max_count": 1, "order": {}}, "missing argument `order.paid` (true or false)"),
    ({"max_count": 1, "one": "x"}, '`one` must be an integer or null; got "x"'),
]


def take(**given) -> dict:
    return given


def declared():
    box = Toolbox("declared")
    box.add(take, name="take", input_schema=SCHEMA)
    return lambda arguments: box.call("take", arguments)


def proxied():
    server, box = Toolbox("far"), Toolbox("near")
    server.add(take, name="take", input_schema=SCHEMA, repair=False)
    box.include(connect(server))
    return lambda arguments: box.call("take", arguments)


def made():
    tool = make_tool(lambda _name, /, **given: given, {"name": "take", "inputSchema": SCHEMA})
    box = Toolbox("made")
    box.add(tool)
    return lambda arguments: box.call("take", arguments)


@pytest.mark.parametrize("source", [declared, proxied, made])
def test_arguments_are_repaired_by_the_schema(source):
    call = source()
    for given, taken in REPAIRED:
        result = call(given)
        assert not result.is_error, (given, result.text)
        assert result.value == taken
        assert result.repairs


@pytest.mark.parametrize("source", [declared, proxied, made])
def test_faults_are_explained_as_those_of_other_tools(source):
    call = source()
    for given, words in REFUSED:
        result = call(given)
        assert result.is_error
        assert words in result.text


def test_a_function_of_a_remote_tool_repairs_before_it_sends():
    sent = []
    tool = make_tool(
        lambda _name, /, **given: sent.append(given), {"name": "t", "inputSchema": SCHEMA}
    )
    tool(max_count="2", names='["a"]')
    assert sent == [{"max_count": 2, "names": ["a"]}]


def test_a_tool_without_repairs_takes_what_its_schema_says():
    strict = Tool(take, name="take", input_schema=SCHEMA, repair=False)
    result = strict.call({"max_count": "2"})
    assert result.text == 'take: `max_count` must be an integer; got "2"'
    assert strict.call({"max_count": 2}).value == {"max_count": 2}
