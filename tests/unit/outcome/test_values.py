"""Every value has a right form, or a clear error."""

import array
import collections
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
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional

import attrs
import pytest
from pydantic import BaseModel, Field, computed_field
from typing_extensions import TypedDict

from tests.unit.returning import Item, each_way, returning, same_each_way, text
from tests.unit.ways import assert_plain, compact, label, result_of, text_of
from toolwright import ResultError


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
