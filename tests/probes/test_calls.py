"""Every probe of the research files that concerns a call, with the right outcome, in every way.

An id names the file and the number of the probe: `plat` and `omni` are seeds-platools-omni.md,
`D` and `T` seeds-openmcp-toolslm-ophis.md, `W` and `P` peers.md, `U` users.md.
"""

import asyncio
import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import math
import pathlib
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union

import mcp_types
import pytest
from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict, Unpack

from toolwright import Fixed, Tool, Toolbox, ToolError

from ways import WAYS, box_of, compact, payload_by, text_of

CASES = []
MISSING = object()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """One call and what must come of it; exactly one of gives, text, blocks, error or holds."""

    id: str
    target: Any
    arguments: Any
    options: dict[str, Any]
    gives: Any = MISSING
    """The bare structured content; its text is the same as compact JSON."""
    closed: bool = True
    """The root is an object for every client; else an old one gets it boxed."""
    nullable: bool = False
    """The root may be null: structured content is boxed in both eras."""
    text: Any = MISSING
    """The only text; there is no structured content."""
    blocks: Any = MISSING
    """The exact content; there is no structured content."""
    error: Any = MISSING
    """What an error says, in pieces."""
    hides: Sequence[str] = ()
    """What no word of it may say."""
    holds: Any = MISSING
    """A check of the whole payload, where more than one outcome is right."""
    repairs: Any = MISSING
    """The codes of the repairs made."""
    value: Any = MISSING
    """The Python value."""


def probe(id, arguments=None, options=None, **expected):
    def add(target):
        expected.setdefault("repairs", [] if "error" not in expected else MISSING)
        CASES.append(
            Case(id=id, target=target, arguments=arguments, options=options or {}, **expected)
        )
        return target

    return add


# -- types that many probes share


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Inner(BaseModel):
    a: int
    b: str = "b"


class Outer(BaseModel):
    inner: Inner
    many: list[Inner] = []


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Aliased(BaseModel):
    user_id: int = Field(alias="userId")
    model_config = {"populate_by_name": True}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@dataclasses.dataclass
class Titled:
    title: str
    when: datetime.datetime | None = None


class Pair(NamedTuple):
    a: int
    b: str


class Query(TypedDict):
    q: str
    limit: NotRequired[int]


class Plain:
    x: int

    def __init__(self, x: int) -> None:
        self.x = x


DATE = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG_BLOCK = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}


def text_block(text):
    return {"type": "text", "text": text}


# -- platools 39-48


@probe("plat-39 a nested model arrives as a model", {"m": {"inner": {"a": 1}}}, gives=1)
def model_argument(m: Outer) -> int:
    assert isinstance(m.inner, Inner)
    return m.inner.a


@probe("plat-40 text for an int is read as one", {"n": "5"}, gives=5, repairs=["json"])
@probe("plat-40 a word for an int is refused", {"n": "abc"}, error=["`n`", "integer", '"abc"'])
@probe("plat-40 null for a required int is refused", {"n": None}, error=["`n`", "integer", "null"])
def integer_argument(n: int) -> int:
    assert type(n) is int
    return n


@probe("plat-41 bounds are kept", {"n": 999}, error=["`n`", "at most 100", "999"])
@probe("plat-41 a bound itself is allowed", {"n": 100}, gives=100)
@probe("D6 bounds are enforced", {"n": 0}, error=["`n`", "at least 1", "0"])
@probe("D7 a default in Annotated counts", {}, gives=3)
def bounded(n: Annotated[int, Field(ge=1, le=100)] = 3) -> int:
    return n


@probe("D7 a Field as the default is not passed on", {}, gives=3)
@probe("D7 a Field's bound is enforced", {"n": 0}, error=["`n`", "at least 1"])
def field_default(n: int = Field(3, ge=1)) -> int:
    return n


@probe("plat-42 an unknown argument is named", {"a": 1, "zz": 2}, error=["unknown argument `zz`"])
@probe("D2 a missing argument is named", {}, error=["missing argument `a`"])
@probe("T34 an unknown argument has a suggestion", {"a": 1, "bb": 2}, error=["did you mean `b`"])
@probe("P34 unknown arguments are not dropped", {"a": 1, "extra": 1}, error=["`extra`"])
@probe("U19 a known noise key is left out", {"a": 1, "toolCallId": "x"}, gives=1, repairs=["noise"])
def two(a: int, b: int = 0) -> int:
    return a + b


@probe(
    "plat-43 dates, enums and paths arrive as themselves",
    {"when": "2026-01-02T03:04:05Z", "color": "red", "path": "/tmp/x"},
    text="ok",
)
def typed_arguments(when: datetime.datetime, color: Color, path: pathlib.Path) -> str:
    assert (when, color, path) == (DATE, Color.RED, pathlib.Path("/tmp/x"))
    return "ok"


@probe("plat-44 a list of models", gives=[{"a": 1, "b": "b"}, {"a": 2, "b": "b"}])
def models() -> list[Inner]:
    return [Inner(a=1), Inner(a=2)]


@probe("plat-44 a map of models", gives={"k": {"a": 1, "b": "b"}})
def map_of_models() -> dict[str, Inner]:
    return {"k": Inner(a=1)}


@probe("plat-44 models without a declared type", text='[{"a":1,"b":"b"}]')
def undeclared_models():
    return [Inner(a=1)]


@probe("plat-44 a dataclass", gives={"x": 1, "y": 0})
def dataclass_result() -> Point:
    return Point(1)


@probe("plat-44 a dataclass without a declared type", text='{"x":1,"y":0}')
def undeclared_dataclass():
    return Point(1)


@probe("plat-44 a set", gives=[1])
def set_result() -> set[int]:
    return {1}


@probe("plat-44 a set without a declared type", text="[1]")
def undeclared_set():
    return {1}


@probe(
    "plat-44 keys that are tuples are no Python text",
    holds=lambda seen: seen["isError"] or "(" not in text_of(seen),
    repairs=MISSING,
)
def tuple_keys():
    return {(1, 2): 3}


def finite_or_error(seen):
    """NaN in valid JSON, or a clear error."""
    if seen["isError"]:
        return "finite" in text_of(seen)
    return "NaN" not in compact(seen).replace('"NaN"', "")


for name, number in (("NaN", math.nan), ("inf", math.inf), ("-inf", -math.inf)):

    @probe(f"plat-44 {name} without a declared type", holds=finite_or_error)
    def undeclared_number(number: Annotated[float, Fixed(number)]):
        return number

    @probe(f"W4 {name} as a float", holds=finite_or_error)
    def declared_number(number: Annotated[float, Fixed(number)]) -> float:
        return number

    @probe(f"D29 {name} in a list", holds=finite_or_error)
    def number_in_list(number: Annotated[float, Fixed(number)]) -> list[float]:
        return [1.0, number]

    @probe(f"omni {name} in a dict", holds=finite_or_error)
    def number_in_dict(number: Annotated[float, Fixed(number)]) -> dict[str, Any]:
        return {"a": [number]}


@probe("plat-45 a generator is drained", gives=[0, 1, 2])
def generator() -> Iterator[int]:
    yield from range(3)


@probe("plat-45 an async generator is drained", gives=[0, 1])
async def async_generator() -> AsyncIterator[int]:
    yield 0
    yield 1


@probe("T21 a generator without a declared type is drained", text="[0,1]")
def undeclared_generator():
    yield 0
    yield 1


@probe("D13 an async generator without a declared type is drained", text="[0,1]")
async def undeclared_async_generator():
    yield 0
    yield 1


@probe("P43 a generator of text is joined", text="abc")
def text_generator() -> Iterator[str]:
    yield "a"
    yield "bc"


@probe("plat-46 a value that breaks its type is an error", error=["result", "int"])
def breaks_its_type() -> int:
    return "text"  # pyright: ignore


@probe("P40 a bad dict for a model names the field", error=["result.a"])
def breaks_its_model() -> Inner:
    return {"a": "x"}  # pyright: ignore


@probe("P40 a good dict for a model is taken", gives={"a": 1, "b": "b"})
def dict_for_model() -> Inner:
    return {"a": 1}  # pyright: ignore


@probe("plat-48 SystemExit is contained", error=["probe"])
@probe("W3 sys.exit is contained", error=["probe"])
@probe("T50 sys.exit in a tool is contained", error=["probe"])
def exits() -> int:
    sys.exit(3)


@probe("plat-48 SystemExit in an async tool is contained", error=["probe"])
async def exits_async() -> int:
    raise SystemExit(3)


@probe("W3 KeyboardInterrupt is contained", error=["probe"])
def interrupted() -> int:
    raise KeyboardInterrupt


@probe("W3 KeyboardInterrupt in an async tool is contained", error=["probe"])
async def interrupted_async() -> int:
    raise KeyboardInterrupt


class Odd(BaseException):
    pass


@probe("W3 any BaseException is contained", error=["probe"], hides=["secret"])
def odd() -> int:
    raise Odd("secret")


@probe("W3 any BaseException of an async tool is contained", error=["probe"], hides=["secret"])
async def odd_async() -> int:
    raise Odd("secret")


# -- omni 2.2


@probe("omni bytes without a declared type", holds=lambda seen: not seen["isError"])
@probe("omni an image as bytes", blocks=[PNG_BLOCK])
def undeclared_bytes():
    return PNG


@probe("omni a date without a declared type", text='"2026-01-02T03:04:05Z"')
def undeclared_date():
    return DATE


@probe("omni a model without a declared type", text='{"a":1,"b":"b"}')
def undeclared_model():
    return Inner(a=1)


@probe("omni success false is data", gives={"success": False})
def success_false() -> dict[str, Any]:
    return {"success": False}


@probe("omni status error is data", gives={"status": "error"})
def status_error() -> dict[str, Any]:
    return {"status": "error"}


@probe("omni a result of an image only", blocks=[PNG_BLOCK])
def image_only():
    return {"content": [PNG_BLOCK], "isError": False}


@probe("omni a result of text and image", blocks=[text_block("t"), PNG_BLOCK])
def text_and_image():
    return {"content": [text_block("t"), PNG_BLOCK], "isError": False}


@probe(
    "omni structured content and meta are kept",
    holds=lambda seen: (
        seen["structuredContent"] == {"a": 1}
        and seen["_meta"] == {"k": "v"}
        and not seen["isError"]
    ),
)
def full_result():
    return {
        "content": [text_block("t")],
        "isError": False,
        "structuredContent": {"a": 1},
        "_meta": {"k": "v"},
    }


@probe("omni an error result stays an error", error=["it is closed"])
def error_result():
    return {"content": [text_block("it is closed")], "isError": True}


@probe(
    "omni isError must be a boolean to be a result",
    holds=lambda seen: seen["isError"] is True or '"isError":"no"' in text_of(seen),
    repairs=MISSING,
)
def bad_flag():
    return {"content": [text_block("t")], "isError": "no"}


@probe("omni no content is no result but data", text='{"content":[],"isError":false}')
def empty_content():
    return {"content": [], "isError": False}


@probe("omni None is visible", text="null")
@probe("U25 None is visible", text="null")
def nothing() -> None:
    return None


@probe("omni None without a declared type is visible", text="null")
def undeclared_nothing():
    return None


@probe("omni an empty dict is no failure", gives={})
def empty_dict() -> dict[str, int]:
    return {}


@probe("omni an empty list is no failure", gives=[])
@probe("U25 an empty list is visible", gives=[])
def empty_list() -> list[int]:
    return []


@probe("omni an empty list without a declared type is visible", text="[]")
def undeclared_empty_list():
    return []


@probe("omni arguments may be null", None, text="ok")
@probe("omni arguments may be empty", {}, text="ok")
def no_arguments() -> str:
    return "ok"


@probe("omni an exception is an error result", error=["ValueError: no"])
def raises() -> str:
    raise ValueError("no")


# -- openmcp D1-D47


@probe("D1 a bad argument never runs the function", {"a": "notint"}, error=["`a`", '"notint"'])
def must_not_run(a: int) -> int:
    raise AssertionError("it ran")


def future_types():
    space: dict[str, Any] = {"__name__": __name__, "Inner": Inner, "Point": Point}
    exec(
        "from __future__ import annotations\n"
        "from pathlib import Path\n"
        "from datetime import datetime\n"
        "from typing import Optional\n"
        "def future(m: Inner, p: Path, d: datetime, o: Optional[Point] = None) -> list[Inner]:\n"
        "    assert isinstance(p, Path) and isinstance(d, datetime)\n"
        "    assert o is None or isinstance(o, Point)\n"
        "    return [m]\n",
        space,
    )
    return space["future"]


probe(
    "D4 annotations that are text (from __future__)",
    {"m": {"a": 1}, "p": "x", "d": "2026-01-01T00:00:00"},
    gives=[{"a": 1, "b": "b"}],
)(future_types())
probe(
    "T3 T38 text annotations of a function without source",
    {"m": {"a": 1}, "p": "x", "d": "2026-01-01T00:00:00", "o": {"x": 1}},
    gives=[{"a": 1, "b": "b"}],
)(future_types())


@probe("D5 null where the default is None", {"limit": None}, text="None", repairs=MISSING)
@probe("T4 left out where the default is None", {}, text="None")
def implicit_optional(limit: int = None) -> str:  # pyright: ignore
    return str(limit)


@probe("D8 a model is a model", {"m": {"a": 4}}, gives=4)
def uses_attribute(m: Inner) -> int:
    return m.a


@probe("D9 an enum is an enum", {"c": "blue"}, text="BLUE")
@probe("D9 an enum's default is an enum", {}, text="RED")
@probe("D9 a bad enum value lists the right ones", {"c": "nope"}, error=['"red"', '"blue"'])
@probe("P7 an enum by its member's name", {"c": "BLUE"}, text="BLUE", repairs=["choice"])
def enum_argument(c: Color = Color.RED) -> str:
    assert isinstance(c, Color)
    return c.name


@probe("D10 a field named title", gives={"title": "t", "when": None})
def titled() -> Titled:
    return Titled("t")


@probe("D11 a parameter named title", {"title": "t"}, text="t")
def titled_argument(title: str) -> str:
    return title


@probe("D12 a TypedDict in and out", {"q": {"q": "x"}}, gives={"q": "x"})
@probe("T9 a TypedDict's optional key", {"q": {"q": "x", "limit": 2}}, gives={"q": "x", "limit": 2})
@probe("T9 a TypedDict's missing key", {"q": {}}, error=["`q.q`", "missing"])
def typed_dict(q: Query) -> Query:
    return q


@probe("D13 an async function", {"a": 1}, gives=2)
async def async_function(a: int) -> int:
    await asyncio.sleep(0)
    return a + 1


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    def sell(self, count: int) -> str:
        return f"{self.name} {count}"

    @classmethod
    def make(cls, count: int) -> str:
        return f"{cls.__name__} {count}"

    @staticmethod
    def rest(count: int) -> str:
        return f"rest {count}"

    def __call__(self, count: int) -> str:
        return f"called {count}"


probe("D14 T20 a bound method", {"count": 2}, text="shop 2")(Shop("shop").sell)
probe("T20 a class method", {"count": 2}, text="Shop 2")(Shop.make)
probe("T20 a static method", {"count": 2}, text="rest 2")(Shop.rest)
probe("D15 P22 a callable object", {"count": 2}, text="called 2")(Shop("shop"))
probe("D15 P22 a partial", {"b": 2}, gives=7)(functools.partial(two, 5))


def fetch(url: str, api_key: str = "none") -> str:
    return f"{url} {len(api_key)}"


SECRET = functools.partial(fetch, api_key="sk-SECRET")
probe("W7 what a partial binds is used", {"url": "u"}, text="u 9", hides=["SECRET"])(SECRET)
probe(
    "W7 what a partial binds cannot be set",
    {"url": "u", "api_key": "x"},
    error=["unknown argument `api_key`"],
    hides=["SECRET"],
)(SECRET)


@probe(
    "D16 a recursive model",
    gives={"name": "a", "children": [{"name": "b", "children": []}]},
)
def tree() -> Node:
    return Node(name="a", children=[Node(name="b")])


@probe("D17 a model in a model", gives={"inner": {"a": 1, "b": "b"}, "many": []})
def nested_result() -> Outer:
    return Outer(inner=Inner(a=1))


@probe("D18 an optional model", gives={"a": 1, "b": "b"}, nullable=True)
def optional_model() -> Optional[Inner]:
    return Inner(a=1)


@probe("D18 no model", gives=None, nullable=True)
def no_model() -> Optional[Inner]:
    return None


@probe("D18 a union of models", gives={"x": 1, "y": 0}, closed=False)
def union_of_models() -> Union[Inner, Point]:
    return Point(1)


@probe("D19 P19 T18 *args", {"args": [1, 2]}, gives=[1, 2])
@probe("D19 *args may be left out", {}, gives=[])
@probe("P19 *args are checked", {"args": ["x"]}, error=["`args[0]`"])
def variadic(*args: int) -> list[int]:
    return list(args)


@probe("D19 P20 T18 **kwargs", {"a": 1, "b": 2}, gives={"a": 1, "b": 2})
@probe("P20 **kwargs are checked", {"a": "x"}, error=["`a`", "integer"])
def keywords(**kwargs: int) -> dict[str, int]:
    return kwargs


@probe("P20 **kwargs of a TypedDict", {"q": "x", "limit": 3}, gives={"q": "x", "limit": 3})
def unpacked(**kwargs: Unpack[Query]) -> dict[str, Any]:
    return dict(kwargs)


@probe("D19 P21 T19 positional-only", {"a": 1, "b": 2}, gives=-1)
@probe("P21 a positional-only default", {"a": 1}, gives=1)
def positional_only(a: int, b: int = 0, /) -> int:
    return a - b


@probe(
    "T18 every kind at once", {"a": 1, "args": [2, 3], "k": 4, "z": "s"}, gives=[1, [2, 3], 4, "s"]
)
def every_kind(a: int, /, *args: int, k: int = 0, **rest: str) -> list[Any]:
    return [a, list(args), k, rest["z"]]


@probe(
    "D20 T22 T24 paths, dates, decimals, uuids and bytes",
    {
        "p": "/x",
        "d": "2026-01-02T03:04:05Z",
        "m": "1.10",
        "u": "12345678-1234-5678-1234-567812345678",
        "b": "aGk=",
    },
    text="ok",
    repairs=MISSING,
)
def built(p: pathlib.Path, d: datetime.datetime, m: decimal.Decimal, u: uuid.UUID, b: bytes) -> str:
    assert p == pathlib.Path("/x")
    assert d == DATE
    assert (m, type(m)) == (decimal.Decimal("1.10"), decimal.Decimal)
    assert u == uuid.UUID("12345678-1234-5678-1234-567812345678")
    assert b == b"hi"
    return "ok"


@probe("T23 P11 bytes come as base64", {"b": "aGk="}, text="hi")
@probe("T23 bytes that are no base64", {"b": "!!"}, error=["`b`", "base64"])
def takes_bytes(b: bytes) -> str:
    return b.decode()


@probe(
    "D21 T25 tuples, sets and frozensets",
    {"t": [1, "a"], "s": [1, 1], "f": ["x"]},
    text="ok",
)
def collections_(t: tuple[int, str], s: set[int], f: frozenset[str]) -> str:
    assert (t, s, f) == ((1, "a"), {1}, frozenset({"x"}))
    return "ok"


@probe(
    "T13 abstract collections",
    {"s": [1], "m": {"a": 1}, "i": [1, 2], "d": [1]},
    text="3",
)
def abstract(
    s: Sequence[int], m: Mapping[str, int], i: Iterable[int], d: collections.deque[int]
) -> str:
    assert isinstance(d, collections.deque)
    return str(sum(i) + s[0] - m["a"] * d[0])


@probe("D24 P53 a discriminated union", {"pet": {"kind": "dog", "bark": "wuff"}}, text="Dog")
@probe("P53 an unknown kind", {"pet": {"kind": "cow"}}, error=["pet", "cat", "dog"])
@probe("P53 a fault inside an arm", {"pet": {"kind": "cat", "lives": "x"}}, error=["`pet.lives`"])
def discriminated(pet: Annotated[Cat | Dog, Field(discriminator="kind")]) -> str:
    return type(pet).__name__


@probe("D25 a pair", gives=[1, 2])
def pair() -> tuple[int, int]:
    return (1, 2)


@probe("D25 a pair without a declared type", text="[1,2]")
def undeclared_pair():
    return (1, 2)


@probe("D25 P17 a NamedTuple", gives=[1, "a"])
def named_tuple() -> Pair:
    return Pair(1, "a")


@probe("D26 P12 bytes", holds=lambda seen: not seen["isError"] and "structuredContent" not in seen)
@probe(
    "P12 bytes are a block with a MIME type",
    blocks=[
        {
            "type": "resource",
            "resource": {
                "uri": "file:///data",
                "mimeType": "application/octet-stream",
                "blob": base64.b64encode(b"\xff\xfe\x00").decode(),
            },
        }
    ],
)
def bytes_result() -> bytes:
    return b"\xff\xfe\x00"


@probe("U26 an image as declared bytes", blocks=[PNG_BLOCK])
def image_bytes() -> bytes:
    return PNG


@probe(
    "P13 bytes in a map are base64 text",
    holds=lambda seen: (
        not seen["isError"]
        and base64.urlsafe_b64decode(seen["structuredContent"]["k"]) == b"\xff\xfe"
    ),
)
def bytes_in_map() -> dict[str, bytes]:
    return {"k": b"\xff\xfe"}


@probe("D26 a date", gives="2026-01-02T03:04:05Z")
def date_result() -> datetime.datetime:
    return DATE


@probe("D26 P16 a decimal", gives="1.10")
def decimal_result() -> decimal.Decimal:
    return decimal.Decimal("1.10")


@probe("D26 P8 an enum", gives="red")
def enum_result() -> Color:
    return Color.RED


@probe("P8 an int enum", gives=2)
def int_enum_result() -> Size:
    return Size.LARGE


@probe("P10 a flag in and out", {"r": 3}, gives=3)
def flags(r: Rights) -> Rights:
    assert r == Rights.READ | Rights.WRITE
    return r


@probe("D27 a dataclass with a date", gives={"title": "t", "when": "2026-01-02T03:04:05Z"})
def dated() -> Titled:
    return Titled("t", DATE)


@probe("D27 a dict with a date and a path", gives={"d": "2026-01-02T03:04:05Z", "p": "/x"})
def dict_of_objects() -> dict[str, Any]:
    return {"d": DATE, "p": pathlib.Path("/x")}


@probe("D28 P52 an alias out", gives={"userId": 1})
def aliased_result() -> Aliased:
    return Aliased(userId=1)


@probe("P52 an alias in", {"u": {"userId": 2}}, gives=2)
def aliased_argument(u: Aliased) -> int:
    return u.user_id


@probe("plat-32 a parameter's alias", {"theX": 3}, gives=3)
def alias_parameter(x: Annotated[int, Field(alias="theX")]) -> int:
    return x


@probe("D30 a dict with a content key is data", gives={"content": [], "path": "p"})
def content_key() -> dict[str, Any]:
    return {"content": [], "path": "p"}


@probe(
    "D31 a CallToolResult keeps everything",
    holds=lambda seen: (
        seen["isError"]
        and [block["text"] for block in seen["content"]] == ["one", "two"]
        and seen["structuredContent"] == {"a": 1}
        and seen["_meta"]["k"] == "v"
    ),
    repairs=MISSING,
)
def protocol_result():
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(text="one"), mcp_types.TextContent(text="two")],
        is_error=True,
        structured_content={"a": 1},
        _meta={"k": "v"},
    )


@probe(
    "P49 a CallToolResult that is declared is passed through",
    holds=lambda seen: not seen["isError"] and seen["content"] == [text_block("one")],
)
def declared_protocol_result() -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text="one")])


def image_is_seen(seen):
    return not seen["isError"] and PNG_BLOCK in seen["content"]


@probe("D32 an image in a declared list is seen", holds=image_is_seen)
def mixed_list() -> list:
    return ["a", mcp_types.ImageContent(data=PNG_BLOCK["data"], mime_type="image/png")]


@probe(
    "D32 an image in a list without a declared type",
    blocks=[text_block("a"), PNG_BLOCK],
)
def undeclared_mixed_list():
    return ["a", mcp_types.ImageContent(data=PNG_BLOCK["data"], mime_type="image/png")]


@probe("D32 dicts that are blocks", blocks=[text_block("a"), PNG_BLOCK])
def block_dicts():
    return [text_block("a"), PNG_BLOCK]


@probe("D33 W6 an unexpected error is masked", error=["reference"], hides=["hunter2"])
def leaks() -> str:
    raise RuntimeError("secret=hunter2")


@probe("D34 a TypeError of the body is no argument error", error=["reference"], hides=["len()"])
def type_error_inside() -> int:
    return len(5)  # pyright: ignore


class Code(enum.Enum):
    NOT_FOUND = "NOT_FOUND"


@probe("D35 a code may be an enum", error=["nope"], hides=["Code.", "ToolErrorCode"])
def coded() -> str:
    raise ToolError("nope", code=Code.NOT_FOUND)  # pyright: ignore


@probe("D39 an argument named name", {"name": "x", "arguments": 1, "self": 2}, text="x 1 2")
def awkward(name: str, arguments: int, self: int) -> str:
    return f"{name} {arguments} {self}"


@probe("P50 arguments named model_config and _x", {"model_config": 1, "_x": 2}, gives=3)
def odd_names(model_config: int, _x: int) -> int:
    return model_config + _x


# -- toolslm T1-T51


@probe(
    "T8 nested dicts become nested models",
    {"o": {"inner": {"a": 1}, "many": [{"a": 2}]}},
    text="ok",
)
def nested_argument(o: Outer) -> str:
    assert isinstance(o.inner, Inner)
    assert isinstance(o.many[0], Inner)
    return "ok"


@probe("T10 a dataclass is checked", {"p": {"x": "notint"}}, error=["`p.x`", "integer"])
@probe("T10 a dataclass arrives as one", {"p": {"x": 1}}, gives={"x": 1, "y": 0})
def dataclass_argument(p: Point) -> Point:
    assert isinstance(p, Point)
    return p


@probe("T12 a literal is checked", {"mode": "c"}, error=["`mode`", '"a"', '"b"'])
@probe("T12 a literal by case", {"mode": "A"}, text="a", repairs=["choice"])
def literal(mode: Literal["a", "b"]) -> str:
    return mode


@probe("T28 an optional dataclass", {"p": {"x": 1}}, text="Point")
@probe("T28 no optional dataclass", {"p": None}, text="NoneType")
def optional_dataclass(p: Optional[Point]) -> str:
    return type(p).__name__


@probe("T29 an optional path", {"p": "/x"}, text="/x")
def optional_path(p: Optional[pathlib.Path] = None) -> str:
    assert isinstance(p, pathlib.Path)
    return str(p)


@probe("T30 a list of dataclasses", {"ps": [{"x": 1}, {"x": 2}]}, gives=3)
def list_of_dataclasses(ps: list[Point]) -> int:
    return sum(p.x for p in ps)


@probe("T31 P29 a list as text", {"xs": "[1, 2]"}, gives=[1, 2], repairs=["json"])
@probe("T31 no list as text", {"xs": "x, y"}, error=["`xs`", "list"])
@probe("U4 a list of numbers as text", {"xs": ["1", "2"]}, gives=[1, 2], repairs=["json", "json"])
def list_argument(xs: list[int]) -> list[int]:
    return xs


@probe("T32 a dict as JSON text", {"d": '{"a": true}'}, gives={"a": True}, repairs=["json"])
@probe("U4 a dict as Python text", {"d": "{'a': True}"}, gives={"a": True}, repairs=["json"])
def dict_argument(d: dict[str, bool]) -> dict[str, bool]:
    return d


@probe("U4 P29 a model as text", {"m": '{"a": 1}'}, gives={"a": 1, "b": "b"}, repairs=["json"])
def model_as_text(m: Inner) -> Inner:
    return m


@probe("U4 a number as text", {"n": "1.5", "b": "true"}, gives=[1.5, True], repairs=MISSING)
def scalars(n: float, b: bool) -> list[Any]:
    return [n, b]


@probe("U4 one empty text does not drop the others", {"a": "", "b": 2}, gives=["", 2])
def empty_text(a: str, b: int) -> list[Any]:
    return [a, b]


@probe("T35 no traceback and no path", error=["ValueError: bad"], hides=[".py", "File"])
def fails() -> str:
    raise ValueError("bad")


# -- peers W and P


@probe("W2 a lone surrogate", text="a\ufffdb")
def surrogate() -> str:
    return "a\udc80b"


@probe("W2 a lone surrogate in a list", gives=["a\ufffdb"])
def surrogates() -> list[str]:
    return ["a\udc80b"]


@probe("W2 a lone surrogate in a model", gives={"a": 1, "b": "\ufffd"})
def surrogate_in_model() -> Inner:
    return Inner.model_construct(a=1, b="\udc80")


@probe("W2 a lone surrogate in a dataclass", gives={"title": "\ufffd", "when": None})
def surrogate_in_dataclass() -> Titled:
    return Titled("\udc80")


@probe("W2 a lone surrogate without a declared type", text='["\ufffd"]')
def undeclared_surrogate():
    return ["\udc80"]


@probe(
    "W2 a lone surrogate as a key",
    holds=lambda seen: set("".join(seen["structuredContent"])) == {"\ufffd"},
)
def surrogate_key() -> dict[str, int]:
    return {"\udc80": 1}


@probe("W2 a lone surrogate in an error", error=["ValueError: a"])
def surrogate_in_error() -> str:
    raise ValueError("a\udc80")


@probe(
    "W8 a protocol result is passed through",
    holds=lambda seen: not seen["isError"] and seen["content"] == [text_block("t")],
)
def protocol_list():
    return mcp_types.CallToolResult(content=[mcp_types.TextContent(text="t")])


@probe(
    "W17 an error is short",
    {"n": "x"},
    holds=lambda seen: seen["isError"] and len(text_of(seen)) < 100,
    repairs=MISSING,
)
def short_error(n: int) -> int:
    return n


@probe("W18 an integer beyond 4300 digits is an error", error=["digits"])
def huge() -> int:
    return 10**5000


@probe("W18 such an integer without a declared type", error=["digits"])
def undeclared_huge():
    return [10**5000]


@probe("W18 such an integer in a dict", error=["digits"])
def huge_in_dict() -> dict[str, Any]:
    return {"n": -(10**5000)}


@probe("W18 4300 digits are still sent", holds=lambda seen: not seen["isError"])
def large() -> int:
    return 10**4299


@probe("U25 integers beyond 2**53 stay exact", gives=2**53 + 1)
def exact() -> int:
    return 2**53 + 1


@probe("U25 integers beyond 64 bits stay exact", gives={"n": 2**200 + 1})
def exact_in_dict() -> dict[str, int]:
    return {"n": 2**200 + 1}


@probe("U25 large integers in arguments stay exact", {"n": 2**70 + 1}, gives=2**70 + 1)
def exact_argument(n: int) -> int:
    return n


@probe("P16 decimals come in as text", {"d": "1.10"}, gives="1.10")
@probe("P16 decimals come in as numbers", {"d": 1.5}, gives="1.5")
def decimal_argument(d: decimal.Decimal) -> decimal.Decimal:
    assert isinstance(d, decimal.Decimal)
    return d


@probe("P18 a NamedTuple in", {"p": [1, "a"]}, gives=[1, "a"])
def named_tuple_argument(p: Pair) -> Pair:
    assert isinstance(p, Pair)
    return p


@functools.lru_cache
def cached(a: int) -> int:
    return a


probe("P23 a cached function", {"a": 1}, gives=1)(cached)
probe("P25 a plain class", {"x": 1}, holds=lambda seen: "0x" not in text_of(seen), repairs=MISSING)(
    Plain
)


@functools.singledispatch
def dispatched(a: int) -> int:
    return a


probe("P26 a singledispatch function", {"a": 1}, gives=1)(dispatched)


@probe("P27 a default that is not finite", {}, text="inf")
def infinite(x: float = math.inf) -> str:
    return str(x)


NOT_GIVEN: Any = object()


@probe("P28 a sentinel as the default", {}, text="left out")
@probe("P28 a value instead of the sentinel", {"x": 1}, text="given")
def sentinel(x: int = NOT_GIVEN) -> str:
    return "left out" if x is NOT_GIVEN else "given"


for text in ("[1,2]", "null", '{"a":1}', "5", "true", ""):

    @probe(f"P30 an optional str keeps {text!r}", {"s": text}, gives=text, nullable=True)
    def optional_text(s: Optional[str] = None) -> Optional[str]:
        return s


@probe("P31 a union with str keeps text", {"s": "[1,2]"}, text="str")
@probe("P31 a union with str takes a list", {"s": [1, 2]}, text="list")
def text_or_list(s: str | list[int]) -> str:
    return type(s).__name__


@probe("P32 true is no integer", {"i": True}, error=["`i`", "integer", "true"])
@probe("P32 1 is no boolean", {"b": 1}, error=["`b`", "true or false", "1"])
@probe("P32 yes for a boolean is a repair", {"b": "yes"}, text="True", repairs=["boolean"])
@probe("P32 nan is no number", {"f": "nan"}, error=["`f`", "number"])
@probe("P32 0 is no date", {"d": 0}, error=["`d`"])
@probe("P33 null where there is a default", {"i": None}, text="5 None", repairs=["absent"])
def lax(
    i: int = 5, b: bool | None = None, f: float = 0.0, d: datetime.datetime | None = None
) -> str:
    return f"{i} {b}" if b is None else str(b)


@probe("P41 a plain annotated class out", gives={"x": 1})
def plain_class() -> Plain:
    return Plain(1)


@probe("P41 a plain annotated class without a declared type", text='{"x":1}')
def undeclared_plain_class():
    return Plain(1)


class Wide(Inner):
    more: int = 9


def agree(seen):
    import json

    shown = seen["structuredContent"]
    shown = shown.get("result", shown) if isinstance(shown, dict) else shown
    return not seen["isError"] and json.loads(text_of(seen)) == shown


@probe("P42 a subclass: text and structured content agree", holds=agree)
def subclass() -> Inner:
    return Wide(a=1)


@probe("P42 a list of subclasses: text and structured content agree", holds=agree)
def subclasses() -> list[Inner]:
    return [Wide(a=1)]


@probe("P44 a sync function that returns a coroutine", gives=2)
def returns_coroutine() -> int:
    return async_function(1)  # pyright: ignore


@probe("P45 a map with integer keys", {"d": {"1": "a"}}, gives={"2": "b"})
def integer_keys(d: dict[int, str]) -> dict[int, str]:
    assert d == {1: "a"}
    return {2: "b"}


@probe("P46 a bare dict", gives={"a": 1})
def bare_dict() -> dict:
    return {"a": 1}


@probe("P46 a list without a declared type is one block", text="[1,2,3]")
def undeclared_list():
    return [1, 2, 3]


@probe("U10 a list is one block of compact text", gives=[{"a": "é", "b": [1, 2]}])
def rows() -> list[dict[str, Any]]:
    return [{"a": "é", "b": [1, 2]}]


@probe("U10 text is sent once", text='日本語\n"quoted" \\ back')
def text_once() -> str:
    return '日本語\n"quoted" \\ back'


@probe("P47 object", text='{"a":1}')
def any_object() -> object:
    return {"a": 1}


@probe(
    "P48 a tuple of blocks and a dict loses nothing",
    holds=lambda seen: (
        not seen["isError"] and "one" in text_of(seen) and '{"a":1}' in text_of(seen)
    ),
)
def content_tuple():
    return ([mcp_types.TextContent(text="one")], {"a": 1})


@probe("P49 a CallToolResult or None", text="null")
def maybe_protocol_result() -> mcp_types.CallToolResult | None:
    return None


@probe("P51 a callable with a default is left alone", {"a": 1}, {"on_unsupported": "skip"}, gives=2)
def with_callback(a: int, key: Annotated[Any, Fixed(lambda n: n + 1)]) -> int:
    return key(a)


class Opaque:
    __slots__ = ()


@probe("P54 a value nobody can write", error=["Opaque"])
def unwritable() -> dict[str, Any]:
    return {"a": Opaque()}


@probe("P54 a cycle", error=["probe"])
def cyclic() -> dict[str, Any]:
    made: dict[str, Any] = {}
    made["self"] = made
    return made


@probe("P54 a cycle of lists without a declared type", error=["probe"])
def cyclic_list():
    made: list[Any] = []
    made.append(made)
    return made


@probe("P55 object() is an error", error=["object"])
def bare_object() -> Any:
    return object()


@probe("P56 a literal of many types", {"x": True}, text="True")
@probe("P56 a literal of None", {"x": None}, text="None")
@probe("P56 a literal that is not listed", {"x": 2}, error=["`x`", "one of"])
def mixed_literal(x: Literal[1, "a", None, True]) -> str:
    return str(x)


# -- users D


@probe(
    "U11 a long text is cut and says so",
    options={"max_result": 100},
    holds=lambda seen: seen["content"][0]["text"] == "x" * 100 and "900 of 1000" in text_of(seen),
)
def long_text() -> str:
    return "x" * 1000


@probe(
    "U11 a long list is cut between items",
    options={"max_result": 50},
    holds=lambda seen: not seen["isError"] and agreed_list(seen) and "left out" in text_of(seen),
)
def long_list() -> list[int]:
    return list(range(1000))


def agreed_list(seen):
    import json

    shown = seen["structuredContent"]
    shown = shown["result"] if isinstance(shown, dict) else shown
    return json.loads(seen["content"][0]["text"]) == shown == list(range(len(shown))) != []


@probe("U11 a large object is an error with size and cap", options={"max_result": 50}, error=["50"])
def large_object() -> dict[str, str]:
    return {"a": "x" * 100}


@probe("U21 several faults, one line each", {"a": "x", "b": "y"}, error=["`a`", "`b`", "\n"])
def several(a: int, b: int) -> int:
    return a + b


@probe("U21 a KeyError", error=["KeyError: 'k'"])
def key_error() -> int:
    return {}["k"]


@probe("U21 a missing file", error=["FileNotFoundError"])
def missing_file() -> str:
    return pathlib.Path("/nonexistent/file").read_text()


@probe("U25 sets of dates in a dataclass map", gives={"k": ["2026-01-02"]})
def deep() -> dict[str, set[datetime.date]]:
    return {"k": {datetime.date(2026, 1, 2)}}


@probe("U25 a time, a timedelta and a uuid without a declared type", text='["P1D","12:00:00"]')
def undeclared_times():
    return [datetime.timedelta(days=1), datetime.time(12)]


# -- every one of them


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_probe_ends_in_the_right_result_whichever_way_it_is_called(case, way):
    results = []
    box = box_of(case.target, **case.options)
    payload = payload_by(way, box, "probe", case.arguments, results)
    said = compact(payload)
    for secret in case.hides:
        assert secret not in said
    if case.error is not MISSING:
        assert payload["isError"], said
        assert "structuredContent" not in payload
        for piece in case.error:
            assert piece in text_of(payload)
    elif case.holds is not MISSING:
        assert case.holds(payload), said
    else:
        assert not payload["isError"], said
        assert_value(case, payload, way)
    for result in results:
        if case.repairs is not MISSING:
            assert [repair.code for repair in result.repairs] == list(case.repairs)
        if case.value is not MISSING:
            assert result.value == case.value
            assert type(result.value) is type(case.value)


def assert_value(case, payload, way):
    if case.text is not MISSING:
        assert payload["content"] == [{"type": "text", "text": case.text}]
        assert "structuredContent" not in payload
    elif case.blocks is not MISSING:
        assert payload["content"] == case.blocks
        assert "structuredContent" not in payload
    else:
        is_object = isinstance(case.gives, dict) and case.closed
        boxed = case.nullable or (way == "old client" and not is_object)
        wanted = {"result": case.gives} if boxed else case.gives
        assert compact(payload["structuredContent"]) == compact(wanted)
        assert text_of(payload) == compact(case.gives)


def test_the_ids_of_the_probes_are_unique():
    ids = [case.id for case in CASES]
    assert sorted(ids) == sorted(set(ids))


# -- probes that are more than one call


def call_each_way(box, name, arguments=None):
    return [payload_by(way, box, name, arguments) for way in WAYS]


@pytest.mark.parametrize("way", WAYS)
def test_w9_an_unknown_tool_is_an_error_with_a_suggestion(way):
    payload = payload_by(way, Toolbox("b", {"search": two}), "serach", {})
    assert payload["isError"]
    assert "unknown tool `serach`" in text_of(payload)
    assert "did you mean `search`" in text_of(payload)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name",
    [
        "sums.__globals__.popitem",
        "sums.__globals__",
        "sums.__code__",
        "sums.__call__",
        "__class__",
        "shop.name",
        "shop._hidden",
        "shop.__init__",
        "",
        "sums ",
        "\udc80",
        "x" * 10_000,
    ],
    ids=lambda name: ascii(name)[1:-1][:30],
)
def test_t41_no_name_reaches_what_was_not_registered(way, name):
    if name == "\udc80" and "client" in way:
        pytest.skip("no client can send it")

    def sums() -> str:
        return "ran"

    box = Toolbox("b", {"sums": sums, "shop.sell": Shop("s").sell})
    before = len(sums.__globals__)
    payload = payload_by(way, box, name, {})
    assert payload["isError"]
    assert "unknown tool" in text_of(payload)
    assert len(text_of(payload)) < 400
    assert len(sums.__globals__) == before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["serve", "tools", "call", "call_async", "add", "close", "around"])
def test_d38_a_tool_may_have_the_name_of_a_method_of_the_toolbox(name, way):
    box = Toolbox("b", {name: two})
    assert payload_by(way, box, name, {"a": 1})["content"] == [text_block("1")]
    assert callable(getattr(box, name, two))
    assert box.call(name, {"a": 2}).value == 2


@pytest.mark.parametrize("way", WAYS)
def test_dotted_names_are_called_by_both_their_forms(way):
    box = Toolbox("b", {"shop.orders.list": two})
    assert text_of(payload_by(way, box, "shop.orders.list", {"a": 1})) == "1"
    assert text_of(payload_by(way, box, "shop_orders_list", {"a": 1})) == "1"


def test_d1_a_function_never_runs_on_bad_arguments():
    ran = []

    def record(a: int) -> int:
        ran.append(a)
        return a

    for payload in call_each_way(box_of(record), "probe", {"a": "notint"}):
        assert payload["isError"]
    assert ran == []


def test_d35_the_code_of_an_error_is_plain_text():
    result = box_of(coded).call("probe")
    assert result.error.code == "NOT_FOUND"
    assert result.to_mcp()["_meta"]["toolwright/error"]["code"] == "NOT_FOUND"


def test_d40_t42_a_sync_tool_does_not_hold_the_loop():
    released = threading.Event()

    def waits() -> bool:
        return released.wait(timeout=60)

    async def main():
        call = asyncio.ensure_future(box_of(waits).call_async("probe"))
        await asyncio.sleep(0)
        released.set()
        return await call

    assert asyncio.run(main()).value is True


def test_d47_cancelling_reaches_an_async_tool():
    seen = []

    async def main():
        started = asyncio.Event()

        async def waits() -> int:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise
            return 1

        task = asyncio.ensure_future(box_of(waits).call_async("probe"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["cancelled"]


def test_a_tool_that_raises_cancelled_error_by_itself_gives_an_error_result():
    async def cancels() -> int:
        raise asyncio.CancelledError

    for payload in call_each_way(box_of(cancels), "probe"):
        assert payload["isError"]


def test_a_sync_tool_that_raises_cancelled_error_gives_an_error_result():
    def cancels() -> int:
        raise asyncio.CancelledError

    for payload in call_each_way(box_of(cancels), "probe"):
        assert payload["isError"]


def test_w15_a_function_is_not_changed_by_being_a_tool():
    import inspect

    def untouched(a: int, b: Annotated[int, Fixed(2)] = 2) -> int:
        return a + b

    before = (inspect.signature(untouched), dict(vars(untouched)))
    box_of(untouched).call("probe", {"a": 1})
    assert (inspect.signature(untouched), dict(vars(untouched))) == before
    assert untouched(1, b=5) == 6


def test_t40_delegated_arguments_reach_the_function():
    from fastcore.meta import delegates

    def inner(a: int, b: int = 2) -> int:
        return a * b

    @delegates(inner)
    def outer(c: int, **kwargs) -> int:
        return c + inner(1, **kwargs)

    for payload in call_each_way(box_of(outer), "probe", {"c": 1, "b": 5}):
        assert text_of(payload) == "6"


@pytest.mark.parametrize("way", WAYS)
def test_w8_a_modern_client_gets_a_bare_list_and_an_old_one_a_boxed_one(way):
    payload = payload_by(way, box_of(undeclared_list, output_schema={"type": "array"}), "probe", {})
    wanted = {"result": [1, 2, 3]} if way == "old client" else [1, 2, 3]
    assert payload["structuredContent"] == wanted


def test_w8_a_protocol_result_may_hold_a_bare_list_for_a_modern_client():
    def bare():
        return mcp_types.CallToolResult(
            content=[mcp_types.TextContent(text="t")], structured_content=[1, 2]
        )

    payload = payload_by("client", box_of(bare), "probe", {})
    assert payload["structuredContent"] == [1, 2]
    assert payload["content"] == [text_block("t")]
    # An old client cannot take it; whatever it gets must be a result all the same.
    assert not payload_by("old client", box_of(bare), "probe", {})["isError"]


def test_p24_a_builtin_is_callable_or_refused_by_name():
    from toolwright import SchemaError

    try:
        made = Tool(math.sqrt)
        made.compile()
    except SchemaError as error:
        assert "sqrt" in str(error)
    else:
        assert made.call({"x": 4.0}).value == 2.0


def test_one_failing_tool_does_not_harm_the_next_call():
    box = Toolbox("b", {"exits": exits, "two": two})
    for _ in range(3):
        assert box.call("exits").is_error
        assert asyncio.run(box.call_async("exits")).is_error
        assert box.call("two", {"a": 1}).value == 1
        assert asyncio.run(box.call_async("two", {"a": 1})).value == 1
