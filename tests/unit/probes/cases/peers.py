"""FastMCP 4.1.2 and mcp 2.3.0, probes P1-P56 (peers.md, 4.2): types and callables."""

import datetime as dt
import functools
import math
import typing
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, auto
from typing import NamedTuple, Optional, TypedDict, Unpack

from pydantic import BaseModel, Field

from tests.unit.probes.case import (
    BOOL,
    BYTES,
    BYTES_OUT,
    DATETIME,
    DECIMAL,
    INT,
    NUM,
    STR,
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


# -- documentation of records


@dataclass
class Order:
    """An order.

    Attributes:
        number: Its number.
        items: What was bought.
    """

    number: int
    items: list[str] = field(default_factory=list)


@probe(
    "P05-attributes-section-of-a-dataclass",
    properties={
        "order": obj(
            {
                "number": {"type": "integer", "description": "Its number."},
                "items": array(STR, description="What was bought."),
            },
            ["number"],
            description="An order.",
        )
    },
    required=["order"],
    output=obj(
        {
            "number": {"type": "integer", "description": "Its number."},
            "items": array(STR, description="What was bought."),
        },
        ["number"],
        description="An order.",
    ),
    bind=[({"order": {"number": 1}}, {"order": Order(1)})],
)
def f(order: Order) -> Order: ...


class Ticket(BaseModel):
    """A ticket."""

    number: int
    """Its number."""
    seat: str = "any"
    """Where to sit,
    if it matters."""
    price: float = Field(1.5, description="From the field.")
    """Not this."""


TICKET = obj(
    {
        "number": {"type": "integer", "description": "Its number."},
        "seat": {
            "type": "string",
            "default": "any",
            "description": "Where to sit, if it matters.",
        },
        "price": {"type": "number", "default": 1.5, "description": "From the field."},
    },
    ["number"],
    description="A ticket.",
)


@probe(
    "P06-strings-below-attributes",
    properties={"ticket": TICKET},
    required=["ticket"],
    output=TICKET,
)
def f(ticket: Ticket) -> Ticket: ...


# -- enumerations


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Opaque(Enum):
    A = object()
    B = object()


class Perm(Flag):
    R = 1
    W = 2


class Mode(IntFlag):
    X = auto()
    Y = auto()


@probe(
    "P07-a-members-name-is-not-strictly-valid",
    properties={"color": enum("red", "blue")},
    required=["color"],
    bind=[({"color": "red"}, {"color": Color.RED})],
    rejects=[{"color": "RED"}],
)
def f(color: Color): ...


@probe("P08-enum-out", properties={}, output=enum("red", "blue"))
def f() -> Color: ...


@probe("P08-int-enum-out", properties={}, output=enum(1, 2))
def f() -> Level: ...


class Boundless(Enum):
    ONE = 1.5
    ALL = math.inf


@probe("P09-enum-with-an-infinite-value", refused="f.x has a type that cannot be")
def f(x: Boundless): ...


@probe(
    "P09-enum-with-an-infinite-value-out",
    properties={},
    output=None,
    problems=["has no output schema"],
)
def f() -> Boundless: ...


@probe("P09-enum-with-values-that-are-not-json", refused="f.x has a type that cannot be")
def f(x: Opaque): ...


@probe(
    "P09-enum-with-values-that-are-not-json-out",
    properties={},
    output=None,
    problems=["has no output schema"],
)
def f() -> Opaque: ...


@probe(
    "P10-flags-combine",
    properties={"perm": Like({"type": "integer"}), "mode": Like({"type": "integer"})},
    required=["perm"],
    bind=[
        ({"perm": 1}, {"perm": Perm.R, "mode": Mode.X}),
        ({"perm": 3, "mode": 3}, {"perm": Perm.R | Perm.W, "mode": Mode.X | Mode.Y}),
        ({"perm": 0}, {"perm": Perm(0), "mode": Mode.X}),
    ],
    rejects=[{"perm": 8}, {"perm": "R"}],
)
def f(perm: Perm, mode: Mode = Mode.X): ...


# -- bytes


@probe(
    "P11-bytes-in",
    properties={"x": BYTES, "xs": array(BYTES, default=[])},
    required=["x"],
    bind=[({"x": "aGk=", "xs": ["_w==", "/w=="]}, {"x": b"hi", "xs": [b"\xff", b"\xff"]})],
)
def f(x: bytes, xs: list[bytes] = []): ...


@probe(
    "P13-map-of-bytes-out",
    properties={},
    output={"type": "object", "additionalProperties": BYTES_OUT},
)
def f() -> dict[str, bytes]: ...


# -- numbers and tuples


@probe(
    "P16-decimal-in",
    properties={"x": DECIMAL},
    required=["x"],
    output=Like({"type": "string"}),
    bind=[
        ({"x": "1.10"}, {"x": Decimal("1.10")}),
        ({"x": 2}, {"x": Decimal(2)}),
        ({"x": 1.5}, {"x": Decimal("1.5")}),
    ],
    rejects=[{"x": "one"}, {"x": True}],
)
def f(x: Decimal) -> Decimal: ...


class Pair(NamedTuple):
    """Two things."""

    left: int
    right: str = "r"


@probe(
    "P18-named-tuple-with-a-default",
    properties={
        "pair": OneWay(
            array(
                {"anyOf": [INT, STR]},
                minItems=1,
                maxItems=2,
                description=Text("left: integer, right: string"),
            )
        )
    },
    required=["pair"],
    bind=[({"pair": [1, "a"]}, {"pair": Pair(1, "a")}), ({"pair": [1]}, {"pair": Pair(1)})],
    rejects=[{"pair": {"left": 1, "middle": "a"}}, {"pair": {"right": "a"}}, {"pair": []}],
)
def f(pair: Pair): ...


# -- variadics


class Filters(TypedDict, total=False):
    """Filters."""

    color: typing.Required[str]
    size: int
    """How large."""


@probe(
    "P20-unpack",
    properties={
        "query": STR,
        "color": STR,
        "size": {"type": "integer", "description": "How large."},
    },
    required=["query", "color"],
    bind=[
        ({"query": "a", "color": "red"}, {"query": "a", "color": "red"}),
        (
            {"query": "a", "color": "red", "size": 1},
            {"query": "a", "color": "red", "size": 1},
        ),
    ],
    rejects=[
        {"query": "a"},
        {"query": "a", "color": "red", "size": "1"},
        {"query": "a", "color": "red", "other": 1},
        {"query": "a", "color": "red", "kw": {}},
    ],
)
def f(query: str, **kw: Unpack[Filters]): ...


# -- callables


@probe(
    "P23-lru-cache",
    properties={"x": {"type": "integer", "description": "A number."}},
    required=["x"],
    output=INT,
    description="Cached.",
    bind=[({"x": 1}, {"x": 1})],
)
@functools.lru_cache
def f(x: int) -> int:
    """Cached.

    Args:
        x: A number.
    """


class Thermometer:
    """Measures.

    Args:
        unit: Of what.
    """

    def __init__(self, unit: str = "C"):
        self.unit = unit


probe(
    "P25-class-as-tool",
    properties={"unit": {"type": "string", "default": "C", "description": "Of what."}},
    output=Like(obj({"unit": Like({"type": "string"})}, ["unit"])),
    description="Measures.",
    bind=[({}, {"unit": "C"}), ({"unit": "F"}, {"unit": "F"})],
    rejects=[{"unit": 1}, {"self": 1}],
)(Thermometer)


@functools.singledispatch
def show(value: int, width: int = 3) -> str:
    """Show it."""


probe(
    "P26-singledispatch-is-called-by-position",
    properties={"value": INT, "width": {"type": "integer", "default": 3}},
    required=["value"],
    output=STR,
    description="Show it.",
    bind=[({"value": 1}, ([1], {"width": 3}))],
)(show)


# -- strictness


@probe(
    "P30-text-that-looks-like-json-stays-text",
    properties={"x": STR},
    bind=[
        ({"x": "[1,2]"}, {"x": "[1,2]"}),
        ({"x": "null"}, {"x": "null"}),
        ({"x": '{"a":1}'}, {"x": '{"a":1}'}),
    ],
)
def f(x: Optional[str] = None): ...


@probe(
    "P31-text-stays-text-beside-a-list",
    properties={"x": {"anyOf": [STR, array(INT)]}},
    required=["x"],
    bind=[({"x": "[1,2]"}, {"x": "[1,2]"}), ({"x": [1, 2]}, {"x": [1, 2]})],
)
def f(x: str | list[int]): ...


@probe(
    "P32-look-alikes-are-refused",
    properties={"i": INT, "b": BOOL, "n": NUM, "d": DATETIME},
    bind=[
        ({"n": 1}, {"i": None, "b": None, "n": 1.0, "d": None}),
        ({"i": 1, "b": True}, {"i": 1, "b": True, "n": None, "d": None}),
    ],
    rejects=[
        {"i": True},
        {"i": 1.0},
        {"b": "yes"},
        {"b": 1},
        {"n": "nan"},
        {"n": "1.5"},
        {"n": True},
        {"d": 0},
    ],
)
def f(
    i: int | None = None,
    b: bool | None = None,
    n: float | None = None,
    d: dt.datetime | None = None,
): ...


@probe(
    "P33-null-for-a-plain-type-with-a-default",
    properties={"x": {"type": "integer", "default": 5}},
    bind=[({}, {"x": 5})],
    rejects=[{"x": None}],
)
def f(x: int = 5): ...
