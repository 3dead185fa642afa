"""Text stays text where it may, and is read as JSON where it must."""

import time
from typing import Any, Optional

import pytest

from tests.unit.arguments.taking import Item, refused
from tests.unit.ways import label


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        '"' + "x" * 10_000_000,
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "{'a':" * 50_000,
        "(" * 100_000,
        "9" * 100_000,
        "-" * 100_000,
        "[" + "1," * 1_000_000,
        "```" * 100_000,
        " " * 1_000_000,
        "\\" * 100_000,
        '"' * 100_000,
        "1e999999999",
        "[" + "9" * 5000 + "]",
    ],
    ids=lambda text: f"{text[:6]}...{len(text)}",
)
@pytest.mark.parametrize(
    "hint", [int, Optional[list[Item]], list[int], dict[str, Any], bool, Item], ids=label
)
def test_size_and_depth_are_bounded(hint, text):
    started = time.process_time()
    said = refused(hint, text)
    assert time.process_time() - started < 30  # what grows with the square takes minutes
    assert len(said) < 500
