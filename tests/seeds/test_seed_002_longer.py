"""Seed document 002, OpenMCP: its longer examples, explicit schemas, fallbacks and outputs.

The differences that `test_seed_002.py` names hold here, too.
"""

import json
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Callable, Optional, Union

import mcp_types as t
import pytest
from pydantic import BaseModel, EmailStr, Field

from tests.seeds.seed_002_schemas import OLD, answer, arguments, box, create_profile, output_of
from toolwright import Flatten, SchemaError, Tool, Toolbox, tool
from toolwright.tools.definition import compiled_of

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
@pytest.mark.parametrize("target", [_positionals, _keywords])
def test_untyped_variadics_fall_back_to_any_object_if_allowed(target):
    made = Tool(target, on_unsupported="permissive")
    assert made.input_schema == PERMISSIVE
    # The document only writes to a debug log.
    assert made.problems[0].startswith("takes any value for")
    with pytest.raises(SchemaError, match="has no type hint"):
        Tool(target)


def test_beside_a_type_untyped_variadics_open_only_the_rest():
    # The document gives up the whole schema; what is typed keeps its type here.
    made = Tool(_mixed, on_unsupported="permissive")
    assert made.input_schema["properties"]["name"] == {"type": "string"}
    assert made.input_schema["required"] == ["name"]
    with pytest.raises(SchemaError, match="has no type hint"):
        Tool(_mixed)


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
    assert compiled_of(made) is compiled_of(made)
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
