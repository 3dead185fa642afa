"""Lines of output are told while a program runs, and nobody waits for the other."""

import pytest

from toolwright.sources.watched_process import plain_text


@pytest.mark.parametrize(
    "piece", ["\x1b[", "\x1b]", "\x1b", "\x9b0", "\x1b[0", "a\b", "\b", "\x1b]8;;", "\x1b("]
)
def test_the_time_is_linear(piece):
    """Quadratic time would take hours here."""
    assert "\x1b" not in plain_text(piece * 500_000)
