"""Where Flatten meets other features."""

from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.unit.probes.case import INT, STR
from tests.unit.probes.compiled import Address, Window, made, properties, refuses
from toolwright import Flatten, Hidden, SchemaError, Tool


class Paging(TypedDict, total=False):
    page: int
    size: int


class AllOptional(BaseModel):
    a: int = 1
    b: int = 2


def test_flatten_publishes_aliases_and_takes_them():
    def f(name: str, address: Annotated[Address, Flatten()]): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "name": STR,
        "street": STR,
        "zipCode": {"type": "string", "description": "Five digits."},
        "country": {"type": "string", "default": "CH"},
    }
    assert tool.input_schema["required"] == ["name", "street", "zipCode"]
    assert tool.bind({"name": "a", "street": "b", "zipCode": "8000"}) == (
        [],
        {"name": "a", "address": Address(street="b", zipCode="8000")},
    )
    refuses(
        tool,
        {"name": "a", "street": "b"},
        {"name": "a", "street": "b", "zip_code": "8000"},
        {"name": "a", "street": "b", "zipCode": "8000", "other": 1},
    )


def test_a_flattened_parameter_with_an_alias_of_its_own_is_still_its_fields():
    def f(where: Annotated[Window, Flatten(), Field(alias="theWindow")]): ...

    tool = made(f)

    assert set(tool.input_schema["properties"]) == {"start", "end"}
    assert tool.bind({"start": 1}) == ([], {"where": Window(1)})


def test_flatten_takes_dataclasses_with_their_documentation():
    def f(window: Annotated[Window, Flatten()], label: str = "x"): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "start": {"type": "integer", "description": "Where it begins."},
        "end": INT,
        "label": {"type": "string", "default": "x"},
    }
    assert tool.input_schema["required"] == ["start"]
    assert tool.bind({"start": 1, "end": 2}) == ([], {"window": Window(1, 2), "label": "x"})
    assert tool.bind({"start": 1, "end": None}) == ([], {"window": Window(1), "label": "x"})


def test_flatten_takes_typed_dicts():
    def f(q: str, paging: Annotated[Paging, Flatten()]): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {"q": STR, "page": INT, "size": INT}
    assert tool.input_schema["required"] == ["q"]
    assert tool.bind({"q": "a"}) == ([], {"q": "a", "paging": {}})
    assert tool.bind({"q": "a", "page": 1}) == ([], {"q": "a", "paging": {"page": 1}})


def test_an_optional_flattened_model_is_none_unless_a_field_is_sent():
    def f(q: str, window: Annotated[Window | None, Flatten()] = None): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "q": STR,
        "start": {"type": "integer", "description": "Where it begins."},
        "end": INT,
    }
    assert tool.input_schema["required"] == ["q"]
    assert tool.bind({"q": "a"}) == ([], {"q": "a", "window": None})
    assert tool.bind({"q": "a", "start": 1}) == ([], {"q": "a", "window": Window(1)})
    refuses(tool, {"q": "a", "end": 1})


def test_a_flattened_dataclass_with_a_default_none_but_no_optional_type():
    def f(window: Annotated[Window, Flatten()] = None): ...

    tool = made(f)

    assert "required" not in tool.input_schema
    assert tool.bind({}) == ([], {"window": None})
    assert tool.bind({"start": 1}) == ([], {"window": Window(1)})


def test_a_flattened_model_with_a_default_instance_keeps_it():
    def f(window: Annotated[Window, Flatten()] = Window(7)): ...

    tool = made(f)

    assert "required" not in tool.input_schema
    assert tool.bind({}) == ([], {"window": Window(7)})
    assert tool.bind({"start": 1}) == ([], {"window": Window(1)})


def test_a_flattened_model_of_optional_fields_is_built_from_nothing():
    def f(options: Annotated[AllOptional, Flatten()]): ...

    tool = made(f)

    assert "required" not in tool.input_schema
    assert tool.bind({}) == ([], {"options": AllOptional()})


@pytest.mark.parametrize("order", ["before", "behind"])
def test_a_flattened_field_named_like_a_parameter_is_refused(order):
    def before(start: int, window: Annotated[Window, Flatten()]): ...

    def behind(window: Annotated[Window, Flatten()], start: int): ...

    with pytest.raises(SchemaError, match=r"window .*`start`"):
        Tool({"before": before, "behind": behind}[order]).compile()


def test_two_flattened_models_with_a_field_of_the_same_name_are_refused():
    class Other(BaseModel):
        start: int

    def f(a: Annotated[Window, Flatten()], b: Annotated[Other, Flatten()]): ...

    with pytest.raises(SchemaError, match="`start`"):
        Tool(f).compile()


def test_a_flattened_field_named_like_a_hidden_parameter_is_refused():
    def f(window: Annotated[Window, Flatten()], start: Annotated[int, Hidden()] = 0): ...

    with pytest.raises(SchemaError, match="`start`"):
        Tool(f).compile()


def test_a_flattened_field_named_like_its_own_parameter_is_that_field():
    class Query(BaseModel):
        query: str
        limit: int = 5

    def f(query: Annotated[Query, Flatten()]): ...

    tool = made(f)

    assert set(tool.input_schema["properties"]) == {"query", "limit"}
    assert tool.input_schema["required"] == ["query"]
    assert tool.bind({"query": "a"}) == ([], {"query": Query(query="a")})
    refuses(tool, {"query": {"query": "a"}}, {})


def test_the_nested_form_of_a_flattened_parameter_is_taken_too():
    def f(window: Annotated[Window, Flatten()]): ...

    tool = made(f)
    refuses(tool, {"window": {"start": 1}})
    assert tool.call({"window": {"start": 1}}).repairs[0].code == "nested"


def test_a_flattened_parameters_own_name_is_not_taken_through_the_extras():
    def f(window: Annotated[Window, Flatten()], **more: Any): ...

    refuses(made(f), {"start": 1, "window": {"end": 9}}, {"start": 1, "window": 5})


def test_flatten_of_something_without_fields_is_refused():
    def f(x: Annotated[int, Flatten()]): ...

    with pytest.raises(SchemaError, match=r"f\.x .*has no fields"):
        Tool(f).compile()


def test_flatten_beside_kwargs_leaves_the_rest_to_kwargs():
    def f(window: Annotated[Window, Flatten()], **more: str): ...

    tool = made(f)

    assert tool.input_schema["additionalProperties"] == STR
    assert tool.bind({"start": 1, "a": "b"}) == ([], {"window": Window(1), "a": "b"})


def test_flatten_of_an_open_model_takes_the_rest():
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    def f(x: int, model: Annotated[Open, Flatten()]): ...

    tool = made(f)

    assert tool.input_schema["additionalProperties"] is not False
    assert tool.bind({"x": 1, "a": 2, "b": 3}) == ([], {"x": 1, "model": Open(a=2, b=3)})


def test_flatten_of_a_recursive_model_keeps_its_definition():
    class Tree(BaseModel):
        value: int
        children: list["Tree"] = []

    def f(tree: Annotated[Tree, Flatten()]): ...

    tool = made(f)

    assert set(tool.input_schema["properties"]) == {"value", "children"}
    assert tool.bind({"value": 1, "children": [{"value": 2}]}) == (
        [],
        {"tree": Tree(value=1, children=[Tree(value=2)])},
    )


def test_a_positional_only_parameter_can_be_flattened():
    def f(window: Annotated[Window, Flatten()], /, *, x: int = 1): ...

    assert made(f).bind({"start": 1}) == ([Window(1)], {"x": 1})
