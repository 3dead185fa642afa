"""Calls of OpenMCP, D1-D47."""

import asyncio
import base64
import collections
import datetime
import decimal
import enum
import functools
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Optional, Union

import mcp_types
from pydantic import Field
from typing_extensions import Unpack

from tests.unit.probes.call_case import (
    DATE,
    MISSING,
    PNG,
    PNG_BLOCK,
    Aliased,
    Cat,
    Color,
    Dog,
    Inner,
    Node,
    Outer,
    Pair,
    Point,
    Query,
    Rights,
    Size,
    Titled,
    probe,
    text_block,
)
from tests.unit.probes.call_cases.platools import two
from toolwright import ToolError


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
        },
        {"type": "text", "text": "[`data`: 3 bytes of a type that was not recognised]"},
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
