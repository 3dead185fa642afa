"""Hostile arguments for schemas that authors write themselves: linear time, and few words."""

import http.server
import json
import pickle
import threading
import time

import pytest

from toolwright import ArgumentError, SchemaError, Toolbox

MOST_SECONDS = 20
"""Processor time; comparing each item with each took many minutes of it."""
"""Multiples of it have one hash in Python: they make a set of integers slow."""
NODE = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/node"}}]}

box = Toolbox("explicit")


@box.tool(
    input_schema={
        "type": "object",
        "$defs": {"node": NODE},
        "properties": {
            "a": {"type": "integer"},
            "unique": {"type": "array", "uniqueItems": True},
            "items": {"type": "array", "items": {"type": "integer"}},
            "either": {
                "anyOf": [
                    {"type": "array", "items": {"type": "integer"}},
                    {"type": "array", "items": {"type": "boolean"}},
                ]
            },
            "one": {"oneOf": [{"items": {"type": "integer"}}, {"items": {"type": "null"}}]},
            "strict": {"contains": {"type": "integer"}, "unevaluatedItems": False},
            "open": {
                "allOf": [{"patternProperties": {"^k": {"type": "integer"}}}],
                "unevaluatedProperties": False,
            },
            "tree": {"$ref": "#/$defs/node"},
            "step": {"type": "number", "multipleOf": 0.5},
            "long": {"type": "array", "items": {"type": "array", "maxItems": 1}, "maxItems": 2},
        },
        "additionalProperties": {"type": "integer"},
    }
)
def check(**given) -> int:
    return 1


BAD = {
    "same at the end": lambda: {"unique": [*({"a": at} for at in range(60_000)), {"a": 5.0}]},
    "faults": lambda: {"items": ["x"] * 600_000},
    "unknown": lambda: {f"k{at}": "x" for at in range(280_000)},
    "any of": lambda: {"either": ["x"] * 300_000},
    "one of": lambda: {"one": ["x"] * 300_000},
    "unseen items": lambda: {"strict": [1, *["x"] * 40_000]},
    "unseen properties": lambda: {"open": {f"{at}": at for at in range(40_000)}},
    "long values": lambda: {"long": [["x" * 100_000] * 2] * 20},
}


@pytest.mark.parametrize("name", ["one of", "long values"])
def test_hostile_arguments_are_refused_in_few_words(name):
    sent = json.dumps(BAD[name]())
    begun = time.thread_time()
    result = box.call("check", sent)
    assert time.thread_time() - begun < MOST_SECONDS
    assert isinstance(result.error, ArgumentError)
    assert len(result.text) < 3000
    assert len(result.error.faults) <= 50


def test_what_was_not_looked_for_is_not_counted():
    error = box.call("check", {"items": ["x"] * 1000}).error
    assert str(error).endswith("... and more")
    assert error.more
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.more, len(again.faults)) == (str(error), True, 50)
    few = box.call("check", {"items": ["x"] * 7}).error
    assert str(few).endswith("... and 2 more")
    assert not few.more


@pytest.mark.parametrize(
    ("items", "unique"),
    [
        ([1, 1.0], False),
        ([1, True], True),
        ([0, False, None, "0", [], {}], True),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], False),
        ([{"a": [1, {"x": True}]}, {"a": [1, {"x": 1}]}], True),
        ([[1, 2], [2, 1]], True),
        ([1e300, int(1e300)], False),
        ([0.1, 0.10000000000000001, 5], False),
        ([2**53, 2**53 + 1], True),
        ([-0.0, 0], False),
        (["a", "a"], False),
        (['"', "\\"], True),
        ([{"a": "b,c"}, {"a": "b", "c": 1}], True),
    ],
)
def test_equal_items_are_those_that_json_schema_calls_equal(items, unique):
    result = box.call("check", json.dumps({"unique": items}))
    assert (result.error is None) == unique
    if not unique:
        assert "are the same" in result.text


def test_a_number_that_no_float_holds_is_checked_exactly():
    assert box.call("check", {"step": 10**400}).value == 1
    assert box.call("check", {"step": 1.25}).error is not None


def test_a_long_value_does_not_hide_what_is_wrong():
    said = box.call("check", {"a": ["x"] * 1000}).text
    assert said.startswith("check: `a` must be an integer; got [")
    assert len(said) < 400


def test_nested_values_are_refused_as_too_deep():
    deep = "[" * 5000 + "]" * 5000
    assert isinstance(box.call("check", '{"tree": %s}' % deep).error, ArgumentError)


def test_nothing_is_fetched_for_a_schema():
    asked = []

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    with http.server.HTTPServer(("127.0.0.1", 0), Site) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{site.server_port}/x"
        tools = Toolbox("tools")
        schema = {"type": "object", "properties": {"a": {"$ref": there}}}

        with pytest.raises(SchemaError, match=f"refers to {there}, which is not in it"):
            tools.add(print, name="far", input_schema=schema).compile()
        site.shutdown()
    assert asked == []


@pytest.mark.parametrize("lost", ["#/$defs/lost", "other.json", "#lost"])
def test_a_reference_that_leads_nowhere_is_refused_at_once(lost):
    schema = {"type": "object", "properties": {"a": {"$ref": lost}}}
    with pytest.raises(SchemaError, match="which is not in it"):
        Toolbox("tools").add(print, name="lost", input_schema=schema).compile()


def test_references_within_a_schema_are_followed():
    schema = {
        "$id": "https://example.com/root",
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/a"},
            "b": {"$ref": "https://example.com/own"},
            "c": {"const": {"$ref": "not one"}},
            "d": {"$ref": "#named"},
        },
        "$defs": {
            "a": {"type": "integer"},
            "own": {"$id": "https://example.com/own", "$ref": "#/$defs/x", "$defs": {"x": True}},
            "named": {"$anchor": "named", "type": "integer"},
        },
    }

    def take(**values):
        return sorted(values)

    tools = Toolbox("tools")
    tools.add(take, input_schema=schema)
    assert tools.call("take", {"a": 1, "b": 2, "d": 3}).value == ["a", "b", "d"]
    assert tools.call("take", {"d": "x"}).is_error
