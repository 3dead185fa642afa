"""Aliases, constraints, `Unpack` and flattened models, as pydantic's users write them."""

import enum
import functools
import json
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
import typing_extensions
from pydantic import (
    AliasChoices,
    AliasGenerator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    validate_call,
)

from tests.unit.ways import result_of
from toolwright import Flatten, Hidden, SchemaError, Tool

T = TypeVar("T")


# -- repairs and results


def test_a_repair_that_breaks_a_validator_is_as_if_it_had_not_been_made():
    def probe(n: Annotated[int, BeforeValidator(lambda value: value.strip())]) -> int:
        return n

    result = result_of(probe, {"n": "5"})
    assert result.text == 'probe: `n` must be an integer; got "5"'


class Row(typing_extensions.TypedDict, total=False):
    key: Annotated[int, Field(alias="Key")]


def test_a_returned_typed_dict_keeps_its_aliased_keys():
    def one() -> Row:
        return {"key": 1}

    def many() -> list[Row]:
        return [{"key": 1}, {"Key": 2}]

    assert result_of(one).to_mcp()["structuredContent"] == {"Key": 1}
    assert result_of(many, emit="text").text == '[{"Key":1},{"Key":2}]'


class Node(BaseModel):
    name: str
    kids: list["Node"] = []


@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_recursive_result_is_written_out_at_the_root(style):
    def probe() -> Node: ...

    schema = Tool(probe, style=style).output_schema
    assert "$ref" not in schema
    assert schema["type"] == "object"
    assert schema["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["properties"] == schema["properties"]


# -- flattened models


class Search(BaseModel):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)
    text: str = Field(validation_alias=AliasChoices("q", "query", AliasPath("deep", 0)))
    most: int = Field(3, alias="limit")


@pytest.mark.parametrize(
    "sent",
    [
        {"q": "a", "limit": 2},
        {"query": "a", "limit": 2},
        {"text": "a", "most": 2},
        {"deep": ["a"], "limit": 2},
    ],
)
def test_a_flattened_model_takes_all_of_its_aliases(sent):
    def probe(search: Annotated[Search, Flatten()], deeper: bool = False) -> list[Any]:
        return [search.text, search.most]

    assert result_of(probe, sent).value == ["a", 2]
    assert list(Tool(probe).input_schema["properties"]) == ["q", "limit", "deeper"]


class Filter(BaseModel):
    filter: str
    limit: int = 3


class Loose(BaseModel):
    loose: dict[str, int]
    limit: int = 3


def test_a_flattened_model_may_have_a_field_named_like_its_parameter():
    def probe(filter: Annotated[Filter, Flatten()]) -> list[Any]:
        return [filter.filter, filter.limit]

    assert result_of(probe, {"filter": "a", "limit": 2}).value == ["a", 2]
    result = result_of(probe, {"filter": {"filter": "a", "limit": 2}})
    assert result.value == ["a", 2]
    assert [repair.code for repair in result.repairs] == ["nested"]
    assert result_of(probe, {"filter": {"filter": "a"}, "limit": 2}).is_error


def test_a_field_that_takes_objects_is_never_taken_for_the_model():
    def probe(loose: Annotated[Loose, Flatten()]) -> list[Any]:
        return [loose.loose, loose.limit]

    result = result_of(probe, {"loose": {"limit": 1}, "limit": "2"})
    assert result.value == [{"limit": 1}, 2]


# -- constraints


class Size(enum.Enum):
    SMALL = "s"


class Priced(BaseModel):
    price: Annotated[float, Field(max_digits=3)]


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (Annotated[float, Field(max_digits=3)], "`max_digits=3` does not fit floats"),
        (Annotated[int, Field(decimal_places=2)], "`decimal_places=2` does not fit integers"),
        (Annotated[str, Field(ge=1)], "`ge=1` does not fit texts"),
        (Annotated[str | None, Field(gt=2)], "`gt=2` does not fit texts"),
        (Annotated[list[int], Field(gt=1)], "`gt=1` does not fit lists"),
        (Annotated[int, Field(min_length=1)], "`min_length=1` does not fit integers"),
        (Annotated[Size, Field(lt=1)], "`lt=1` does not fit `Size`"),
        (Annotated[Literal["a"], Field(lt=1)], "`lt=1` does not fit any of its values"),
        (list[Annotated[float, Field(max_digits=3)]], "`max_digits=3` does not fit floats"),
        (Priced, "`max_digits=3` does not fit floats"),
    ],
)
def test_a_constraint_that_does_not_fit_is_refused(hint, said):
    def probe(fine: int, x): ...

    probe.__annotations__ = {"fine": int, "x": hint}
    with pytest.raises(SchemaError) as caught:
        Tool(probe).compile()
    assert caught.value.parameter == "x"
    assert said in str(caught.value)

    def giving(): ...

    giving.__annotations__ = {"return": hint}
    with pytest.raises(SchemaError, match="its result cannot meet"):
        Tool(giving).compile()


def test_constraints_that_fit_are_kept():
    def probe(
        price: Annotated[Decimal, Field(max_digits=3)],
        either: Annotated[int | float, Field(ge=1)],
        words: Annotated[set[str], Field(min_length=1)],
        level: Annotated[Literal[1, 2], Field(ge=1)] = 1,
    ) -> Annotated[float, Field(ge=0)]:
        return 1.0

    assert result_of(probe, {"price": "1.5", "either": 2, "words": ["a"]}).value == 1.0


# -- targets of `validate_call`


@validate_call
def by_position(x: Annotated[int, Field(alias="X")], hidden: Annotated[int, Hidden()] = 5) -> int:
    return 10 * x + hidden


@validate_call
def by_name(y: int = 2, *, x: Annotated[int, Field(alias="X")]) -> int:
    return 10 * x + y


class Shop:
    @validate_call
    def order(self, x: Annotated[int, Field(validation_alias="X")], y: int = 2) -> int:
        return 10 * x + y


@pytest.mark.parametrize(
    ("target", "expected"), [(by_position, 15), (by_name, 12), (Shop().order, 12)]
)
def test_a_checked_function_is_given_what_has_an_alias(target, expected):
    assert result_of(target, {"X": 1}).value == expected


@pytest.mark.parametrize(
    ("target", "sent", "expected"),
    [
        (functools.partial(by_position), {"X": 1}, 15),
        (functools.partial(by_position, 2), {}, 25),
        (functools.partial(by_position, X=2), {}, 25),
        (functools.partial(by_name), {"X": 1, "y": 3}, 13),
        (functools.partial(by_name, y=4), {"X": 1}, 14),
        (functools.partial(by_name, X=4), {"y": 1}, 41),
        (functools.partial(functools.partial(by_name, X=4), 1), {}, 41),
        (functools.partial(Shop().order, y=4), {"X": 1}, 14),
        (functools.partial(Shop().order, X=4), {"y": 1}, 41),
        (functools.partial(Shop.order, Shop()), {"X": 1}, 12),
    ],
)
def test_so_is_one_inside_a_partial(target, sent, expected):
    assert result_of(target, sent).value == expected
    assert sent.keys() <= Tool(target, name="t").input_schema["properties"].keys()


# -- keywords of a TypedDict


class Several(typing_extensions.TypedDict, Generic[T]):
    one: T
    many: typing_extensions.NotRequired[list[T]]


class Open(typing_extensions.TypedDict, extra_items=int):
    name: str


class Optional_(typing_extensions.TypedDict):
    x: typing_extensions.NotRequired[str]
    z: int


class Required_(typing_extensions.TypedDict):
    x: str


def test_the_keywords_of_a_generic_typed_dict_have_its_types():
    def probe(**named: typing_extensions.Unpack[Several[int]]) -> dict[str, Any]:
        return named

    assert result_of(probe, {"one": 1, "many": [2]}).value == {"one": 1, "many": [2]}
    assert result_of(probe, {"one": "a"}).is_error
    items = Tool(probe).input_schema["properties"]["many"]["items"]
    assert items == {"type": "integer"}


def test_a_typed_dict_with_extra_items_takes_more_of_them():
    def probe(**named: typing_extensions.Unpack[Open]) -> dict[str, Any]:
        return named

    assert Tool(probe).input_schema["additionalProperties"] == {"type": "integer"}
    assert result_of(probe, {"name": "a", "more": 1}).value == {"name": "a", "more": 1}
    assert result_of(probe, {"name": "a", "more": "b"}).is_error


def test_a_keyword_may_have_the_name_of_a_positional_only_parameter():
    def probe(x: int, /, **named: typing_extensions.Unpack[Optional_]) -> list[Any]:
        return [x, named]

    def impossible(x: int, /, **named: typing_extensions.Unpack[Required_]) -> None: ...

    assert result_of(probe, {"x": 1, "z": 2}).value == [1, {"z": 2}]
    said = "leaves the keyword `x` out: a parameter has that name"
    assert Tool(probe).problems == (said,)
    with pytest.raises(SchemaError, match="only one"):
        Tool(impossible).compile()


class Point(BaseModel):
    x: int = 0


def test_a_parameter_may_be_any_model():
    def probe(body: BaseModel, extra: dict[str, int] | list[int] | BaseModel = Point()) -> Any:
        return [body.model_dump(), type(extra).__name__]

    anything = {"type": "object", "additionalProperties": True}
    assert Tool(probe).input_schema["properties"]["body"] == anything
    assert result_of(probe, {"body": {"a": {"b": 1}}}).value == [{"a": {"b": 1}}, "Point"]
    assert result_of(probe, {"body": {}, "extra": {"c": 1}}).value == [{}, "dict"]
    assert result_of(probe, {"body": 1}).is_error


def test_any_model_is_written_as_its_own_class_does():
    def one() -> BaseModel:
        return Point(x=1)

    def many() -> list[BaseModel] | None:
        return [Point(x=2)]

    assert Tool(one).output_schema == {"type": "object", "additionalProperties": True}
    assert json.loads(result_of(one, {}).content[0]["text"]) == {"x": 1}
    assert json.loads(result_of(many, {}).content[0]["text"]) == [{"x": 2}]


@pytest.mark.parametrize("generator", [str.upper, AliasGenerator(validation_alias=str.upper)])
def test_a_checked_function_may_generate_aliases(generator):
    @validate_call(config={"alias_generator": generator})
    def probe(a: int, b: int = 2, *rest: int, c: int, d: Annotated[int, Field(alias="dd")] = 4):
        return [a, b, rest, c, d]

    @validate_call(config={"alias_generator": generator})
    def plain(a: int, b: int = 2) -> list[int]:
        return [a, b]

    assert result_of(plain, {"a": 1}).value == [1, 2]
    assert result_of(probe, {"a": 1, "c": 3}).value == [1, 2, (), 3, 4]
    sent = {"a": 1, "rest": [7, 8], "c": 3, "dd": 9}
    assert result_of(probe, sent).value == [1, 2, (7, 8), 3, 9]
    bound = functools.partial(probe, 5, C=6)
    assert result_of(bound, {}).value == [5, 2, (), 6, 4]


@pytest.mark.parametrize("hint", [int, dict[str, int]])
def test_only_a_typed_dict_can_be_unpacked(hint):
    def probe(**named: typing_extensions.Unpack[hint]) -> None: ...

    with pytest.raises(SchemaError, match=r"probe\.named unpacks .*, which is no TypedDict"):
        Tool(probe).compile()


Items = typing_extensions.TypeVarTuple("Items")


def test_what_is_unpacked_elsewhere_is_refused():
    def one(named: typing_extensions.Unpack[Optional_]) -> None: ...

    def pair(*items: typing_extensions.Unpack[tuple[int, str]]) -> None: ...

    for probe, name in ((one, "named"), (pair, "items")):
        with pytest.raises(SchemaError, match=rf"{probe.__name__}\.{name} unpacks `Unpack\["):
            Tool(probe).compile()

    def generic(*items: typing_extensions.Unpack[Items]) -> None: ...

    assert Tool(generic).input_schema["properties"]["items"]["type"] == "array"


def test_a_parameter_cannot_also_be_unpacked():
    def probe(x: int, **named: typing_extensions.Unpack[Optional_]) -> None: ...

    with pytest.raises(SchemaError, match=r"probe\.x is a parameter and a key of the unpacked"):
        Tool(probe).compile()
