"""Tools as providers and clients get them."""

import json

import pytest

from toolwright.dialects import render


def bomb(depth, **siblings):
    links = {
        f"d{at}": {
            "type": "object",
            "properties": {key: {"$ref": f"#/$defs/d{at + 1}", **siblings} for key in "xy"},
        }
        for at in range(depth)
    }
    known = {**links, f"d{depth}": {"type": "object"}}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": known}


@pytest.mark.parametrize("siblings", [{}, {"minProperties": 1}])
@pytest.mark.parametrize("dialect", ["openai", "gemini", "cursor"])
@pytest.mark.promise("dialects.bounded")
def test_references_cannot_make_a_schema_grow_without_bound(dialect, siblings):
    made = render([{"name": "f", "inputSchema": bomb(40, **siblings)}], dialect)
    assert len(json.dumps(made.definitions)) < 3_000_000
    assert len(made.losses) <= 201
