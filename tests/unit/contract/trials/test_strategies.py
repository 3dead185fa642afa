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
