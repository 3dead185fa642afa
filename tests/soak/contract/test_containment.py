"""Containment of schemas: what is said is true, and most is said."""

import copy
import time

import pytest

from tests.unit.contract.test_containment import check
from toolwright.contract import Verdict, contains


@pytest.mark.promise("contract.contained")
def test_verdicts_agree_with_generated_values_for_thousands_of_pairs():
    counts = check(range(10_000, 12_000))
    assert min(counts["contained"], counts["not contained"]) > 500
    assert counts["unknown"] < sum(counts.values()) / 20


def nested(depth, inner):
    for _ in range(depth):
        inner = {"type": "array", "items": inner}
    return inner


def union(count, last):
    return {"anyOf": [*({"const": f"v{at}"} for at in range(count)), last]}


def crowded(definitions):
    """Return definitions that all refer to each other."""
    made = {}
    for at in range(definitions):
        inner = {f"x{j}": {"$ref": f"#/$defs/D{(at * 7 + j) % definitions}"} for j in range(10)}
        made[f"D{at}"] = {"type": "object", "properties": inner}
    return {"$defs": made, "$ref": "#/$defs/D0"}


def crossed():
    """Return a schema with millions of ways to choose among alternatives."""
    arms = [{"properties": {"a": {"const": value}}} for value in range(4)]
    return {"allOf": [{"anyOf": copy.deepcopy(arms)} for _ in range(14)]}


HOSTILE = {
    "deep": nested(20_000, {}),
    "nested": nested(90, {"type": "string"}),
    "turning": {"$ref": "#"},
    "turning far": {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
    "wide": union(5000, {"type": "integer"}),
    "crowded": crowded(40),
    "crossed": crossed(),
    "large": {"properties": {f"p{at}": {"type": "string"} for at in range(20_000)}},
    "slow pattern": {"type": "string", "pattern": "^(a+)+$"},
    "slow value": {"enum": ["a" * 5000 + "!"]},
    "long": {"type": "string", "minLength": 10**12},
    "many": {"type": "array", "minItems": 10**12},
    "great": {"type": "integer", "minimum": 10**2000},
    "small": {"type": "number", "multipleOf": 5e-324},
    "wrong": {"type": 5, "properties": 3, "required": "x", "enum": 4, "minimum": "a", "$ref": 5},
    "wrong inside": {"properties": {"a": 3}, "anyOf": [5, None], "items": [[]], "not": 4},
}


SLOW = ("crowded", "large", "wide", "slow value")


@pytest.mark.parametrize("name", [*(each for each in HOSTILE if each not in SLOW), *SLOW])
def test_hostile_schemas_take_bounded_time_and_raise_nothing(name):
    hostile = HOSTILE[name]
    begun = time.thread_time()
    for other in ({"type": "string"}, {"type": "object"}, {"type": "array"}, hostile):
        for one, two in ((hostile, other), (other, hostile)):
            assert contains(one, two).answer in ("contained", "not contained", "unknown")
    assert time.thread_time() - begun < 30


def test_one_change_in_a_crowd_of_definitions_is_seen():
    old, new = crowded(12), crowded(12)
    new["$defs"]["D11"]["properties"]["v"] = {"type": "integer"}
    assert contains(old, new) == Verdict("contained")
    assert not contains(new, old).is_contained
