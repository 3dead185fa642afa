"""Seed document 002, OpenMCP: every schema example in it.

Differences that hold for all of them: no parameter gets a made-up description ("Parameter name"),
the box is marked `x-toolwright-box`, and it is closed. An object in a result lists what is required
and is not closed, since nothing is closed that the type leaves open; the document has it the other
way round.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict, Union

import pytest
from pydantic import BaseModel, Field

from tests.seeds.seed_002_schemas import OLD, answer, arguments, box, create_profile, output_of
from toolwright import Flatten, Tool, tool

# -- scalar boxing


@pytest.mark.promise("schema.boxed")
def test_a_scalar_is_boxed_for_older_clients():
    made = Tool(answer)
    assert made.output_schema == {"type": "integer"}
    assert made.to_mcp(OLD)["outputSchema"] == box({"type": "integer"})
    # The document knows no client that takes a bare value; since 2026-07-28 they all do.
    assert made.to_mcp()["outputSchema"] == {"type": "integer"}


def test_a_tool_without_parameters_takes_an_empty_object():
    assert Tool(answer).input_schema == arguments({})


@pytest.mark.parametrize(
    ("hint", "schema"), [(int, {"type": "integer"}), (bool, {"type": "boolean"})]
)
def test_every_scalar_but_text_is_boxed(hint, schema):
    assert output_of(hint).to_mcp(OLD)["outputSchema"] == box(schema)


@pytest.mark.promise("schema.emit")
def test_text_is_boxed_only_on_demand():
    # The document boxes text too. By default we publish no schema for it: the text says it all.
    assert output_of(str).output_schema == {"type": "string"}
    assert "outputSchema" not in output_of(str).to_mcp(OLD)
    assert "outputSchema" not in output_of(str).to_mcp()
    both = output_of(str, emit="both")
    assert both.to_mcp(OLD)["outputSchema"] == box({"type": "string"})
    assert both.to_mcp()["outputSchema"] == {"type": "string"}


# -- supported types


def test_primitives():
    @tool()
    def greet(name: str, age: int, active: bool = True) -> str:
        return f"Hello {name}, age {age}"

    made = Tool(greet)
    assert made.input_schema == arguments(
        {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "active": {"type": "boolean", "default": True},
        },
        "name",
        "age",
    )
    assert made.output_schema == {"type": "string"}


def test_containers():
    @tool()
    def analyze(values: list[int], metadata: dict[str, str]) -> dict[str, float]:
        return {"mean": sum(values) / len(values)}

    made = Tool(analyze)
    assert made.input_schema == arguments(
        {
            "values": {"type": "array", "items": {"type": "integer"}},
            "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "values",
        "metadata",
    )
    # The document shows a closed object with the key `mean`, which no type hint could tell.
    mapping = {"type": "object", "additionalProperties": {"type": "number"}}
    assert made.output_schema == mapping
    assert made.to_mcp(OLD)["outputSchema"] == mapping


@pytest.mark.promise("schema.enum-for-const")
def test_a_literal_is_an_enum():
    @tool()
    def set_mode(mode: Literal["fast", "accurate", "balanced"]) -> str:
        return f"Mode set to {mode}"

    assert Tool(set_mode).input_schema == arguments(
        {"mode": {"enum": ["fast", "accurate", "balanced"], "type": "string"}}, "mode"
    )


def find(query: str, limit: Optional[int] = None) -> list[str]:
    return []


@pytest.mark.promise("schema.default-none-is-absent")
def test_an_optional_parameter_may_be_left_out():
    # The document has a null arm and `default: null`; the portable style just does not require it.
    assert Tool(find).input_schema == arguments(
        {"query": {"type": "string"}, "limit": {"type": "integer"}}, "query"
    )


@pytest.mark.promise("schema.full")
def test_the_full_style_shows_that_an_optional_parameter_may_be_null():
    limit = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}
    assert Tool(find, style="full").input_schema == arguments(
        {"query": {"type": "string"}, "limit": limit}, "query"
    )


@pytest.mark.promise("schema.boxed")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_list_is_boxed_for_older_clients(style):
    made = Tool(find, style=style)
    items = {"type": "array", "items": {"type": "string"}}
    assert made.output_schema == items
    assert made.to_mcp(OLD)["outputSchema"] == box(items)
    assert made.to_mcp()["outputSchema"] == items


class SearchParams(TypedDict):
    query: str
    max_results: NotRequired[int]


SEARCH_PARAMS = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "max_results": {"type": "integer"}},
    "required": ["query"],
}


@pytest.mark.promise("parameters.typed-dicts")
def test_a_key_of_a_typed_dict_may_be_left_out():
    @tool()
    def search(params: SearchParams) -> list[str]:
        return []

    # The document lists the keys as if they were parameters; they belong to `params`.
    assert Tool(search).input_schema == arguments({"params": SEARCH_PARAMS}, "params")
    assert Tool(search, style="full").input_schema == {
        **arguments({"params": {"$ref": "#/$defs/SearchParams"}}, "params"),
        "$defs": {"SearchParams": SEARCH_PARAMS},
    }


@pytest.mark.promise("parameters.flatten")
def test_a_flattened_typed_dict_has_its_keys_at_the_top():
    def search(params: Annotated[SearchParams, Flatten()]) -> list[str]: ...

    assert Tool(search).input_schema == {**SEARCH_PARAMS, "additionalProperties": False}


ADDRESS = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "city": {"type": "string"},
        "postal_code": {"type": "integer"},
    },
    "required": ["street", "city", "postal_code"],
}


def profile(address: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "address": address,
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["name", "address", "tags"],
    }


@pytest.mark.promise("schema.definitions-in-place")
def test_a_dataclass_in_a_dataclass_is_written_in_place():
    made = Tool(create_profile)
    text = {"type": "string"}
    assert made.input_schema == arguments(
        {"name": text, "street": text, "city": text}, "name", "street", "city"
    )
    assert made.output_schema == profile(ADDRESS)
    assert made.to_mcp(OLD)["outputSchema"] == profile(ADDRESS)


@pytest.mark.promise("schema.full")
def test_the_full_style_keeps_the_definitions_it_refers_to():
    # The document removes `$defs`, and with them what its references point to.
    assert Tool(create_profile, style="full").output_schema == {
        **profile({"$ref": "#/$defs/Address"}),
        "$defs": {"Address": ADDRESS},
    }


class User(BaseModel):
    username: str = Field(..., min_length=3, max_length=20)
    email: str = Field(..., pattern=r"^[\w\.-]+@[\w\.-]+\.\w+$")
    age: int = Field(..., ge=0, le=120)


USER = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "minLength": 3, "maxLength": 20},
        "email": {"type": "string", "pattern": r"^[\w\.-]+@[\w\.-]+\.\w+$"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
    },
    "required": ["username", "email", "age"],
}


@pytest.mark.promise("parameters.limits")
def test_a_model_keeps_its_constraints():
    @tool()
    def register_user(user: User) -> str:
        return f"Registered {user.username}"

    # The document lists the fields as if they were parameters; they belong to `user`.
    assert Tool(register_user).input_schema == arguments({"user": USER}, "user")
    assert Tool(register_user).output_schema == {"type": "string"}
    assert Tool(register_user, emit="both").to_mcp(OLD)["outputSchema"] == box({"type": "string"})


@pytest.mark.promise("parameters.flatten")
def test_a_flattened_model_has_its_fields_at_the_top():
    def register_user(user: Annotated[User, Flatten()]) -> str: ...

    assert Tool(register_user).input_schema == {**USER, "additionalProperties": False}


@dataclass
class ChatAction:
    kind: Literal["chat"]
    message: str


@dataclass
class NavigateAction:
    kind: Literal["navigate"]
    url: str


UnionAction = Union[ChatAction, NavigateAction]


def choose_action(chat: bool) -> UnionAction:
    if chat:
        return ChatAction(kind="chat", message="hi")
    return NavigateAction(kind="navigate", url="https://example.com")


def action(kind: dict[str, Any], field: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"kind": {"type": "string", **kind}, field: {"type": "string"}},
        "required": ["kind", field],
    }


@pytest.mark.promise("schema.any-of")
def test_a_union_of_dataclasses_is_an_any_of():
    union = {
        "anyOf": [action({"enum": ["chat"]}, "message"), action({"enum": ["navigate"]}, "url")]
    }
    made = Tool(choose_action)
    assert made.output_schema == union
    assert made.to_mcp()["outputSchema"] == union
    # The document leaves a union bare; clients before 2026-07-28 need an object at the root.
    assert made.to_mcp(OLD)["outputSchema"] == box(union)


@pytest.mark.promise("schema.full")
def test_the_full_style_writes_one_value_as_a_constant():
    union = {"anyOf": [{"$ref": "#/$defs/ChatAction"}, {"$ref": "#/$defs/NavigateAction"}]}
    definitions = {
        "ChatAction": action({"const": "chat"}, "message"),
        "NavigateAction": action({"const": "navigate"}, "url"),
    }
    made = Tool(choose_action, style="full")
    assert made.output_schema == {**union, "$defs": definitions}
    # Definitions stay at the root, where the references look for them.
    assert made.to_mcp(OLD)["outputSchema"] == {**box(union), "$defs": definitions}
