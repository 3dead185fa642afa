"""A value that cannot be JSON is named by its path, with the way to teach it."""

from argparse import Namespace
from collections import UserDict
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from toolwright import Tool


class Odd:
    __slots__ = ()


@dataclass
class Row:
    name: str
    odd: Any


class Bag(BaseModel, extra="allow"):
    held: Any = None


class Declared:
    odd: Any

    def __init__(self):
        self.odd = Odd()


class Watched:
    """Notes who looks into it."""

    looks: ClassVar[list[int]] = []

    @property
    def __dict__(self):
        self.looks.append(1)
        return {}

    def __str__(self):
        return "watched"


class Counted(list):
    """Counts what is taken out of it."""

    taken = 0

    def __iter__(self):
        for each in super().__iter__():
            type(self).taken += 1
            yield each


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
        ({1: {None: Odd()}}, "`1.null` is"),
        ({("a", 1): [Odd()]}, "`tuple[0]` is"),
        ({"x" * 90: Odd()}, f"`{'x' * 57}...` is"),
        ([Bag(held=[Odd()], more=Odd())], "`[0].held[0]` is"),
        ([Bag(more=Odd())], "`[0].more` is"),
        (SimpleNamespace(odd=Odd()), "`odd` is"),
        (Namespace(odd=[Odd()]), "`odd[0]` is"),
        ([UserDict(odd=Odd())], "`[0].odd` is"),
        ([Declared()], "`[0].odd` is"),
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
        f'values, or convert it with @converter("{name}")'
    )


@pytest.mark.parametrize("comes_first", [False, True])
def test_only_what_is_written_is_searched(comes_first):
    """A module leads to everything in the process, and to code that nobody asked to run."""
    far = ModuleType("far")
    far.watched = Watched()
    near = [Watched(), Odd()] if comes_first else [Odd(), Watched(), far]

    def give() -> Any:
        return near

    assert f"`[{int(comes_first)}]` is of the type Odd" in Tool(give).call({}).text
    assert Watched.looks == []


def test_the_search_in_a_large_value_ends_soon():
    def taken(**more: Any) -> int:
        def give() -> Any:
            return {"many": Counted([0] * 20_000), **more}

        Counted.taken = 0
        assert Tool(give).call({}).is_error is bool(more)
        return Counted.taken

    assert taken(odd=Odd()) - taken() <= 10_000


def test_a_loop_is_one_still():
    def give() -> Any:
        return LOOP

    assert "cannot be written as JSON" in Tool(give).call({}).text


class Builder:
    """Answers every name, as builders of queries do."""

    def __getattr__(self, name: str) -> Any:
        return Builder()

    def __getitem__(self, _key: Any) -> Any:
        raise TypeError("it is no collection")


class Query(Builder):
    def __str__(self) -> str:
        return "SELECT 1"


@pytest.mark.parametrize(
    ("value", "where"),
    [(Builder(), "it"), ([1, Builder()], "`[1]`"), ({"a": {"b": Builder()}}, "`a.b`")],
)
def test_an_object_that_answers_every_name_is_named_by_its_type(value, where):
    def give() -> Any:
        return value

    text = Tool(give).call({}).text
    assert f"{where} is of the type Builder - return other values, or convert it" in text


def test_an_object_that_answers_every_name_is_written_as_its_own_text():
    def give() -> Any:
        return {"query": Query()}

    assert Tool(give).call({}).text == '{"query":"SELECT 1"}'
