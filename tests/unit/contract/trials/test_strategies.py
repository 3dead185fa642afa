"""Values drawn from schemas: all of them fit."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from toolwright.contract.trials.strategies import values_of


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": False}, "required": ["x"]},
        {"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]},
        {"type": "integer", "minimum": 3, "maximum": 2},
    ],
)
def test_what_nothing_fits_is_unsatisfiable(schema):
    @settings(database=None, suppress_health_check=list(HealthCheck))
    @given(values_of(schema))
    def check(value):
        raise AssertionError(value)

    with pytest.raises((Unsatisfiable, Exception)) as caught:
        check()
    assert not isinstance(caught.value, AssertionError)


def test_a_union_inside_itself_is_drawn():
    arms = [{"type": "array", "items": {"type": "integer"}}]
    inner = {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "boolean"}]}
    node = {"anyOf": [*arms, {"type": "object", "additionalProperties": inner}]}
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    drawn = []

    @settings(database=None, max_examples=20, deadline=None)
    @given(values_of(schema))
    def collect(value):
        drawn.append(value)

    collect()
    assert any(isinstance(value, dict) and value for value in drawn)
