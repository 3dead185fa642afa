"""Whatever a tool or a check does, the doctor goes on, and says so."""

import json

import pytest

from tests.unit.doctor.test_hostile import box_of, other, plain


def nested(depth):
    schema = {"type": "string", "default": "x"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


LOOP = {
    "type": "object",
    "properties": {"next": {"$ref": "#"}, "other": {"$ref": "#/$defs/A"}, "gone": {"$ref": "#/x"}},
    "required": ["next", "other"],
    "$defs": {
        "A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        "B": {"$ref": "#/$defs/A"},
    },
}
WIDE = {
    "type": "object",
    "properties": {
        f"p{number}": {"type": "string", "enum": [str(number)] * 3} for number in range(600)
    },
}
ODD_WORDS = {
    "type": "object",
    "properties": {"a": {"enum": [1, 2], "type": ["string", "null"], "anyOf": [], "items": True}},
    "required": ["a", "b"],
}


@pytest.mark.parametrize(
    "schema", [nested(150), LOOP, WIDE, ODD_WORDS], ids=["deep", "loop", "wide", "odd"]
)
@pytest.mark.parametrize("side", ["input_schema", "output_schema"])
def test_schemas_without_end(schema, side):
    def takes(**given: object) -> dict:
        "Take what the schema says."
        return given

    box = box_of(plain)
    box.add(takes, **{side: schema})
    report = box.check(config={"for": ["openai-strict", "anthropic", "gemini", "cursor"]})
    assert [each.message for each in report if each.id == "failed_check"] == []
    assert json.loads(report.render("json"))
