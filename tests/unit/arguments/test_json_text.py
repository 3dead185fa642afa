"""Text stays text where it may, and is read as JSON where it must."""

import datetime
import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from pydantic import Field
from typing_extensions import TypedDict

from tests.unit.arguments.taking import Color, Item, Order, Rank, read, refused
from tests.unit.ways import assert_plain, label, result_of
from toolwright import Nullable


class Case(enum.Enum):
    UPPER = "A"
    LOWER = "a"


class Swapped(enum.Enum):
    A = "b"
    B = "a"


@dataclass
class Point:
    x: int
    y: float = 0.0


class Row(TypedDict):
    n: int


class Pair(NamedTuple):
    a: int
    b: str


# -- what is valid is never touched


@pytest.mark.parametrize(
    "text", ["[1]", "null", "5", "true", "", '{"a": 1}', " 5 ", "None", "```\n1\n```"]
)
@pytest.mark.parametrize(
    "hint",
    [
        str,
        Optional[str],
        str | int,
        str | list[int] | None,
        str | bool | None,
        dict[str, int] | str,
        list[int] | str,
        Item | str,
        Any,
        object,
        Color | str,
        Annotated[str | None, Nullable()],
        Annotated[Optional[str], Field(description="text")],
        Annotated[str, Field(max_length=99)] | float,
    ],
    ids=label,
)
@pytest.mark.promise("call.text-stays-text")
def test_text_stays_text_where_text_is_allowed(hint, text):
    assert read(hint, text) == (text, [])
    assert read(hint, text, default=None) == (text, [])


@pytest.mark.parametrize("text", ["[1]", "null", "5", "true", "", '{"a": 1}'])
def test_text_stays_text_beside_an_argument_that_needs_repair(text):
    reached = []

    def probe(s: Optional[str], n: int, deep: dict[str, Optional[str]], xs: list[str | int]):
        reached.append((s, n, deep, xs))

    sent = {"s": text, "n": "7", "deep": {"k": text}, "xs": [text]}
    result = result_of(probe, sent)
    assert reached == [(text, 7, {"k": text}, [text])]
    assert [repair.path for repair in result.repairs] == [("n",)]


def test_a_default_of_none_does_not_make_text_absent_beside_a_repair():
    reached = []

    def probe(n: int, s: Optional[str] = "kept", t: str = "d"):
        reached.append((n, s, t))

    assert not result_of(probe, {"n": "1", "s": "null", "t": ""}).is_error
    assert not result_of(probe, {"n": "1", "s": "", "t": "null"}).is_error
    assert reached == [(1, "null", ""), (1, "", "null")]


def test_null_for_a_nullable_argument_is_null_even_beside_a_repair():
    reached = []

    def probe(n: int, a: int | None = 3, b: Annotated[int | None, Nullable()] = 4):
        reached.append((n, a, b))

    result = result_of(probe, {"n": "1", "a": None, "b": None})
    assert reached == [(1, None, None)]
    assert [repair.path for repair in result.repairs] == [("n",)]


def test_valid_values_of_other_types_are_kept_beside_a_repair():
    reached = []

    def probe(
        n: int, f: float, u: int | float, d: dict[str, Any], e: Color | None, dt: datetime.date
    ):
        reached.append((n, f, u, d, e, dt))

    sent = {
        "n": "1",
        "f": 2,
        "u": 2.0,
        "d": {"a": "5", "b": "null"},
        "e": "red",
        "dt": "2026-01-01",
    }
    result = result_of(probe, sent)
    assert reached == [(1, 2.0, 2.0, {"a": "5", "b": "null"}, Color.RED, datetime.date(2026, 1, 1))]
    assert type(reached[0][2]) is float
    assert len(result.repairs) == 1


@pytest.mark.parametrize("value", ["A", "a"])
def test_an_exact_enum_value_wins_over_case_and_names(value):
    assert read(Case, value) == (Case(value), [])
    assert read(Swapped, value.lower()) == (Swapped(value.lower()), [])


# -- text for something else


@pytest.mark.parametrize(
    ("hint", "sent", "wanted"),
    [
        (int, "5", 5),
        (int, " -5 ", -5),
        (int, "5.0", 5),
        (int, "1e3", 1000),
        (float, "1.5", 1.5),
        (float, "2", 2.0),
        (Optional[int], "5", 5),
        (int | None, "5", 5),
        (list[int], "[1, 2]", [1, 2]),
        (list[int], "[]", []),
        (list[str], '["a"]', ["a"]),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (Optional[list[int]], "[1]", [1]),
        (Optional[dict[str, Any]], '{"a": [true, null]}', {"a": [True, None]}),
        (Item, '{"n": 1}', Item(n=1)),
        (Point, '{"x": 1}', Point(1)),
        (Row, '{"n": 1}', {"n": 1}),
        (Pair, '[1, "a"]', Pair(1, "a")),
        (tuple[int, str], '[1, "a"]', (1, "a")),
        (set[int], "[1, 1]", {1}),
        (Sequence[int], "[1]", [1]),
        (Mapping[str, int], '{"a": 1}', {"a": 1}),
        (list[dict[str, int]], '[{"a": 1}]', [{"a": 1}]),
        (Literal[1, 2], "1", 1),
        (Rank, "2", Rank.HIGH),
    ],
    ids=label,
)
def test_json_text_is_read_as_what_is_declared(hint, sent, wanted):
    value, repairs = read(hint, sent)
    assert value == wanted
    assert type(value) is type(wanted)
    assert len(repairs) == 1


@pytest.mark.parametrize("text", ["true", "True", "TRUE", "false", "False"])
def test_boolean_text_is_read_as_a_boolean(text):
    value, repairs = read(bool, text)
    assert value is (text.lower() == "true")
    assert len(repairs) == 1


@pytest.mark.parametrize(
    "text",
    [
        json.dumps('[{"n": 1}]'),
        json.dumps(json.dumps('[{"n": 1}]')),
        '```json\n[{"n": 1}]\n```',
        '```\n[{"n": 1}]\n```',
        '  ```json\n[{"n": 1}]```  ',
        '[{"n": 1,},]',
        "[{'n': 1}]",
        "[{'n': 1, 'on': False, 'tags': []},]",
        "[dict_free]".replace("dict_free", "{'n': 1}"),
        '\n[{"n": 1}]\n',
    ],
)
def test_json_text_may_be_encoded_twice_fenced_loose_or_python(text):
    value, repairs = read(list[Item], text)
    assert value == [Item(n=1)]
    assert repairs == ["json"]


@pytest.mark.parametrize("comma", ["a,]", "b,}", ",]"])
def test_a_comma_inside_text_is_not_a_trailing_comma(comma):
    sent = json.dumps({"k": comma})
    assert read(dict[str, str], sent) == ({"k": comma}, ["json"])
    loose = sent[:-1] + ",}"
    assert read(dict[str, str], loose) == ({"k": comma}, ["json"])


def test_python_literals_stand_for_json():
    wanted = {"a": None, "b": True, "c": [1, 2.5, "it's"]}
    sent = "{'a': None, 'b': True, 'c': (1, 2.5, \"it's\")}"
    assert read(dict[str, Any], sent) == (wanted, ["json"])


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "[1",
        "{",
        "[nan]",
        "[NaN]",
        "[Infinity]",
        "__import__('os').getcwd()",
        "[x for x in (1,)]",
        "1_000",
        "0x10",
        "五",
        "[1]]",
        "",
    ],
)
def test_what_is_no_json_is_refused_and_never_run(text):
    assert "`x`" in refused(list[int], text)


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "inf", "Infinity", "-Infinity", "1_000", "0x10", "٣"]
)
@pytest.mark.parametrize("hint", [int, float])
def test_numbers_that_json_does_not_know_are_refused(hint, text):
    refused(hint, text)


def test_repair_reaches_into_lists_models_and_maps():
    sent = {
        "items": [{"n": "1", "tags": '["a"]', "on": "true"}, '{"n": 2.0}'],
        "note": "null",
        "color": "BLUE",
    }
    reached = []

    def probe(order: Order, by_name: dict[str, Item], points: list[Optional[Point]]):
        reached.append((order, by_name, points))

    result = result_of(
        probe,
        {"order": json.dumps(sent), "by_name": {"k": {"n": "3"}}, "points": [None, {"x": "4"}]},
    )
    assert not result.is_error, result.text
    assert reached == [
        (
            Order(items=[Item(n=1, tags=["a"], on=True), Item(n=2)], note="null", color=Color.BLUE),
            {"k": Item(n=3)},
            [None, Point(4)],
        )
    ]
    paths = {repair.path for repair in result.repairs}
    assert paths >= {
        ("order",),
        ("order", "items", 0, "n"),
        ("order", "items", 0, "tags"),
        ("order", "items", 0, "on"),
        ("order", "items", 1),
        ("order", "color"),
        ("by_name", "k", "n"),
        ("points", 1, "x"),
    }
    assert ("order", "note") not in paths


@pytest.mark.parametrize("open_, close", [("[", "]"), ('{"a":', "}")])
def test_arguments_that_nest_too_deep_are_refused(open_, close):
    def probe(x: Any): ...

    body = '{"x":' + open_ * 100_000 + "1" + close * 100_000 + "}"
    for way in ("call", "bytes"):
        result = result_of(probe, body if way == "call" else body.encode())
        assert result.is_error
        assert_plain(result.text)


def test_python_arguments_that_nest_too_deep_or_in_a_cycle_are_refused():
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    cycle: dict[str, Any] = {}
    cycle["x"] = cycle

    def probe(x: Any): ...

    for sent in ({"x": deep}, cycle):
        result = result_of(probe, sent)
        assert result.is_error
        assert_plain(result.text)
