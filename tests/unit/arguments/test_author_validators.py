"""Validators of authors: what they hand on is read by the rules of JSON, strictly."""

import collections
import dataclasses
import datetime as d
import json
import pathlib
import uuid
from decimal import Decimal
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import pytest
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import core_schema

from tests.unit.ways import result_of
from toolwright import ArgumentError, Call, Inject, Tool
from toolwright.tools.definition import compiled_of

T = TypeVar("T")


def taking(hint, **options):
    def target(x): ...

    target.__annotations__ = {"x": hint}
    return Tool(target, **options)


def received(hint, value):
    """What a function gets for a value, from a dict and from bytes alike."""
    tool = taking(hint)
    made = [tool.bind(sent)[1]["x"] for sent in ({"x": value}, json.dumps({"x": value}))]
    assert repr(made[0]) == repr(made[1])
    return made[0]


def refuses(hint, value):
    for sent in ({"x": value}, json.dumps({"x": value})):
        with pytest.raises(ArgumentError):
            taking(hint).bind(sent)


class Checked(BaseModel):
    """A model whose validator does nothing."""

    @model_validator(mode="before")
    @classmethod
    def pass_on(cls, values: Any) -> Any:
        return values


class Day(Checked):
    day: d.date
    tags: frozenset[str] = frozenset()
    when: tuple[d.time, ...] = ()
    data: bytes = b""


class Tree(Checked):
    born: d.date
    kids: list["Tree"] = []


class Held(Checked, Generic[T]):
    held: T


class Days(RootModel[list[d.date]]):
    @model_validator(mode="before")
    @classmethod
    def pass_on(cls, values: Any) -> Any:
        return values


class One(BaseModel):
    day: d.date
    other: d.date = d.date(2000, 1, 1)

    @field_validator("day", mode="wrap")
    @classmethod
    def around(cls, value, handler):
        return handler(value)


@pydantic_dataclass
class Record:
    day: d.date

    @field_validator("day", mode="before")
    @classmethod
    def pass_on(cls, value: Any) -> Any:
        return value


class Pair(NamedTuple):
    day: d.date
    price: Decimal


@dataclasses.dataclass
class Plain:
    pair: Pair


class Custom:
    """A type that says itself how it is made."""

    def __init__(self, day):
        self.day = day

    def __repr__(self):
        return f"Custom({self.day!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        inner = core_schema.no_info_before_validator_function(
            lambda value: value, handler.generate_schema(d.date)
        )
        return core_schema.no_info_after_validator_function(cls, inner)


def before(hint, function=lambda value: value):
    return Annotated[hint, BeforeValidator(function)]


DAY = d.date(2020, 1, 1)


@pytest.mark.parametrize(
    ("hint", "sent", "expected"),
    [
        (Day, {"day": "2020-01-01"}, Day(day=DAY)),
        (
            Day,
            {"day": "2020-01-01", "tags": ["a"], "when": ["10:00"], "data": "YQ=="},
            Day(day=DAY, tags=frozenset("a"), when=(d.time(10),), data=b"a"),
        ),
        (
            Tree,
            {"born": "2020-01-01", "kids": [{"born": "2020-01-01"}]},
            Tree(born=DAY, kids=[Tree(born=DAY)]),
        ),
        (Held[set[d.date]], {"held": ["2020-01-01"]}, Held[set[d.date]](held={DAY})),
        (Days, ["2020-01-01"], Days([DAY])),
        (One, {"day": "2020-01-01"}, One(day=DAY)),
        (Record, {"day": "2020-01-01"}, Record(DAY)),
        (before(Plain), {"pair": ["2020-01-01", "1.5"]}, Plain(Pair(DAY, Decimal("1.5")))),
        (
            before(list[Plain]),
            [{"pair": {"day": "2020-01-01", "price": 1.5}}],
            [Plain(Pair(DAY, Decimal("1.5")))],
        ),
        (before(dict[int, d.date]), {"7": "2020-01-01"}, {7: DAY}),
        (before(dict[d.date, int]), {"2020-01-01": 7}, {DAY: 7}),
        (before(collections.deque[d.date]), ["2020-01-01"], collections.deque([DAY])),
        (before(d.date | None), "2020-01-01", DAY),
        (list[before(d.timedelta)], ["PT1S"], [d.timedelta(seconds=1)]),
        (before(list[before(tuple[d.date, int])]), [["2020-01-01", 1]], [(DAY, 1)]),
        (before(set[tuple[int, int]]), [[1, 2], [1, 2]], {(1, 2)}),
    ],
)
def test_what_a_validator_hands_on_is_read_as_json(hint, sent, expected):
    assert received(hint, sent) == expected


@pytest.mark.parametrize(
    ("hint", "sent"),
    [
        (before(int), "1"),
        (before(bool), 1),
        (before(int), True),
        (before(str), 1),
        (before(d.date), 1577836800),
        (before(d.date), "2020-01-01T10:00:00"),
        (before(list[int]), ["1"]),
        (before(tuple[int, ...]), "12"),
        (before(set[int]), {"1": 2}),
        (before(dict[int, int]), {"one": 1}),
        (before(bytes), "not base64!"),
        (Day, {"day": 5}),
        (Tree, {"born": "2020-01-01", "kids": [{"born": "soon"}]}),
    ],
)
def test_it_is_read_strictly(hint, sent):
    refuses(hint, sent)


def test_a_custom_type_reads_json_below_its_function():
    assert repr(received(Custom, "2020-01-01")) == "Custom(datetime.date(2020, 1, 1))"


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (d.date, DAY),
        (Decimal, Decimal("1.5")),
        (bytes, b"\xff"),
        (set[int], {1}),
        (tuple[int, ...], (1,)),
        (pathlib.Path, pathlib.Path("a")),
        (uuid.UUID, uuid.UUID(int=1)),
        (dict[int, d.date], {1: DAY}),
        (list[d.date], [DAY]),
        (Plain, Plain(Pair(DAY, Decimal(1)))),
        (Day, Day(day=DAY)),
        (Annotated[float | None, Field(ge=0)], 1.0),
    ],
)
def test_a_validator_may_hand_on_values_of_the_type_itself(hint, value):
    assert received(before(hint, lambda _: value), "anything") == value


def test_a_validator_may_mix_python_and_json():
    hint = before(list[d.date], lambda text: [DAY, *text.split(",")])
    assert received(hint, "2020-01-02,2020-01-03") == [DAY, d.date(2020, 1, 2), d.date(2020, 1, 3)]


def test_a_default_that_is_validated_may_be_of_the_type_or_json():
    class Settings(BaseModel):
        model_config = ConfigDict(validate_default=True)
        path: pathlib.Path = pathlib.Path("x")
        day: d.date = "2020-01-01"
        also: d.date = Field(default_factory=lambda: "2020-01-01")

    assert received(Settings, {}) == Settings()
    assert received(Settings, {"path": "y", "day": "2020-01-02"}).day == d.date(2020, 1, 2)


def test_a_fault_below_a_validator_names_its_place():
    for arguments in (
        {"x": {"born": "2020-01-01", "kids": [{"born": "soon"}]}},
        b'{"x": {"born": "2020-01-01", "kids": [{"born": "soon"}]}}',
    ):
        with pytest.raises(ArgumentError) as caught:
            taking(Tree).bind(arguments)
        assert [fault.path for fault in caught.value.faults] == [("x", "kids", 0, "born")]


def test_a_returned_dict_is_read_through_validators_too():
    def probe() -> Day:
        return {"day": "2020-01-01", "tags": ["a"]}

    result = result_of(probe)
    assert result.value == Day(day=DAY, tags=frozenset("a"))
    assert result.to_mcp()["structuredContent"]["day"] == "2020-01-01"


def test_tools_without_such_validators_have_pydantics_own_validator():
    class Model(BaseModel):
        day: d.date
        tags: set[str]

    for hint in (int, Model, before(int), Annotated[str, WrapValidator(lambda v, h: h(v))]):
        assert not compiled_of(taking(hint)).traits.hands_on


# -- unknown arguments that are dropped, beside what is injected


def test_dropping_unknown_arguments_keeps_what_is_injected():
    def provide():
        return "given"

    def probe(a: int, /, *more: int, call: Call, b: Annotated[str, Inject(provide)]) -> list[Any]:
        return [a, list(more), type(call).__name__, b]

    result = result_of(probe, {"a": 1, "more": [2], "unknown": 3}, extra="ignore")
    assert result.value == [1, [2], "Call", "given"]
