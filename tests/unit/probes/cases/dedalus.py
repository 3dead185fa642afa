"""dedalus-mcp 0.7.0, probes D1-D47 (seeds-openmcp-toolslm-ophis.md, 1.2)."""

import datetime as dt
import functools
import typing
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Optional, TypedDict, Union

from pydantic import BaseModel, ConfigDict, Field

from tests.unit.probes.case import (
    BOOL,
    BYTES_OUT,
    DATETIME,
    INT,
    MAP,
    NULL,
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


@probe(
    "D07-a-field-as-default-with-bounds",
    properties={"n": {"type": "integer", "minimum": 1, "default": 3}},
    bind=[({}, {"n": 3})],
    rejects=[{"n": 0}],
)
def f(n: int = Field(3, ge=1)): ...


class User(BaseModel):
    x: int
    tags: list[str] = []


@probe(
    "D08-a-model-parameter-is-written-in-full",
    properties={"user": obj({"x": INT, "tags": array(STR, default=[])}, ["x"])},
    required=["user"],
    bind=[({"user": {"x": 1}}, {"user": User(x=1)})],
    rejects=[{"user": {}}, {"user": {"x": 1, "tags": [1]}}, {"user": '{"x": 1}'}],
)
def f(user: User): ...


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@probe(
    "D09-an-enum-is-checked-and-arrives-as-one",
    properties={"color": enum("red", "blue", default="red")},
    bind=[({"color": "blue"}, {"color": Color.BLUE}), ({}, {"color": Color.RED})],
    rejects=[{"color": "nope"}],
)
def f(color: Color = Color.RED): ...


@dataclass
class Book:
    title: str
    pages: int = 0


@probe(
    "D10-a-field-called-title-stays-in-the-output",
    properties={},
    output=obj({"title": STR, "pages": {"type": "integer", "default": 0}}, ["title"]),
)
def f() -> Book: ...


@probe(
    "D11-a-parameter-called-title",
    properties={"title": STR},
    required=["title"],
    bind=[({"title": "a"}, {"title": "a"})],
)
def f(title: str): ...


@probe(
    "D11-a-parameter-called-title-in-an-explicit-schema",
    options={
        "input_schema": {
            "type": "object",
            "properties": {"title": {"type": "string", "title": "Heading"}},
            "required": ["title"],
            "additionalProperties": False,
        }
    },
    properties={"title": {"type": "string", "title": "Heading"}},
    required=["title"],
    bind=[({"title": "a"}, {"title": "a"})],
    rejects=[{}, {"title": 1}, {"title": "a", "b": 1}],
    titles=True,
)
def f(title: str): ...


@probe(
    "D11-a-title-that-the-author-wrote-stays",
    properties={"x": {"type": "integer", "title": "How many"}},
    required=["x"],
    titles=True,
)
def f(x: Annotated[int, Field(title="How many")]): ...


class Query(TypedDict):
    q: str
    limit: typing.NotRequired[int]


@probe(
    "D12-not-required-keys-in-and-out",
    properties={"query": obj({"q": STR, "limit": INT}, ["q"])},
    required=["query"],
    output=obj({"q": STR, "limit": INT}, ["q"]),
    bind=[
        ({"query": {"q": "a"}}, {"query": {"q": "a"}}),
        ({"query": {"q": "a", "limit": 1}}, {"query": {"q": "a", "limit": 1}}),
    ],
    rejects=[{"query": {"limit": 1}}],
)
def f(query: Query) -> Query: ...


@probe("D13-async", properties={"x": INT}, required=["x"], output=INT)
async def f(x: int) -> int: ...


@probe("D13+T21+P43-generator", properties={"x": INT}, required=["x"], output=array(INT))
def f(x: int) -> Iterator[int]:
    yield x


@probe("D13+T21+P43-async-generator", properties={"x": INT}, required=["x"], output=array(INT))
async def f(x: int) -> AsyncIterator[int]:
    yield x


class Shelf:
    def find(self, name: str) -> int:
        """Find it."""


probe(
    "D14-bound-method",
    properties={"name": STR},
    required=["name"],
    output=INT,
    description="Find it.",
)(Shelf().find)


class Node(BaseModel):
    value: int
    next: Optional["Node"] = None


NODE_OUT = obj(
    {"value": INT, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, NULL], "default": None}},
    ["value"],
)


@probe(
    "D16+P01-a-recursive-output-is-written-out-at-the-root",
    properties={},
    output={**NODE_OUT, "$defs": {"Node": NODE_OUT}},
)
def f() -> Node: ...


@probe(
    "D16-a-list-of-a-recursive-model",
    properties={},
    output={**array({"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE_OUT}},
)
def f() -> list[Node]: ...


@probe(
    "D16-a-recursive-input-has-no-null-arm",
    properties={"node": {"$ref": "#/$defs/Node"}},
    required=["node"],
    definitions={"Node": obj({"value": INT, "next": {"$ref": "#/$defs/Node"}}, ["value"])},
    bind=[
        (
            {"node": {"value": 1, "next": {"value": 2}}},
            {"node": Node(value=1, next=Node(value=2))},
        )
    ],
    unsaid=[({"node": {"value": 1, "next": None}}, {"node": Node(value=1)})],
)
def f(node: Node): ...


class Address(BaseModel):
    city: str


class Person(BaseModel):
    name: str
    home: Address
    work: Address | None = None


ADDRESS = obj({"city": STR}, ["city"])
PERSON_OUT = obj(
    {"name": STR, "home": ADDRESS, "work": {"anyOf": [ADDRESS, NULL], "default": None}},
    ["name", "home"],
)


@probe("D17-a-model-in-a-model-out", properties={}, output=PERSON_OUT)
def f() -> Person: ...


@probe(
    "D17+T07+T08-a-model-in-a-model-in",
    properties={
        "person": obj({"name": STR, "home": ADDRESS, "work": ADDRESS}, ["name", "home"]),
    },
    required=["person"],
    bind=[
        (
            {"person": {"name": "a", "home": {"city": "b"}}},
            {"person": Person(name="a", home=Address(city="b"))},
        )
    ],
    rejects=[{"person": {"name": "a", "home": {}}}],
)
def f(person: Person): ...


@probe("D18-list-of-models", properties={}, output=array(PERSON_OUT))
def f() -> list[Person]: ...


@probe("D18-optional-model", properties={}, output={"anyOf": [PERSON_OUT, NULL]})
def f() -> Optional[Person]: ...


@probe("D18-union-of-models", properties={}, output={"anyOf": [ADDRESS, PERSON_OUT]})
def f() -> Union[Address, Person]: ...


@probe(
    "D19+T18+P19-args",
    properties={"numbers": array(INT)},
    bind=[({}, ([], {})), ({"numbers": [1, 2]}, ([1, 2], {}))],
    rejects=[{"numbers": 1}, {"numbers": ["1"]}],
)
def f(*numbers: int): ...


@probe(
    "D19+T18+P20-kwargs",
    properties={"x": INT},
    required=["x"],
    extra=INT,
    bind=[({"x": 1}, {"x": 1}), ({"x": 1, "a": 2, "kwargs": 3}, {"x": 1, "a": 2, "kwargs": 3})],
    rejects=[{"x": 1, "a": "2"}, {"a": 1}],
)
def f(x: int, **kwargs: int): ...


@probe(
    "D21+T25-tuples-and-sets-arrive-as-such",
    properties={
        "pair": array(
            {"anyOf": [INT, STR]},
            minItems=2,
            maxItems=2,
            description=Text("positions: integer, string"),
        ),
        "same": array(NUM, minItems=2, maxItems=2, description=Text("positions: number, number")),
        "ids": array(INT),
        "frozen": array(STR),
        "many": array(INT),
    },
    required=["pair", "same", "ids", "frozen", "many"],
    bind=[
        (
            {
                "pair": [1, "a"],
                "same": [1.5, 2.5],
                "ids": [1, 1],
                "frozen": ["a"],
                "many": [1, 2, 3],
            },
            {
                "pair": (1, "a"),
                "same": (1.5, 2.5),
                "ids": {1},
                "frozen": frozenset({"a"}),
                "many": (1, 2, 3),
            },
        )
    ],
    rejects=[
        {"pair": ["a", 1], "same": [1, 2], "ids": [], "frozen": [], "many": []},
        {"pair": [1], "same": [1, 2], "ids": [], "frozen": [], "many": []},
    ],
)
def f(
    pair: tuple[int, str],
    same: tuple[float, float],
    ids: set[int],
    frozen: frozenset[str],
    many: tuple[int, ...],
): ...


class Context:
    """What a server would inject; nothing that a caller can send."""

    def __init__(self, session):
        self.session = session


@probe("D22-context-parameter", refused="f.ctx has a type that cannot be sent as JSON: `Context`")
def f(x: int, ctx: Context): ...


class Depends:
    def __init__(self, call):
        self.call = call


@probe(
    "D23-dependency-as-default-of-an-untyped-parameter",
    refused="f.dep has an instance of `Depends`",
)
def f(x: int, dep=Depends(dict)): ...


@probe("D23-dependency-as-default-of-a-class", refused="f.dep has an instance of `Depends`")
def f(x: int, dep: Context = Depends(dict)): ...


class Pair(NamedTuple):
    left: int
    right: str


@probe(
    "D25+P17-a-tuple-out",
    properties={},
    output=array(INT, minItems=2, maxItems=2, description=Text("integer, integer")),
)
def f() -> tuple[int, int]: ...


@probe(
    "D25+P17-a-named-tuple-out",
    properties={},
    output=array(
        {"anyOf": [INT, STR]},
        minItems=2,
        maxItems=2,
        description=Text("left: integer, right: string"),
    ),
)
def f() -> Pair: ...


@probe("D26+P12-bytes-out", properties={}, output=BYTES_OUT)
def f() -> bytes: ...


@probe("D26-datetime-out", properties={}, output=DATETIME)
def f() -> dt.datetime: ...


@probe("D26+P16-decimal-out-is-text", properties={}, output=Like({"type": "string"}))
def f() -> Decimal: ...


@probe("D26+P08-enum-out", properties={}, output=enum("red", "blue"))
def f() -> Color: ...


@probe(
    "D20-dates-paths-and-the-like-out",
    properties={},
    output=obj(
        {"path": PATH, "moment": DATETIME, "id": UUID_, "data": BYTES_OUT, "ids": array(INT)},
        ["path", "moment", "id", "data", "ids"],
    ),
)
def f() -> "Everything": ...


@dataclass
class Everything:
    path: Path
    moment: dt.datetime
    id: uuid.UUID
    data: bytes
    ids: frozenset[int]


@probe("D27-a-path-out", properties={}, output=PATH)
def f() -> Path: ...


@dataclass
class File:
    path: Path
    made: dt.datetime


@probe(
    "D27-a-dataclass-with-a-date-and-a-path-out",
    properties={},
    output=obj({"path": PATH, "made": DATETIME}, ["path", "made"]),
)
def f() -> File: ...


@probe(
    "D27-a-map-of-dates-out",
    properties={},
    output={"type": "object", "additionalProperties": DATETIME},
)
def f() -> dict[str, dt.datetime]: ...


class Account(BaseModel):
    user_id: int = Field(alias="userId")


@probe(
    "D28+P52-an-aliased-model-has-its-aliases-both-ways",
    properties={"account": obj({"userId": INT}, ["userId"])},
    required=["account"],
    output=obj({"userId": INT}, ["userId"]),
    bind=[({"account": {"userId": 1}}, {"account": Account(userId=1)})],
    rejects=[{"account": {"user_id": 1}}],
)
def f(account: Account) -> Account: ...


@probe(
    "D36-numpy-docstring-indented-by-eight",
    properties={
        "x": {"type": "integer", "description": "The first."},
        "y": {"type": "integer", "description": "The second."},
        "z": {"type": "integer", "default": 0, "description": "The third."},
    },
    required=["x", "y"],
    output=INT,
    description=Text("Add."),
)
def f(x: int, y: int, z: int = 0) -> int:
    """Add.

    Parameters
    ----------
    x : int
        The first.
    y
        The second.
    z : int, optional
        The third.

    Returns
    -------
    int
        The sum.
    """


@probe(
    "D37-sphinx-with-the-type-in-the-field",
    properties={
        "y": {"type": "string", "description": "A text."},
        "z": {"type": "integer", "description": "A number."},
    },
    required=["y", "z"],
    description="Do it.",
)
def f(y: str, z: int):
    """Do it.

    :param y: A text.
    :param int z: A number.
    """


@probe(
    "D37-google-docstring-is-dedented-and-its-args-move-out",
    properties={"x": {"type": "integer", "description": "A number."}},
    required=["x"],
    output=INT,
    description="Do it.\n\nAt length:\n    and indented.\n\nReturns:\n    Another number.",
)
def f(x: int) -> int:
    """Do it.

    At length:
        and indented.

    Args:
        x: A number.

    Returns:
        Another number.
    """


@probe(
    "D39-parameters-named-like-our-own",
    properties={"name": STR, "arguments": INT, "tool": INT, "target": INT, "self": INT},
    required=["name", "arguments", "tool", "target", "self"],
    bind=[
        (
            {"name": "x", "arguments": 1, "tool": 2, "target": 3, "self": 4},
            {"name": "x", "arguments": 1, "tool": 2, "target": 3, "self": 4},
        )
    ],
)
def f(name: str, arguments: int, tool: int, target: int, self: int): ...


class Tree(BaseModel):
    left: Optional["Tree"] = Field(None, description="The smaller ones.")
    right: Optional["Tree"] = Field(None, description="The larger ones.")


@probe(
    "D42-a-recursive-reference-with-words-beside-it",
    properties={"tree": {"$ref": "#/$defs/Tree", "description": "Where to look."}},
    required=["tree"],
    definitions={
        "Tree": obj(
            {
                "left": {"$ref": "#/$defs/Tree", "description": "The smaller ones."},
                "right": {"$ref": "#/$defs/Tree", "description": "The larger ones."},
            }
        )
    },
    bind=[({"tree": {"left": {}}}, {"tree": Tree(left=Tree())})],
)
def f(tree: Annotated[Tree, "Where to look."]): ...


@probe(
    "D42-a-map-stays-a-map-and-an-optional-stays-optional",
    properties={"scores": {"type": "object", "additionalProperties": INT}, "n": INT},
    required=["scores"],
    bind=[({"scores": {"a": 1}}, {"scores": {"a": 1}, "n": None})],
)
def f(scores: dict[str, int], n: Optional[int] = None): ...
