"""platools 0.2.1, probes 1-43 (seeds-platools-omni.md, 1.11): targets and values."""

import collections
import datetime as dt
import functools
import math
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Union

import typing_extensions
from pydantic import BaseModel, Field

from tests.unit.probes.case import (
    ANY_ITEM,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INT,
    MAP,
    NULL,
    NUM,
    PATH,
    STR,
    UUID_,
    Case,
    array,
    collect,
    enum,
    obj,
)
from tests.unit.probes.cases.platools import Color

CASES: list[Case] = []
probe = collect(CASES)


# -- targets


class Adder:
    """Adds."""

    def __call__(self, a: int, b: int = 1) -> int:
        """Add two numbers."""


probe(
    "platools-22+D15+P22-callable-object",
    properties={"a": INT, "b": {"type": "integer", "default": 1}},
    required=["a"],
    output=INT,
    description="Add two numbers.",
    bind=[({"a": 1}, {"a": 1, "b": 1})],
)(Adder())


def scale(value: float, factor: int, *, unit: str = "m") -> float:
    """Scale."""


probe(
    "platools-22+D15+T37+P22-partial-hides-what-it-binds",
    properties={"value": NUM},
    required=["value"],
    output=NUM,
    description="Scale.",
    bind=[({"value": 1.5}, {"value": 1.5})],
    rejects=[{"value": 1.5, "factor": 2}, {"value": 1.5, "unit": "s"}],
)(functools.partial(scale, factor=3, unit="km"))


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@probe(
    "platools-23-wraps",
    properties={"x": {"type": "integer", "description": "A number."}},
    required=["x"],
    output=STR,
    description="Say it.",
    bind=[({"x": 1}, {"x": 1})],
)
@logged
def f(x: int) -> str:
    """Say it.

    Args:
        x: A number.
    """


@probe(
    "platools-23-sync-wrapper-round-an-async-function",
    properties={"x": INT},
    required=["x"],
    output=INT,
)
@logged
async def f(x: int) -> int: ...


class User(BaseModel):
    """A user."""

    name: str
    age: int = 3


probe(
    "platools-24-model-as-tool",
    properties={"name": STR, "age": {"type": "integer", "default": 3}},
    required=["name"],
    output=obj(
        {"name": STR, "age": {"type": "integer", "default": 3}}, ["name"], description="A user."
    ),
    description="A user.",
    bind=[({"name": "a"}, ([User(name="a")], {}))],
    rejects=[{}, {"name": 1}],
)(User)


# -- values


@probe(
    "platools-25+D20+T22+T24-dates-paths-and-the-like",
    properties={
        "path": PATH,
        "moment": DATETIME,
        "day": DATE,
        "span": DURATION,
        "id": UUID_,
        "data": BYTES,
        "amount": DECIMAL,
    },
    required=["path", "moment", "day", "span", "id", "data", "amount"],
    bind=[
        (
            {
                "path": "/tmp/x",
                "moment": "2024-01-02T03:04:05",
                "day": "2024-01-02",
                "span": "PT1H",
                "id": "12345678-1234-5678-1234-567812345678",
                "data": "aGk=",
                "amount": "1.10",
            },
            {
                "path": Path("/tmp/x"),
                "moment": dt.datetime(2024, 1, 2, 3, 4, 5),
                "day": dt.date(2024, 1, 2),
                "span": dt.timedelta(hours=1),
                "id": uuid.UUID("12345678-1234-5678-1234-567812345678"),
                "data": b"hi",
                "amount": Decimal("1.10"),
            },
        )
    ],
)
def f(
    path: Path,
    moment: dt.datetime,
    day: dt.date,
    span: dt.timedelta,
    id: uuid.UUID,
    data: bytes,
    amount: Decimal,
): ...


SENTINEL = object()


@probe(
    "platools-26+T36-defaults-that-json-can-hold-in-another-form",
    properties={
        "path": {**PATH, "default": "a/b"},
        "moment": {**DATETIME, "default": "2024-01-02T03:04:05"},
        "amount": {**DECIMAL, "default": "1.50"},
        "data": {**BYTES, "default": "_w=="},
        "tags": array(STR, default=["a", "b"]),
        "color": enum("red", "blue", default="red"),
    },
    bind=[
        (
            {},
            {
                "path": Path("a/b"),
                "moment": dt.datetime(2024, 1, 2, 3, 4, 5),
                "amount": Decimal("1.50"),
                "data": b"\xff",
                "tags": {"a", "b"},
                "color": Color.RED,
            },
        ),
        # What is published as the default means the default.
        (
            {
                "path": "a/b",
                "moment": "2024-01-02T03:04:05",
                "amount": "1.50",
                "data": "_w==",
                "tags": ["a", "b"],
                "color": "red",
            },
            {
                "path": Path("a/b"),
                "moment": dt.datetime(2024, 1, 2, 3, 4, 5),
                "amount": Decimal("1.50"),
                "data": b"\xff",
                "tags": {"a", "b"},
                "color": Color.RED,
            },
        ),
    ],
)
def f(
    path: Path = Path("a/b"),
    moment: dt.datetime = dt.datetime(2024, 1, 2, 3, 4, 5),
    amount: Decimal = Decimal("1.50"),
    data: bytes = b"\xff",
    tags: set[str] = {"b", "a"},
    color: Color = Color.RED,
): ...


@probe(
    "platools-26+P28-sentinel-default-is-kept-and-its-absence-said",
    properties={"x": INT},
    bind=[({}, {"x": SENTINEL}), ({"x": 1}, {"x": 1})],
    problems=["`x`: the default"],
)
def f(x: int = SENTINEL): ...


@probe(
    "platools-27+P27-infinite-and-nan-defaults",
    properties={"x": NUM, "y": NUM, "z": {"type": "number", "default": 1.5}},
    bind=[
        ({}, {"x": math.inf, "y": math.nan, "z": 1.5}),
        ({"x": 1.5}, {"x": 1.5, "y": math.nan, "z": 1.5}),
    ],
    problems=["`x`: the default `inf` is not JSON", "`y`: the default `nan` is not JSON"],
)
def f(x: float = math.inf, y: float = math.nan, z: float = 1.5): ...


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


CAT = obj({"kind": enum("cat"), "lives": INT}, ["kind", "lives"])
DOG = obj({"kind": enum("dog"), "name": STR}, ["kind", "name"])


@probe(
    "platools-28+D24+P53-discriminated-union",
    properties={"pet": {"anyOf": [CAT, DOG]}},
    required=["pet"],
    output=array({"anyOf": [CAT, DOG]}),
    bind=[({"pet": {"kind": "dog", "name": "x"}}, {"pet": Dog(kind="dog", name="x")})],
    rejects=[{"pet": {"kind": "dog", "lives": 1}}, {"pet": {"kind": "fox"}}],
)
def f(
    pet: Annotated[Union[Cat, Dog], Field(discriminator="kind")],
) -> list[Annotated[Union[Cat, Dog], Field(discriminator="kind")]]: ...


@probe(
    "platools-28-seven-way-union",
    properties={
        "x": {
            "anyOf": [INT, STR, BOOL, array(INT), {**MAP, "additionalProperties": INT}, CAT, NULL]
        }
    },
    required=["x"],
    bind=[
        ({"x": 1}, {"x": 1}),
        ({"x": "1"}, {"x": "1"}),
        ({"x": True}, {"x": True}),
        ({"x": [1]}, {"x": [1]}),
        ({"x": {"a": 1}}, {"x": {"a": 1}}),
        ({"x": {"kind": "cat", "lives": 9}}, {"x": Cat(kind="cat", lives=9)}),
        ({"x": None}, {"x": None}),
    ],
    rejects=[{"x": 1.5}, {"x": ["a"]}],
)
def f(x: int | str | bool | list[int] | dict[str, int] | Cat | None): ...


MANY = tuple(f"value_{number}" for number in range(300))


@probe(
    "platools-28-literal-of-300-values",
    properties={"x": enum(*MANY)},
    required=["x"],
    bind=[({"x": "value_299"}, {"x": "value_299"})],
    rejects=[{"x": "value_300"}],
)
def f(x: Literal[MANY]): ...


@probe(
    "platools-28+P56-mixed-literal",
    properties={"x": {"enum": [1, "a", None, True]}},
    required=["x"],
    bind=[
        ({"x": 1}, {"x": 1}),
        ({"x": "a"}, {"x": "a"}),
        ({"x": None}, {"x": None}),
        ({"x": True}, {"x": True}),
    ],
    rejects=[{"x": 2}, {"x": False}, {"x": "b"}, {"x": 1.5}],
)
def f(x: Literal[1, "a", None, True]): ...


@probe(
    "platools-29-containers-with-items",
    properties={
        "d": {"type": "object", "additionalProperties": INT},
        "li": array(INT),
        "tu": array(INT),
        "se": array(INT),
        "fr": array(INT),
        "de": array(INT),
        "od": {"type": "object", "additionalProperties": INT},
        "dd": {"type": "object", "additionalProperties": array(INT)},
    },
    required=["d", "li", "tu", "se", "fr", "de", "od", "dd"],
    bind=[
        (
            {
                "d": {"a": 1},
                "li": [1],
                "tu": [1, 2],
                "se": [1, 1],
                "fr": [1],
                "de": [1],
                "od": {"a": 1},
                "dd": {"a": [1]},
            },
            {
                "d": {"a": 1},
                "li": [1],
                "tu": (1, 2),
                "se": {1},
                "fr": frozenset({1}),
                "de": collections.deque([1]),
                "od": collections.OrderedDict(a=1),
                "dd": collections.defaultdict(list, a=[1]),
            },
        )
    ],
)
def f(
    d: dict[str, int],
    li: list[int],
    tu: tuple[int, ...],
    se: set[int],
    fr: frozenset[int],
    de: collections.deque[int],
    od: collections.OrderedDict[str, int],
    dd: collections.defaultdict[str, list[int]],
): ...


@probe(
    "platools-29-containers-out",
    properties={},
    output=obj(
        {
            "d": {"type": "object", "additionalProperties": INT},
            "tu": array(INT),
            "se": array(INT),
            "de": array(INT),
            "od": {"type": "object", "additionalProperties": INT},
            "dd": {"type": "object", "additionalProperties": INT},
        },
        ["d", "tu", "se", "de", "od", "dd"],
    ),
)
def f() -> "Containers": ...


class Containers(typing_extensions.TypedDict):
    d: dict[str, int]
    tu: tuple[int, ...]
    se: set[int]
    de: collections.deque[int]
    od: collections.OrderedDict[str, int]
    dd: collections.defaultdict[str, int]


@probe(
    "platools-29-bare-containers",
    properties={
        "d": MAP,
        "li": array(ANY_ITEM),
        "tu": array(ANY_ITEM),
        "se": array(ANY_ITEM),
        "de": array(ANY_ITEM),
    },
    required=["d", "li", "tu", "se", "de"],
    bind=[
        (
            {"d": {"a": None}, "li": [1, "a"], "tu": [1], "se": [1], "de": [1]},
            {
                "d": {"a": None},
                "li": [1, "a"],
                "tu": (1,),
                "se": {1},
                "de": collections.deque([1]),
            },
        )
    ],
)
def f(d: dict, li: list, tu: tuple, se: set, de: collections.deque): ...
