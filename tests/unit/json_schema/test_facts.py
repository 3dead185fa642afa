"""What the room for JSON Schema says of schemas."""

import json
from pathlib import Path

import pytest

from tests.counting import for_every
from toolwright._json_values import kind_of
from toolwright.json_schema.document import MISSING, Document
from toolwright.json_schema.facts import facts
from toolwright.json_schema.facts import KINDS, merge

CASES = json.loads((Path(__file__).parents[2] / "data" / "schema-facts.json").read_text())["cases"]


def named(case):
    return case["name"]


@for_every("case", CASES, ids=named)
def test_a_schema_has_the_kinds_that_json_schema_gives_it(case):
    said = facts(case["schema"])
    assert said.kinds == set(case["kinds"])
    assert said.unread == set()
    for name, kinds in case.get("properties", {}).items():
        assert said.inner(name).kinds == set(kinds)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (1.5, "number"),
        ("1", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_a_value_has_one_kind(value, kind):
    assert kind_of(value) == kind


def test_nullable_counts_in_openapi_only():
    schema = {"type": "string", "nullable": True}
    assert facts(schema).kinds == {"string"}
    assert facts(schema, nullable=True).kinds == {"string", "null"}


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"$ref": "#/nowhere"}, "$ref"),
        ({"$ref": "https://example.com/elsewhere.json"}, "$ref"),
        ({"not": {"type": "string", "minLength": 1}}, "not"),
        ({"if": {"minimum": 1}, "then": {"type": "integer"}}, "if"),
        ({"$dynamicRef": "#T", "$defs": {"a": {"$dynamicAnchor": "T"}}}, "$dynamicRef"),
        ({"allOf": [{"anyOf": [{"minimum": n} for n in range(20)]}] * 3}, "allOf"),
    ],
)
def test_what_is_not_read_is_named(schema, keyword):
    said = facts(schema)
    assert said.unread == {keyword}
    assert said.kinds == set(KINDS)


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("", "root"),
        ("#", "root"),
        ("#/$defs/a~1b", "slash"),
        ("#/$defs/c%25d", "percent"),
        ("#/$defs/m~0n", "tilde"),
        ("#/prefixItems/1", "second"),
        ("#/prefixItems/2", None),
        ("#/prefixItems/-1", None),
        ("#/prefixItems/\u0661", None),
        ("#/nowhere", None),
        ("#name", None),
        ("other.json#/x", None),
    ],
)
def test_a_pointer_leads_into_the_document(reference, target):
    root = {
        "title": "root",
        "$defs": {
            "a/b": {"title": "slash"},
            "c%d": {"title": "percent"},
            "m~n": {"title": "tilde"},
        },
        "prefixItems": [{"title": "first"}, {"title": "second"}],
    }
    part = Document(root).resolve(reference)
    assert (part if part is MISSING else part["title"]) == (target or MISSING)


def test_a_reference_starts_from_the_nearest_address():
    inner = {"$id": "inner.json", "$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}
    root = {"$id": "http://x.test/", "$defs": {"a": {"type": "integer"}, "b": inner}}
    document = Document(root)
    assert document.resolve("#/$defs/a", inner) == {"type": "string"}
    assert document.resolve("inner.json#/$defs/a", root) == {"type": "string"}
    assert document.resolve("#/$defs/a", root) == {"type": "integer"}
    moved = Document({"type": "null"}, uri="http://x.test/a.json")
    assert moved.resolve("a.json") == {"type": "null"}


def test_a_meta_schema_is_known_without_a_network():
    said = facts({"$ref": "http://json-schema.org/draft-07/schema#"})
    assert said.kinds == {"object", "boolean"}


def test_what_both_schemas_say_of_a_property_holds():
    closed = {"properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    named = {"properties": {"a": {"type": "number"}, "b": {}}}
    said = facts({"allOf": [closed, named]})
    assert said.inner("a").kinds == {"integer"}
    assert said.inner("b").kinds == set()


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ({"minimum": 1}, {"minimum": 2}, {"minimum": 2}),
        ({"maxLength": 1}, {"maxLength": 2}, {"maxLength": 1}),
        ({"enum": [1, 2, True]}, {"enum": [2.0, 1]}, {"enum": [1, 2]}),
        ({"const": 1}, {"const": True}, None),
        ({"type": "string"}, {"type": ["integer", "null"]}, None),
        ({"type": "integer"}, {"enum": ["a"]}, None),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"title": "mine"}, {"title": "yours", "minimum": 1}, {"title": "mine", "minimum": 1}),
    ],
)
def test_two_schemas_are_made_one(one, other, both):
    lost = set()
    assert merge(one, other, lost) == both
    assert lost == set()


def test_a_keyword_that_cannot_be_said_once_is_named():
    lost = set()
    assert merge({"pattern": "a"}, {"pattern": "b"}, lost) == {"pattern": "a"}
    assert lost == {"pattern"}


LOOPS = [
    {"$ref": "#"},
    {"allOf": [{"$ref": "#"}, {"type": "string"}]},
    {"anyOf": [{"$ref": "#"}, {"type": "string"}]},
    {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    {"not": {"$ref": "#"}},
    {"if": {"$ref": "#"}, "then": {"type": "string"}, "else": {"$ref": "#"}},
]


@for_every("schema", LOOPS)
def test_a_schema_that_contains_itself_has_facts(schema):
    assert facts(schema).kinds <= set(KINDS)
    assert facts(schema).required == []


def nested(key, depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {key: [schema]}
    return schema


def doubled(key, count):
    definitions = {
        f"d{at}": {key: [{"$ref": f"#/$defs/d{at + 1}"}, {"$ref": f"#/$defs/d{at + 1}"}]}
        for at in range(count)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{count}": {"type": "string"}}}


HOSTILE = [
    *(nested(key, 900) for key in ("allOf", "anyOf", "oneOf")),
    *(doubled(key, 60) for key in ("allOf", "anyOf")),
    {"anyOf": [{"minimum": at} for at in range(20_000)]},
    {"allOf": [{"anyOf": [{"minimum": at}, {"maximum": at}]} for at in range(200)]},
    {"$ref": 5, "allOf": 3, "anyOf": {}, "type": [[]], "enum": 7, "required": "x", "not": []},
    {"properties": [], "dependencies": 1, "items": [], "exclusiveMinimum": True},
    {"$id": 5, "$ref": "#/a", "$anchor": [], "a": {"$id": "::", "$ref": "http://[", "type": 0}},
    {"$schema": "http://json-schema.org/draft-03/schema#", "extends": 1, "type": [{}, []]},
    {"enum": [{"$id": "x", "$ref": "\ud800"}], "const": "\ud800"},
]


@for_every("schema", HOSTILE, ids=lambda schema: str(schema)[:60])
def test_a_hostile_schema_has_facts_at_once(schema):
    said = facts(schema)
    assert said.kinds <= set(KINDS)
    assert len(said.arms) <= 20_000
    assert said.properties is not None
    assert said.required is not None
    assert said.values is None or said.values
