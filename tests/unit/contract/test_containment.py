"""Containment of schemas: what is said is true, and most is said."""

import random

import jsonschema
import pytest

from tests.counting import examples
from tests.unit.contract.schema_pairs import pair, shown, values
from toolwright.contract import Verdict, contains

FORMATS = jsonschema.FormatChecker()
VALUES = 120


def judges(*schemas):
    return [jsonschema.Draft202012Validator(each, format_checker=FORMATS) for each in schemas]


def counter_example(seed, old, new):
    """Look for a value of the one that the other refuses, by trying many."""
    accepts_old, accepts_new = (judge.is_valid for judge in judges(old, new))
    for value in values(random.Random(f"values {seed}"), [old, old, new], VALUES):
        if accepts_old(value) and not accepts_new(value):
            return [value]
    return []


def check(seeds):
    """Compare the verdicts with what generated values show; return how many there are of each."""
    counts = {"contained": 0, "not contained": 0, "unknown": 0}
    for seed in seeds:
        old, new = pair(seed)
        verdict = contains(new, old)
        counts[verdict.answer] += 1
        if verdict.is_contained:
            assert not (found := counter_example(seed, old, new)), (found, shown(old, new))
        elif verdict.answer == "not contained":
            is_old, is_new = (judge.is_valid(verdict.witness) for judge in judges(old, new))
            assert (is_old, is_new) == (True, False), (verdict, shown(old, new))
    return counts


@pytest.mark.promise("contract.contained")
def test_verdicts_agree_with_generated_values():
    counts = check(range(examples(1250)))
    assert min(counts["contained"], counts["not contained"]) > sum(counts.values()) / 5
    assert counts["unknown"] < sum(counts.values()) / 20


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**OBJECT, "additionalProperties": False}
CAT = {"type": "object", "properties": {"kind": {"const": "cat"}}, "required": ["kind"]}
DOG = {"type": "object", "properties": {"kind": {"const": "dog"}}, "required": ["kind"]}
PET = {"type": "object", "properties": {"kind": {"enum": ["cat", "dog"]}}, "required": ["kind"]}
TREE = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}}}
SAME_TREE = {
    "$ref": "#/$defs/T",
    "$defs": {
        "T": {
            "type": "object",
            "properties": {"v": {"type": "number"}, "next": {"$ref": "#/$defs/T"}},
        }
    },
}
OLD = {"$schema": "http://json-schema.org/draft-07/schema#"}
FITS = [
    ({"type": "number"}, {"type": "integer"}),
    ({"type": ["integer", "null"]}, {"type": "integer"}),
    ({"type": "integer"}, {"type": "number", "multipleOf": 2}),
    ({"exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ({"enum": ["a", "b", 1]}, {"enum": [1.0, "a"]}),
    ({"type": "string"}, {"enum": ["a", "b"]}),
    ({"type": "string", "maxLength": 3}, {"const": "abc"}),
    (OBJECT, CLOSED),
    (True, {"type": "object"}),
    ({}, False),
    ({"type": "string"}, False),
    ({"anyOf": [DOG, CAT]}, {"oneOf": [CAT, DOG]}),
    (SAME_TREE, TREE),
    ({"type": "array", "items": {"type": "number"}}, {"type": "array", "items": {"enum": [1, 2]}}),
    (
        {"type": "array", "items": {"type": "integer"}},
        {"prefixItems": [{"const": 1}], "items": False, "type": "array"},
    ),
    ({"type": "array", "uniqueItems": True}, {"type": "array", "maxItems": 1}),
    ({"minProperties": 1}, {"type": "object", "required": ["a"]}),
    ({"not": {"type": "string"}}, {"type": "integer"}),
    ({"not": {"enum": ["x"]}}, {"type": "string", "maxLength": 0}),
    ({"patternProperties": {"^x": {"type": "string"}}}, {"additionalProperties": {"const": ""}}),
    ({"allOf": [OBJECT, {"required": ["a"]}]}, {**CLOSED, "required": ["a"]}),
    ({**OLD, "items": [{"type": "integer"}]}, {**OLD, "items": [{"const": 1}], "type": "array"}),
    ({"if": {"type": "string"}, "then": {"minLength": 1}},) * 2,
]
REWRITTEN = [
    # The same values in other words, which no edit of a function makes: 0023-containment.md.
    ({"anyOf": [{"maximum": 5}, {"minimum": 5}]}, {"type": "number"}),
    ({"anyOf": [{"maxLength": 3}, {"minLength": 4}]}, {"type": "string"}),
    ({"anyOf": [CAT, DOG]}, PET),
    ({"oneOf": [CAT, DOG]}, PET),
    ({"contains": {"type": "integer"}}, {"items": {"const": 1}, "minItems": 1, "type": "array"}),
    ({"maxProperties": 1}, CLOSED),
    ({"propertyNames": {"maxLength": 1}}, CLOSED),
    ({"dependentRequired": {"x": ["y"]}}, CLOSED),
]
FITS_NOT = [
    ({"type": "integer"}, {"type": "number"}),
    ({"type": "integer"}, {"type": ["integer", "null"]}),
    ({"type": "string", "maxLength": 100_000}, {"type": "string"}),
    ({"type": "string", "format": "date"}, {"type": "string"}),
    ({"type": "string", "format": "ipv4"}, {"type": "string", "format": "email"}),
    ({"type": "string", "pattern": "^[a-z]+$"}, {"type": "string"}),
    (CLOSED, OBJECT),
    ({**OBJECT, "required": ["a"]}, OBJECT),
    (TREE, SAME_TREE),
    ({"anyOf": [CAT, DOG]}, {**PET, "properties": {"kind": {"type": "string"}}}),
    ({"const": True}, {"const": 1}),
    ({"enum": [0]}, {"enum": [False]}),
    (False, {"type": "null"}),
    ({"not": {"const": "x"}}, {"type": "string"}),
    ({"oneOf": [{"type": "integer"}, {"minimum": 0}]}, {"type": "integer"}),
    ({"uniqueItems": True}, {"type": "array", "items": {"type": "integer"}}),
    ({"minItems": 2}, {"type": "array", "prefixItems": [{}, {}]}),
    ({"dependentRequired": {"a": ["b"]}}, OBJECT),
]


@pytest.mark.parametrize("wider, narrower", FITS)
def test_what_fits_is_proved(wider, narrower):
    assert contains(wider, narrower) == Verdict("contained")


@pytest.mark.parametrize("wider, narrower", FITS_NOT)
def test_what_does_not_fit_has_a_witness(wider, narrower):
    verdict = contains(wider, narrower)
    assert verdict.answer == "not contained"
    is_narrow, is_wide = (judge.is_valid(verdict.witness) for judge in judges(narrower, wider))
    assert (is_narrow, is_wide) == (True, False)


@pytest.mark.parametrize(
    "wider, narrower",
    [
        ({"pattern": "^(a|b)$", "type": "string"}, {"pattern": "^[ab]$", "type": "string"}),
        ({"format": "made-up"}, {"type": "string"}),
        ({"pattern": "(?=a)"}, {"type": "string"}),
        ({"$ref": "https://example.com/far"}, {"type": "string"}),
        ({"$dynamicRef": "#x"}, {"type": "string"}),
        ({"unevaluatedProperties": False}, {"type": "object"}),
        ({"type": "object", "properties": {"a": {"$id": "b", "$ref": "#/c"}}}, OBJECT),
        ({"if": {"type": "string"}, "then": {"pattern": "^(a|b)$"}}, {"pattern": "^[ab]$"}),
    ],
)
def test_what_cannot_be_decided_is_unknown(wider, narrower):
    assert contains(wider, narrower) == Verdict("unknown")


@pytest.mark.parametrize("wider, narrower", REWRITTEN)
def test_what_is_only_written_in_other_words_is_not_refuted(wider, narrower):
    assert contains(wider, narrower) == Verdict("unknown")


def test_keywords_beside_a_reference_of_draft_07_prove_nothing():
    narrow = {**OLD, "$ref": "#/definitions/T", "maximum": 3, "definitions": {"T": {}}}
    assert not contains({"maximum": 3}, narrow).is_contained
