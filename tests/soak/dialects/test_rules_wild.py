"""Schemas with every keyword in any company: the rules hold, and nothing is lost in silence."""

from tests.counting import again
from tests.unit.dialects import test_rules_wild as daily
from tests.unit.dialects.test_rules_wild import FEW, MANY

test_any_schema_keeps_the_rules_and_comes_back = again(
    daily.test_any_schema_keeps_the_rules_and_comes_back,
    "seeds",
    [*[range(at, at + 20) for at in range(FEW, MANY, 20)]],
    ids=str,
)
