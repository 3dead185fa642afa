"""Seed document 002, OpenMCP: what its examples give when they are called.

Everywhere: the document boxes every value that is not an object. Clients since 2026-07-28 get it
bare; only older ones get the box.
"""

import asyncio
from dataclasses import dataclass
from typing import Literal, NotRequired, Optional, TypedDict, Union

import pytest
from pydantic import BaseModel, EmailStr, Field

from toolwright import SchemaError, Tool, Toolbox, tool
from toolwright.results import validate

OLD = "2025-11-25"


def called(target, arguments=None, **options):
    """The result of a call, which keeps the contract in both eras."""
    box = Toolbox("openmcp")
    made = box.add(target, **options)
    result = box.call(made.name, arguments)
    assert result.to_mcp() == asyncio.run(box.call_async(made.name, arguments)).to_mcp()
    validate(result.to_mcp())
    validate(result.to_mcp(OLD))
    return result


def structured(result):
    """Structured content as older clients get it, and as newer ones do."""
    return result.to_mcp(OLD)["structuredContent"], result.to_mcp()["structuredContent"]


# -- scalar boxing


def test_a_scalar_is_sent_boxed_to_older_clients_and_bare_to_newer_ones():
    def answer() -> int:
        return 7

    result = called(answer)
    assert (result.value, result.text, result.structured) == (7, "7", 7)
    assert result.to_mcp(OLD) == {
        "content": [{"type": "text", "text": "7"}],
        "structuredContent": {"result": 7},
        "isError": False,
    }
    assert structured(result) == ({"result": 7}, 7)


def test_the_scalar_of_an_async_function_is_boxed_too():
    @tool()
    async def get_temperature(city: str) -> float:
        return 72.5

    assert structured(called(get_temperature, {"city": "Utrecht"})) == ({"result": 72.5}, 72.5)


def greet(name: str, age: int, active: bool = True) -> str:
    return f"Hello {name}, age {age}"


def test_text_is_sent_once():
    # The document boxes text as well; by default we send it as the text that it is.
    payload = called(greet, {"name": "Ada", "age": 36}).to_mcp(OLD)
    assert payload == {"content": [{"type": "text", "text": "Hello Ada, age 36"}], "isError": False}


def test_text_is_boxed_on_demand():
    result = called(greet, {"name": "Ada", "age": 36}, emit="both")
    assert structured(result) == ({"result": "Hello Ada, age 36"}, "Hello Ada, age 36")


# -- supported types


def test_containers_go_in_and_out():
    @tool()
    def analyze(values: list[int], metadata: dict[str, str]) -> dict[str, float]:
        return {"mean": sum(values) / len(values)}

    result = called(analyze, {"values": [1, 2, 6], "metadata": {"unit": "m"}})
    assert structured(result) == ({"mean": 3.0}, {"mean": 3.0})
    assert result.text == '{"mean":3.0}'


def test_what_a_tool_raises_is_an_error_result():
    @tool()
    def analyze(values: list[int], metadata: dict[str, str]) -> dict[str, float]:
        return {"mean": sum(values) / len(values)}

    result = called(analyze, {"values": [], "metadata": {}})
    assert result.is_error
    assert result.text == "ZeroDivisionError: division by zero"


@tool()
def set_mode(mode: Literal["fast", "accurate", "balanced"]) -> str:
    return f"Mode set to {mode}"


def test_a_literal_is_taken_as_it_is():
    assert called(set_mode, {"mode": "fast"}).text == "Mode set to fast"


def test_a_value_beside_the_literal_is_refused_with_the_values_there_are():
    result = called(set_mode, {"mode": "quick"})
    assert result.is_error
    assert '"fast", "accurate", "balanced"' in result.text


def find(query: str, limit: Optional[int] = None) -> list[str]:
    return [] if limit is None else [query] * limit


def test_an_optional_parameter_may_be_left_out_or_null():
    for sent in ({"query": "bike"}, {"query": "bike", "limit": None}):
        result = called(find, sent)
        assert structured(result) == ({"result": []}, [])
        assert (result.text, result.repairs) == ("[]", ())
    assert called(find, {"query": "bike", "limit": 2}).value == ["bike", "bike"]


class SearchParams(TypedDict):
    query: str
    max_results: NotRequired[int]


def test_a_typed_dict_comes_without_the_keys_that_may_be_left_out():
    @tool()
    def search(params: SearchParams) -> list[str]:
        return sorted(params)

    assert called(search, {"params": {"query": "bike"}}).value == ["query"]
    full = {"params": {"query": "bike", "max_results": 3}}
    assert called(search, full).value == ["max_results", "query"]


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


def test_a_dataclass_is_sent_as_an_object_in_both_eras():
    @tool()
    def create_profile(name: str, street: str, city: str) -> Profile:
        return Profile(
            name=name,
            address=Address(street=street, city=city, postal_code=94107),
            tags=["new"],
        )

    result = called(create_profile, {"name": "Ada", "street": "Main", "city": "Utrecht"})
    made = {
        "name": "Ada",
        "address": {"street": "Main", "city": "Utrecht", "postal_code": 94107},
        "tags": ["new"],
    }
    assert structured(result) == (made, made)
    assert result.value == Profile("Ada", Address("Main", "Utrecht", 94107), ["new"])


class User(BaseModel):
    username: str = Field(..., min_length=3, max_length=20)
    email: str = Field(..., pattern=r"^[\w\.-]+@[\w\.-]+\.\w+$")
    age: int = Field(..., ge=0, le=120)


@tool()
def register_user(user: User) -> str:
    return f"Registered {user.username}"


def test_a_model_reaches_the_function_as_a_model():
    sent = {"user": {"username": "ada", "email": "ada@example.com", "age": 36}}
    assert called(register_user, sent).text == "Registered ada"


def test_every_broken_constraint_is_said_in_one_line():
    result = called(register_user, {"user": {"username": "a", "email": "nowhere", "age": 200}})
    assert result.is_error
    lines = result.text.splitlines()
    assert len(lines) == 3
    for line, path, rule in zip(
        lines,
        ("user.username", "user.email", "user.age"),
        ("at least 3 characters", "must match", "at most 120"),
        strict=True,
    ):
        assert f"`{path}`" in line
        assert rule in line
    assert "pydantic" not in result.text


@dataclass
class ChatAction:
    kind: Literal["chat"]
    message: str


@dataclass
class NavigateAction:
    kind: Literal["navigate"]
    url: str


@pytest.mark.parametrize(
    ("chat", "made"),
    [
        (True, {"kind": "chat", "message": "hi"}),
        (False, {"kind": "navigate", "url": "https://example.com"}),
    ],
)
def test_a_union_of_objects_is_sent_as_the_one_it_is(chat, made):
    @tool()
    def choose_action(chat: bool) -> Union[ChatAction, NavigateAction]:
        if chat:
            return ChatAction(kind="chat", message="hi")
        return NavigateAction(kind="navigate", url="https://example.com")

    # The document leaves it bare; its schema has no object at the root, so older clients get a box.
    assert structured(called(choose_action, {"chat": chat})) == ({"result": made}, made)


# -- the longer examples


def test_mixed_types():
    @tool(description="Analyze data with optional filters")
    async def analyze(
        dataset: str, limit: int = 100, filters: Optional[dict[str, str]] = None
    ) -> dict[str, int]:
        return {"records": 42, "filtered": 10}

    made = {"records": 42, "filtered": 10}
    assert structured(called(analyze, {"dataset": "sales"})) == (made, made)
    assert structured(called(analyze, {"dataset": "sales", "filters": {"a": "b"}})) == (made, made)


@dataclass
class Location:
    latitude: float
    longitude: float


@dataclass
class WeatherReport:
    temperature: float
    location: Location
    humidity: Optional[float] = None


def test_an_optional_field_of_a_result_is_null():
    @tool()
    async def weather(city: str) -> WeatherReport:
        return WeatherReport(
            temperature=72.5, location=Location(latitude=37.7749, longitude=-122.4194)
        )

    made = {
        "temperature": 72.5,
        "location": {"latitude": 37.7749, "longitude": -122.4194},
        "humidity": None,
    }
    assert structured(called(weather, {"city": "San Francisco"})) == (made, made)


class CreateUserRequest(BaseModel):
    username: str = Field(..., min_length=3, max_length=20, pattern=r"^[a-zA-Z0-9_]+$")
    email: EmailStr
    age: int = Field(..., ge=13, le=120)
    bio: Optional[str] = Field(None, max_length=500)


@tool()
async def create_user(request: CreateUserRequest) -> dict[str, str]:
    return {"user_id": "usr_123", "status": "created"}


def test_a_model_with_validation():
    sent = {"request": {"username": "ada_1", "email": "ada@example.com", "age": 36}}
    made = {"user_id": "usr_123", "status": "created"}
    assert structured(called(create_user, sent)) == (made, made)


def test_a_model_with_validation_refuses_what_is_not_valid():
    sent = {"request": {"username": "ada 1", "email": "ada", "age": 3}}
    result = called(create_user, sent)
    assert {fault.path for fault in result.error.faults} == {
        ("request", "username"),
        ("request", "email"),
        ("request", "age"),
    }


def custom_tool_box():
    box = Toolbox("openmcp")

    @box.tool(
        input_schema={
            "type": "object",
            "properties": {"custom_field": {"type": "string", "enum": ["a", "b", "c"]}},
            "required": ["custom_field"],
            "additionalProperties": False,
        }
    )
    async def custom_tool(**kwargs) -> str:
        return kwargs.get("custom_field", "default")

    return box


def test_an_explicit_schema_lets_through_what_fits_it():
    assert custom_tool_box().call("custom_tool", {"custom_field": "b"}).text == "b"


@pytest.mark.parametrize("sent", [{}, {"custom_field": "d"}, {"custom_field": "a", "other": 1}])
def test_an_explicit_schema_is_enforced(sent):
    # The document only publishes it.
    result = custom_tool_box().call("custom_tool", sent)
    assert result.is_error
    assert result.error.code == "arguments"


@pytest.mark.parametrize("option", ["input_schema", "output_schema"])
def test_a_type_as_an_explicit_schema_is_refused_with_what_to_write(option):
    class Order(BaseModel):
        number: int

    def place(**fields: int) -> int: ...

    with pytest.raises(SchemaError, match=rf"{option} that is a type") as refused:
        Tool(place, **{option: Order}).to_mcp()
    assert f"{option}=TypeAdapter(Order).json_schema()" in str(refused.value)
    with pytest.raises(SchemaError, match=rf"{option}=TypeAdapter\(list\[int\]\)"):
        Tool(place, **{option: list[int]}).to_mcp()
