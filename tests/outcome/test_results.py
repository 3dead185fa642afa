"""Results: every value has a right form, every failure is a result, and nothing escapes."""

import subprocess
import sys
import array
import asyncio
import base64
import collections
import contextlib
import contextvars
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import logging
import math
import pathlib
import re
import threading
import types
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, NamedTuple, Optional

import attrs
import mcp_types
import pytest
from pydantic import BaseModel, Field, computed_field
from typing_extensions import TypedDict

from toolwright import (
    ArgumentError,
    Audio,
    CallError,
    File,
    Image,
    Result,
    ResultError,
    Tool,
    Toolbox,
    ToolError,
    ToolNotFound,
    UnexpectedError,
)
from toolwright.content import CONVERTERS, converter
from toolwright.results import (
    build_result,
    get_schema_path,
    get_validator,
    is_canonical,
    parse,
    validate,
)
from toolwright.outcome.failure import SPOKEN

from ways import WAYS, assert_plain, box_of, compact, label, payload_by, result_of, text_of, within

OLD, NEW = "2025-11-25", "2026-07-28"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


def returning(value, hint=...):
    """A function that returns a value, with or without a declared type."""

    def probe():
        return value

    if hint is not ...:
        probe.__annotations__["return"] = hint
    return probe


def each_way(target, **options):
    return {way: payload_by(way, box_of(target, **options), "probe", {}) for way in WAYS}


def same_each_way(target, **options):
    """Return what comes of a call, the same in every way."""
    seen = each_way(target, **options)
    assert seen["call"] == seen["call_async"] == seen["client"]
    validate(seen["old client"])
    assert seen["old client"]["content"] == seen["call"]["content"]
    return seen["call"]


def image(data=PNG, mime="image/png"):
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime}


def text(words):
    return {"type": "text", "text": words}


class Item(BaseModel):
    n: int
    word: str = "é"


# -- emit


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [
        (int, 5, 5),
        (bool, True, True),
        (float, 1.5, 1.5),
        (list[int], [1, 2], [1, 2]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Item, Item(n=1), {"n": 1, "word": "é"}),
        (list[Item], [Item(n=1)], [{"n": 1, "word": "é"}]),
        (Optional[int], None, None),
        (Optional[int], 5, 5),
    ],
    ids=label,
)
@pytest.mark.parametrize("emit", ["auto", "text", "structured", "both"])
def test_emit_decides_what_is_sent_in_both_eras(hint, value, wanted, emit):
    box = box_of(returning(value, hint), emit=emit)
    result = box.call("probe")
    for protocol in (OLD, NEW):
        payload = result.to_mcp(protocol)
        listed = box.to_mcp(protocol)["tools"][0]
        assert ("outputSchema" in listed) == ("structuredContent" in payload) == (emit != "text")
        if emit != "structured":
            assert payload["content"] == [text(compact(wanted))]
        else:
            assert len(payload["content"]) == 1
        if emit != "text":
            boxed = hint == Optional[int] or (protocol == OLD and not isinstance(wanted, dict))
            shown = {"result": wanted} if boxed else wanted
            assert compact(payload["structuredContent"]) == compact(shown)
    each_way(returning(value, hint), emit=emit)


@pytest.mark.parametrize(
    ("emit", "structured"), [("auto", False), ("text", False), ("structured", True), ("both", True)]
)
@pytest.mark.parametrize(("hint", "value"), [(str, "hé")])
def test_text_is_sent_once_unless_asked_otherwise(hint, value, emit, structured):
    box = box_of(returning(value, hint), emit=emit)
    result = box.call("probe")
    for protocol in (OLD, NEW):
        payload = result.to_mcp(protocol)
        assert ("structuredContent" in payload) is structured
        assert ("outputSchema" in box.to_mcp(protocol)["tools"][0]) is structured
        if structured:
            shown = payload["structuredContent"]
            boxed = protocol == OLD or value is None
            assert shown == ({"result": value} if boxed else value)
        if emit != "structured":
            assert payload["content"] == [text("hé" if value else "null")]
    each_way(returning(value, hint), emit=emit)


@pytest.mark.parametrize("emit", ["auto", "text", "structured", "both"])
def test_nothing_is_visible_whatever_is_sent(emit):
    for seen in each_way(returning(None, None), emit=emit).values():
        assert not seen["isError"]
        assert text_of(seen)


def test_text_is_compact_utf8_json():
    value = {"k": ["日本語", "é\u2028", {"a": 1.0, "b": None}], "emoji": "🙂", "q": '"\\\n\x00'}
    for hint in (..., dict[str, Any]):
        result = result_of(returning(value, hint))
        assert json.loads(result.text) == value
        assert "日本語" in result.text
        assert "🙂" in result.text
        assert ": " not in result.text
        assert "\\u65e5" not in result.text
        assert "日本語".encode() in result.to_mcp_json()
        assert json.loads(result.to_mcp_json()) == result.to_mcp()


def test_text_is_sent_as_it_is():
    words = 'a "quoted"\n\tline \\ 日本語 \x00 \x7f </script>'
    for hint in (..., str):
        assert same_each_way(returning(words, hint))["content"] == [text(words)]


def test_an_empty_text_is_still_a_block():
    for hint in (..., str):
        assert same_each_way(returning("", hint))["content"][0]["type"] == "text"


# -- the cap


@pytest.mark.parametrize("hint", [..., str])
@pytest.mark.parametrize("char", ["a", "é", "日", "🙂"])
@pytest.mark.parametrize("most", [10, 11, 12, 13])
def test_long_text_is_cut_between_characters_and_says_so(hint, char, most):
    seen = same_each_way(returning(char * 100, hint), max_result=most)
    shown, notice = (block["text"] for block in seen["content"])
    assert set(shown) == {char}
    assert most - len(char.encode()) < len(shown.encode()) <= most
    total = 100 * len(char.encode())
    assert str(total - len(shown.encode())) in notice
    assert str(total) in notice
    assert not seen["isError"]


def test_text_of_exactly_the_cap_is_whole():
    for hint in (..., str):
        assert same_each_way(returning("x" * 100, hint), max_result=100)["content"] == [
            text("x" * 100)
        ]


def test_text_with_quotes_is_measured_as_it_is_sent():
    words = '"' * 60
    seen = same_each_way(returning(words, str), max_result=100)
    assert seen["content"][0]["text"].startswith('"' * 50)


@pytest.mark.parametrize("hint", [..., list[int], tuple[int, ...], Iterator[int]], ids=label)
def test_a_long_list_is_cut_between_items_and_says_so(hint):
    def probe():
        yield from range(1000)

    if hint is not ...:
        probe.__annotations__["return"] = hint
    target = probe if hint in (..., Iterator[int]) else returning(tuple(range(1000)), hint)
    if hint == list[int]:
        target = returning(list(range(1000)), hint)
    for way, seen in each_way(target, max_result=50).items():
        assert not seen["isError"]
        kept = json.loads(seen["content"][0]["text"])
        assert kept == list(range(len(kept)))
        assert 5 < len(kept) < 30
        assert len(seen["content"][0]["text"]) <= 50
        if target is probe:  # a stream is not taken to its end, so nobody knows how many there are
            assert "only the beginning" in seen["content"][-1]["text"]
        else:
            assert f"{1000 - len(kept)} of 1000" in seen["content"][-1]["text"]
        if hint is not ...:
            boxed = way == "old client"
            assert seen["structuredContent"] == ({"result": kept} if boxed else kept)


def test_a_list_of_models_is_cut_between_items():
    seen = each_way(returning([Item(n=n) for n in range(100)], list[Item]), max_result=100)[
        "client"
    ]
    kept = json.loads(seen["content"][0]["text"])
    assert kept == [{"n": n, "word": "é"} for n in range(len(kept))]
    assert seen["structuredContent"] == kept
    assert 0 < len(kept) < 10


def test_a_list_with_a_least_length_is_not_cut():
    from typing import Annotated

    hint = Annotated[list[int], Field(min_length=1)]
    result = result_of(returning(list(range(1000)), hint), max_result=50)
    assert result.is_error
    assert "50" in result.text


def test_a_list_whose_first_item_is_too_large_is_an_empty_list_or_an_error():
    for hint in (..., list[str]):
        seen = same_each_way(returning(["x" * 1000, "y"], hint), max_result=50)
        assert seen["isError"] or json.loads(seen["content"][0]["text"]) == []
        assert len(compact(seen)) < 500


@pytest.mark.parametrize(
    "value",
    [{"a": "x" * 1000}, Item(n=1, word="x" * 1000), [["x" * 1000]], {"a": list(range(1000))}],
    ids=label,
)
def test_a_large_object_is_an_error_with_size_and_cap(value):
    for hint in (..., type(value)):
        result = result_of(returning(value, hint), max_result=100)
        if isinstance(value, list):
            continue
        assert result.is_error
        assert result.error.code == "result"
        assert "100" in result.text
        assert re.search(r"\d{4}", result.text)


def test_the_notice_names_the_arguments_that_ask_for_less():
    def probe(offset: int = 0, limit: int = 1000) -> list[int]:
        return list(range(offset, limit))

    result = result_of(probe, max_result=50)
    assert "`limit`" in result.text
    assert "`offset`" in result.text


def test_the_default_cap_is_a_hundred_kilobytes():
    assert not result_of(returning("x" * 99_000, str)).text.endswith("]")
    assert len(result_of(returning("x" * 1_000_000, str)).to_mcp_json()) < 110_000
    assert result_of(returning({"a": "x" * 200_000}, dict[str, str])).is_error


@pytest.mark.parametrize("kind", ["blocks", "canonical", "tool error", "spoken"])
def test_no_text_of_a_result_escapes_the_cap(kind):
    big = "x" * 400_000
    target = {
        "blocks": returning([text(big), text(big)]),
        "canonical": returning(build_result(big)),
        "tool error": raising(ToolError(big)),
        "spoken": raising(ValueError(big)),
    }[kind]
    assert len(result_of(target).to_mcp_json()) < 300_000


def test_an_endless_generator_stops_at_the_cap():
    made = []

    def probe() -> Iterator[int]:
        for n in range(10_000_000):
            made.append(n)
            yield n

    result = result_of(probe, max_result=1000)
    assert not result.is_error
    assert len(made) < 100_000


# -- values of every kind


@dataclasses.dataclass
class Point:
    x: int
    when: datetime.date = datetime.date(2026, 1, 2)


@attrs.define
class Attrs:
    x: int
    inner: Any = None


@attrs.frozen
class Frozen:
    x: int


class Pair(NamedTuple):
    a: int
    b: str


class Row(TypedDict):
    n: int


class Color(enum.Enum):
    RED = "red"


class Computed(BaseModel):
    a: int = Field(serialization_alias="theA")

    @computed_field
    @property
    def double(self) -> int:
        return self.a * 2


VALUES = [
    (None, None),
    (True, True),
    (0, 0),
    (-0.5, -0.5),
    (2**53 + 1, 2**53 + 1),
    (10**400, 10**400),
    ([], []),
    ({}, {}),
    ((), []),
    (set(), []),
    (frozenset({1}), [1]),
    (collections.deque([1]), [1]),
    (range(3), [0, 1, 2]),
    (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    (collections.Counter("aab"), {"a": 2, "b": 1}),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    (collections.ChainMap({"a": 1}, {"b": 2}), {"b": 2, "a": 1}),
    ({"a": 1}.keys(), ["a"]),
    ({"a": 1}.values(), [1]),
    ({1: "a", None: "b", True: "c"}, None),
    (datetime.date(2026, 1, 2), "2026-01-02"),
    (datetime.datetime(2026, 1, 2, 3, 4, 5), "2026-01-02T03:04:05"),
    (datetime.time(3, 4), "03:04:00"),
    (datetime.timedelta(hours=1), "PT1H"),
    (decimal.Decimal("1.10"), "1.10"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (pathlib.PurePosixPath("/a/b"), "/a/b"),
    (ipaddress.ip_address("127.0.0.1"), "127.0.0.1"),
    (Color.RED, "red"),
    (Pair(1, "a"), [1, "a"]),
    (Point(1), {"x": 1, "when": "2026-01-02"}),
    (Attrs(1, Attrs(2)), {"x": 1, "inner": {"x": 2, "inner": None}}),
    (Frozen(1), {"x": 1}),
    (Item(n=1), {"n": 1, "word": "é"}),
    (Computed(a=2), {"theA": 2, "double": 4}),
    ({"k": {Color.RED: [Item(n=1), Point(2)]}}, None),
    (re.compile("a+"), "a+"),
    (bytearray(b"hi"), None),
    (memoryview(b"hi"), None),
    (fractions.Fraction(1, 2), None),
    (1 + 2j, None),
    (array.array("i", [1]), None),
    (Exception("x"), None),
    (len, None),
    (int, None),
    (..., None),
    (NotImplemented, None),
    (threading.Lock(), None),
    (json, None),
]


@pytest.mark.parametrize(("value", "wanted"), VALUES, ids=label)
def test_a_value_without_a_declared_type_is_plain_json_or_a_clear_error(value, wanted):
    seen = same_each_way(returning(value))
    if wanted is not None or value is None:
        assert seen["content"] == [text(wanted if isinstance(value, str) else compact(wanted))]
        assert not seen["isError"]
    else:
        assert " at 0x" not in text_of(seen)
        assert "<" not in text_of(seen)


@pytest.mark.parametrize(
    ("value", "wanted"), [pair for pair in VALUES if pair[1] is not None], ids=label
)
def test_a_value_inside_a_declared_dict_is_plain_json(value, wanted):
    for hint in (dict[str, Any], dict, dict[str, object]):
        result = result_of(returning({"k": value}, hint))
        assert not result.is_error, result.text
        assert compact(result.structured) == compact({"k": wanted})
        assert result.text == compact({"k": wanted})


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [
        (Attrs, Attrs(1), {"x": 1, "inner": None}),
        (list[Attrs], [Attrs(1)], [{"x": 1, "inner": None}]),
        (Optional[Frozen], Frozen(1), {"x": 1}),
        (Pair, Pair(1, "a"), [1, "a"]),
        (list[Pair], [Pair(1, "a")], [[1, "a"]]),
        (Row, {"n": 1}, {"n": 1}),
        (Computed, Computed(a=2), {"theA": 2, "double": 4}),
        (list[Computed], [Computed(a=2)], [{"theA": 2, "double": 4}]),
        (set[int], {1}, [1]),
        (tuple[int, str], (1, "a"), [1, "a"]),
        (dict[str, Point], {"k": Point(1)}, {"k": {"x": 1, "when": "2026-01-02"}}),
        (Iterable[int], [1, 2], [1, 2]),
        (pathlib.PurePosixPath, pathlib.PurePosixPath("/a"), "/a"),
    ],
    ids=label,
)
def test_a_declared_value_comes_with_schema_and_structured_content(hint, value, wanted):
    for way, seen in each_way(returning(value, hint)).items():
        assert not seen["isError"], seen
        shown = seen["structuredContent"]
        boxed = hint == Optional[Frozen] or (way == "old client" and not isinstance(wanted, dict))
        assert compact(shown) == compact({"result": wanted} if boxed else wanted)
        assert text_of(seen) == compact(wanted)


@pytest.mark.parametrize(
    ("hint", "value", "place"),
    [
        (int, "x", "result"),
        (int, 1.5, "result"),
        (int, None, "result"),
        (str, None, "result"),
        (str, 5, "result"),
        (bool, 1, "result"),
        (list[int], [1, "x"], "result.1"),
        (dict[str, int], {"a": "x"}, "result.a"),
        (Item, {"n": "x"}, "result.n"),
        (Item, {}, "result.n"),
        (list[Item], [{"n": 1}, {"n": None}], "result.1.n"),
        (Item, None, "result"),
        (Color, "green", "result"),
        (Point, {"x": "a"}, "result.x"),
        (Item, Item.model_construct(n="bad"), "result.n"),
        (None, 5, "result"),
    ],
    ids=label,
)
@pytest.mark.promise("result.declared-type")
def test_a_value_that_breaks_its_declared_type_names_the_field(hint, value, place, caplog):
    with caplog.at_level(logging.ERROR, "toolwright"):
        result = result_of(returning(value, hint))
    assert result.is_error
    assert isinstance(result.error, ResultError)
    assert place in result.text.replace("[", ".").replace("]", "")
    assert len(result.text.splitlines()) == 1
    assert_plain(result.text)
    assert [record for record in caplog.records if "probe" in record.getMessage()]
    each_way(returning(value, hint))


def test_a_model_changed_after_validation_is_checked_again():
    item = Item(n=1)
    item.n = "x"  # pyright: ignore
    result = result_of(returning(item, Item))
    assert result.is_error
    assert "n" in result.text


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (float, math.nan),
        (list[float], [math.inf]),
        (dict[str, float], {"a": -math.inf}),
        (Optional[float], math.nan),
        (Any, math.nan),
        (..., {"a": [math.nan]}),
        (dict[str, Any], {"a": math.inf}),
        (tuple[float, str], (math.nan, "a")),
        (float | str, math.nan),
    ],
    ids=label,
)
def test_numbers_that_are_not_finite_are_valid_json_or_a_clear_error(hint, value):
    for seen in each_way(returning(value, hint)).values():
        if seen["isError"]:
            assert "finite" in text_of(seen)
        else:
            json.loads(compact(seen), parse_constant=pytest.fail)


def test_the_word_nan_in_text_is_just_text():
    for value, hint in (
        ("NaN", str),
        ({"a": "NaN Infinity"}, dict[str, str]),
        (["-Infinity"], ...),
    ):
        assert not result_of(returning(value, hint)).is_error


def test_null_beside_numbers_is_not_taken_for_nan():
    class Maybe(BaseModel):
        n: float | None = None

    assert result_of(returning(Maybe(), Maybe)).structured == {"n": None}
    assert result_of(returning([1.0, None], list[float | None])).structured == [1.0, None]
    assert result_of(returning({"n": "null", "f": 1.0}, dict[str, Any])).structured["n"] == "null"


def test_nan_in_a_model_names_the_field():
    class Measure(BaseModel):
        value: float

    result = result_of(returning(Measure(value=math.nan), Measure))
    assert result.is_error
    assert "value" in result.text


def test_cycles_and_unwritable_values_are_clear_errors():
    cycle: list[Any] = []
    cycle.append({"a": cycle})
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    for value in (cycle, deep, object(), {"a": object()}, [lambda: 1]):
        for hint in (..., Any, object):
            result = result_of(returning(value, hint))
            assert result.is_error
            assert isinstance(result.error, ResultError)
            assert_plain(result.text)
            assert len(result.text) < 300


def test_values_that_fail_while_being_read_are_clear_errors():
    class Bad(BaseModel):
        n: int = 1

        @computed_field
        @property
        def broken(self) -> int:
            raise RuntimeError("secret")

    class Evil:
        x: int

        def __getattr__(self, name):
            raise RuntimeError("secret")

    class Text(str):  # noqa: SLOT000
        def encode(self, *_):
            raise RuntimeError("secret")

    class Odd(dict):
        def items(self):
            raise RuntimeError("secret")

        def keys(self):
            raise RuntimeError("secret")

    for value in (Bad(), Evil(), Odd(a=1)):
        for hint in (..., Any):
            result = result_of(returning(value, hint))
            result.to_mcp_json()
            assert "secret" not in result.text
    result_of(returning(Bad(), Bad)).to_mcp_json()
    result_of(returning(Text("a"), str)).to_mcp_json()


# -- other libraries' values


def test_numpy_values_are_plain_json():
    np = pytest.importorskip("numpy")
    cases = [
        (np.int64(5), 5),
        (np.float64(1.5), 1.5),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), None),
        (np.array([1, 2]), [1, 2]),
        (np.array([[1.5, 2.0], [3.0, 4.0]]), [[1.5, 2.0], [3.0, 4.0]]),
        (np.array([True]), [True]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array(5), 5),
        (np.array([]), []),
        (np.uint64(2**64 - 1), 2**64 - 1),
        ({"a": np.array([1]), "b": [np.int32(2)]}, {"a": [1], "b": [2]}),
        ({np.int64(1): 2}, {"1": 2}),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (np.array(["2026-01-02"], dtype="datetime64[D]"), ["2026-01-02"]),
        (np.ma.array([1, 2], mask=[False, True]), [1, None]),
    ]
    for value, wanted in cases:
        seen = same_each_way(returning(value))
        assert not seen["isError"], (value, seen)
        if wanted is not None:
            assert text_of(seen) == compact(wanted)


def test_numpy_values_fit_declared_types():
    np = pytest.importorskip("numpy")
    for value, hint, wanted in (
        (np.int64(5), int, 5),
        (np.float64(1.5), float, 1.5),
        (np.float32(0.5), float, 0.5),
        (np.bool_(True), bool, True),
        (np.array([1, 2]), list[int], [1, 2]),
        (np.array([[1.5]]), list[list[float]], [[1.5]]),
        ([np.int64(1)], list[int], [1]),
        ({"a": np.float64(1)}, dict[str, float], {"a": 1.0}),
        (np.str_("a"), str, "a"),
    ):
        result = result_of(returning(value, hint))
        assert not result.is_error, (value, hint, result.text)
        assert json.loads(result.text) == wanted if hint is not str else result.text == wanted


def test_numpy_numbers_that_are_not_finite_are_valid_json_or_a_clear_error():
    np = pytest.importorskip("numpy")
    for value in (
        np.float64("nan"),
        np.array([1.0, np.nan]),
        np.float32("inf"),
        np.datetime64("NaT", "s"),
    ):
        seen = same_each_way(returning(value))
        if seen["isError"]:
            assert_plain(text_of(seen))
        else:
            json.loads(text_of(seen), parse_constant=pytest.fail)


def test_pandas_frames_are_lists_of_rows():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1.5, float("nan")]})
    wanted = [{"a": 1, "b": "x", "c": 1.5}, {"a": 2, "b": None, "c": None}]
    assert json.loads(text_of(same_each_way(returning(frame)))) == wanted
    assert json.loads(result_of(returning({"rows": frame})).text) == {"rows": wanted}
    assert result_of(returning(frame, list[dict[str, Any]])).structured == wanted
    assert result_of(returning({"f": frame}, dict[str, Any])).structured == {"f": wanted}


def test_other_pandas_values_are_plain_json():
    pd = pytest.importorskip("pandas")
    cases = [
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series([1.0, None]), [1.0, None]),
        (pd.Timestamp("2026-01-02"), "2026-01-02T00:00:00"),
        (pd.DataFrame(), []),
        (pd.DataFrame({"t": [pd.Timestamp("2026-01-02"), pd.NaT]}), None),
        (pd.DataFrame({"i": pd.array([1, None], dtype="Int64")}), [{"i": 1}, {"i": None}]),
        (pd.Index([1, 2]), None),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Timedelta(hours=1), None),
        (pd.Categorical(["a", "b"]), None),
        (pd.DataFrame({("a", "b"): [1]}), None),
        (pd.DataFrame({1: [2]}), [{"1": 2}]),
        (pd.Interval(0, 1), None),
    ]
    for value, wanted in cases:
        seen = same_each_way(returning(value))
        if wanted is not None:
            assert not seen["isError"], (value, seen)
            assert json.loads(text_of(seen)) == wanted
        elif not seen["isError"]:
            json.loads(text_of(seen), parse_constant=pytest.fail)


def test_rows_with_missing_dates_keep_the_others():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"t": [pd.Timestamp("2026-01-02"), pd.NaT]})
    rows = json.loads(result_of(returning(frame)).text)
    assert rows == [{"t": "2026-01-02T00:00:00"}, {"t": None}]


def test_a_long_frame_is_cut_between_rows():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"n": range(1000)})
    seen = same_each_way(returning(frame), max_result=100)
    assert not seen["isError"]
    assert json.loads(seen["content"][0]["text"])[0] == {"n": 0}
    assert "of 1000" in seen["content"][-1]["text"]


def picture(mode="RGB"):
    pillow = pytest.importorskip("PIL.Image")
    return pillow.new(mode, (2, 2))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "CMYK", "F", "LAB"])
def test_pillow_images_are_image_blocks(mode):
    for hint in (..., Any):
        seen = same_each_way(returning(picture(mode), hint))
        (block,) = seen["content"]
        if seen["isError"]:
            assert mode in ("CMYK", "F", "LAB")  # a PNG cannot hold these
            assert_plain(block["text"])
        else:
            assert block["type"] == "image"
            data = base64.b64decode(block["data"])
            assert data.startswith(b"\x89PNG") or block["mimeType"] != "image/png"


def test_a_pillow_image_that_is_declared_is_an_image_block():
    from PIL import Image as pillow

    value = picture()

    def probe() -> pillow.Image:
        return value

    (block,) = same_each_way(probe)["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/png")


def test_a_pillow_image_read_from_a_file_is_an_image_block(tmp_path):
    from PIL import Image as pillow

    picture().save(tmp_path / "a.gif")
    with pillow.open(tmp_path / "a.gif") as opened:
        (block,) = same_each_way(returning(opened))["content"]
    assert block["type"] == "image"


def test_matplotlib_figures_are_image_blocks():
    figure = pytest.importorskip("matplotlib.figure")
    made = figure.Figure(figsize=(1, 1))
    made.subplots().plot([1, 2])
    (block,) = same_each_way(returning(made))["content"]
    assert (block["type"], block["mimeType"]) == ("image", "image/png")
    seen = same_each_way(returning({"plot": made, "n": 1}, dict[str, Any]))
    assert [each["type"] for each in seen["content"]] == ["text", "image"]


def test_images_nested_in_a_dict_are_lifted_out():
    value = {"title": "t", "plot": Image(PNG), "more": [{"deep": picture()}]}
    for hint in (..., dict[str, Any]):
        seen = same_each_way(returning(value, hint))
        assert not seen["isError"], seen
        assert [block["type"] for block in seen["content"]] == ["text", "image", "image"]
        left = json.loads(seen["content"][0]["text"])
        assert left["title"] == "t"
        assert base64.b64encode(PNG).decode() not in seen["content"][0]["text"]
        assert seen["content"][1] == image()


def test_images_in_a_dataclass_or_a_list_are_lifted_out():
    @dataclasses.dataclass
    class Plot:
        title: str
        plot: Any

    for hint in (..., Plot):
        seen = same_each_way(returning(Plot("t", Image(PNG)), hint))
        assert not seen["isError"], seen
        assert image() in seen["content"]
    seen = same_each_way(returning([{"a": Image(PNG)}], list[dict[str, Any]]))
    assert image() in seen["content"]


def test_a_dict_that_looks_like_a_block_is_lifted_out_of_a_list_only():
    seen = same_each_way(returning({"type": "text", "text": "t", "n": 1}, dict[str, Any]))
    assert seen["structuredContent"] == {"type": "text", "text": "t", "n": 1}


# -- our own content


@pytest.mark.parametrize("hint", [..., Image, Any, Optional[Image]], ids=label)
def test_an_image_is_an_image_block(hint):
    assert same_each_way(returning(Image(PNG), hint))["content"] == [image()]


def test_content_has_the_type_that_was_given_or_sniffed(tmp_path):
    (tmp_path / "a.txt").write_text("héllo", "utf-8")
    (tmp_path / "b.png").write_bytes(PNG)
    (tmp_path / "c.bin").write_bytes(b"\x00\x01")
    (tmp_path / "d.json").write_text('{"a": 1}')
    assert result_of(returning(Image(b"x", "image/x"))).content == [image(b"x", "image/x")]
    assert result_of(returning(Image(tmp_path / "b.png"))).content == [image()]
    assert result_of(returning(Image(str(tmp_path / "b.png")))).content == [image()]
    (sound,) = same_each_way(returning(Audio(WAV), Audio))["content"]
    assert (sound["type"], sound["mimeType"]) == ("audio", "audio/wav")
    (read,) = same_each_way(returning(File(tmp_path / "a.txt"), File))["content"]
    assert read["type"] == "resource"
    assert read["resource"]["text"] == "héllo"
    assert read["resource"]["mimeType"] == "text/plain"
    assert same_each_way(returning(File(tmp_path / "b.png")))["content"] == [image()]
    (binary,) = same_each_way(returning(File(tmp_path / "c.bin")))["content"]
    assert base64.b64decode(binary["resource"]["blob"]) == b"\x00\x01"
    (data,) = same_each_way(returning(File(tmp_path / "d.json")))["content"]
    assert data["resource"]["mimeType"] == "application/json"


def test_a_path_declared_as_a_file_is_that_file(tmp_path):
    (tmp_path / "b.png").write_bytes(PNG)
    (tmp_path / "a.txt").write_text("words")
    assert same_each_way(returning(tmp_path / "b.png", File))["content"] == [image()]
    (read,) = same_each_way(returning(tmp_path / "a.txt", File))["content"]
    assert read["resource"]["text"] == "words"
    assert same_each_way(returning(tmp_path / "b.png", Image))["content"] == [image()]


def test_a_file_that_is_not_there_is_an_error_result(tmp_path):
    for value, hint in ((File(tmp_path / "no"), File), (Image(tmp_path / "no.png"), ...)):
        seen = same_each_way(returning(value, hint))
        assert seen["isError"]
        assert_plain(text_of(seen))
    nested = same_each_way(returning({"a": Image(tmp_path / "no.png")}))
    assert nested["isError"]


@pytest.mark.parametrize(
    ("data", "kind", "mime"),
    [
        (PNG, "image", "image/png"),
        (b"\xff\xd8\xff\xe0", "image", "image/jpeg"),
        (b"GIF89a", "image", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image", "image/webp"),
        (WAV, "audio", "audio/wav"),
        (b"ID3\x03", "audio", "audio/mpeg"),
        (b"%PDF-1.7", "resource", "application/pdf"),
        (b"\x00\x01", "resource", "application/octet-stream"),
        (b"", "resource", "application/octet-stream"),
    ],
    ids=label,
)
@pytest.mark.parametrize("hint", [..., bytes, Any], ids=label)
def test_bytes_are_a_block_with_a_sniffed_type(data, kind, mime, hint):
    (block,) = same_each_way(returning(data, hint))["content"]
    assert block["type"] == kind
    held = block["resource"] if kind == "resource" else block
    assert held["mimeType"] == mime
    assert base64.b64decode(held["blob" if kind == "resource" else "data"]) == data


def test_bytes_in_a_model_are_base64_text():
    class Blob(BaseModel):
        data: bytes

    for seen in each_way(returning(Blob(data=b"\xff\xfe\xfb"), Blob)).values():
        shown = seen["structuredContent"]["data"]
        assert base64.b64decode(shown, altchars=b"-_") == b"\xff\xfe\xfb"
    assert json.loads(result_of(returning({"d": b"\xff"})).text)["d"] in ("_w==", "/w==")


# -- converters of users


@pytest.fixture
def _own_converters():
    before = dict(CONVERTERS)
    yield
    CONVERTERS.clear()
    CONVERTERS.update(before)


@pytest.mark.usefixtures("_own_converters")
def test_users_teach_how_their_values_are_written():
    class Money:
        __slots__ = ("cents",)

        def __init__(self, cents):
            self.cents = cents

    class Euro(Money):
        __slots__ = ()

    assert result_of(returning(Money(5))).is_error

    @converter(f"{Money.__module__.split('.', 1)[0]}.Money")
    def money(value):
        return {"cents": value.cents}

    assert text_of(same_each_way(returning(Money(5)))) == '{"cents":5}'
    assert text_of(same_each_way(returning([Euro(7)]))) == '[{"cents":7}]'
    assert result_of(returning({"m": Money(5)}, dict[str, Any])).structured == {"m": {"cents": 5}}


@pytest.mark.usefixtures("_own_converters")
def test_a_converter_may_make_content_or_fail():
    class Scan:
        __slots__ = ()

    name = f"{Scan.__module__.split('.', 1)[0]}.Scan"
    converter(name)(lambda value: Image(PNG))
    assert same_each_way(returning(Scan()))["content"] == [image()]
    nested = same_each_way(returning({"s": Scan()}))
    assert image() in nested["content"]

    @converter(name)
    def broken(value):
        raise RuntimeError("secret")

    seen = same_each_way(returning(Scan()))
    assert seen["isError"]
    assert "secret" not in text_of(seen)

    converter(name)(lambda value: value)
    assert same_each_way(returning(Scan()))["isError"]


def test_a_class_that_calls_itself_numpy_is_not_trusted_blindly():
    fake = type("generic", (), {"__module__": "numpy", "__slots__": ()})
    seen = same_each_way(returning(fake()))
    assert seen["isError"]
    assert_plain(text_of(seen))


# -- generators and coroutines


def test_what_a_function_promises_is_waited_for():
    async def later() -> int:
        return 5

    def coroutine() -> int:
        return later()  # pyright: ignore

    class Promise:
        def __await__(self):
            return later().__await__()

    def awaitable() -> int:
        return Promise()  # pyright: ignore

    async def twice() -> int:
        return await later()

    def of_generator() -> Iterator[int]:
        return (n for n in range(2))

    for target, wanted in ((coroutine, 5), (awaitable, 5), (twice, 5), (of_generator, [0, 1])):
        assert json.loads(text_of(same_each_way(target))) == wanted


def test_async_generators_and_iterators_are_drained():
    async def numbers() -> AsyncIterator[int]:
        for n in range(3):
            await asyncio.sleep(0)
            yield n

    def sync_that_gives_one() -> AsyncIterator[int]:
        return numbers()

    class Source:
        def __aiter__(self):
            return numbers()

    def source():
        return Source()

    for target in (numbers, sync_that_gives_one, source):
        assert json.loads(text_of(same_each_way(target))) == [0, 1, 2]


def test_other_iterators_are_drained():
    def mapped() -> Iterator[int]:
        return map(int, ["1", "2"])

    def listed() -> Iterator[int]:
        return iter([1, 2])

    def undeclared():
        return map(int, ["1", "2"])

    for target in (mapped, listed, undeclared):
        assert json.loads(text_of(same_each_way(target))) == [1, 2]


def test_a_generator_that_fails_half_way_is_a_failure():
    def probe() -> Iterator[int]:
        yield 1
        raise ValueError("half way")

    async def probe_async() -> AsyncIterator[int]:
        yield 1
        raise ValueError("half way")

    for target in (probe, probe_async):
        seen = same_each_way(target)
        assert seen["isError"]
        assert text_of(seen) == "ValueError: half way"


def test_an_item_of_the_wrong_type_names_its_place():
    def probe() -> Iterator[int]:
        yield 1
        yield "x"  # pyright: ignore

    def words() -> Iterator[str]:
        yield "a"
        yield 5  # pyright: ignore

    assert "result.1" in result_of(probe).text.replace("[", ".").replace("]", "")
    for seen in each_way(words).values():
        assert seen["isError"]
        assert "failed unexpectedly" not in text_of(seen)


def test_a_generators_return_value_does_not_matter_and_an_empty_one_is_visible():
    def probe() -> Iterator[int]:
        yield from ()
        return 5

    assert text_of(same_each_way(probe)) == "[]"


# -- results that are results already


def test_canonical_results_pass_through():
    payload = {
        "content": [text("a"), image()],
        "isError": False,
        "structuredContent": {"k": 1},
        "_meta": {"m": "x"},
    }
    assert same_each_way(returning(payload)) == payload
    assert same_each_way(returning(build_result("x"))) == build_result("x")
    failed = result_of(returning(build_result("no", is_error=True)))
    assert failed.is_error
    with pytest.raises(CallError, match="no"):
        _ = failed.value


@pytest.mark.parametrize("said", ["", " ", "\n"])
def test_an_error_without_words_still_says_that_it_is_one(said):
    failed = result_of(returning(build_result(said, is_error=True)))
    assert failed.is_error
    assert failed.text == "the tool reports an error"


def test_canonical_results_are_checked():
    for content in ([{"type": "text", "text": 5}], [{"type": "image", "data": "x"}]):
        result = result_of(returning({"content": content, "isError": False}))
        validate(result.to_mcp())
        assert result.is_error


def test_a_canonical_result_of_a_typed_tool_must_fit_the_type():
    for value in (build_result("x"), {**build_result("x"), "structuredContent": "bad"}):
        each_way(returning(value, int))
    good = {**build_result("5"), "structuredContent": {"n": 5, "word": "w"}}
    for seen in each_way(returning(good, Item)).values():
        assert not seen["isError"]
        assert seen["structuredContent"] == {"n": 5, "word": "w"}


def test_a_dict_that_is_declared_and_looks_like_a_result_still_reaches_clients():
    for seen in each_way(returning(build_result("x"), dict[str, Any])).values():
        assert "x" in text_of(seen)


@pytest.mark.parametrize(
    "value",
    [
        mcp_types.TextContent(text="t"),
        [mcp_types.TextContent(text="t")],
        (mcp_types.TextContent(text="t"),),
        {"type": "text", "text": "t"},
        [{"type": "text", "text": "t"}],
        mcp_types.CallToolResult(content=[mcp_types.TextContent(text="t")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_blocks_of_the_protocol_pass_through(value):
    assert same_each_way(returning(value))["content"] == [text("t")]
    assert same_each_way(returning(value, Any))["content"] == [text("t")]


@pytest.mark.parametrize(
    "hint",
    [
        mcp_types.TextContent,
        list[mcp_types.TextContent],
        list[mcp_types.TextContent | mcp_types.ImageContent],
        mcp_types.CallToolResult,
    ],
    ids=label,
)
def test_declared_blocks_pass_through(hint):
    block = mcp_types.TextContent(text="t")
    value: Any = block
    if hint is mcp_types.CallToolResult:
        value = mcp_types.CallToolResult(content=[block])
    elif hint is not mcp_types.TextContent:
        value = [block]
    seen = same_each_way(returning(value, hint))
    assert seen["content"] == [text("t")]
    assert "structuredContent" not in seen


def test_a_mixed_list_keeps_its_order():
    value = ["a", Image(PNG), {"k": 1}, text("b"), 5]
    seen = same_each_way(returning(value))
    wanted = [text("a"), image(), text('{"k":1}'), text("b"), text("5")]
    assert seen["content"] == wanted


def test_resource_links_pass_through():
    link = mcp_types.ResourceLink(uri="file:///a", name="a")
    (block,) = same_each_way(returning(link))["content"]
    assert (block["type"], block["uri"], block["name"]) == ("resource_link", "file:///a", "a")


def test_a_result_passes_through():
    box = Toolbox("b")

    @box.tool
    def inner(n: int) -> int:
        return n

    @box.tool
    def outer(n: int) -> Result:
        return box.call("inner", {"n": n})

    @box.tool
    def undeclared(n: int):
        return box.call("inner", {"n": n})

    for name in ("outer", "undeclared"):
        assert box.call(name, {"n": 4}).text == "4"
        assert box.call(name, {"n": "x"}).is_error
        for way in WAYS:
            assert text_of(payload_by(way, box, name, {"n": 4})) == "4"
            assert payload_by(way, box, name, {"n": "x"})["isError"]


def test_blocks_are_copies():
    blocks = [text("a")]
    result = result_of(returning(blocks))
    result.content[0]["text"] = "changed"
    blocks[0]["text"] = "changed too"
    assert result.to_mcp()["content"][0]["text"] == "a"


# -- exceptions


def raising(error):
    def probe() -> int:
        raise error

    return probe


def raising_async(error):
    async def probe() -> int:
        raise error

    return probe


def failures(make):
    """Return the payloads of a failing tool, sync and async, in every way."""
    for target in (raising(make()), raising_async(make())):
        for seen in each_way(target).values():
            assert seen["isError"]
            assert "structuredContent" not in seen
            yield seen


@pytest.mark.promise("result.tool-error")
def test_a_tool_error_says_every_field():
    for seen in failures(lambda: ToolError("closed", code="shut", retryable=True, hint="at nine")):
        assert "closed" in text_of(seen)
        assert "at nine" in text_of(seen)
        detail = seen["_meta"]["toolwright/error"]
        assert (detail["code"], detail["retryable"], detail["hint"]) == ("shut", True, "at nine")
    for seen in failures(lambda: ToolError("closed")):
        assert text_of(seen) == "closed"
        assert seen["_meta"]["toolwright/error"] == {"code": "tool_error"}
    for seen in failures(lambda: ToolError("")):
        assert text_of(seen)
    for seen in failures(lambda: ToolError("no", retryable=False)):
        assert seen["_meta"]["toolwright/error"]["retryable"] is False


def test_a_tool_error_is_the_error_of_the_result():
    error = ToolError("no")
    result = result_of(raising(error))
    assert result.error is error
    with pytest.raises(ToolError) as raised:
        _ = result.value
    assert raised.value is error


def test_an_odd_tool_error_still_makes_a_result():
    for error in (
        ToolError(5),  # pyright: ignore
        ToolError(None),  # pyright: ignore
        ToolError("\udc80", hint="\udc80", code="\udc80"),
        ToolError("a", code=5),  # pyright: ignore
        ToolError("a", retryable=object()),  # pyright: ignore
    ):
        for seen in each_way(raising(error)).values():
            assert seen["isError"]


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (KeyError("k"), "KeyError: 'k'"),
        (IndexError("i"), "IndexError: i"),
        (LookupError("l"), "LookupError: l"),
        (ZeroDivisionError("z"), "ZeroDivisionError: z"),
        (
            FileNotFoundError(2, "No such file", "/x"),
            "FileNotFoundError: [Errno 2] No such file: '/x'",
        ),
        (PermissionError("p"), "PermissionError: p"),
        (ValueError(), "ValueError"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "UnicodeDecodeError: "),
    ],
    ids=label,
)
def test_expected_exceptions_are_said_with_their_type(error, wanted):
    for seen in failures(lambda: error):
        assert text_of(seen).startswith(wanted)
    assert result_of(raising(error)).error.__cause__ is error


def test_the_list_of_expected_exceptions_can_be_extended():
    class Refused(Exception):
        pass

    assert "no entry" not in result_of(raising(Refused("no entry"))).text
    SPOKEN.append(Refused)
    try:
        assert result_of(raising(Refused("no entry"))).text == "Refused: no entry"
    finally:
        SPOKEN.remove(Refused)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("secret"),
        TypeError("secret"),
        AttributeError("secret"),
        AssertionError("secret"),
        NotImplementedError("secret"),
        Exception("secret"),
        RecursionError("secret"),
        MemoryError("secret"),
        StopIteration("secret"),
        StopAsyncIteration("secret"),
        GeneratorExit("secret"),
        SystemExit("secret"),
        SystemExit(3),
        KeyboardInterrupt("secret"),
        BaseException("secret"),
        ExceptionGroup("secret", [ValueError("secret")]),
        BaseExceptionGroup("secret", [KeyboardInterrupt()]),
    ],
    ids=label,
)
@pytest.mark.promise("result.masked")
def test_unexpected_exceptions_are_masked_and_logged(error, caplog):
    for target in (raising(error), raising_async(error)):
        for way in WAYS:
            caplog.clear()
            with caplog.at_level(logging.ERROR, "toolwright"):
                seen = payload_by(way, box_of(target), "probe", {})
            assert seen["isError"]
            assert "secret" not in compact(seen)
            reference = re.search(r"reference (\w+)", text_of(seen))
            assert reference
            records = [each for each in caplog.records if reference[1] in each.getMessage()]
            assert len(records) == 1
            assert records[0].name.startswith("toolwright")
            assert records[0].exc_info
        result = box_of(target).call("probe")
        assert isinstance(result.error, UnexpectedError)
        cause = result.error.__cause__
        assert cause is error or getattr(cause, "__cause__", None) is error


def test_the_references_of_two_failures_differ():
    target = raising(RuntimeError("x"))
    assert result_of(target).text != result_of(target).text


def test_a_validation_error_of_the_body_is_not_an_argument_error():
    def probe() -> int:
        Item(n="secret")  # pyright: ignore
        return 1

    result = result_of(probe)
    assert result.is_error
    assert not isinstance(result.error, ArgumentError)
    assert "secret" not in result.text
    assert_plain(result.text)


def test_an_argument_error_of_an_inner_call_is_told_apart():
    def probe() -> int:
        return Tool(lambda n: n, name="inner", input_schema={"type": "object"}).call({}).value

    assert result_of(probe).is_error


class Unsayable(ValueError):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class Endless(ValueError):
    def __str__(self):
        return "x" * 10_000_000


class NotText(ValueError):
    def __str__(self):
        return 5  # noqa: PLE0307  # pyright: ignore


@pytest.mark.parametrize("kind", [Unsayable, Endless, NotText])
def test_exceptions_that_cannot_say_themselves_still_make_a_result(kind):
    for seen in failures(kind):
        assert len(compact(seen)) < 2000
        assert len(text_of(seen).splitlines()) == 1


def test_an_unexpected_exception_that_cannot_say_itself_still_makes_a_result():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError("no words")

        __repr__ = __str__

    for seen in failures(Broken):
        assert "reference" in text_of(seen)


def test_a_multiline_message_does_not_flood_the_model():
    result = result_of(raising(ValueError("first\n" + "more\n" * 1000)))
    assert result.text == "ValueError: first"


def test_the_logger_is_quiet_by_default():
    logger = logging.getLogger("toolwright")
    result_of(raising(RuntimeError("x")))
    assert any(isinstance(handler, logging.NullHandler) for handler in logger.handlers)
    assert logger.level == logging.NOTSET
    assert logger.propagate


@pytest.mark.promise("call.raise-on-error")
def test_raise_on_error_raises_what_the_tool_raised():
    error = RuntimeError("x")
    for make in (raising, raising_async):
        box = box_of(make(error))
        with pytest.raises(RuntimeError) as raised:
            box.call("probe", raise_on_error=True)
        assert raised.value is error
        with pytest.raises(RuntimeError) as raised:
            asyncio.run(box.call_async("probe", raise_on_error=True))
        assert raised.value is error


@pytest.mark.parametrize(
    "error", [ToolError("x"), KeyError("x"), SystemExit(3), KeyboardInterrupt()]
)
def test_raise_on_error_raises_every_kind(error):
    with pytest.raises(type(error)) as raised:
        box_of(raising(error)).call("probe", raise_on_error=True)
    assert raised.value is error


def test_raise_on_error_raises_our_own_errors():
    box = box_of(raising(ValueError("x")))
    with pytest.raises(ToolNotFound):
        box.call("nope", raise_on_error=True)
    with pytest.raises(ArgumentError):
        box.call("probe", {"z": 1}, raise_on_error=True)
    with pytest.raises(ResultError):
        box_of(returning("x", int)).call("probe", raise_on_error=True)
    assert box_of(returning(1, int)).call("probe", raise_on_error=True).value == 1


# -- around


@pytest.mark.promise("call.around")
def test_hooks_wrap_every_call_the_first_one_outermost():
    for way in WAYS:
        seen = []
        box = box_of(returning(5, int))

        @box.around
        async def outer(call, arguments, following):
            seen.append(("outer", call.tool, arguments))
            result = await following(arguments)
            seen.append(("outer", result.text))
            return result

        @box.around
        async def inner(call, arguments, following):
            seen.append("inner")
            return await following(arguments)

        assert text_of(payload_by(way, box, "probe", {})) == "5"
        assert seen == [("outer", "probe", {}), "inner", ("outer", "5")]


def test_a_hook_may_change_arguments_answer_itself_or_fail():
    def probe(n: int):
        return n

    def with_hook(hook):
        box = box_of(probe)
        box.around(hook)
        return box

    async def change(call, arguments, following):
        return await following({"n": 7})

    async def answer(call, arguments, following):
        return Result("mine", body=b'"mine"', is_text=True)

    async def fail(call, arguments, following):
        raise RuntimeError("secret")

    async def speak(call, arguments, following):
        raise ToolError("not now")

    async def leave(call, arguments, following):
        raise SystemExit(1)

    async def nothing(call, arguments, following):
        return None

    async def twice(call, arguments, following):
        await following(arguments)
        return await following(arguments)

    for way in WAYS:
        said = {
            hook.__name__: payload_by(way, with_hook(hook), "probe", {"n": 1})
            for hook in (change, answer, fail, speak, leave, nothing, twice)
        }
        assert text_of(said["change"]) == "7"
        assert text_of(said["twice"]) == "1"
        assert said["speak"]["isError"]
        assert text_of(said["speak"]) == "not now"
        for name in ("fail", "leave", "nothing"):
            assert said[name]["isError"]
            assert "secret" not in compact(said[name])
        assert text_of(said["answer"]) == "mine"


def test_hooks_see_failures_as_results():
    seen = []

    def box_with(target):
        box = box_of(target)

        @box.around
        async def watch(call, arguments, following):
            result = await following(arguments)
            seen.append(result.is_error)
            return result

        return box

    for way in ("call", "call_async"):
        payload_by(way, box_with(raising(SystemExit(1))), "probe", {})
        payload_by(way, box_with(returning(1, int)), "probe", {"bad": 1})
        payload_by(way, box_with(returning(1, int)), "unknown", {})
    assert seen == [True] * 6


# -- lifespan


def lifespan_of(log, value="db"):
    @contextlib.asynccontextmanager
    async def open_():
        log.append(("open", threading.current_thread().name))
        try:
            yield value
        finally:
            log.append(("close", threading.current_thread().name))

    return open_


def box_with(lifespan):
    box = Toolbox("b", lifespan=lifespan)

    @box.tool
    def state() -> str:
        return str(box.state)

    @box.tool
    async def state_async() -> str:
        return str(box.state)

    return box


def kinds(log):
    return [each[0] for each in log]


@pytest.mark.promise("call.lifespan")
def test_a_lifespan_is_entered_on_first_use_and_left_on_close():
    log = []
    box = box_with(lifespan_of(log))
    assert log == []
    assert box.state is None
    assert box.call("state").text == "db"
    assert box.call("state_async").text == "db"
    assert kinds(log) == ["open"]
    box.close()
    assert kinds(log) == ["open", "close"]
    assert box.state is None
    box.close()
    assert kinds(log) == ["open", "close"]
    assert box.call("state").text == "db"
    box.close()
    assert kinds(log) == ["open", "close", "open", "close"]
    assert len({name for _, name in log}) == 1


def test_with_enters_and_leaves_the_lifespan():
    log = []
    with box_with(lifespan_of(log)) as box:
        assert kinds(log) == ["open"]
        assert box.call("state").text == "db"
    assert kinds(log) == ["open", "close"]


def test_async_with_enters_and_leaves_the_lifespan():
    log = []

    async def main():
        async with box_with(lifespan_of(log)) as box:
            assert kinds(log) == ["open"]
            assert (await box.call_async("state")).text == "db"
            assert (await box.call_async("state_async")).text == "db"

    asyncio.run(main())
    assert kinds(log) == ["open", "close"]


def test_aclose_leaves_the_lifespan():
    log = []

    async def main():
        box = box_with(lifespan_of(log))
        await asyncio.gather(*(box.call_async("state") for _ in range(10)))
        assert kinds(log) == ["open"]
        await box.aclose()

    asyncio.run(main())
    assert kinds(log) == ["open", "close"]


def test_many_threads_enter_a_lifespan_once():
    log = []
    box = box_with(lifespan_of(log))
    barrier = threading.Barrier(8)
    said = []

    def work():
        barrier.wait(60)
        said.append(box.call("state").text)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert said == ["db"] * 8
    assert kinds(log) == ["open"]
    box.close()


def test_a_lifespan_opened_with_with_serves_async_callers_on_another_loop():
    log = []
    with box_with(lifespan_of(log)) as box:
        assert asyncio.run(box.call_async("state")).text == "db"
        assert asyncio.run(box.call_async("state_async")).text == "db"
    assert kinds(log) == ["open", "close"]


def test_a_lifespan_whose_loop_has_ended_is_opened_again():
    log = []
    box = box_with(lifespan_of(log))
    assert asyncio.run(box.call_async("state")).text == "db"
    assert asyncio.run(box.call_async("state")).text == "db"
    assert within(lambda: box.call("state")).text == "db"
    within(lambda: box.close() or True)
    assert kinds(log).count("open") == kinds(log).count("close")


@pytest.mark.parametrize("error", [RuntimeError("secret"), SystemExit(1), KeyboardInterrupt()])
def test_a_lifespan_that_does_not_open_is_a_failed_call_and_is_tried_again(error):
    tries = []

    @contextlib.asynccontextmanager
    async def open_():
        tries.append(1)
        if len(tries) == 1:
            raise error
        yield "db"

    box = box_with(open_)
    try:
        first = within(lambda: box.call("state"))
        assert first.is_error
        assert "secret" not in compact(first.to_mcp())
        assert within(lambda: box.call("state")).text == "db"
        assert len(tries) == 2
        within(lambda: box.close() or True)
    finally:
        renew_background_loop()


def renew_background_loop():
    """Forget a loop that a test may have ended, so that no other test hangs on it."""
    from toolwright.run.loop import background

    background.loop = None


def test_a_lifespan_that_does_not_open_raises_from_with():
    @contextlib.asynccontextmanager
    async def open_():
        raise RuntimeError("no db")
        yield

    with pytest.raises(RuntimeError, match="no db"), box_with(open_):
        pass

    async def main():
        async with box_with(open_):
            pass

    with pytest.raises(RuntimeError, match="no db"):
        asyncio.run(main())


def test_hooks_and_lifespan_work_together():
    log = []
    box = box_with(lifespan_of(log))

    @box.around
    async def watch(call, arguments, following):
        log.append(("hook", box.state))
        return await following(arguments)

    assert box.call("state").text == "db"
    assert log[1] == ("hook", "db")
    box.close()


# -- finding tools


def test_an_unknown_tool_has_a_suggestion_and_a_code():
    box = Toolbox("b", {"search_orders": returning(1)})
    result = box.call("serch_orders")
    assert "did you mean `search_orders`" in result.text
    assert isinstance(result.error, ToolNotFound)
    assert result.to_mcp()["_meta"]["toolwright/error"]["code"] == "not_found"
    assert "did you mean" not in box.call("zzz").text


def test_a_disabled_tool_is_not_called():
    ran = []
    box = box_of(lambda: ran.append(1))
    box.disable("probe")
    for way in WAYS:
        assert payload_by(way, box, "probe", {})["isError"]
    assert ran == []
    box.enable("probe")
    box.call("probe")
    assert ran == [1]


def test_a_refused_tool_gives_an_error_result_and_harms_no_other():
    def bad(x: "Missing") -> int:  # noqa: F821
        return 1

    box = Toolbox("b")
    box.add(bad)
    box.add(returning(5, int), name="good")
    for way in WAYS:
        assert payload_by(way, box, "bad", {"x": 1})["isError"]
        assert text_of(payload_by(way, box, "good", {})) == "5"


@pytest.mark.parametrize("name", [None, 5, b"probe", ("probe",), ["probe"], object()], ids=label)
def test_a_name_that_is_no_text_is_an_error_result(name):
    box = box_of(returning(1, int))
    assert box.call(name).is_error
    assert asyncio.run(box.call_async(name)).is_error


def test_objects_are_reached_only_by_what_was_registered():
    class Orders:
        secret = "x"

        def list(self) -> list[int]:
            return [1]

        def _hidden(self) -> int:
            return 1

    box = Toolbox("b")
    box.include(Orders(), prefix="shop.orders.")
    assert box.call("shop.orders.list").value == [1]
    for name in ("_hidden", "secret", "__init__", "__class__", "list.__globals__", "list.__func__"):
        assert box.call(f"shop.orders.{name}").is_error
    for name in ("shop", "shop.orders", "shop.orders.", "shop..orders.list", "shop.orders.list."):
        assert isinstance(box.call(name).error, ToolNotFound)


# -- loops, threads and contexts


def test_calls_work_inside_a_running_loop():
    async def async_tool(n: int) -> int:
        await asyncio.sleep(0)
        return n

    def sync_tool(n: int) -> int:
        return n

    box = Toolbox("b", [async_tool, sync_tool])

    async def main():
        return box.call("async_tool", {"n": 1}).value, box.call("sync_tool", {"n": 2}).value

    assert asyncio.run(main()) == (1, 2)


def test_a_tool_may_call_another_from_any_place():
    box = Toolbox("b")

    @box.tool
    async def leaf(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    @box.tool
    def sync_calls_async(n: int) -> int:
        return box.call("leaf", {"n": n}).value

    @box.tool
    async def async_awaits(n: int) -> int:
        return (await box.call_async("leaf", {"n": n})).value

    @box.tool
    async def async_calls_sync_caller(n: int) -> int:
        return (await box.call_async("sync_calls_async", {"n": n})).value

    for name in ("sync_calls_async", "async_awaits", "async_calls_sync_caller"):
        assert box.call(name, {"n": 1}).value == 2
        assert asyncio.run(box.call_async(name, {"n": 1})).value == 2


def test_an_async_tool_that_calls_synchronously_gives_a_result_and_never_hangs():
    box = Toolbox("b")

    @box.tool
    async def leaf() -> int:
        return 1

    @box.tool
    async def blocks() -> int:
        return box.call("leaf").value

    done = []
    thread = threading.Thread(target=lambda: done.append(box.call("blocks")), daemon=True)
    thread.start()
    thread.join(60)
    assert done
    done[0].to_mcp_json()


def test_calls_from_many_threads_do_not_mix():
    def probe(n: int) -> int:
        return n * 2

    async def probe_async(n: int) -> int:
        await asyncio.sleep(0)
        return n * 2

    box = Toolbox("b", [probe, probe_async])
    wrong = []

    def work(base):
        for n in range(base, base + 50):
            for name in ("probe", "probe_async"):
                if box.call(name, {"n": n}).value != n * 2:
                    wrong.append(n)

    threads = [threading.Thread(target=work, args=(base * 1000,)) for base in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []


def test_many_calls_at_once_all_come_back():
    def probe(n: int) -> int:
        return n

    box = box_of(probe)

    async def main():
        return await asyncio.gather(*(box.call_async("probe", {"n": n}) for n in range(500)))

    assert [result.value for result in asyncio.run(main())] == list(range(500))


USER = contextvars.ContextVar("USER", default="nobody")


def test_context_variables_reach_the_tool_wherever_it_runs():
    def probe() -> str:
        return USER.get()

    async def probe_async() -> str:
        return USER.get()

    def generator() -> Iterator[str]:
        yield USER.get()

    async def later():
        return USER.get()

    def promise() -> str:
        return later()  # pyright: ignore

    async def main(box):
        return (await box.call_async("probe")).text

    token = USER.set("ada")
    try:
        for target in (probe, probe_async, generator, promise):
            box = box_of(target)
            assert box.call("probe").text == "ada"
            assert asyncio.run(main(box)) == "ada"
            hooked = box_of(target)

            @hooked.around
            async def passing(call, arguments, following):
                return await following(arguments)

            assert hooked.call("probe").text == "ada"
            assert asyncio.run(main(hooked)) == "ada"
    finally:
        USER.reset(token)
    assert box_of(probe).call("probe").text == "nobody"


def test_what_a_tool_sets_in_its_context_does_not_leak_to_the_next_call():
    def probe() -> str:
        before = USER.get()
        USER.set("changed")
        return before

    box = box_of(probe)

    async def main():
        return [(await box.call_async("probe")).text for _ in range(3)]

    assert asyncio.run(main()) == ["nobody"] * 3


def test_a_sync_tool_runs_on_the_callers_thread_and_in_a_thread_for_async_callers():
    def probe() -> str:
        return threading.current_thread().name

    box = box_of(probe)
    here = threading.current_thread().name
    assert box.call("probe").text == here
    assert asyncio.run(box.call_async("probe")).text != here


def test_an_async_tool_runs_on_the_loop_of_its_async_caller():
    async def probe() -> int:
        return id(asyncio.get_running_loop())

    async def main(box):
        return (await box.call_async("probe")).value == id(asyncio.get_running_loop())

    assert asyncio.run(main(box_of(probe)))


def test_failures_in_threads_leave_the_workers_alive():
    box = Toolbox("b")

    @box.tool
    def bad() -> int:
        raise SystemExit(1)  # a new one each time: the traceback of one that is shared would grow

    box.add(returning(1, int), name="good")

    async def main():
        await asyncio.gather(*(box.call_async("bad") for _ in range(200)))
        return (await box.call_async("good")).value

    assert asyncio.run(main()) == 1


# -- the contract and the result itself


def test_the_contract_ships_and_works():
    assert get_schema_path().name == "tool_result.v1.schema.json"
    json.loads(get_schema_path().read_text("utf-8"))
    get_validator().check_schema(get_validator().schema)
    validate(build_result("x"))
    validate(build_result("x", is_error=True))
    assert is_canonical(build_result("x"))
    assert parse(build_result('{"a": 1}')) == {"a": 1}
    assert parse(json.dumps(build_result("plain"))) == "plain"


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"content": []},
        {"content": [], "isError": False},
        {"content": None, "isError": False},
        {"content": [text("x")]},
        {"content": [text("x")], "isError": "no"},
        {"content": [text("x")], "isError": None},
        {"content": [text(None)], "isError": False},
        {"content": [{"type": "image", "data": "x"}], "isError": False},
        {"content": [{"type": "video"}], "isError": False},
        {"content": [text("x")], "isError": False, "more": 1},
        {"content": [text("x")], "isError": False, "_meta": None},
        {"content": "x", "isError": False},
    ],
    ids=label,
)
def test_the_contract_refuses_what_is_no_result(payload):
    with pytest.raises(ValueError, match="not a tool result"):
        validate(payload)
    assert not is_canonical(payload) or payload["content"][0]["type"] in ("text", "image")


def test_a_result_says_what_it_is():
    good = result_of(returning({"a": 1}, dict[str, int]))
    assert good.value == {"a": 1}
    assert good.structured == {"a": 1}
    assert good.text == '{"a":1}'
    assert good.error is None
    assert not good.is_error
    assert good.content == [text('{"a":1}')]
    assert "a" in repr(good)
    bad = result_of(raising(ValueError("x")))
    assert bad.structured is None
    assert "error" in repr(bad)


def test_the_value_of_a_result_is_the_python_value():
    item = Item(n=1)
    assert result_of(returning(item, Item)).value == item
    assert isinstance(result_of(returning({"n": 1}, Item)).value, Item)
    assert result_of(returning((1, 2), tuple[int, int])).value == (1, 2)
    assert result_of(returning(datetime.date(2026, 1, 2), datetime.date)).value == datetime.date(
        2026, 1, 2
    )
    assert result_of(returning({1}, set[int])).value == {1}
    assert result_of(returning(b"x", bytes)).value == b"x"


def test_an_authors_output_schema_is_enforced():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    for seen in each_way(returning({"n": 1}), output_schema=schema).values():
        assert seen["structuredContent"] == {"n": 1}
        assert not seen["isError"]
    for value in ({"n": "x"}, {}, [1], None, "x", Image(PNG)):
        for seen in each_way(returning(value), output_schema=schema).values():
            assert seen["isError"], value


def test_results_can_be_sent_again_and_again():
    result = result_of(returning([1, 2], list[int]))
    assert result.to_mcp(OLD) == result.to_mcp(OLD)
    assert result.to_mcp(NEW)["structuredContent"] == [1, 2]
    assert result.to_mcp(OLD)["structuredContent"] == {"result": [1, 2]}


@pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux only")
def test_a_large_text_takes_no_more_memory_than_a_few_copies_of_it():
    code = """
import resource
from toolwright import Tool
def large() -> dict[str, str]:
    return {"text": "A" * 20_000_000}
tool = Tool(large, max_result=30_000_000)
tool.compile(), tool.runner
resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
made = tool.call()
assert not made.is_error, made.text[:200]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("hint", [str, list[int], list[Any], ...])
def test_of_what_is_far_too_long_only_the_beginning_is_looked_at(hint):
    """Items behind the end are not even valid: nobody looks."""
    value = "x" * 10_000 if hint is str else [1] * 10_000 + [object()]
    result = result_of(returning(value, hint), max_result=100)
    assert not result.is_error
    assert f"of {len(value)} " in result.text
    assert result.value is value


@pytest.mark.parametrize(
    "make",
    [
        lambda data, path: data,
        lambda data, path: Image(data),
        lambda data, path: File(path),
        lambda data, path: [Image(data[: len(data) // 2]), Image(data[len(data) // 2 :])],
        lambda data, path: {"picture": Image(data)},
    ],
)
def test_content_that_is_too_large_is_refused_with_its_size(make, tmp_path):
    data = b"\x89PNG\r\n\x1a\n" + bytes(33 * 1024 * 1024)
    path = tmp_path / "large.png"
    path.write_bytes(data)
    result = result_of(returning(make(data, path)))
    assert result.is_error
    assert "more than the limit of 33554432" in result.text
    assert not result_of(returning(make(data[:1_000_000], pathlib.Path(__file__)))).is_error
