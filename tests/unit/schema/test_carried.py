"""Values that JSON can carry exactly, though pydantic does not read them."""

import argparse
import asyncio
import datetime as dt
import enum
import json
import numbers
import types
import typing
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Coroutine,
    Generator,
    Iterator,
    Sized,
)
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Never, NoReturn, SupportsFloat, SupportsIndex, TypeVar

import jsonschema
import numpy
import pandas
import pytest
import typing_extensions
from pydantic import BeforeValidator

from toolwright import ArgumentError, SchemaError, Tool

UTC = dt.timezone.utc  # noqa: UP017 - a value of the class itself
T = TypeVar("T")


class Options(argparse.Namespace):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.source = "call"


class Cell(Generic[T]):
    def __init__(self, held: T, other: "Cell[T] | None" = None) -> None:
        self.held = held
        self.other = other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and vars(self) == vars(other)

    __hash__ = None


INTEGER = {"type": "integer"}
NUMBER = {"anyOf": [{"type": "integer"}, {"type": "number"}]}
BYTES = {"type": "string", "contentEncoding": "base64"}
# Hint, what is sent, what the function gets, what is refused.
CARRIED = [
    (range, {"stop": 3}, range(3), {"stop": 3, "step": 0}),
    (range, {"start": 1, "stop": 9, "step": 2}, range(1, 9, 2), {"start": 1}),
    (slice, {}, slice(None, None, None), {"step": 0}),
    (slice, {"start": -2, "stop": None}, slice(-2, None, None), {"begin": 1}),
    (memoryview, "YQ==", memoryview(b"a"), 5),
    (typing_extensions.Buffer, "YQ==", b"a", 5),
    (SupportsIndex, 5, 5, 1.5),
    (SupportsFloat, 1.5, 1.5, "1"),
    (typing.SupportsInt, 2, 2, "1"),
    (typing.SupportsAbs[int], 2, 2, "x"),
    (numbers.Integral, 5, 5, 1.5),
    (numbers.Number, 1.5, 1.5, "1"),
    (types.SimpleNamespace, {"a": [1]}, types.SimpleNamespace(a=[1]), {"_a": 1}),
    (argparse.Namespace, {"a": 1}, argparse.Namespace(a=1), {"__class__": 1}),
    (Options, {"a": 1}, Options(a=1), 5),
    (Cell[int], {"held": 1}, Cell(1), {"held": "x"}),
    (Cell[str], {"held": "x", "other": {"held": "y"}}, Cell("x", Cell("y")), {"held": 1}),
    (type[int] | type[str], "int", int, "float"),
]
IDS = [f"{at}-{getattr(each[0], '__name__', 'union')}" for at, each in enumerate(CARRIED)]


def taking(hint, **options):
    def target(x): ...

    target.__annotations__ = {"x": hint}
    return Tool(target, **options)


def holder(hint):
    return dataclass(type("Held", (), {"__annotations__": {"held": hint}}))


@pytest.mark.promise("parameters.carried")
@pytest.mark.parametrize(("hint", "sent", "value", "wrong"), CARRIED, ids=IDS)
def test_a_value_is_made_of_what_carries_it(hint, sent, value, wrong):
    for style in ("portable", "full"):
        tool = taking(hint, style=style)
        jsonschema.validate({"x": sent}, tool.input_schema)
        assert tool.problems == ()
        assert tool.bind({"x": sent})[1] == {"x": value}
        with pytest.raises(ArgumentError):
            tool.bind({"x": wrong})


@pytest.mark.parametrize(("hint", "sent", "value", "wrong"), CARRIED, ids=IDS)
def test_it_is_made_wherever_a_type_may_stand(hint, sent, value, wrong):
    class_ = holder(hint)
    for whole, given, got in (
        (list[hint], [sent, sent], [value, value]),
        (dict[str, hint], {"k": sent}, {"k": value}),
        (hint | None, sent, value),
        (hint | None, None, None),
        (bool | hint, True, True),
        (class_, {"held": sent}, class_(value)),
        (Annotated[hint, "words"], sent, value),
        (Annotated[hint, BeforeValidator(lambda each: each)], sent, value),
        (Annotated[hint, BeforeValidator(lambda _: value)], sent, value),
    ):
        tool = taking(whole)
        jsonschema.validate({"x": given}, tool.input_schema)
        assert tool.bind({"x": given})[1] == {"x": got}


@pytest.mark.parametrize(("hint", "sent", "value", "wrong"), CARRIED, ids=IDS)
def test_it_may_be_a_default(hint, sent, value, wrong):
    def target(x: hint = value): ...

    tool = Tool(target)
    assert tool.bind({})[1] == {"x": value}
    assert tool.bind({"x": sent})[1] == {"x": value}
    assert "default" not in tool.input_schema["properties"]["x"] or tool.problems == ()


def test_what_is_written_in_results_can_be_sent_again():
    for hint, value, written in (
        (range, range(1, 9, 2), {"start": 1, "stop": 9, "step": 2}),
        (memoryview, memoryview(b"a"), "YQ=="),
        (dt.tzinfo, UTC, "UTC"),
        (types.SimpleNamespace, types.SimpleNamespace(a=1), {"a": 1}),
        (type[int] | type[str], int, "int"),
    ):

        def give() -> hint:
            return value  # noqa: B023

        tool = Tool(give)
        result = tool.call({})
        assert result.structured == {"result": written} or result.structured == written, result
        taking(hint).bind({"x": written})


def test_a_time_zone_goes_by_its_name():
    tool = taking(dt.tzinfo)
    zone = tool.bind({"x": "Europe/Paris"})[1]["x"]
    assert str(zone) == "Europe/Paris"
    for wrong in ("Nowhere/Land", "../../etc/passwd", "/etc/passwd"):
        with pytest.raises(ArgumentError):
            tool.bind({"x": wrong})


# -- what is iterated over, or awaited


def through(hint, sent, *, wait):
    if wait:

        async def target(x):
            if isinstance(x, Awaitable):
                return await x
            return [item async for item in x]
    else:

        def target(x):
            return list(x)

    target.__annotations__ = {"x": hint, "return": Any}
    return asyncio.run(Tool(target).call_async({"x": sent})).value


@pytest.mark.promise("parameters.iterated")
@pytest.mark.parametrize(
    "hint", [AsyncIterable[int], AsyncIterator[int], AsyncGenerator[int, None], AsyncIterator]
)
def test_what_is_asynchronous_can_be_iterated_over_so(hint):
    assert through(hint, [1, 2], wait=True) == [1, 2]


@pytest.mark.parametrize("hint", [Iterator, Iterator[int], Generator[int, None, None], Generator])
def test_an_iterator_gives_its_items_once(hint):
    assert through(hint, [1, 2], wait=False) == [1, 2]
    found = taking(hint).bind({"x": [1, 2]})[1]["x"]
    assert next(found) == 1
    assert list(found) == [2]
    assert list(found) == []


def test_a_generic_alias_of_an_iterator_is_opened():
    many = typing_extensions.TypeAliasType("many", Iterator[T], type_params=(T,))
    found = taking(many[int]).bind({"x": [1, 2]})[1]["x"]
    assert next(found) == 1
    with pytest.raises(ArgumentError):
        taking(many[int]).bind({"x": ["a"]})


def test_a_generator_can_be_closed():
    found = taking(Generator[int, None, None]).bind({"x": [1, 2]})[1]["x"]
    next(found)
    found.close()
    assert list(found) == []


def test_an_asynchronous_iterable_can_be_iterated_over_again():
    async def target(x: AsyncIterable[int]) -> list[int]:
        return [item async for item in x] + [item async for item in x]

    assert asyncio.run(Tool(target).call_async({"x": [1, 2]})).value == [1, 2, 1, 2]


@pytest.mark.parametrize("hint", [Awaitable[int], Coroutine[Any, Any, int]])
def test_an_awaitable_can_be_awaited(hint):
    assert through(hint, 5, wait=True) == 5

    async def target(x: hint) -> int:
        return await asyncio.ensure_future(x)

    assert asyncio.run(Tool(target).call_async({"x": 5})).value == 5


@pytest.mark.parametrize("hint", [Never, NoReturn])
def test_nothing_can_be_sent_for_a_type_without_values(hint):
    with pytest.raises(SchemaError, match="no value is of this type"):
        taking(hint).compile()


# -- what goes by a name


def test_classes_are_chosen_by_name_only_where_all_are_named():
    tool = taking(type[int] | type[str] | None)
    assert {"enum": ["int", "str"], "type": "string"} in tool.input_schema["properties"]["x"][
        "anyOf"
    ]
    for hint in (type[T], type[T] | type, type[Any], list[type[object]]):
        with pytest.raises(SchemaError):
            taking(hint).compile()


# -- arrays and tables


@pytest.mark.promise("parameters.arrays")
@pytest.mark.parametrize(
    ("sent", "kind", "shape"),
    [
        ([1, 2], "i", (2,)),
        ([[1.5, 2], [3, 4]], "f", (2, 2)),
        ([True], "b", (1,)),
        (["a", "bc"], "U", (2,)),
        ([], "f", (0,)),
    ],
)
def test_lists_become_an_array(sent, kind, shape):
    tool = taking(numpy.ndarray)
    jsonschema.validate({"x": sent}, tool.input_schema)
    made = tool.bind({"x": sent})[1]["x"]
    assert (made.dtype.kind, made.shape, made.tolist()) == (kind, shape, sent)


@pytest.mark.parametrize("sent", [[[1], [2, 3]], ["a", 1], [True, 2], [None], [{}], [2**70], 5])
def test_what_is_no_array_is_refused(sent):
    with pytest.raises(ArgumentError):
        taking(numpy.ndarray).bind({"x": sent})


def test_the_type_of_the_items_counts():
    hint = numpy.typing.NDArray[numpy.int8]
    assert taking(hint).bind({"x": [1, 2]})[1]["x"].dtype == numpy.int8
    for wrong in ([1.5], [300], ["a"]):
        with pytest.raises(ArgumentError):
            taking(hint).bind({"x": wrong})
    made = taking(numpy.typing.NDArray[numpy.float64]).bind({"x": [1, 2]})[1]["x"]
    assert made.dtype == numpy.float64
    assert taking(numpy.typing.NDArray[Any]).bind({"x": [1]})[1]["x"].dtype.kind == "i"
    assert taking(numpy.dtype).bind({"x": "int8"})[1]["x"] == numpy.int8
    with pytest.raises(ArgumentError):
        taking(numpy.dtype).bind({"x": "no such type"})


def test_rows_become_a_frame_and_a_list_a_series():
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    frame = taking(pandas.DataFrame).bind({"x": rows})[1]["x"]
    pandas.testing.assert_frame_equal(frame, pandas.DataFrame(rows))
    series = taking(pandas.Series).bind({"x": [1, 2]})[1]["x"]
    pandas.testing.assert_series_equal(series, pandas.Series([1, 2]))
    for hint, wrong in ((pandas.DataFrame, {"a": [1]}), (pandas.Series, [{}])):
        with pytest.raises(ArgumentError):
            taking(hint).bind({"x": wrong})


def test_a_frame_comes_back_as_it_was_sent():
    def same(frame: pandas.DataFrame) -> pandas.DataFrame:
        return frame

    rows = [{"a": 1, "b": None}, {"a": 2, "b": "y"}]
    assert json.loads(Tool(same).call({"frame": rows}).text) == rows
