"""platools 0.2.1, probes 1-43 (seeds-platools-omni.md, 1.11)."""

import collections
import datetime as dt
import functools
import math
import types
import typing
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import IO, Annotated, Any, Generic, Literal, NamedTuple, NewType, NoReturn, Optional
from typing import TypedDict, TypeVar, Union

import typing_extensions
from pydantic import BaseModel, ConfigDict, Field, computed_field
from typing_extensions import TypeAliasType

from ..case import (
    ANY,
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
    Like,
    OneWay,
    Text,
    array,
    collect,
    enum,
    obj,
)

CASES: list[Case] = []
probe = collect(CASES)
T = TypeVar("T")
N = TypeVar("N", bound=int)


# -- defaults and Annotated


@probe(
    "platools-01-annotated-field-keeps-the-parameters-default",
    properties={"x": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}},
    bind=[({}, {"x": 10}), ({"x": 100}, {"x": 100})],
    rejects=[{"x": 0}, {"x": 101}],
)
def f(x: Annotated[int, Field(ge=1, le=100)] = 10): ...


@probe(
    "platools-02-default-inside-an-annotated-field",
    properties={"x": {"type": "integer", "default": 3}},
    bind=[({}, {"x": 3}), ({"x": 4}, {"x": 4})],
)
def f(x: Annotated[int, Field(default=3)]): ...


@probe(
    "platools-02-default-factory-inside-an-annotated-field",
    properties={"x": array(INT)},
    bind=[({}, {"x": []}), ({"x": [1]}, {"x": [1]})],
)
def f(x: Annotated[list[int], Field(default_factory=list)]): ...


@probe(
    "platools-03-a-field-as-default-never-reaches-the-function",
    properties={"x": {"type": "integer", "default": 5}},
    bind=[({}, {"x": 5}), ({"x": 1}, {"x": 1})],
)
def f(x: int = Field(default=5)): ...


@probe(
    "platools-03-a-field-without-default-is-required",
    properties={"x": {"type": "integer", "minimum": 1}},
    required=["x"],
    rejects=[{}, {"x": 0}],
    bind=[({"x": 1}, {"x": 1})],
)
def f(x: int = Field(ge=1)): ...


@probe(
    "platools-04-docstring-beside-an-annotated-field",
    properties={"x": {"type": "integer", "minimum": 0, "description": "How many."}},
    required=["x"],
    description="Count.",
)
def f(x: Annotated[int, Field(ge=0)]):
    """Count.

    Args:
        x: How many.
    """


@probe(
    "platools-04-docstring-beside-a-field-as-default",
    properties={"x": {"type": "integer", "default": 5, "description": "How many."}},
)
def f(x: int = Field(default=5)):
    """Count.

    Args:
        x: How many.
    """


@probe(
    "platools-04-the-fields-own-description-wins-over-the-docstring",
    properties={"x": {"type": "integer", "description": "From the field."}},
    required=["x"],
)
def f(x: Annotated[int, Field(description="From the field.")]):
    """Count.

    Args:
        x: From the docstring.
    """


@probe(
    "platools-05+T05-text-in-annotated",
    properties={"x": {"type": "integer", "description": "the number"}},
    required=["x"],
)
def f(x: Annotated[int, "the number"]): ...


@probe(
    "platools-06+D05+T04-none-as-default-of-a-plain-type",
    properties={"y": STR, "limit": INT},
    bind=[({}, {"y": None, "limit": None}), ({"limit": 1}, {"y": None, "limit": 1})],
    unsaid=[({"y": None, "limit": None}, {"y": None, "limit": None})],
)
def f(y: str = None, limit: int = None): ...


@probe(
    "platools-07-optional-with-default-none-is-an-optional-plain-type",
    properties={"x": INT, "y": STR},
    bind=[({}, {"x": None, "y": None}), ({"x": 1, "y": "a"}, {"x": 1, "y": "a"})],
    unsaid=[({"x": None}, {"x": None, "y": None})],
    rejects=[{"x": "1"}],
)
def f(x: Optional[int] = None, y: str | None = None): ...


@probe(
    "platools-07-required-optional-keeps-its-null-arm",
    properties={"x": {"anyOf": [INT, NULL]}},
    required=["x"],
    bind=[({"x": None}, {"x": None}), ({"x": 1}, {"x": 1})],
    rejects=[{}],
)
def f(x: Optional[int]): ...


@probe(
    "platools-07-optional-with-another-default-keeps-its-null-arm",
    properties={"x": {"anyOf": [INT, NULL], "default": 3}},
    bind=[({}, {"x": 3}), ({"x": None}, {"x": None})],
)
def f(x: Optional[int] = 3): ...


@probe(
    "platools-07-an-output-keeps-every-null-arm",
    properties={},
    output={"anyOf": [INT, NULL]},
)
def f() -> Optional[int]: ...


# -- what cannot be a tool


@probe("platools-08+P35-untyped-parameter", refused="f.x has no type hint")
def f(x): ...


@probe("platools-08-untyped-args", refused="f.args has no type hint")
def f(*args): ...


@probe("platools-08-untyped-kwargs", refused="f.kwargs has no type hint")
def f(**kwargs): ...


@probe(
    "platools-08-untyped-parameter-let-through-as-any-value",
    options={"on_unsupported": "permissive"},
    properties={"x": ANY, "y": INT},
    required=["x", "y"],
    bind=[({"x": {"a": [1]}, "y": 1}, {"x": {"a": [1]}, "y": 1})],
    problems=["takes any value for `x`: it has no type hint"],
)
def f(x, y: int): ...


@probe(
    "platools-08-untyped-variadics-left-out",
    options={"on_unsupported": "skip"},
    properties={"x": INT},
    required=["x"],
    bind=[({"x": 1}, {"x": 1})],
    rejects=[{"x": 1, "y": 2}, {"x": 1, "args": [1]}, {"x": 1, "kwargs": {}}],
    problems=["`args`", "`kwargs`"],
)
def f(x: int, *args, **kwargs): ...


probe("platools-09-lambda", refused="has no name")(lambda x: x)
probe(
    "platools-09+T37-untyped-lambda-with-a-name",
    options={"name": "double"},
    refused="double.x has no type hint",
)(lambda x: x)
probe("platools-09+P24-builtin-len", refused="len.obj has no type hint")(len)
probe("P24-builtin-sqrt", refused="sqrt.x has no type hint")(math.sqrt)
probe("T37-builtin-without-a-signature", refused="has no signature that can be read")(dict.pop)


@probe(
    "platools-10+D19+T19+P21-positional-only",
    properties={"a": INT, "b": {"type": "integer", "default": 2}, "c": INT},
    required=["a", "c"],
    bind=[
        ({"a": 1, "c": 3}, ([1, 2], {"c": 3})),
        ({"c": 3, "b": 5, "a": 1}, ([1, 5], {"c": 3})),
    ],
    rejects=[{"b": 1}],
)
def f(a: int, b: int = 2, /, *, c: int): ...


@probe("platools-11-unresolved-forward-reference", refused="f.x has a type that is not known")
def f(x: "Nowhere"): ...  # noqa: F821


# -- records and enumerations


class Node(BaseModel):
    value: int
    children: list["Node"] = []


NODE = {
    "Node": obj({"value": INT, "children": array({"$ref": "#/$defs/Node"}, default=[])}, ["value"])
}


@probe(
    "platools-12-recursive-model",
    properties={"node": {"$ref": "#/$defs/Node"}},
    required=["node"],
    definitions=NODE,
    bind=[
        (
            {"node": {"value": 1, "children": [{"value": 2}]}},
            {"node": Node(value=1, children=[Node(value=2)])},
        )
    ],
    rejects=[{"node": {"value": 1, "children": [{"value": "x"}]}}],
)
def f(node: Node): ...


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@probe(
    "platools-13+T09-enum-and-int-enum-with-defaults",
    properties={
        "color": enum("red", "blue"),
        "other": enum("red", "blue", default="blue"),
        "level": enum(1, 2, default=2),
    },
    required=["color"],
    bind=[
        ({"color": "red"}, {"color": Color.RED, "other": Color.BLUE, "level": Level.HIGH}),
        (
            {"color": "blue", "other": "red", "level": 1},
            {"color": Color.BLUE, "other": Color.RED, "level": Level.LOW},
        ),
    ],
    rejects=[{"color": "green"}, {"color": "red", "level": 3}, {"color": "red", "level": "1"}],
)
def f(color: Color, other: Color = Color.BLUE, level: Level = Level.HIGH): ...


@dataclass
class Point:
    x: int
    y: int = 0


@probe(
    "platools-14-dataclass-with-a-default",
    properties={
        "p": obj({"x": INT, "y": {"type": "integer", "default": 0}}, ["x"]),
        "q": obj(
            {"x": INT, "y": {"type": "integer", "default": 0}}, ["x"], default={"x": 1, "y": 2}
        ),
    },
    required=["p"],
    bind=[({"p": {"x": 5}}, {"p": Point(5, 0), "q": Point(1, 2)})],
    rejects=[{"p": {}}, {"p": {"x": "5"}}],
)
def f(p: Point, q: Point = Point(1, 2)): ...


class Pair(NamedTuple):
    left: int
    right: str


PAIR = OneWay(
    array(
        {"anyOf": [INT, STR]},
        minItems=2,
        maxItems=2,
        description=Text("left: integer, right: string"),
    )
)


@probe(
    "platools-15+T09-named-tuple",
    properties={"pair": PAIR},
    required=["pair"],
    bind=[({"pair": [1, "a"]}, {"pair": Pair(1, "a")})],
    rejects=[{"pair": [1]}, {"pair": ["a", 1]}, {"pair": [1, "a", 2]}],
)
def f(pair: Pair): ...


class Movie(TypedDict):
    name: str
    year: typing.NotRequired[int]


class Film(typing_extensions.TypedDict):
    name: str
    year: typing_extensions.NotRequired[int]


MOVIE = obj({"name": STR, "year": INT}, ["name"])


@probe(
    "platools-16+P04+T09-typed-dict-of-either-module",
    properties={"a": MOVIE, "b": MOVIE, "c": array(MOVIE)},
    required=["a", "b", "c"],
    output={"type": "object", "additionalProperties": MOVIE},
    bind=[
        (
            {"a": {"name": "x"}, "b": {"name": "y", "year": 1}, "c": []},
            {"a": {"name": "x"}, "b": {"name": "y", "year": 1}, "c": []},
        )
    ],
    rejects=[{"a": {}, "b": {"name": "y"}, "c": []}],
)
def f(a: Movie, b: Film, c: list[Movie]) -> dict[str, Movie]: ...


class Box(BaseModel, Generic[T]):
    item: T


@probe(
    "platools-17-generic-models",
    properties={"a": obj({"item": INT}, ["item"]), "b": obj({"item": STR}, ["item"])},
    required=["a", "b"],
    output=obj({"item": array(INT)}, ["item"]),
    bind=[
        ({"a": {"item": 1}, "b": {"item": "x"}}, {"a": Box[int](item=1), "b": Box[str](item="x")})
    ],
    rejects=[{"a": {"item": "x"}, "b": {"item": "x"}}],
)
def f(a: Box[int], b: Box[str]) -> Box[list[int]]: ...


@probe(
    "platools-18-a-type-variable-is-any-value-or-its-bound",
    properties={"x": ANY, "n": INT},
    required=["x", "n"],
    bind=[({"x": [1], "n": 1}, {"x": [1], "n": 1})],
    rejects=[{"x": 1, "n": "a"}],
)
def f(x: T, n: N): ...


# -- returns that cannot be described, and parameters that cannot be sent


class Engine:
    """Nothing is known of how to make one."""


class SupportsRun(typing.Protocol):
    def run(self, x: int) -> int: ...


@probe("platools-19-iterator-return", properties={}, output=array(INT))
def f() -> Iterator[int]: ...


@probe("platools-19-async-iterator-return", properties={}, output=array(INT))
async def f() -> AsyncIterator[int]:
    yield 1


@probe("platools-19-no-return", properties={}, output=None)
def f() -> NoReturn: ...


@probe(
    "platools-19-class-return-drops-the-output-schema-not-the-tool",
    properties={"x": INT},
    required=["x"],
    output=None,
    problems=["has no output schema: `Engine` cannot be sent as JSON"],
)
def f(x: int) -> Engine: ...


@probe("platools-19-io-return", properties={}, problems=["has no output schema"])
def f() -> IO[str]: ...


@probe("platools-19-type-return", properties={}, problems=["has no output schema"])
def f() -> type: ...


@probe("platools-19-callable-return", properties={}, problems=["has no output schema"])
def f() -> Callable[[], int]: ...


@probe("platools-19+D22-class-parameter", refused="f.e has a type that cannot be sent as JSON")
def f(x: int, e: Engine): ...


@probe("platools-19-io-parameter", refused="f.x has a type that cannot be")
def f(x: IO[str]): ...


@probe("platools-19-type-parameter", refused="f.x has a type that cannot be sent as JSON")
def f(x: type): ...


@probe("platools-19-type-of-parameter", refused="f.x has a type that cannot be sent as JSON")
def f(x: type[int]): ...


@probe("platools-19+D22-function-parameter", refused="f.x has a type that cannot be sent as JSON")
def f(x: types.FunctionType): ...


@probe("platools-19+D22-protocol-parameter", refused="f.x has a type that cannot be sent as JSON")
def f(x: SupportsRun): ...


@probe(
    "platools-19+D22+T14-callable-parameter",
    refused="Callable[[int], int]`",
)
def f(x: Callable[[int], int]): ...


@probe(
    "platools-19-class-parameter-let-through-as-any-value",
    options={"on_unsupported": "permissive"},
    properties={"e": ANY},
    required=["e"],
    bind=[({"e": 1}, {"e": 1})],
    problems=["takes any value for `e`: its type cannot be sent as JSON"],
)
def f(e: Engine): ...


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


# -- names


@probe(
    "platools-30+P50-names-that-pydantic-does-not-take",
    properties={"model_config": INT, "_x": INT, "copy": INT, "json": INT, "__y": INT},
    required=["model_config", "_x", "copy", "json", "__y"],
    bind=[
        (
            {"model_config": 1, "_x": 2, "copy": 3, "json": 4, "__y": 5},
            {"model_config": 1, "_x": 2, "copy": 3, "json": 4, "__y": 5},
        )
    ],
)
def f(model_config: int, _x: int, copy: int, json: int, __y: int): ...


@probe(
    "platools-31-business-parameters-called-self-cls-and-ctx",
    properties={"cls": STR, "self": STR, "ctx": STR},
    required=["cls", "self", "ctx"],
    bind=[({"cls": "a", "self": "b", "ctx": "c"}, {"cls": "a", "self": "b", "ctx": "c"})],
)
def f(cls: str, self: str, ctx: str): ...


@probe(
    "platools-32-alias",
    properties={"theX": INT, "theY": {"type": "integer", "default": 2}},
    required=["theX"],
    bind=[
        ({"theX": 1}, {"x": 1, "y": 2}),
        ({"theX": 1, "theY": 3}, {"x": 1, "y": 3}),
    ],
    rejects=[{"x": 1}],
)
def f(x: Annotated[int, Field(alias="theX")], y: int = Field(2, alias="theY")): ...


UserId = NewType("UserId", int)
Names = TypeAliasType("Names", list[str])
Tree = TypeAliasType("Tree", "dict[str, Tree] | int")


@probe(
    "platools-33-new-type-and-alias-type",
    properties={"id": INT, "names": array(STR)},
    required=["id", "names"],
    output=array(STR),
    bind=[({"id": 1, "names": ["a"]}, {"id": 1, "names": ["a"]})],
)
def f(id: UserId, names: Names) -> Names: ...


@probe(
    "platools-33-recursive-alias-type",
    properties={"tree": {"$ref": "#/$defs/Tree"}},
    required=["tree"],
    definitions={
        "Tree": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}},
                INT,
            ]
        }
    },
    bind=[({"tree": {"a": {"b": 1}}}, {"tree": {"a": {"b": 1}}})],
    rejects=[{"tree": {"a": "x"}}],
)
def f(tree: Tree): ...


Maybe = TypeAliasType("Maybe", Optional[int])


@probe(
    "platools-33-alias-type-of-an-optional",
    properties={"x": INT, "y": {"anyOf": [INT, NULL]}, "z": {"anyOf": [INT, NULL], "default": 3}},
    required=["y"],
    output={"anyOf": [INT, NULL]},
    bind=[({"y": None}, {"x": None, "y": None, "z": 3})],
    unsaid=[({"x": None, "y": 1}, {"x": None, "y": 1, "z": 3})],
)
def f(y: Maybe, x: Maybe = None, z: Maybe = 3) -> Maybe: ...


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
JSON = {
    "anyOf": [
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
        array({"$ref": "#/$defs/Json"}),
        STR,
        NULL,
    ]
}


@probe(
    "platools-33-recursive-alias-type-that-may-be-null",
    properties={"x": {"$ref": "#/$defs/Json"}},
    required=["x"],
    definitions={"Json": JSON},
    output={"$ref": "#/$defs/Json", "$defs": {"Json": JSON}},
    bind=[({"x": [None, {"a": "b"}]}, {"x": [None, {"a": "b"}]}), ({"x": None}, {"x": None})],
    rejects=[{"x": 1}],
)
def f(x: Json) -> Json: ...


# -- docstrings

DESCRIBED = {
    "x": {"type": "integer", "description": "First number."},
    "y": {"type": "string", "default": "a", "description": "A text, over two lines."},
}


@probe(
    "platools-34-google-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    Args:
        x: First number.
        y (str, optional): A text,
            over two lines.
    """


@probe(
    "platools-34-numpy-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    Parameters
    ----------
    x : int
        First number.
    y : str, optional
        A text,
        over two lines.
    """


@probe(
    "platools-34-sphinx-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    :param x: First number.
    :type x: int
    :param y: A text,
        over two lines.
    """


@probe(
    "platools-34+P37-epydoc-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    @param x: First number.
    @type x: int
    @param y: A text,
        over two lines.
    """


@probe(
    "platools-34-docstring-that-starts-with-args",
    properties={"x": {"type": "integer", "description": "desc only"}},
    required=["x"],
    description="",
)
def f(x: int):
    """
    Args:
        x: desc only
    """


@probe(
    "platools-34-docstring-that-starts-with-args-on-its-first-line",
    properties={"x": {"type": "integer", "description": "desc only"}},
    required=["x"],
    description="",
)
def f(x: int):
    """Args:
    x: desc only
    """


# -- outputs


class Doubled(BaseModel):
    a: int

    @computed_field
    def dbl(self) -> int:
        return self.a * 2


@probe(
    "platools-36-computed-field-is-in-the-output-schema",
    properties={},
    output=obj({"a": INT, "dbl": Like({"type": "integer"})}, ["a", "dbl"]),
)
def f() -> Doubled: ...


class Aliased(BaseModel):
    model_config = ConfigDict(validate_by_name=True)
    a: int = Field(alias="theA")


@probe(
    "platools-36-aliased-output",
    properties={},
    output=obj({"theA": INT}, ["theA"]),
)
def f() -> Aliased: ...


@probe(
    "platools-37-description-of-the-return-type",
    properties={},
    output={"type": "integer", "description": "how many"},
)
def f() -> Annotated[int, Field(description="how many")]: ...


# -- arguments


class Inner(BaseModel):
    a: int


@probe(
    "platools-39+D08-a-model-arrives-as-a-model",
    properties={"m": obj({"a": INT}, ["a"])},
    required=["m"],
    bind=[({"m": {"a": 1}}, {"m": Inner(a=1)})],
)
def f(m: Inner): ...


@probe(
    "platools-40+D01+T33-wrong-types-are-refused",
    properties={"n": INT},
    required=["n"],
    bind=[({"n": 5}, {"n": 5})],
    rejects=[{"n": "5"}, {"n": "abc"}, {"n": None}, {"n": 1.5}, {"n": True}, {"n": [1]}],
)
def f(n: int): ...


@probe(
    "platools-41+D06+T06-bounds-are-published-and-kept",
    properties={"n": {"type": "integer", "minimum": 1, "maximum": 5, "description": "how many"}},
    required=["n"],
    bind=[({"n": 5}, {"n": 5})],
    rejects=[{"n": 0}, {"n": 99}],
)
def f(n: Annotated[int, Field(ge=1, le=5, description="how many")]): ...


@probe(
    "platools-42+D02+T34+P34-extra-and-missing-arguments-are-refused",
    properties={"a": INT},
    required=["a"],
    bind=[({"a": 1}, {"a": 1})],
    rejects=[{}, {"a": 1, "zzz": 2}, {"zzz": 2}],
)
def f(a: int): ...


@probe(
    "platools-43-dates-enums-and-paths-inside-containers",
    properties={
        "days": array(DATE),
        "colors": {"type": "object", "additionalProperties": enum("red", "blue")},
        "path": PATH,
    },
    required=["days", "colors"],
    bind=[
        (
            {"days": ["2024-01-02"], "colors": {"a": "red"}, "path": "x"},
            {"days": [dt.date(2024, 1, 2)], "colors": {"a": Color.RED}, "path": Path("x")},
        )
    ],
    rejects=[{"days": ["yesterday"], "colors": {}}, {"days": [0], "colors": {}}],
)
def f(days: list[dt.date], colors: dict[str, Color], path: Path | None = None): ...
