"""Results are written by aliases, unless a record's configuration says otherwise."""

import json
from typing import Annotated, Any, Generic, TypeVar

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict, Field, computed_field
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from toolwright import Tool

BY_NAME = ConfigDict(serialize_by_alias=False)


class Aliased(BaseModel):
    x: int = Field(1, alias="ex")


class Named(BaseModel):
    """A record.

    Attributes:
        x: The width.
    """

    model_config = BY_NAME
    x: int = Field(1, alias="ex")


class Heir(Named):
    y: int = Field(2, serialization_alias="why")

    @computed_field(alias="zed")
    @property
    def z(self) -> int:
        return 3


class Mixed(BaseModel):
    model_config = BY_NAME
    a: int = Field(1, alias="ay")
    named: Named = Field(default_factory=Named, alias="en")
    aliased: Aliased = Aliased()


class Around(BaseModel):
    a: int = Field(1, alias="ay")
    inner: list[Named | Aliased] = Field([Named(), Aliased()], alias="in")
    first: Named = Named()


class Explicit(BaseModel):
    model_config = ConfigDict(serialize_by_alias=True)
    a: int = Field(1, alias="ay")
    named: Named = Named()


class Node(BaseModel):
    model_config = BY_NAME
    label: str = Field("a", alias="name")
    children: "list[Node]" = Field([], alias="kids")


@dataclass(config=BY_NAME)
class Data:
    a: int = Field(1, alias="ay")


class Keys(TypedDict):
    __pydantic_config__ = BY_NAME
    a: Annotated[int, Field(alias="ay")]


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    model_config = BY_NAME
    items: list[T] = Field([], alias="rows")


CASES = [
    (Named, Named(), {"x": 1}),
    (Heir, Heir(), {"x": 1, "y": 2, "z": 3}),
    (Mixed, Mixed(), {"a": 1, "named": {"x": 1}, "aliased": {"ex": 1}}),
    (Around, Around(), {"ay": 1, "in": [{"x": 1}, {"ex": 1}], "first": {"x": 1}}),
    (Explicit, Explicit(), {"ay": 1, "named": {"x": 1}}),
    (Data, Data(), {"a": 1}),
    (Keys, {"a": 1}, {"a": 1}),
    (
        Node,
        Node(kids=[Node(name="b")]),
        {"label": "a", "children": [{"label": "b", "children": []}]},
    ),
    (Page[Aliased], Page[Aliased](rows=[Aliased()]), {"items": [{"ex": 1}]}),
    (Aliased, Aliased(), {"ex": 1}),
]


def returning(value, hint):
    def probe() -> hint:
        return value

    return Tool(probe)


@pytest.mark.promise("schema.written-names")
@pytest.mark.parametrize(("hint", "value", "wanted"), CASES, ids=[c[0].__name__ for c in CASES])
def test_result_and_schema_follow_the_configuration_of_each_record(hint, value, wanted):
    for outer, given, sent in (
        (hint, value, wanted),
        (list[hint], [value], [wanted]),
        (dict[str, hint], {"k": value}, {"k": wanted}),
        (hint | None, value, wanted),
    ):
        tool = returning(given, outer)
        made = tool.call({})
        assert not made.is_error, made.text
        assert json.loads(made.text) == sent
        jsonschema.validate(sent, tool.output_schema)
    published = returning(value, hint).output_schema
    assert list(published["properties"]) == list(wanted)


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [case for case in CASES if case[0] is not Keys],
    ids=[c[0].__name__ for c in CASES if c[0] is not Keys],
)
def test_so_do_values_without_a_declared_type(hint, value, wanted):
    for outer in (Any, object):
        assert json.loads(returning(value, outer).call({}).text) == wanted
    assert json.loads(returning([value], list).call({}).text) == [wanted]
    assert json.loads(returning({"k": value}, dict[str, Any]).call({}).text) == {"k": wanted}


def test_a_dict_for_such_a_model_is_read_by_name_and_by_alias():
    for given in ({"x": 5}, {"ex": 5}):
        assert returning(given, Named).call({}).structured == {"x": 5}


def test_a_kept_value_comes_back_the_same():
    def probe() -> Mixed:
        return Mixed()

    tool = Tool(probe, cache=60)
    assert tool.call({}).structured == tool.call({}).structured == CASES[2][2]


def test_documentation_and_defaults_stand_at_the_written_name():
    published = returning(Explicit(), Explicit).output_schema["properties"]["named"]
    assert published["properties"]["x"]["description"] == "The width."
    assert published["default"] == {"x": 1}


def test_arguments_are_read_by_alias_all_the_same():
    def probe(named: Named) -> int:
        return named.x

    assert list(Tool(probe).input_schema["properties"]["named"]["properties"]) == ["ex"]
    assert Tool(probe).call({"named": {"ex": 7}}).value == 7
