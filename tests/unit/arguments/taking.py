"""Tools that take one argument, and what they make of it."""

import enum
from typing import Annotated, Any, Optional

from pydantic import BaseModel

from tests.unit.ways import assert_plain, result_of
from toolwright import ArgumentError, Flatten


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Item(BaseModel):
    n: int
    tags: list[str] = []
    on: bool = False


class Order(BaseModel):
    items: list[Item]
    note: Optional[str] = None
    color: Color = Color.RED


ABSENT = object()


def taking(hint, default=ABSENT):
    """A tool of one argument that hands back what reached it."""

    def take(x):
        return None

    take.__annotations__["x"] = hint
    if default is not ABSENT:
        take.__defaults__ = (default,)
    reached = []

    def probe(x):
        reached.append(x)

    probe.__annotations__ = take.__annotations__
    probe.__defaults__ = take.__defaults__
    return probe, reached


def read(hint, sent, default=ABSENT, **options):
    """Return what reaches the function, and the codes of the repairs."""
    target, reached = taking(hint, default)
    result = result_of(target, {"x": sent}, **options)
    assert not result.is_error, result.text
    (value,) = reached
    return value, [repair.code for repair in result.repairs]


def refused(hint, sent, default=ABSENT, **options):
    """Return the text for the model; the function did not run."""
    target, reached = taking(hint, default)
    result = result_of(target, {"x": sent}, **options)
    assert result.is_error, (reached, result.repairs)
    assert isinstance(result.error, ArgumentError)
    assert reached == []
    assert_plain(result.text)
    return result.text


class Filter(BaseModel):
    word: str
    limit: int = 10


def flattened(filter: Annotated[Filter, Flatten()], page: int = 1) -> list[Any]:
    return [filter.word, filter.limit, page]


def closed(limit: int = 1, item: Item | None = None) -> int:
    return limit
