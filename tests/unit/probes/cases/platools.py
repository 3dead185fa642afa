"""platools 0.2.1, probes 1-43 (seeds-platools-omni.md, 1.11): what can be a tool."""

import math
import types
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import IO, Annotated, Generic, NamedTuple, NoReturn, Optional, TypedDict, TypeVar

import typing_extensions
from pydantic import BaseModel, Field

from tests.unit.probes.case import (
    ANY,
    INT,
    NULL,
    STR,
    Case,
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


@probe("platools-19-type-of-parameter", properties={"x": enum("bool")}, required=["x"])
def f(x: type[bool]): ...


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
