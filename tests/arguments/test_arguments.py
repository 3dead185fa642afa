"""Arguments: valid ones are never changed, wrong ones are repaired by type, or explained."""

import base64
import datetime
import decimal
import enum
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Optional

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator
from typing_extensions import TypedDict

from toolwright import ArgumentError, Fixed, Flatten, Hidden, Nullable, Tool, Toolbox

from ways import WAYS, assert_plain, box_of, label, payload_by, result_of, text_of


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Case(enum.Enum):
    UPPER = "A"
    LOWER = "a"


class Swapped(enum.Enum):
    A = "b"
    B = "a"


class Item(BaseModel):
    n: int
    tags: list[str] = []
    on: bool = False


class Order(BaseModel):
    items: list[Item]
    note: Optional[str] = None
    color: Color = Color.RED


@dataclass
class Point:
    x: int
    y: float = 0.0


class Row(TypedDict):
    n: int


class Pair(NamedTuple):
    a: int
    b: str


ABSENT = object()


def taking(hint, default=ABSENT):
    """A tool of one argument that hands back what reached it."""

    def take(x):
        return None

    take.__annotations__["x"] = hint
    if default is not ABSENT:
        take.__defaults__ = (default,)
    reached = []

    def probe(x):
        reached.append(x)

    probe.__annotations__ = take.__annotations__
    probe.__defaults__ = take.__defaults__
    return probe, reached


def read(hint, sent, default=ABSENT, **options):
    """Return what reaches the function, and the codes of the repairs."""
    target, reached = taking(hint, default)
    result = result_of(target, {"x": sent}, **options)
    assert not result.is_error, result.text
    (value,) = reached
    return value, [repair.code for repair in result.repairs]


def refused(hint, sent, default=ABSENT, **options):
    """Return the text for the model; the function did not run."""
    target, reached = taking(hint, default)
    result = result_of(target, {"x": sent}, **options)
    assert result.is_error, (reached, result.repairs)
    assert isinstance(result.error, ArgumentError)
    assert reached == []
    assert_plain(result.text)
    return result.text


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


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        '"' + "x" * 10_000_000,
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "{'a':" * 50_000,
        "(" * 100_000,
        "9" * 100_000,
        "-" * 100_000,
        "[" + "1," * 1_000_000,
        "```" * 100_000,
        " " * 1_000_000,
        "\\" * 100_000,
        '"' * 100_000,
        "1e999999999",
        "[" + "9" * 5000 + "]",
    ],
    ids=lambda text: f"{text[:6]}...{len(text)}",
)
@pytest.mark.parametrize(
    "hint", [list[int], dict[str, Any], int, bool, Item, Optional[list[Item]]], ids=label
)
def test_size_and_depth_are_bounded(hint, text):
    started = time.process_time()
    said = refused(hint, text)
    assert time.process_time() - started < 30  # what grows with the square takes minutes
    assert len(said) < 500


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


def test_a_comma_separated_text_stays_one_item():
    assert read(list[str], "a, b") == (["a, b"], ["list"])


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


class Filter(BaseModel):
    word: str
    limit: int = 10


def flattened(filter: Annotated[Filter, Flatten()], page: int = 1) -> list[Any]:
    return [filter.word, filter.limit, page]


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


# -- unknown arguments


def closed(limit: int = 1, item: Item | None = None) -> int:
    return limit


def test_unknown_arguments_are_refused_with_a_suggestion():
    result = result_of(closed, {"limt": 2})
    assert "unknown argument `limt`; did you mean `limit`?" in result.text
    assert result.error.faults[0].code == "unknown"
    assert result.error.faults[0].path == ("limt",)
    assert "did you mean" not in result_of(closed, {"zzz": 2}).text


@pytest.mark.parametrize("key", ["toolCallId", "sessionId", "_meta"])
def test_noise_of_clients_is_left_out_and_recorded(key):
    result = result_of(closed, {"limit": 3, key: {"a": 1}})
    assert result.value == 3
    assert [(repair.path, repair.code) for repair in result.repairs] == [((key,), "noise")]


def test_noise_that_is_an_argument_is_an_argument():
    def probe(toolCallId: str, sessionId: int = 0) -> str:
        return f"{toolCallId} {sessionId}"

    result = result_of(probe, {"toolCallId": "x", "sessionId": "2"})
    assert result.value == "x 2"
    assert [repair.code for repair in result.repairs] == ["json"]


def test_noise_goes_to_keywords_where_there_are_some():
    def probe(**kwargs: Any) -> dict[str, Any]:
        return kwargs

    assert result_of(probe, {"sessionId": "s", "a": 1}).value == {"sessionId": "s", "a": 1}


def test_extra_ignore_drops_unknown_arguments():
    assert result_of(closed, {"limit": 2, "zz": 1}, extra="ignore").value == 2
    result = result_of(closed, {"limit": "2", "zz": 1, "toolCallId": 1}, extra="ignore")
    assert result.value == 2


def test_extra_pass_hands_unknown_arguments_over():
    def probe(a: int, **rest: Any) -> dict[str, Any]:
        return {"a": a, **rest}

    sent = {"a": 1, "b": "5", "c": [1]}
    assert result_of(probe, sent).value == sent
    assert result_of(probe, sent, extra="pass").value == sent
    assert result_of(probe, sent, extra="forbid").is_error
    assert result_of(probe, sent, extra="ignore").value == {"a": 1}


def test_typed_keywords_are_repaired_and_explained():
    def probe(**rest: int) -> dict[str, int]:
        return rest

    assert result_of(probe, {"a": "1"}).value == {"a": 1}
    assert "`a`" in result_of(probe, {"a": "x"}).text


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    n: int


class Shut(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: int


def test_nested_objects_keep_their_own_rule_for_extras():
    value, _ = read(Open, {"n": "1", "more": "5"})
    assert value.model_extra == {"more": "5"}
    assert "`x.nmae`" in refused(Shut, {"name": 1, "nmae": 2})
    assert "did you mean `name`" in refused(Shut, {"name": 1, "nmae": 2})
    assert read(Item, {"n": 1, "unknown": 2}) == (Item(n=1), [])
    assert read(Item, {"n": "1", "unknown": 2}) == (Item(n=1), ["json"])


def test_hidden_and_fixed_arguments_cannot_be_sent():
    def probe(
        a: int, h: Annotated[int, Hidden()] = 1, f: Annotated[int, Fixed(2)] = 2
    ) -> list[int]:
        return [a, h, f]

    assert result_of(probe, {"a": "1"}).value == [1, 1, 2]
    for key in ("h", "f"):
        for extra in ("forbid", "ignore", "pass"):
            result = result_of(probe, {"a": 1, key: 9}, extra=extra)
            assert result.is_error or result.value == [1, 1, 2]


# -- repair=False


@pytest.mark.parametrize(
    ("hint", "sent", "default"),
    [
        (int, "5", ABSENT),
        (int, 5.0, ABSENT),
        (bool, "true", ABSENT),
        (list[int], "[1]", ABSENT),
        (list[int], 1, ABSENT),
        (Color, "RED", ABSENT),
        (int, None, 3),
        (int, "", 3),
        (dict[str, int], "{}", ABSENT),
    ],
    ids=label,
)
@pytest.mark.promise("call.strict-first")
def test_nothing_is_repaired_with_repair_off(hint, sent, default):
    assert "`x`" in refused(hint, sent, default, repair=False)


@pytest.mark.promise("call.repair-off")
def test_noise_and_nested_forms_are_refused_with_repair_off():
    assert "`toolCallId`" in result_of(closed, {"toolCallId": 1}, repair=False).text
    assert result_of(flattened, {"filter": {"word": "a"}}, repair=False).is_error
    assert result_of(flattened, {"word": "a"}, repair=False).value == ["a", 10, 1]


# -- the whole object


@pytest.mark.parametrize("sent", [None, {}, "{}", b"{}", " {} ", "null", b"null"])
def test_no_arguments_may_be_said_in_many_ways(sent):
    assert result_of(closed, sent).value == 1


@pytest.mark.parametrize(
    "sent", ['{"limit": 2}', b'{"limit": 2}', '{"limit": "2"}', '"{\\"limit\\": 2}"']
)
def test_arguments_may_be_json_text(sent):
    assert result_of(closed, sent).value == 2


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "x",
        "[1]",
        b"[]",
        "5",
        "{",
        '{"limit": 1',
        b"\xff",
        '{"limit": NaN}',
        '{"limit": 1} x',
        [1],
        5,
        "\udc80",
        '"abc"',
    ],
    ids=label,
)
def test_arguments_that_are_no_object_are_refused(sent):
    result = result_of(closed, sent)
    assert result.is_error
    assert isinstance(result.error, ArgumentError)
    assert_plain(result.text)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, float("nan"), "\udc80", {"\udc80": 1}, b"\xff", {1: 2}],
    ids=label,
)
def test_python_values_that_are_no_json_end_in_a_result(value):
    for hint in (int, Any, str, dict):
        target, _ = taking(hint)
        result = result_of(target, {"x": value})
        result.to_mcp_json()
        assert_plain(result.text)


def test_the_callers_own_arguments_are_never_changed():
    sent = {"order": {"items": ['{"n": "1"}'], "color": "RED"}, "toolCallId": 1}
    before = json.dumps(sent)

    def probe(order: Order) -> int:
        return len(order.items)

    assert result_of(probe, sent).value == 1
    assert json.dumps(sent) == before


def test_a_duplicate_key_is_taken_once():
    assert result_of(closed, '{"limit": 1, "limit": 2}').value == 2


# -- names and kinds


def test_aliases_are_the_names_to_send():
    def probe(
        x: Annotated[int, Field(alias="theX")], y: Annotated[int, Field(alias="theY")] = 2
    ) -> int:
        return x * y

    assert result_of(probe, {"theX": 3}).value == 6
    assert result_of(probe, {"theX": "3", "theY": None}).value == 6
    assert "`theX`" in result_of(probe, {"theX": "a"}).text
    assert "`theX`" in result_of(probe, {}).text
    assert "did you mean `theX`" in result_of(probe, {"thex": 1}).text


def test_aliases_of_fields_are_repaired_and_named():
    class User(BaseModel):
        user_id: int = Field(alias="userId")

    assert read(User, {"userId": "5"})[0].user_id == 5
    assert "`x.userId`" in refused(User, {"userId": "a"})
    assert "`x.userId`" in refused(User, {})


def test_args_are_repaired_and_named_by_position():
    def probe(a: int, *rest: int) -> list[int]:
        return [a, *rest]

    assert result_of(probe, {"a": "1", "rest": ["2", 3.0]}).value == [1, 2, 3]
    assert result_of(probe, {"a": 1, "rest": "[2]"}).value == [1, 2]
    assert result_of(probe, {"a": 1, "rest": 2}).value == [1, 2]
    assert result_of(probe, {"a": 1, "rest": None}).value == [1]
    assert "`rest[1]`" in result_of(probe, {"a": 1, "rest": [1, "x"]}).text


def test_positional_only_arguments_go_by_name():
    def probe(a: int, b: int = 2, /, c: int = 3) -> list[int]:
        return [a, b, c]

    assert result_of(probe, {"a": "1", "c": 9}).value == [1, 2, 9]
    assert result_of(probe, {"a": 1, "b": None}).value == [1, 2, 3]
    result = result_of(probe, {})
    assert "missing argument `a`" in result.text


def test_bytes_come_as_base64_of_either_alphabet():
    data = bytes(range(256))
    for encoded in (base64.b64encode(data), base64.urlsafe_b64encode(data)):
        assert read(bytes, encoded.decode())[0] == data
    assert "base64" in refused(bytes, "not base64!")
    assert read(Optional[bytes], None, default=None)[0] is None
    assert read(list[bytes], ["aGk="])[0] == [b"hi"]


# -- what repairs say


@pytest.mark.promise("call.repairs-are-recorded")
def test_repairs_say_where_what_and_how():
    def probe(limit: int, on: bool = False) -> int:
        return limit

    result = result_of(probe, {"limit": "5", "on": "yes"})
    assert [repair.path for repair in result.repairs] == [("limit",), ("on",)]
    for repair in result.repairs:
        assert repair.path[0] in repair.text
        assert repair.code
        assert "\n" not in repair.text
        assert len(repair.text) < 200
    assert result_of(probe, {"limit": 5}).repairs == ()


def test_repairs_are_kept_on_failures_of_the_tool():
    def probe(n: int) -> int:
        raise ValueError("no")

    result = result_of(probe, {"n": "5"})
    assert result.is_error
    assert [repair.code for repair in result.repairs] == ["json"]


def test_a_repair_that_does_not_help_is_not_half_applied():
    result = result_of(closed, {"limit": "5", "item": {"n": "x"}})
    assert result.is_error
    assert "`item.n`" in result.text
    assert "`limit`" not in result.text


def test_repairs_of_many_items_stay_readable():
    def probe(xs: list[int]) -> int:
        return len(xs)

    result = result_of(probe, {"xs": [str(n) for n in range(1000)]})
    assert result.value == 1000
    assert len(result.repairs) == 1000


# -- what faults say


def wide(a: int, b: list[int], c: Color, d: Item, e: float = 0.0) -> None: ...


GOOD = {"a": 1, "b": [1], "c": "red", "d": {"n": 1}}


@pytest.mark.parametrize(
    ("change", "pieces", "path", "code"),
    [
        ({"a": "x"}, ["`a`", "an integer", 'got "x"'], ["a"], "type"),
        ({"a": [1, 2]}, ["`a`", "an integer", "[1, 2]"], ["a"], "type"),
        ({"a": 1.5}, ["`a`", "an integer", "1.5"], ["a"], "type"),
        ({"b": [1, "x"]}, ["`b[1]`", "an integer", 'got "x"'], ["b", 1], "type"),
        ({"b": "x"}, ["`b`", "a list", 'got "x"'], ["b"], "type"),
        ({"c": "rde"}, ["`c`", '"red", "blue"', "did you mean", '"red"?'], ["c"], "type"),
        ({"d": {}}, ["`d.n`", "missing"], ["d", "n"], "missing"),
        ({"d": 5}, ["`d`", "an object", "got 5"], ["d"], "type"),
        ({"d": {"n": 1, "tags": [1]}}, ["`d.tags[0]`", "a string"], ["d", "tags", 0], "type"),
        ({"e": "x"}, ["`e`", "a number"], ["e"], "type"),
        ({"f": 1}, ["unknown argument `f`"], ["f"], "unknown"),
    ],
)
@pytest.mark.promise("call.one-line-a-fault")
def test_a_fault_says_path_value_and_expectation_in_one_line(change, pieces, path, code):
    result = result_of(wide, {**GOOD, **change})
    assert result.is_error
    for piece in pieces:
        assert piece in result.text
    assert len(result.text.splitlines()) == 1
    assert len(result.text) < 200
    assert_plain(result.text)
    (fault,) = result.to_mcp()["_meta"]["toolwright/error"]["faults"]
    assert (fault["path"], fault["code"]) == (path, code)
    assert fault["text"] in result.text
    assert result.to_mcp()["_meta"]["toolwright/error"]["code"] == "arguments"


def test_a_missing_argument_says_what_it_should_be():
    result = result_of(wide, {})
    lines = result.text.splitlines()
    assert len(lines) == 4
    for key, line in zip("abcd", lines, strict=True):
        assert f"missing argument `{key}`" in line
    assert "an integer" in lines[0]
    assert [fault.code for fault in result.error.faults] == ["missing"] * 4


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.promise("call.few-lines")
def test_a_hundred_faults_take_a_few_lines(way):
    def probe(xs: list[int]) -> int:
        return len(xs)

    payload = payload_by(way, box_of(probe), "probe", {"xs": ["x"] * 100})
    lines = text_of(payload).splitlines()
    assert 2 <= len(lines) <= 7
    assert "95 more" in lines[-1]
    faults = payload["_meta"]["toolwright/error"]["faults"]
    assert 1 <= len(faults) <= 100
    assert faults[0]["path"] == ["xs", 0]


def test_a_hundred_thousand_faults_do_not_make_a_huge_result():
    def probe(xs: list[int]) -> int:
        return len(xs)

    result = result_of(probe, {"xs": ["x"] * 100_000})
    assert result.is_error
    assert len(result.to_mcp_json()) < 100_000


def test_a_long_value_is_not_repeated_in_full():
    assert len(refused(int, "x" * 100_000)) < 300
    assert len(refused(int, list(range(100_000)))) < 300
    assert len(refused(Literal["a"], "x" * 100_000)) < 300


def test_a_long_unknown_name_is_not_repeated_in_full():
    result = result_of(closed, {"x" * 100_000: 1})
    assert result.is_error
    assert len(result.text) < 500


@pytest.mark.parametrize("name", ["a\nb", "`", "", "a.b", "\u202e", "é"])
def test_an_odd_unknown_name_keeps_to_its_line(name):
    result = result_of(closed, {name: 1})
    assert result.is_error
    assert len(result.text.splitlines()) == 1


def test_text_that_came_keeps_to_its_line():
    assert len(refused(int, "a\nb\u2028c\r\nd").splitlines()) == 1


BOUNDS = [
    (Annotated[int, Field(gt=5)], 5, "more than 5"),
    (Annotated[int, Field(ge=5)], 4, "at least 5"),
    (Annotated[int, Field(lt=5)], 5, "less than 5"),
    (Annotated[int, Field(le=5)], 6, "at most 5"),
    (Annotated[int, Field(multiple_of=3)], 4, "multiple of 3"),
    (Annotated[str, Field(min_length=2)], "a", "at least 2 characters"),
    (Annotated[str, Field(max_length=1)], "ab", "at most 1 character"),
    (Annotated[str, Field(pattern="^a+$")], "b", "^a+$"),
    (Annotated[list[int], Field(min_length=1)], [], "at least 1 item"),
    (Annotated[list[int], Field(max_length=1)], [1, 2], "at most 1 item"),
    (Annotated[dict[str, int], Field(min_length=1)], {}, "at least 1"),
    (tuple[int, str], [1], ""),
    (tuple[int, str], [1, "a", 2], ""),
]


@pytest.mark.parametrize(("hint", "sent", "piece"), BOUNDS, ids=label)
def test_a_broken_bound_is_said_with_the_bound(hint, sent, piece):
    text = refused(hint, sent)
    assert piece in text
    assert "`x" in text


@pytest.mark.parametrize(
    ("hint", "sent"),
    [
        (datetime.date, "yesterday"),
        (datetime.datetime, "2026-13-01T00:00:00"),
        (datetime.time, "25:00"),
        (datetime.timedelta, "long"),
        (decimal.Decimal, "abc"),
        (Optional[datetime.date], "x"),
        (list[datetime.date], ["x"]),
    ],
    ids=label,
)
def test_a_bad_date_or_decimal_is_said_plainly(hint, sent):
    text = refused(hint, sent)
    assert "`x" in text
    assert sent[0] in text if isinstance(sent, list) else sent in text


def test_what_a_custom_validator_says_comes_through():
    def even(n: int) -> int:
        if n % 2:
            raise ValueError("must be even, like 2 or 4")
        return n

    def small(n: int) -> int:
        assert n < 10, "must be small"
        return n

    text = refused(Annotated[int, AfterValidator(even)], 3)
    assert "must be even, like 2 or 4" in text
    assert "Value error" not in text
    assert "must be small" in refused(Annotated[int, AfterValidator(small)], 12)
    assert "must be even" in refused(list[Annotated[int, AfterValidator(even)]], [2, 3])
    assert "`x[1]`" in refused(list[Annotated[int, AfterValidator(even)]], [2, 3])


def test_what_a_models_own_validators_say_comes_through():
    class Range(BaseModel):
        low: int
        high: int

        @field_validator("low")
        @classmethod
        def positive(cls, value: int) -> int:
            if value < 0:
                raise ValueError("low may not be negative")
            return value

        @model_validator(mode="after")
        def ordered(self):
            if self.low > self.high:
                raise ValueError("low must not exceed high")
            return self

    assert "low must not exceed high" in refused(Range, {"low": 2, "high": 1})
    assert "low may not be negative" in refused(Range, {"low": -1, "high": 1})
    assert "`x.low`" in refused(Range, {"low": -1, "high": 1})


def test_a_validator_that_raises_something_else_gives_a_result():
    def broken(n: int) -> int:
        raise RuntimeError("secret")

    target, reached = taking(Annotated[int, AfterValidator(broken)])
    for result in (result_of(target, {"x": 1}), result_of(target, {"x": "1"})):
        assert result.is_error
        assert "secret" not in result.text
        assert "secret" not in json.dumps(result.to_mcp())
    assert reached == []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


@pytest.mark.parametrize(
    ("hint", "sent", "pieces"),
    [
        (Pet, {"kind": "cat", "lives": "x"}, ["`x.lives`", "an integer"]),
        (Pet, {"kind": "cat"}, ["`x.lives`", "missing"]),
        (Pet, {"kind": "cow"}, ["`x", "cow", "cat", "dog"]),
        (Pet, {}, ["`x", "kind"]),
        (list[Pet], [{"kind": "dog", "bark": "w"}, {"kind": "dog"}], ["`x[1].bark`"]),
        (dict[str, list[Pet]], {"k": [{"kind": "cat", "lives": []}]}, ["`x.k[0].lives`"]),
        (int | list[int], {"a": 1}, ["`x`", "an integer", "a list"]),
        (Cat | Dog, 5, ["`x`", "an object"]),
        (list[list[int]], [[1], [2, "x"]], ["`x[1][1]`"]),
        (dict[str, dict[str, int]], {"a": {"b": "c"}}, ["`x.a.b`"]),
        (dict[int, str], {"one": "a"}, ["`x", "one"]),
    ],
    ids=label,
)
def test_faults_in_unions_and_nested_lists_name_the_place(hint, sent, pieces):
    text = refused(hint, sent)
    for piece in pieces:
        assert piece in text
    for internal in ("Cat.", "Dog.", "tagged-union", "literal[", "int_parsing", "[key]"):
        assert internal not in text


def test_a_discriminated_union_is_repaired_inside_the_arm():
    assert read(Pet, {"kind": "cat", "lives": "9"})[0] == Cat(kind="cat", lives=9)
    assert read(Pet, '{"kind": "cat", "lives": 9}')[0] == Cat(kind="cat", lives=9)
    assert read(list[Pet], [{"kind": "cat", "lives": 9.0}])[0] == [Cat(kind="cat", lives=9)]


def test_a_recursive_model_is_repaired_and_explained():
    class Tree(BaseModel):
        n: int
        kids: list["Tree"] = []

    value, repairs = read(Tree, {"n": "1", "kids": '[{"n": "2"}]'})
    assert value.kids[0].n == 2
    assert len(repairs) == 3
    assert "`x.kids[0].n`" in refused(Tree, {"n": 1, "kids": [{"n": "x"}]})


def test_faults_have_a_form_for_programs_in_both_eras():
    result = result_of(closed, {"limt": 1, "limit": "x"})
    for protocol in ("2025-11-25", "2026-07-28"):
        detail = result.to_mcp(protocol)["_meta"]["toolwright/error"]
        assert detail["code"] == "arguments"
        assert sorted((fault["code"], *fault["path"]) for fault in detail["faults"]) == [
            ("type", "limit"),
            ("unknown", "limt"),
        ]
    assert result.error.code == "arguments"
    with pytest.raises(ArgumentError) as raised:
        _ = result.value
    assert raised.value is result.error
    assert isinstance(raised.value, ValueError)


def test_the_authors_own_schema_is_enforced_with_plain_words():
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"enum": ["a", "b"]}},
        "required": ["n"],
        "additionalProperties": False,
    }

    def probe(n, s="a"):
        return [n, s]

    assert result_of(probe, {"n": 1}, input_schema=schema).value == [1, "a"]
    for sent in ({}, {"n": 0}, {"n": 1, "s": "c"}, {"n": 1, "z": 1}, {"n": True}):
        result = result_of(probe, sent, input_schema=schema)
        assert result.is_error
        assert_plain(result.text)


def test_a_tool_alone_reads_arguments_like_a_toolbox():
    assert Tool(closed).call({"limit": "4"}).value == 4
    assert Toolbox("b", [closed]).call("closed", {"limit": "4"}).value == 4
    with pytest.raises(ArgumentError):
        Tool(closed).bind({"limit": "4"})


@pytest.mark.parametrize("depth", [150, 500, 5000])
def test_deep_arguments_of_an_explicit_schema_are_refused_in_a_line(depth):
    def takes(x: Any) -> str:
        return ""

    tool = Tool(takes, input_schema={"type": "object", "properties": {"x": {"type": "integer"}}})
    deep = '{"x":' + "[" * depth + "]" * depth + "}"
    made = tool.call(deep)
    assert made.error.code == "arguments"
    assert made.text.startswith("takes: ")
    with pytest.raises(ArgumentError):
        tool.bind(deep)
