"""A value that cannot be JSON is named by its path, with the way to teach it."""

from dataclasses import dataclass
from typing import Any

import pytest

from toolwright import Tool


class Odd:
    __slots__ = ()


@dataclass
class Row:
    name: str
    odd: Any


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.promise("results.unwritable")
@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"rows": [{"when": 1}, {"when": Odd()}]}, "`rows[1].when` is"),
        ([1, Odd()], "`[1]` is"),
        ({"a": (1, {"b": Odd()})}, "`a[1].b` is"),
        ({"row": Row("x", Odd())}, "`row.odd` is"),
        (Odd(), "it is"),
    ],
)
def test_the_path_and_the_converter_are_named(value, path):
    def give() -> Any:
        return value

    result = Tool(give).call({})
    name = f"{__name__.split('.')[0]}.Odd"
    assert result.text == (
        f"give: the result cannot be written as JSON: {path} of the type Odd - return other "
        f'values, or teach it with @converter("{name}")'
    )


def test_a_loop_is_one_still():
    def give() -> Any:
        return LOOP

    assert "cannot be written as JSON" in Tool(give).call({}).text
