"""Values drawn from schemas: all of them fit."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.counting import examples
from toolwright.contract.trials.strategies import values_of

SCHEMAS = {
    "flat": {
        "type": "object",
        "properties": {
            "q": {"type": "string", "minLength": 2, "maxLength": 5},
            "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10, "default": 3},
            "e": {"enum": ["a", 1, None]},
            "f": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "m": {"type": "integer", "multipleOf": 7, "maximum": 100},
            "h": {"type": "number", "multipleOf": 0.5, "minimum": 1, "maximum": 3},
        },
        "required": ["q", "n"],
        "additionalProperties": False,
    },
    "recursive": {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Tree"}},
        "required": ["tree"],
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
                "required": ["kids"],
            }
        },
    },
    "unions": {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "b": {"oneOf": [{"const": 1}, {"type": "string", "pattern": "^[a-c]+$"}]},
            "c": {"type": ["string", "boolean"]},
            "d": {"allOf": [{"type": "number", "minimum": 2}, {"maximum": 3}]},
        },
        "required": ["a", "b", "c", "d"],
    },
    "containers": {
        "type": "object",
        "properties": {
            "l": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
            "u": {
                "type": "array",
                "items": {"enum": [1, 2, 3]},
                "uniqueItems": True,
                "minItems": 2,
            },
            "t": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            "m": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "minProperties": 1,
            },
            "p": {
                "type": "object",
                "patternProperties": {"^x_": {"type": "boolean"}},
                "additionalProperties": False,
            },
            "c": {"type": "array", "contains": {"const": 1}, "items": {"enum": [1, 2]}},
        },
        "required": ["l", "u", "t", "m", "p", "c"],
    },
    "formats": {
        "type": "object",
        "properties": {
            name: {"type": "string", "format": name}
            for name in ("date", "date-time", "time", "uuid", "email", "uri", "ipv4", "ipv6")
        },
    },
    "negations": {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 0, "maximum": 5, "not": {"const": 3}},
            "i": {"type": "integer", "if": {"minimum": 5}, "then": {"multipleOf": 2}},
        },
        "required": ["n", "i"],
    },
    "anything": {"type": "object", "properties": {"x": {}, "y": True}, "required": ["x", "y"]},
    "undeclared": {"type": "object", "required": ["x"]},
}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_what_is_drawn_fits(schema):
    validator = Draft202012Validator(schema)
    seen = []

    @settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
    @given(values_of(schema))
    def check(value):
        json.dumps(value, allow_nan=False).encode()
        validator.validate(value)
        seen.append(json.dumps(value))

    check()
    assert len(set(seen)) > 2


@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_schemas_are_drawn_from(data):
    leaf = st.one_of(
        st.just({"type": "string"}),
        st.builds(lambda n: {"type": "integer", "minimum": n}, st.integers(-5, 5)),
        st.builds(lambda n: {"type": "string", "minLength": n}, st.integers(0, 5)),
        st.just({"type": "boolean"}),
        st.builds(lambda each: {"enum": each}, st.lists(st.integers(), min_size=1)),
    )
    schema = data.draw(
        st.recursive(
            leaf,
            lambda inner: st.one_of(
                st.builds(lambda i: {"type": "array", "items": i}, inner),
                st.builds(
                    lambda p: {"type": "object", "properties": p, "required": list(p)[:1]},
                    st.dictionaries(st.sampled_from("abc"), inner),
                ),
                st.builds(lambda arms: {"anyOf": arms}, st.lists(inner, min_size=1, max_size=3)),
                st.builds(lambda arms: {"allOf": arms}, st.lists(inner, min_size=1, max_size=1)),
            ),
        )
    )
    value = data.draw(values_of(schema))
    Draft202012Validator(schema).validate(value)
