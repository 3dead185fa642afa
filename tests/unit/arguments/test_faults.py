"""What is wrong with arguments is explained in a few plain lines."""

import datetime
import decimal
import json
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import AfterValidator, BaseModel, Field, field_validator, model_validator

from tests.unit.arguments.taking import Color, Item, closed, read, refused, taking
from tests.unit.ways import WAYS, assert_plain, box_of, label, payload_by, result_of, text_of
from toolwright import ArgumentError, Tool, Toolbox


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
