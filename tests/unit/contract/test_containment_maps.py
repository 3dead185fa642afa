"""Containment of alternatives in another order, and of maps with limits."""

import pytest

from tests.counting import for_every
from toolwright.contract.containment import contains

NUMBER = {"type": "integer"}
TEXT = {"type": "string", "minLength": 2}
ONE = {"type": "object", "properties": {"a": NUMBER}}
OTHER = {"type": "object", "properties": {"b": TEXT}}
MAP = {"type": "object", "additionalProperties": NUMBER}

ORDERS = [
    ({"oneOf": [NUMBER, TEXT]}, {"oneOf": [TEXT, NUMBER]}),
    ({"oneOf": [ONE, OTHER]}, {"oneOf": [OTHER, ONE]}),
    (
        {"properties": {"x": {"oneOf": [ONE, OTHER]}}},
        {"properties": {"x": {"oneOf": [OTHER, ONE]}}},
    ),
    (
        {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"type": "object", "oneOf": [{"required": ["b"]}, {"required": ["a"]}]},
    ),
]


@for_every(("one", "other"), ORDERS)
def test_the_order_of_alternatives_says_nothing(one, other):
    assert contains(one, other).is_contained
    assert contains(other, one).is_contained


def test_the_order_of_items_in_a_value_says_something():
    one, other = ({"const": {"oneOf": items}} for items in ([1, 2], [2, 1]))
    assert contains(one, other).answer == "not contained"


@pytest.mark.parametrize(("many", "few"), [(1, 0), (5, 3), (7, 5), (100, 99)])
def test_maps_with_limits_are_settled(many, few):
    larger, smaller = ({**MAP, "maxProperties": most} for most in (many, few))
    for wrap in (lambda each: each, lambda each: {"properties": {"m": each}}):
        assert contains(wrap(larger), wrap(smaller)).is_contained
        verdict = contains(wrap(smaller), wrap(larger))
        assert verdict.answer == "not contained"
    assert contains(MAP, larger).is_contained
    assert contains(larger, MAP).answer == "not contained"


def test_references_of_every_kind_are_followed():
    for schema in (
        {"$ref": "#thing", "$defs": {"T": {"$anchor": "thing", "type": "integer"}}},
        {"$ref": "thing", "$defs": {"T": {"$id": "thing", "type": "integer"}}},
        {"$dynamicRef": "#/$defs/A", "$defs": {"A": {"type": "integer"}}},
    ):
        assert contains(NUMBER, schema).is_contained
        assert contains(schema, NUMBER).is_contained


def test_a_reference_means_what_it_leads_to_from_its_place():
    inner = {"$id": "inner", "$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}
    root = {"$defs": {"a": NUMBER, "b": inner}, "anyOf": [{"$ref": "#/$defs/a"}]}
    assert contains({"type": "string"}, inner, narrower_root=root).is_contained
    assert contains(NUMBER, inner, narrower_root=root).answer == "not contained"
