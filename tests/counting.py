"""How much is tried every day, and what only `make soak` tries."""

import pytest
from hypothesis import settings

SHARE = 5


def examples(count):
    """Return the number of examples of a test that is worth so many when there is time."""
    thorough = settings.get_current_profile_name() == "thorough"
    return count if thorough else max(count // SHARE, 20)


def soaked(*values):
    """Return parameters of a test with which only `make soak` runs it."""
    return [pytest.param(each, marks=pytest.mark.soak) for each in values]
