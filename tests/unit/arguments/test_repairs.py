"""Wrong arguments are repaired by type: numbers, absence, lists, choices, flat models."""

import datetime
import decimal
import enum
import pathlib
from typing import Any, Literal, Optional

import pytest
from typing_extensions import TypedDict

from tests.unit.arguments.taking import Color, Filter, Item, Rank, flattened, read, refused
from tests.unit.ways import label, result_of

# -- numbers and booleans


def test_an_integral_float_is_an_int():
    value, repairs = read(int, 3.0)
    assert (value, type(value), repairs) == (3, int, ["integer"])
    assert read(list[int], [1.0, 2]) == ([1, 2], ["integer"])
    assert "3.5" in refused(int, 3.5)


def test_large_floats_do_not_lose_digits_silently():
    assert read(int, 1e15)[0] == 10**15
    assert read(int, 2**64)[0] == 2**64


@pytest.mark.parametrize("value", [True, False])
def test_a_boolean_is_no_number(value):
    for hint in (int, float, Optional[int], list[int], Rank, Literal[1, 0], decimal.Decimal):
        sent = [value] if hint == list[int] else value
        refused(hint, sent)


@pytest.mark.parametrize("value", [0, 1, 2, 1.0])
def test_a_number_is_no_boolean(value):
    refused(bool, value)
    refused(Optional[bool], value)


@pytest.mark.parametrize("value", [5, 1.5, True, ["a"], {"a": 1}])
def test_nothing_else_becomes_text(value):
    refused(str, value)


def test_a_boolean_or_a_number_from_text_is_the_plainer_one():
    assert read(int | bool, "1")[0] == 1
    assert type(read(int | bool, "1")[0]) is int
    assert read(int | bool, "true")[0] is True
    assert read(bool | None, "false")[0] is False


# -- absent


@pytest.mark.parametrize("sent", [None, "", "null"])
@pytest.mark.parametrize(
    "hint", [int, float, bool, list[int], dict[str, int], Item, Rank], ids=label
)
def test_null_and_empty_text_mean_absent_where_optional(hint, sent):
    default = object()
    value, repairs = read(hint, sent, default=default)
    assert value is default
    assert repairs == ["absent"]


@pytest.mark.parametrize("sent", [None, "", "null"])
@pytest.mark.parametrize("hint", [int, list[int], dict[str, int], Item], ids=label)
def test_null_and_empty_text_are_refused_where_required(hint, sent):
    assert "`x`" in refused(hint, sent)


def test_null_for_an_optional_str_that_is_not_nullable_means_absent():
    assert read(str, None, default="d") == ("d", ["absent"])


@pytest.mark.parametrize("sent", ["", "null"])
def test_empty_text_for_a_nullable_number_is_absent_or_null(sent):
    assert read(int | None, sent, default=None)[0] is None
    assert read(Optional[Item], sent, default=None)[0] is None
    assert read(Optional[datetime.date], None, default=None) == (None, [])


def test_null_for_an_optional_date_or_enum_means_absent():
    today = datetime.date(2026, 1, 1)
    assert read(datetime.date, None, default=today) == (today, ["absent"])
    assert read(Color, None, default=Color.BLUE) == (Color.BLUE, ["absent"])


def test_absent_reaches_into_models():
    assert read(Item, {"n": 1, "tags": None, "on": ""}) == (Item(n=1), ["absent", "absent"])


# -- lists


@pytest.mark.parametrize(
    ("hint", "sent", "wanted"),
    [
        (list[str], "a", ["a"]),
        (list[int], 5, [5]),
        (list[int], "5", [5]),
        (list[Item], {"n": 1}, [Item(n=1)]),
        (set[str], "a", {"a"}),
        (Optional[list[str]], "a", ["a"]),
        (list[Color], "red", [Color.RED]),
        (list[Color], "RED", [Color.RED]),
        (tuple[int, ...], 1, (1,)),
        (list[list[int]], [1, 2], [[1], [2]]),
    ],
    ids=label,
)
def test_one_value_stands_for_a_list_of_one(hint, sent, wanted):
    value, repairs = read(hint, sent)
    assert value == wanted
    assert repairs


def test_a_value_that_fits_no_item_is_not_put_in_a_list():
    assert "list" in refused(list[int], "abc")
    assert "list" in refused(list[int], {"a": 1})
    refused(list[int], True)
    refused(list[int], None)


def test_a_list_of_text_keeps_text_that_looks_like_json_inside_it():
    assert read(list[str], ["[1]", "5"]) == (["[1]", "5"], [])


class Paged(TypedDict):
    pages: list[str]


ONE_OR_MORE = [
    "a, b, c",
    "Smith, John",
    "a;b",
    "a\nb",
    "a\r\n",
    "a\u2028b",
    "\u82f9\uff0c\u679c",
    "a\u3001b",
    "a\uff64b",
    "a\ufe50b",
    "a\u055db",
    "a\u1363b",
    '\ufeff["a"',
    '\u200b["a"',
    '\'["a"',
    "('a'",
]
CUT = ['["a","b"', '["a"', "[", " [1, 2", '{"a": 1', '"a"', '"a', '```json\n["a"']
NOTHING = ["", " ", "null", "None"]


@pytest.mark.parametrize("sent", [*ONE_OR_MORE, *CUT, *NOTHING])
@pytest.mark.promise("call.no-guessed-lists")
def test_a_text_that_may_not_be_one_item_is_refused_for_a_list(sent):
    hints = [list[str], set[str], tuple[str, ...], tuple[str, str], list, list[Any], list[str | int],
             list[str] | dict[str, int], list[datetime.date], list[pathlib.Path], list[list[str]]]  # fmt: skip
    for hint in hints:
        assert "send " in refused(hint, sent)
    assert "`x.k`" in refused(dict[str, list[str]], {"k": sent})
    assert "`x[0]`" in refused(list[list[str]], [sent])
    assert "`x[0].pages`" in refused(list[Paged], [{"pages": sent}])
    assert read(list[str], [sent]) == ([sent], [])
    assert read(list[str] | str, sent) == (sent, [])


def test_a_list_that_came_as_whole_json_is_still_read():
    for sent in ('["a, b", "c;\\n"]', "['a, b', 'c;\\n']", '```json\n["a, b", "c;\\n"]\n```'):
        assert read(list[str], sent) == (["a, b", "c;\n"], ["json"])


def test_a_refused_text_says_how_to_send_the_list():
    told = "must be a list of strings; got"
    assert refused(list[str], "Smith, John") == (
        f'probe: `x` {told} "Smith, John"; send a list with each item on its own: '
        '["Smith, John"] is one item'
    )
    assert refused(list[str], '["a"') == (
        f'probe: `x` {told} "[\\"a\\""; the JSON in this text is no such list: '
        "send the list itself, not a text"
    )
    assert refused(list[int], "1,2").endswith('got "1,2"; send a list with each item on its own')
    assert len(refused(list[str], "a, " * 10_000)) < 250


def test_a_listed_value_with_a_comma_is_one_item():
    assert read(list[Literal["a, b", "c"]], "A, B") == (["a, b"], ["choice", "list"])
    assert "send" in refused(list[Literal["a", "c"]], "a, c")


def test_an_empty_object_that_fits_no_item_is_an_empty_list():
    assert read(list[str], {}) == ([], ["list"])
    assert read(dict[str, set[int]], {"k": {}}) == ({"k": set()}, ["list"])
    assert read(list[dict[str, int]], {}) == ([{}], ["list"])
    assert read(list[str] | dict[str, int], {}) == ({}, [])


# -- names


@pytest.mark.parametrize("name", ["n ", " n", "`n`", "'n'", '"n"', "n\n"])
@pytest.mark.promise("call.stray-characters")
def test_stray_characters_around_a_name_are_taken_off(name):
    reached = []

    def probe(n: int, page: int = 1):
        reached.append((n, page))

    def lacks(sent):
        result = result_of(probe, sent)
        assert result.is_error
        return "unknown argument" in result.text

    result = result_of(probe, {name: "5"})
    assert reached.pop() == (5, 1)
    assert [(repair.path, repair.code) for repair in result.repairs] == [
        (("n",), "name"),
        (("n",), "json"),
    ]
    assert lacks({name: 5, "n": 5})
    assert lacks({name: 5, "  n": 5})
    assert lacks({f"{name}x": 5})
    assert reached == []


def test_a_name_stays_as_it_came_where_any_name_is_taken():
    reached = []

    def probe(n: int, **rest: int):
        reached.append((n, rest))

    assert not result_of(probe, {"n": "1", "n ": 2}).is_error
    assert reached == [(1, {"n ": 2})]
    assert result_of(flattened, {"`word`": "a"}).value == ["a", 10, 1]


# -- choices


@pytest.mark.parametrize(
    ("hint", "sent", "wanted"),
    [
        (Color, "RED", Color.RED),
        (Color, "Red", Color.RED),
        (Color, " red ", Color.RED),
        (Optional[Color], "BLUE", Color.BLUE),
        (Literal["fast", "slow"], "FAST", "fast"),
        (Rank, "HIGH", Rank.HIGH),
        (Rank, "high", Rank.HIGH),
        (Rank, "2", Rank.HIGH),
        (list[Color], ["RED", "blue"], [Color.RED, Color.BLUE]),
        (dict[str, Color], {"k": "RED"}, {"k": Color.RED}),
    ],
    ids=label,
)
def test_a_choice_by_case_or_by_the_members_name(hint, sent, wanted):
    value, repairs = read(hint, sent)
    assert value == wanted
    assert len(repairs) == 1


class Letters(enum.Enum):
    FIRST = "ab"
    SECOND = "AB"


class Codes(enum.Enum):
    RED = "r"
    red = "s"


@pytest.mark.parametrize(
    ("hint", "sent"),
    [
        (Literal["ab", "AB"], "Ab"),
        (Letters, "aB"),
        (Codes, "Red"),
        (Color, "green"),
        (Literal["a", "b"], "c"),
        (Color, "Color.RED.x"),
    ],
    ids=label,
)
def test_an_ambiguous_or_unknown_choice_is_not_guessed(hint, sent):
    assert "one of" in refused(hint, sent)


def test_a_member_by_its_exact_name_is_not_ambiguous():
    assert read(Codes, "red")[0] is Codes.red
    assert read(Codes, "RED")[0] is Codes.RED


def test_an_alias_of_a_member_is_a_name_too():
    class Level(enum.Enum):
        LOW = "l"
        SMALL = "l"

    assert read(Level, "SMALL")[0] is Level.LOW


def test_two_enums_with_the_same_values_keep_their_own_names():
    class One(enum.Enum):
        FIRST = 1
        SECOND = 2

    class Two(enum.Enum):
        SECOND = 1
        FIRST = 2

    reached = []

    def probe(a: One, b: Two):
        reached.append((a, b))

    assert not result_of(probe, {"a": "FIRST", "b": "FIRST"}).is_error
    assert reached == [(One.FIRST, Two.FIRST)]


# -- flattened models


@pytest.mark.parametrize(
    ("sent", "wanted", "codes"),
    [
        ({"word": "a"}, ["a", 10, 1], []),
        ({"word": "a", "limit": 2, "page": 3}, ["a", 2, 3], []),
        ({"filter": {"word": "a"}}, ["a", 10, 1], ["nested"]),
        ({"filter": {"word": "a", "limit": "2"}, "page": 2}, ["a", 2, 2], ["nested", "json"]),
        ({"word": "a", "limit": "2"}, ["a", 2, 1], ["json"]),
        ({"word": "a", "limit": None}, ["a", 10, 1], ["absent"]),
        ({"filter": '{"word": "a"}'}, ["a", 10, 1], None),
        ({"word": "a", "toolCallId": "1"}, ["a", 10, 1], ["noise"]),
    ],
)
def test_a_flattened_model_is_taken_flat_or_nested(sent, wanted, codes):
    result = result_of(flattened, sent)
    assert not result.is_error, result.text
    assert result.value == wanted
    if codes is not None:
        assert sorted(repair.code for repair in result.repairs) == sorted(codes)


def plain_model(filter: Filter, page: int = 1) -> list[Any]:
    return [filter.word, filter.limit, page]


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"limit": 2}, ["word"]),
        ({"word": "a", "limit": "x"}, ["limit"]),
        ({"word": "a", "limt": 1}, ["limt"]),
    ],
)
def test_faults_in_a_flattened_model_have_flat_paths(sent, path):
    result = result_of(flattened, sent)
    assert result.is_error
    faults = result.to_mcp()["_meta"]["toolwright/error"]["faults"]
    assert [fault["path"] for fault in faults] == [path]
    assert "`filter." not in result.text
    if path == ["limt"]:
        assert "did you mean `limit`" in result.text


def test_a_flattened_model_does_not_come_both_ways_at_once():
    assert result_of(flattened, {"filter": {"word": "a"}, "word": "b"}).is_error
