"""Schemas and sets beyond what providers take: smaller, or no longer strict, and said aloud."""

import pytest

from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.rendering import WAYS, box_of, faults_of

TEXT = {"type": "string"}
"""No rendered tool of these is longer: what is written out is written out within bounds."""


def closed(properties, **more):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def nested(levels):
    schema = TEXT
    for _ in range(levels):
        schema = closed({"a": schema})
    return schema


def bomb(levels):
    """Each definition has the next one twice: written out, it doubles with every level."""
    definitions = {
        f"D{at}": closed({"a": {"$ref": f"#/$defs/D{at + 1}"}, "b": {"$ref": f"#/$defs/D{at + 1}"}})
        for at in range(levels)
    }
    return closed({"r": {"$ref": "#/$defs/D0"}}, **{"$defs": definitions | {f"D{levels}": TEXT}})


def ring(count):
    """Definitions that lead to one another, and back."""
    definitions = {
        f"R{at}": {
            "type": "object",
            "properties": {
                "next": {"anyOf": [{"$ref": f"#/$defs/R{(at + 1) % count}"}, {"type": "null"}]},
                "all": {"type": "array", "items": {"$ref": "#/$defs/R0"}},
            },
            "required": ["next"],
        }
        for at in range(count)
    }
    return closed({"r": {"$ref": "#/$defs/R0"}}, **{"$defs": definitions})


BEYOND = {
    "levels": nested(15),
    "many levels": nested(90),
    "values": closed({"e": {"type": "string", "enum": [f"v{n}" for n in range(1200)]}}),
    "long values": closed({"e": {"type": "string", "enum": [f"{n:080}" for n in range(300)]}}),
    "letters": closed({f"{n:060}": TEXT for n in range(2100)}),
    "properties": closed({f"p{n}": TEXT for n in range(5100)}),
    "optionals": {"type": "object", "properties": {f"p{n}": TEXT for n in range(40)}},
    "unions": closed({f"p{n}": {"anyOf": [TEXT, {"type": "integer"}]} for n in range(20)}),
    "words": closed({"a": {"type": "string", "description": "Words. " * 30_000}}),
    "bomb": bomb(24),
    "ring": ring(6),
    "alike": closed({"x-y": TEXT, "x_y": TEXT, "x.y": TEXT, "x y": TEXT, "x+y": TEXT}),
}


def test_keys_that_would_be_the_same_are_told_apart():
    own = {"x-y": "1", "x_y": "2", "x.y": "3", "x y": "4", "x+y": "5"}
    for dialect, strict in WAYS:
        rendered = box_of({"tool": BEYOND["alike"]}).render(dialect, strict=strict)
        [(name, schema, _)] = tools_in(dialect, rendered.definitions)
        sent = dict(zip(schema["properties"], own.values(), strict=True))
        assert rendered.decode(name, sent).arguments == own, (dialect, strict)


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_strict_tools_are_as_many_as_the_budget_allows(dialect):
    plain = closed({"q": TEXT})
    rendered = box_of({f"t{n}": plain for n in range(30)}).render(dialect, strict=True)
    flags = [is_strict for _, _, is_strict in tools_in(dialect, rendered.definitions)]
    assert sum(map(bool, flags)) == 20
    left = {f"t{n}" for n, flag in enumerate(flags) if not flag}
    assert left <= {loss.tool for loss in rendered.losses}
    optional = {**plain, "properties": {"q": TEXT, "a": TEXT, "b": TEXT}}
    rendered = box_of({f"t{n}": optional for n in range(15)}).render(dialect, strict=True)
    assert faults_of(rendered, dialect, strict=True) == []
    assert any(is_strict for _, _, is_strict in tools_in(dialect, rendered.definitions))
