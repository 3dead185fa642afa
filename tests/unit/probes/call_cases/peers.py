"""Calls of toolslm T1-T51, and of peers W and P."""

import datetime
import decimal
import functools
import math
import pathlib
from typing import Annotated, Any, Literal, Optional

import mcp_types

from tests.unit.probes.call_case import (
    MISSING,
    Inner,
    Outer,
    Pair,
    Plain,
    Point,
    Titled,
    probe,
    text_block,
)
from tests.unit.probes.call_cases.openmcp import async_function
from tests.unit.ways import text_of
from toolwright import Fixed

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
