"""The providers' own packages take what is rendered for them."""

import pytest

from tests.unit.dialects.rendering import BATTERY, WAYS, box_of
from tests.unit.dialects.sdk_checks import JUDGES
from tests.unit.dialects.toolbox_maker import toolbox

pytestmark = [
    # Some of these packages warn of themselves when they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
JUDGED = [(dialect, strict) for dialect, strict in WAYS if dialect in JUDGES]


@pytest.mark.parametrize(("dialect", "strict"), JUDGED)
def test_the_package_takes_every_schema(dialect, strict):
    for name, schema in BATTERY.items():
        JUDGES[dialect](box_of({name: schema}).render(dialect, strict=strict).definitions)
    JUDGES[dialect](box_of(BATTERY).render(dialect, strict=strict).definitions)


@pytest.mark.parametrize(("dialect", "strict"), JUDGED)
def test_the_package_takes_generated_toolboxes(dialect, strict):
    for seed in range(0, 200, 10):
        JUDGES[dialect](toolbox(seed).render(dialect, strict=strict).definitions)


def test_packages_refuse_what_is_wrong():
    """A judge who takes everything judges nothing."""
    bad = {
        "openai": [{"type": "function", "function": {"name": 1}}],
        "openai-responses": [{"type": "function", "name": "a", "parameters": 1, "strict": True}],
        "anthropic": [{"name": "a"}],
        "gemini": [{"functionDeclarations": [{"name": "a", "oops": 1}]}],
        "gemini-openapi": [{"functionDeclarations": [{"name": "a", "parameters": {"const": 1}}]}],
        "bedrock": [{"toolSpec": {"name": "", "inputSchema": {"json": {}}}}],
        "mistral": [{"type": "function", "function": {}}],
        "cohere": [{"type": "tool", "function": {"name": 1}}],
        "ollama": [{"type": "function", "function": {"name": 1}}],
    }
    for dialect, definitions in bad.items():
        with pytest.raises((AssertionError, ValueError)):
            JUDGES[dialect](definitions)
