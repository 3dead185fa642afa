"""Hostile servers: what they say ends in source code, and never as code."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.wire.client.generate.generated_modules import mypy, ruff
from tests.wire.client.generate.test_attack_source import EVIL, check, hostile, tools


@pytest.mark.promise("generate.checked")
def test_mypy_takes_all_of_it(tmp_path):
    source, _ = check(*map(hostile, EVIL))
    said = mypy(tmp_path, source)
    assert "Success" in said, said


CHECKS = settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


@pytest.mark.promise("generate.hostile", "generate.checked")
@CHECKS
@given(st.lists(tools(), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_any_tools_give_a_module_that_runs_and_that_ruff_takes(given, formats, asynchronous):
    source, _ = check(*given, formats=formats, asynchronous=asynchronous)
    assert ruff(source) == ""


@pytest.mark.promise("generate.checked")
def test_any_tools_give_a_module_that_mypy_takes(tmp_path):
    drawn = []

    @settings(CHECKS, max_examples=200, phases=[Phase.generate], database=None)
    @given(tools())
    def collect(tool):
        drawn.append(tool)

    collect()
    for formats in (False, True):
        source, _ = check(*drawn, formats=formats)
        said = mypy(tmp_path, source)
        assert "Success" in said, said
