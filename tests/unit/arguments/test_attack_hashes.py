"""Numbers of one hash, sent to tools that want sets and dicts: refused before they are slow."""

import pytest

from toolwright import Tool

"""Processor time; a set of these took more than ten minutes of it, and held the interpreter."""


@pytest.mark.parametrize("hint", [set[int], dict[int, str], list[int]])
def test_arguments_that_hold_themselves_are_refused(hint):
    held = {}
    held["values"] = [held, *range(100_000)]

    def count(values) -> int:
        return len(values)

    count.__annotations__["values"] = hint
    assert Tool(count).call(held).is_error
