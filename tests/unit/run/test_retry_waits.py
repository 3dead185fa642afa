"""How long a retry waits, and which settings it takes."""

import pytest

from toolwright import Retry
from toolwright.run.limited import wait_after


@pytest.mark.parametrize(
    ("attempt", "longest"), [(1, 0.5), (2, 1.5), (3, 4.5), (4, 9), (5, 9), (10_000, 9)]
)
def test_waits_grow_up_to_the_cap_and_differ_by_chance(attempt, longest):
    retry = Retry(attempts=20, wait_initial=0.5, wait_factor=3, wait_max=9)
    waits = [wait_after(retry, attempt) for _ in range(200)]
    assert all(longest / 2 <= wait <= longest for wait in waits)
    assert len(set(waits)) > 100


def test_a_huge_factor_ends_at_the_cap():
    retry = Retry(attempts=100, wait_factor=1e300, wait_max=2)
    assert 1 <= wait_after(retry, 99) <= 2


@pytest.mark.parametrize("name", ["wait_initial", "wait_factor", "wait_max"])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan"), "1", True])
def test_a_wait_is_a_positive_number(name, value):
    with pytest.raises(ValueError, match=rf"retry\.{name} must be a positive number; got"):
        Retry(**{name: value})
