"""What is rendered keeps the rules of the provider, for toolboxes that nobody chose by hand."""

from tests.counting import again
from tests.unit.dialects import test_rules_generated as daily
from tests.unit.dialects.test_rules_generated import FEW

test_every_dialect_of_a_toolbox_keeps_the_rules = again(
    daily.test_every_dialect_of_a_toolbox_keeps_the_rules, "seed", [*range(FEW, 200)]
)
