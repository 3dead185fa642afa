"""Seed document 002, OpenMCP: every schema example in it.

Differences that hold for all of them: no parameter gets a made-up description ("Parameter name"),
the box is marked `x-toolwright-box`, and it is closed. An object in a result lists what is required
and is not closed, since nothing is closed that the type leaves open; the document has it the other
way round.
"""

import json
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any, Callable, Literal, NotRequired, Optional, TypedDict, Union

import mcp_types as t
import pytest
from pydantic import BaseModel, EmailStr, Field

from toolwright import Flatten, SchemaError, Tool, Toolbox, tool

OLD = "2025-11-25"

ANY = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "object"},
        {
            "type": "array",
            "items": {"type": ["string", "number", "boolean", "object", "array", "null"]},
        },
        {"type": "null"},
    ]
}
PERMISSIVE = {"type": "object", "additionalProperties": True}


def arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The root of an input schema."""
    root = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**root, "required": list(required)} if required else root


def box(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as older clients get it, if it is not an object."""
    return {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
        "additionalProperties": False,
        "x-toolwright-box": {"field": "result"},
    }


def output_of(hint: Any, **options: Any) -> Tool:
    """A tool that returns a type."""

    def give() -> hint: ...

    return Tool(give, **options)


# -- scalar boxing


def answer() -> int:
    return 7


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


@dataclass
class Address:
    street: str
    city: str
    postal_code: int


@dataclass
class Profile:
    name: str
    address: Address
    tags: list[str]


def create_profile(name: str, street: str, city: str) -> Profile:
    return Profile(
        name=name,
        address=Address(street=street, city=city, postal_code=94107),
        tags=["new"],
    )


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
        "type": "object",
        "$ref": "#/$defs/Profile",
        "$defs": {"Profile": profile({"$ref": "#/$defs/Address"}), "Address": ADDRESS},
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


# -- the longer examples


def mixed_types(style: str = "portable") -> Tool:
    @tool(description="Analyze data with optional filters")
    async def analyze(
        dataset: str, limit: int = 100, filters: Optional[dict[str, str]] = None
    ) -> dict[str, int]:
        return {"records": 42, "filtered": 10}

    return Toolbox("analytics").add(analyze, style=style)


def test_mixed_types():
    made = mixed_types()
    assert (made.name, made.description) == ("analyze", "Analyze data with optional filters")
    assert made.input_schema == arguments(
        {
            "dataset": {"type": "string"},
            "limit": {"type": "integer", "default": 100},
            # In the document with a null arm and `default: null`.
            "filters": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "dataset",
    )
    # The document shows the keys of one result, which no type hint could tell.
    assert made.output_schema == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_mixed_types_in_the_full_style():
    assert mixed_types("full").input_schema["properties"]["filters"] == {
        "anyOf": [
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "null"},
        ],
        "default": None,
    }


def test_the_scalar_of_an_async_function_is_boxed_for_older_clients():
    @tool()
    async def get_temperature(city: str) -> float:
        return 72.5

    made = Tool(get_temperature)
    assert made.output_schema == {"type": "number"}
    assert made.to_mcp(OLD)["outputSchema"] == box({"type": "number"})
    assert made.to_mcp()["outputSchema"] == {"type": "number"}


@dataclass
class Location:
    latitude: float
    longitude: float


@dataclass
class WeatherReport:
    temperature: float
    location: Location
    humidity: Optional[float] = None


@pytest.mark.promise("schema.results-keep-null")
def test_an_optional_field_of_a_result_may_be_null():
    @tool()
    async def weather(city: str) -> WeatherReport:
        return WeatherReport(
            temperature=72.5, location=Location(latitude=37.7749, longitude=-122.4194)
        )

    assert Tool(weather).output_schema == {
        "type": "object",
        "properties": {
            "temperature": {"type": "number"},
            "location": {
                "type": "object",
                "properties": {"latitude": {"type": "number"}, "longitude": {"type": "number"}},
                "required": ["latitude", "longitude"],
            },
            # The document leaves the default out.
            "humidity": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        },
        "required": ["temperature", "location"],
    }


class CreateUserRequest(BaseModel):
    username: str = Field(..., min_length=3, max_length=20, pattern=r"^[a-zA-Z0-9_]+$")
    email: EmailStr
    age: int = Field(..., ge=13, le=120)
    bio: Optional[str] = Field(None, max_length=500)


CREATE_USER_REQUEST = {
    "type": "object",
    "properties": {
        "username": {
            "type": "string",
            "minLength": 3,
            "maxLength": 20,
            "pattern": "^[a-zA-Z0-9_]+$",
        },
        "email": {"type": "string", "format": "email"},
        "age": {"type": "integer", "minimum": 13, "maximum": 120},
        # In the document with a null arm and `default: null`.
        "bio": {"type": "string", "maxLength": 500},
    },
    "required": ["username", "email", "age"],
}


async def create_user(request: CreateUserRequest) -> dict[str, str]:
    return {"user_id": "usr_123", "status": "created"}


def test_a_model_with_validation_stays_inside_its_parameter():
    # The document shows the fields at the top, which is what `Flatten` is for.
    assert Tool(create_user).input_schema == arguments({"request": CREATE_USER_REQUEST}, "request")
    assert Tool(create_user).output_schema == {
        "type": "object",
        "additionalProperties": {"type": "string"},
    }


def test_a_flattened_model_with_validation_looks_as_documented():
    async def create_user(
        request: Annotated[CreateUserRequest, Flatten()],
    ) -> dict[str, str]: ...

    closed = {**CREATE_USER_REQUEST, "additionalProperties": False}
    assert Tool(create_user).input_schema == closed
    bio = {"anyOf": [{"type": "string", "maxLength": 500}, {"type": "null"}], "default": None}
    assert Tool(create_user, style="full").input_schema == {
        **closed,
        "properties": {**closed["properties"], "bio": bio},
    }


# -- explicit schemas


CUSTOM = {
    "type": "object",
    "properties": {"custom_field": {"type": "string", "enum": ["a", "b", "c"]}},
    "required": ["custom_field"],
    "additionalProperties": False,
}


@pytest.mark.promise("parameters.explicit-schema")
def test_an_explicit_input_schema_is_published_as_it_is():
    @tool(input_schema=CUSTOM)
    async def custom_tool(**kwargs) -> str:
        return kwargs.get("custom_field", "default")

    made = Toolbox("custom").add(custom_tool)
    assert made.input_schema == CUSTOM
    assert made.to_mcp()["inputSchema"] == CUSTOM
    assert made.problems == ()
    assert made.output_schema == {"type": "string"}


def test_an_explicit_output_schema_is_published_as_it_is():
    given = {
        "type": "object",
        "properties": {"title": {"type": "string", "title": "Title"}},
        "required": ["title"],
    }
    made = Tool(answer, output_schema=given)
    assert made.output_schema == given
    assert made.to_mcp()["outputSchema"] == given
    assert made.to_mcp(OLD)["outputSchema"] == given


# -- fallback


def _positionals(*args): ...


def _keywords(**kwargs): ...


def _mixed(name: str, *args, **kwargs): ...


@pytest.mark.promise("parameters.on-unsupported")
@pytest.mark.parametrize("target", [_positionals, _keywords, _mixed])
def test_untyped_variadics_fall_back_to_any_object_if_allowed(target):
    made = Tool(target, on_unsupported="permissive")
    assert made.input_schema == PERMISSIVE
    # The document only writes to a debug log.
    assert made.problems[0].startswith("takes any value for")
    with pytest.raises(SchemaError, match="has no type hint"):
        Tool(target)


def test_typed_variadics_need_no_fallback():
    def collect(*values: int, **labels: str): ...

    assert Tool(collect).input_schema == {
        "type": "object",
        "properties": {"values": {"type": "array", "items": {"type": "integer"}}},
        "additionalProperties": {"type": "string"},
    }


@pytest.mark.promise("parameters.on-unsupported")
def test_an_untyped_parameter_takes_any_value_if_allowed():
    def take(value, times: int = 1): ...

    made = Tool(take, on_unsupported="permissive")
    assert made.input_schema == arguments(
        {"value": ANY, "times": {"type": "integer", "default": 1}}, "value"
    )
    assert made.problems == ("takes any value for `value`: it has no type hint",)
    with pytest.raises(SchemaError, match="every tool parameter must be typed"):
        Tool(take)


@pytest.mark.promise("parameters.on-unsupported")
def test_a_type_that_json_cannot_hold_takes_any_value_if_allowed():
    def apply(change: Callable[[int], int], times: int): ...

    # The document gives up the whole schema; we give up this one parameter.
    made = Tool(apply, on_unsupported="permissive")
    assert made.input_schema == arguments(
        {"change": ANY, "times": {"type": "integer"}}, "change", "times"
    )
    assert made.problems == ("takes any value for `change`: its type cannot be sent as JSON",)
    with pytest.raises(SchemaError, match="cannot be sent as JSON") as caught:
        Tool(apply).compile()
    assert caught.value.parameter == "change"


def test_a_type_made_at_run_time_has_a_schema():
    # The document calls such types invisible; a hint is an object like any other.
    Point = make_dataclass("Point", [("x", int), ("y", int, 0)])

    def move(to: Point): ...

    assert Tool(move).input_schema["properties"]["to"] == {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
        "required": ["x"],
    }


# -- output: deferred types and the protocol's own


@pytest.mark.promise("parameters.scope")
def test_a_deferred_return_type_of_a_local_class_is_resolved():
    @dataclass
    class Local:
        x: int

    def give(like: "Local") -> "list[Local]": ...

    local = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    made = Tool(give)
    assert made.input_schema == arguments({"like": local}, "like")
    assert made.output_schema == {"type": "array", "items": local}
    assert made.problems == ()


CONTENT = [
    t.CallToolResult,
    t.ServerResult,
    t.TextContent,
    t.ImageContent,
    t.AudioContent,
    t.ResourceLink,
    t.EmbeddedResource,
]


@pytest.mark.promise("schema.output")
@pytest.mark.parametrize("hint", CONTENT, ids=lambda hint: getattr(hint, "__name__", "union"))
def test_content_of_the_protocol_has_no_output_schema(hint):
    assert_without_output(output_of(hint))


@pytest.mark.parametrize(
    "hint",
    [
        Union[t.TextContent, int],
        t.ImageContent | None,
        Optional[t.AudioContent],
        t.TextContent | t.ImageContent,
        t.ContentBlock,
        # Not unions, so not in the document; blocks all the same.
        list[t.TextContent],
        list[t.TextContent | t.ImageContent],
    ],
    ids=str,
)
def test_a_type_that_holds_content_of_the_protocol_has_no_output_schema(hint):
    assert_without_output(output_of(hint))


def assert_without_output(made: Tool) -> None:
    assert made.output_schema is None
    assert "outputSchema" not in made.to_mcp()
    assert "outputSchema" not in made.to_mcp(OLD)
    assert made.problems == ()


def test_a_class_that_is_only_named_like_content_has_an_output_schema():
    class TextContent(BaseModel):
        text: str

    assert output_of(TextContent).output_schema == {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }


# -- caching


def test_a_schema_is_derived_once():
    made = Tool(create_profile)
    assert made.compile() is made.compile()
    listed = Toolbox("cached")
    listed.add(made)
    assert listed.to_mcp_json() is listed.to_mcp_json()
    assert json.loads(listed.to_mcp_json())["tools"] == [made.to_mcp()]


# -- titles


class AnalyticsTool(BaseModel):
    count: int


@pytest.mark.promise("schema.no-invented-titles")
def test_no_title_is_invented():
    schema = {
        "type": "object",
        "properties": {"count": {"type": "integer"}},
        "required": ["count"],
    }
    assert output_of(AnalyticsTool).output_schema == schema
    assert Tool(AnalyticsTool).input_schema == {**schema, "additionalProperties": False}


@pytest.mark.promise("schema.no-invented-titles")
def test_what_is_named_title_survives():
    # The document prunes every key `title`, and so also properties of that name.
    class Book(BaseModel):
        title: str

    def rename(title: str, book: Book) -> Book: ...

    book = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    made = Tool(rename)
    assert made.input_schema == arguments(
        {"title": {"type": "string"}, "book": book}, "title", "book"
    )
    assert made.output_schema == book
