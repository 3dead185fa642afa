"""Schemas and sets beyond what providers take: smaller, or no longer strict, and said aloud."""

import json

import pytest

from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.rendering import DAILY, WAYS, box_of, faults_of
from tests.unit.dialects.test_rules_limits import BEYOND, bomb

MOST_LETTERS = 2_000_000


LARGE = ("bomb", "letters", "properties", "many levels")


@pytest.mark.parametrize("name", [*[each for each in BEYOND if each not in LARGE], *LARGE])
def test_what_is_too_large_keeps_the_rules(name):
    box = box_of({"tool": BEYOND[name]})
    for dialect, strict in [*DAILY, ("nova", False)] if name in LARGE else WAYS:
        rendered = box.render(dialect, strict=strict)
        assert faults_of(rendered, dialect, strict) == [], (dialect, strict)
        assert len(json.dumps(rendered.definitions)) < MOST_LETTERS, (dialect, strict)
        [(_, _, is_strict)] = tools_in(dialect, rendered.definitions)
        if strict and not is_strict and dialect != "cohere":
            assert any(loss.tool == "tool" for loss in rendered.losses), (dialect, strict)
