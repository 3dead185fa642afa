"""What a result may be follows from the type of its tool, not from how that is published."""

from enum import Enum
from typing import Annotated, Any, Optional

import pytest
from pydantic import BaseModel, Field, RootModel, WithJsonSchema
from typing_extensions import TypeAliasType

from tests.counting import for_every
from toolwright import Tool

STYLES = ("portable", "compact", "full")
Numbers = TypeAliasType("Numbers", list[int])
Again = TypeAliasType("Again", Numbers)


class Rows(RootModel[list[int]]):
    pass


class Holder(BaseModel):
    numbers: Numbers


def rows() -> list[int]:
    return list(range(1000))


def returning(hint: Any, value: Any, **options: Any) -> Tool:
    def give():
        return value

    give.__annotations__["return"] = hint
    return Tool(give, max_result=300, **options)


def outcomes(hint: Any, value: Any) -> list[tuple[bool, str]]:
    results = [returning(hint, value, style=style).call({}) for style in STYLES]
    return [(result.is_error, result.text) for result in results]


@for_every(
    ("hint", "value"),
    [
        (list[int], rows()),
        (Numbers, rows()),
        (Again, rows()),
        (Annotated[Numbers, Field(description="Numbers.")], rows()),
        (Rows, Rows(rows())),
        (tuple[int, ...], tuple(rows())),
        (list[Holder], [Holder(numbers=[1, 2])] * 100),
        (list[Any], rows()),
        (list, rows()),
    ],
)
def test_a_long_list_is_cut_in_every_style(hint, value):
    for is_error, text in outcomes(hint, value):
        assert not is_error, text
        assert "items left out" in text


@for_every(
    ("hint", "value"),
    [
        (Annotated[list[int], Field(min_length=3)], rows()),
        (Optional[Numbers], rows()),  # noqa: UP045
        (Numbers | str, rows()),
        (Holder, Holder(numbers=rows())),
        (dict[str, Numbers], {"a": rows()}),
    ],
)
def test_what_cannot_be_cut_is_refused_in_every_style(hint, value):
    for is_error, text in outcomes(hint, value):
        assert is_error
        assert "more than the limit of 300" in text


class Colour(Enum):
    RED = "red"


@for_every(
    ("hint", "value", "text"), [(Colour, Colour.RED, "red"), (TypeAliasType("Text", str), "a", "a")]
)
def test_a_named_scalar_is_the_same_in_every_style(hint, value, text):
    assert outcomes(hint, value) == [(False, text)] * len(STYLES) or outcomes(hint, value) == [
        (False, f'"{text}"')
    ] * len(STYLES)


@pytest.mark.parametrize("style", STYLES)
def test_a_part_without_a_type_is_looked_into_in_every_style(style):
    from toolwright import Image

    tool = returning(list[Any], [Image(b"\x89PNG\r\n\x1a\n")], style=style)
    assert [block["type"] for block in tool.call({}).content] == ["image"]


@for_every(
    ("schema",),
    [
        ({"type": "array", "items": {"type": "integer"}},),
        ({"$ref": "#/$defs/R", "$defs": {"R": {"type": "array"}}},),
        ({"$ref": "#rows", "$defs": {"R": {"$anchor": "rows", "type": "array"}}},),
        ({"type": ["array", "object"]},),
        ({"allOf": [{"type": "array"}, {"maxItems": 5000}]},),
        ({},),
    ],
)
def test_a_list_is_cut_where_the_declared_schema_takes_its_beginning(schema):
    for hint in (Any, list[int], Numbers):
        for style in STYLES:
            result = returning(hint, rows(), style=style, output_schema=schema).call({})
            assert not result.is_error, result.text
            assert "items left out" in result.text


@for_every(
    ("schema",),
    [
        ({"type": "array", "minItems": 1000},),
        ({"$ref": "#/$defs/R", "$defs": {"R": {"type": "array", "minItems": 1000}}},),
        ({"type": "array", "contains": {"const": 999}},),
    ],
)
def test_a_list_is_refused_where_the_declared_schema_needs_all_of_it(schema):
    for hint in (Any, list[int]):
        result = returning(hint, rows(), output_schema=schema).call({})
        assert result.is_error
        assert "more than the limit of 300" in result.text


def test_a_schema_that_is_written_by_hand_need_not_be_right():
    hint = Annotated[Any, WithJsonSchema({"type": "array"})]
    result = returning(hint, {"a": "x" * 1000}).call({})
    assert result.is_error
    assert "more than the limit of 300" in result.text
