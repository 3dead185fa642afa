"""toolslm / fastcore.funccall, probes T1-T51 (seeds-openmcp-toolslm-ophis.md, 2.2)."""

import datetime as dt
import functools
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar, Union
from uuid import UUID

from pydantic import BaseModel, Field

from tests.unit.probes.case import (
    ANY,
    BYTES,
    DATETIME,
    DECIMAL,
    INT,
    NUM,
    PATH,
    STR,
    UUID_,
    Case,
    Like,
    Text,
    array,
    collect,
    enum,
    obj,
)

CASES: list[Case] = []
probe = collect(CASES)
T = TypeVar("T")


@dataclass
class DC:
    a: int
    b: str = "x"


DC_IN = obj({"a": INT, "b": {"type": "string", "default": "x"}}, ["a"])


@probe(
    "T01-string-annotation",
    properties={"x": INT, "y": array(STR)},
    required=["x", "y"],
    output=INT,
)
def f(x: "int", y: "list[str]") -> "int": ...


@probe(
    "T02-string-annotations-of-classes",
    properties={"a": DC_IN, "b": array(DC_IN), "c": DC_IN},
    required=["a", "b"],
    output=DC_IN,
    bind=[
        ({"a": {"a": 1}, "b": [{"a": 2}]}, {"a": DC(1), "b": [DC(2)], "c": None}),
        ({"a": {"a": 1}, "b": [], "c": {"a": 3}}, {"a": DC(1), "b": [], "c": DC(3)}),
    ],
)
def f(a: "DC", b: list["DC"], c: "Optional[DC]" = None) -> "DC": ...


@probe(
    "T06-field-with-bounds-and-description",
    properties={"n": {"type": "integer", "minimum": 1, "description": "how many"}},
    required=["n"],
    rejects=[{"n": 0}],
)
def f(n: Annotated[int, Field(ge=1, description="how many")]): ...


class Inner:
    def __init__(self, n: int):
        self.n = n

    def __eq__(self, other):
        return type(other) is Inner and other.n == self.n


class Outer:
    def __init__(self, inner: Inner, more: list[Inner]):
        self.inner = inner
        self.more = more

    def __eq__(self, other):
        return type(other) is Outer and (self.inner, self.more) == (other.inner, other.more)


INNER = Like(obj({"n": INT}, ["n"]))


@probe(
    "T07+T08-plain-class-within-plain-class",
    properties={"o": Like(obj({"inner": INNER, "more": array(INNER)}, ["inner", "more"]))},
    required=["o"],
    bind=[
        (
            {"o": {"inner": {"n": 1}, "more": [{"n": 2}]}},
            {"o": Outer(Inner(1), [Inner(2)])},
        )
    ],
    rejects=[{"o": {"inner": {"n": "x"}, "more": []}}, {"o": {"inner": {}, "more": []}}],
)
def f(o: Outer): ...


class SC(str, Enum):
    A = "a"
    B = "b"


class IE(IntEnum):
    ONE = 1
    TWO = 2


Age = NewType("Age", int)


@probe(
    "T09-string-enum-int-enum-new-type-and-datetime",
    properties={"s": enum("a", "b"), "i": enum(1, 2), "age": INT, "when": DATETIME},
    required=["s", "i", "age", "when"],
    bind=[
        (
            {"s": "a", "i": 2, "age": 3, "when": "2024-01-02T03:04:05"},
            {"s": SC.A, "i": IE.TWO, "age": 3, "when": dt.datetime(2024, 1, 2, 3, 4, 5)},
        )
    ],
    rejects=[{"s": "zzz", "i": 1, "age": 3, "when": "2024-01-02T03:04:05"}],
)
def f(s: SC, i: IE, age: Age, when: dt.datetime): ...


@dataclass
class Commented:
    """One entry."""

    size: int  # How large it is
    name: str = "x"  # What it is called
    tags: list[str] = field(default_factory=list)


@probe(
    "T10-dataclass-with-comments-behind-its-fields",
    properties={
        "c": obj(
            {
                "size": {"type": "integer", "description": "How large it is"},
                "name": {"type": "string", "default": "x", "description": "What it is called"},
                "tags": array(STR),
            },
            ["size"],
            description="One entry.",
        )
    },
    required=["c"],
    bind=[({"c": {"size": 1}}, {"c": Commented(1)})],
    rejects=[{"c": {"size": "notint"}}],
)
def f(c: Commented): ...


class Model(BaseModel):
    a: int
    b: list[int] = [1]


@probe(
    "T11-pydantic-model",
    properties={"m": obj({"a": INT, "b": array(INT, default=[1])}, ["a"])},
    required=["m"],
    bind=[({"m": {"a": 1}}, {"m": Model(a=1)})],
    rejects=[{"m": {"a": "x"}}, {"m": {"data": {}}}],
)
def f(m: Model): ...


@probe(
    "T12-literal",
    properties={"x": enum("a", "b")},
    required=["x"],
    bind=[({"x": "a"}, {"x": "a"})],
    rejects=[{"x": "c"}],
)
def f(x: Literal["a", "b"]): ...


Pairs = dict[str, list[T]]


@probe(
    "T13-abstract-collections-and-generic-aliases",
    properties={
        "fr": array(INT),
        "sq": array(INT),
        "it": array(INT),
        "co": array(INT),
        "ma": {"type": "object", "additionalProperties": INT},
        "mm": {"type": "object", "additionalProperties": INT},
        "al": {"type": "object", "additionalProperties": array(INT)},
    },
    required=["fr", "sq", "it", "co", "ma", "mm", "al"],
    bind=[
        (
            {
                "fr": [1],
                "sq": [1],
                "it": [1],
                "co": [1],
                "ma": {"a": 1},
                "mm": {"a": 1},
                "al": {"a": [1]},
            },
            {
                "fr": frozenset({1}),
                "sq": [1],
                "it": [1],
                "co": [1],
                "ma": {"a": 1},
                "mm": {"a": 1},
                "al": {"a": [1]},
            },
        )
    ],
    rejects=[
        {"fr": ["a"], "sq": [], "it": [], "co": [], "ma": {}, "mm": {}, "al": {}},
        {"fr": [], "sq": ["a"], "it": [], "co": [], "ma": {}, "mm": {}, "al": {}},
        {"fr": [], "sq": [], "it": ["a"], "co": [], "ma": {}, "mm": {}, "al": {}},
        {"fr": [], "sq": [], "it": [], "co": [], "ma": {"a": "b"}, "mm": {}, "al": {}},
    ],
)
def f(
    fr: frozenset[int],
    sq: Sequence[int],
    it: Iterable[int],
    co: Collection[int],
    ma: Mapping[str, int],
    mm: MutableMapping[str, int],
    al: Pairs[int],
): ...


@probe("T13-sequence-out", properties={}, output=array(INT))
def f() -> Sequence[int]: ...


@probe("T13-iterable-out", properties={}, output=array(INT))
def f() -> Iterable[int]: ...


@probe(
    "T13-mapping-of-sequences-out",
    properties={},
    output={"type": "object", "additionalProperties": array(INT)},
)
def f() -> Mapping[str, Sequence[int]]: ...


@probe(
    "T15-any-and-object",
    properties={"x": ANY, "y": ANY},
    required=["x", "y"],
    bind=[
        ({"x": None, "y": None}, {"x": None, "y": None}),
        ({"x": [{"a": 1}], "y": "b"}, {"x": [{"a": 1}], "y": "b"}),
        ({"x": 1.5, "y": True}, {"x": 1.5, "y": True}),
    ],
    rejects=[{"x": 1}],
)
def f(x: Any, y: object): ...


@probe("T15-untyped-names-the-parameter", refused="f.x has no type hint")
def f(x): ...


@probe("T16-untyped-with-a-default", refused="f.n has no type hint")
def f(n=3, s="s", none=None): ...


@probe(
    "T16-untyped-with-defaults-let-through",
    options={"on_unsupported": "permissive"},
    properties={"n": {**ANY, "default": 3}, "s": {**ANY, "default": "s"}, "none": Like(ANY)},
    bind=[({}, {"n": 3, "s": "s", "none": None}), ({"n": "x"}, {"n": "x", "s": "s", "none": None})],
    problems=["takes any value for `n`", "takes any value for `s`", "takes any value for `none`"],
)
def f(n=3, s="s", none=None): ...


@probe("T17-no-docstring", properties={"x": INT}, required=["x"], description="")
def f(x: int): ...


@probe(
    "T18-args-and-kwargs-together",
    properties={"args": array(INT)},
    extra=STR,
    bind=[({"args": [1], "z": "a"}, ([1], {"z": "a"})), ({}, ([], {}))],
    rejects=[{"args": 1}, {"z": 1}],
)
def f(*args: int, **kw: str): ...


@probe(
    "T22-path-decimal-and-uuid",
    properties={"p": PATH, "d": DECIMAL, "u": UUID_},
    required=["p", "d", "u"],
    bind=[
        (
            {"p": "a", "d": "1.10", "u": "12345678-1234-5678-1234-567812345678"},
            {
                "p": Path("a"),
                "d": Decimal("1.10"),
                "u": UUID("12345678-1234-5678-1234-567812345678"),
            },
        )
    ],
    rejects=[{"p": "a", "d": "x", "u": "12345678-1234-5678-1234-567812345678"}],
)
def f(p: Path, d: Decimal, u: UUID): ...


@probe(
    "T23+P11-bytes-are-base64",
    properties={"data": BYTES},
    required=["data"],
    bind=[({"data": "aGk="}, {"data": b"hi"}), ({"data": ""}, {"data": b""})],
    rejects=[{"data": "not base64!"}, {"data": 1}],
)
def f(data: bytes): ...


@probe(
    "T26-numpy-docstring-is-not-said-twice",
    properties={
        "x": {"type": "integer", "description": "The number."},
        "y": {"type": "integer", "default": 1, "description": "The other."},
    },
    required=["x"],
    output=INT,
    description="Add.\n\nReturns\n-------\nint\n    The sum.",
)
def f(x: int, y: int = 1) -> int:
    """Add.

    Parameters
    ----------
    x : int
        The number.
    y : int
        The other.

    Returns
    -------
    int
        The sum.
    """


@probe(
    "T27-google-docstring",
    properties={"x": {"type": "integer", "description": "The number."}},
    required=["x"],
    description="Add.",
)
def f(x: int):
    """Add.

    Args:
        x: The number.
    """


@probe(
    "T28+T29+T30-classes-and-paths-inside-optionals-and-lists",
    properties={
        "a": DC_IN,
        "b": PATH,
        "c": array(DC_IN, default=[]),
        "d": Like({"type": "object"}),
    },
    bind=[
        ({"a": {"a": 1}}, {"a": DC(1), "b": None, "c": [], "d": {}}),
        ({"b": "x"}, {"a": None, "b": Path("x"), "c": [], "d": {}}),
        ({"c": [{"a": 1}]}, {"a": None, "b": None, "c": [DC(1)], "d": {}}),
        ({"d": {"k": {"a": 1}}}, {"a": None, "b": None, "c": [], "d": {"k": DC(1)}}),
    ],
)
def f(
    a: Optional[DC] = None,
    b: Optional[Path] = None,
    c: list[DC] = [],
    d: dict[str, DC] = {},
): ...


@probe(
    "T31+T32+P29-json-in-a-string-is-not-strictly-valid",
    properties={
        "xs": array(INT),
        "d": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "m": obj({"a": INT, "b": array(INT, default=[1])}, ["a"]),
    },
    required=["xs", "d", "m"],
    bind=[
        (
            {"xs": [1, 2], "d": {"a": True}, "m": {"a": 1}},
            {"xs": [1, 2], "d": {"a": True}, "m": Model(a=1)},
        )
    ],
    rejects=[
        {"xs": "[1,2]", "d": {}, "m": {"a": 1}},
        {"xs": [1], "d": '{"a": true}', "m": {"a": 1}},
        {"xs": [1], "d": {}, "m": '{"a": 1}'},
    ],
)
def f(xs: list[int], d: dict[str, bool], m: Model): ...


@probe(
    "T36-path-default",
    properties={"p": {**PATH, "default": "x/y"}},
    bind=[({}, {"p": Path("x/y")})],
)
def f(p: Path = Path("x/y")): ...


class Empty:
    """Nothing to make it of."""


probe("T37-class-without-a-constructor", refused="has no constructor of its own")(Empty)


class Recursive:
    def __init__(self, value: int, next: Optional["Recursive"] = None):
        self.value = value
        self.next = next

    def __eq__(self, other):
        return type(other) is Recursive and (self.value, self.next) == (other.value, other.next)


@probe(
    "T39-a-plain-class-that-holds-itself",
    properties={"r": {"$ref": "#/$defs/Recursive"}},
    required=["r"],
    definitions={
        "Recursive": Like(obj({"value": INT, "next": {"$ref": "#/$defs/Recursive"}}, ["value"]))
    },
    bind=[({"r": {"value": 1, "next": {"value": 2}}}, {"r": Recursive(1, Recursive(2))})],
    unsaid=[({"r": {"value": 1, "next": None}}, {"r": Recursive(1)})],
    rejects=[{"r": {"value": 1, "next": {"value": "x"}}}],
)
def f(r: Recursive): ...
