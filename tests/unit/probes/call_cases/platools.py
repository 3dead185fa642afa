"""Calls of platools 39-48 and omni 2.2."""

import datetime
import math
import pathlib
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

from pydantic import Field

from tests.unit.probes.call_case import (
    DATE,
    MISSING,
    PNG,
    PNG_BLOCK,
    Color,
    Inner,
    Outer,
    Point,
    probe,
    text_block,
)
from tests.unit.ways import compact, text_of
from toolwright import Fixed

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
