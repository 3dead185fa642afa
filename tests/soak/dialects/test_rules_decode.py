"""What a model makes of a rendered schema comes back as the tool's own arguments."""

import random

import jsonschema
import pytest

from tests.counting import again, examples
from tests.unit.dialects import test_rules_decode as daily
from tests.unit.dialects.instance_maker import instance
from tests.unit.dialects.rendering import DAILY, RARE_WAYS, SCHEMAS, rendered_alone, unexplained
from tests.unit.dialects.test_rules_decode import FEW, one


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_whatever_a_schema_allows_the_tool_takes_or_a_loss_says_why_not(dialect, strict):
    for name in SCHEMAS:
        rendered = rendered_alone(name, dialect, strict)
        published, schema = one(rendered, dialect)
        own = jsonschema.Draft202012Validator(SCHEMAS[name])
        pick = random.Random(f"{name}{dialect}")
        for _ in range(examples(25)):
            drawn = instance(schema, pick)
            back = rendered.decode(published, drawn)
            wrong = unexplained(own.iter_errors(back.arguments), rendered, name)
            assert not wrong, (drawn, back.arguments, wrong, rendered.losses)


test_whatever_the_schemas_of_a_toolbox_allow_its_tools_take = again(
    daily.test_whatever_the_schemas_of_a_toolbox_allow_its_tools_take, "seed", [*range(FEW, 40)]
)
