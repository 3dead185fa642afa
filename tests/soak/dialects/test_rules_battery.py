"""What is rendered keeps the rules of the provider, for the hardest schemas that are known."""

import json

import pytest

from tests.unit.dialects.rendering import DAILY, RARE_WAYS, SCHEMAS, faults_of, rendered_alone


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_every_schema_alone_keeps_the_rules(dialect, strict):
    for name in SCHEMAS:
        rendered = rendered_alone(name, dialect, strict)
        assert faults_of(rendered, dialect, strict) == [], name
        json.dumps(rendered.definitions, allow_nan=False)
