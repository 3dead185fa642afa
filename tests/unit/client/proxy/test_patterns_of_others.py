"""Patterns of included servers: none of them may hold the server that includes them."""

import pytest

from toolwright import Toolbox
from toolwright.client import connect
from toolwright.client.offered_schema import linear

BACKTRACKS = "^(?=(a+)+$)"
SCHEMAS = {
    "pattern": {"properties": {"a": {"type": "string", "pattern": BACKTRACKS}}},
    "names": {"patternProperties": {BACKTRACKS: {"type": "integer"}}},
    "others": {"patternProperties": {BACKTRACKS: {}}, "additionalProperties": False},
    "left": {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
    "referred": {
        "properties": {"a": {"$ref": "#/properties/b/default"}, "b": {"default": {}}},
    },
}
SCHEMAS["referred"]["properties"]["b"]["default"] = {"type": "string", "pattern": BACKTRACKS}


def take(**given: object) -> dict:
    return {}


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("side", ["input_schema", "output_schema"])
def test_a_pattern_that_backtracks_is_left_to_its_server(name, side):
    text = "a" * 60 + "!"
    value = {"a": text, text: 1}
    far = Toolbox("far")
    # Never called with these: the server that publishes such a schema does not keep to it.
    far.add(take, **{side: {"type": "object", **SCHEMAS[name]}})
    with connect(far) as client:
        near = Toolbox("near")
        near.include(client)
        tool = near["take"]
        if side == "input_schema":
            assert tool.bind(value)
        else:
            tool.compile()
            assert "(?=" not in str(tool.output_schema)


def test_what_is_linear_stays():
    kept = {
        "type": "object",
        "properties": {"pattern": {"type": "string", "pattern": "^(a+)+$"}},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    }
    assert linear(kept) == kept
    assert linear({"unevaluatedProperties": False}) == {"unevaluatedProperties": False}
