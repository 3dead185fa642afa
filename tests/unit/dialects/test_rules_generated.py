"""What is rendered keeps the rules of the provider, for toolboxes that nobody chose by hand."""

import json

import pytest

from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.rendering import WAYS, faults_of
from tests.unit.dialects.toolbox_maker import toolbox

FEW = 3


@pytest.mark.parametrize("seed", [*range(FEW)])
def test_every_dialect_of_a_toolbox_keeps_the_rules(seed):
    box = toolbox(seed)
    for dialect, strict in WAYS:
        rendered = box.render(dialect, strict=strict)
        assert faults_of(rendered, dialect, strict) == [], (dialect, strict)
        published = [name for name, _, _ in tools_in(dialect, rendered.definitions)]
        assert [rendered.names[name] for name in published] == list(box), (dialect, strict)
        json.dumps(rendered.definitions, allow_nan=False)
        for loss in rendered.losses:
            assert loss.message and loss.keyword, loss
            assert loss.tool in box or not loss.tool, loss
