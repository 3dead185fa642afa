"""Hostile results and exceptions: every call still ends in an answer, in bounded time."""

import pytest

from tests.unit.outcome.test_attack_results import _endless
from toolwright import Toolbox


@pytest.mark.promise("limits.generators-end")
@pytest.mark.parametrize("item", ["", b"", None, (), 0], ids=repr)
def test_a_generator_that_never_ends_is_stopped(item):
    box = Toolbox("endless")
    box.add(_endless(item), name="endless")
    assert "the rest was not taken" in box.call("endless").text
