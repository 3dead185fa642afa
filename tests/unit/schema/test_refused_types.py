"""Refusals of what cannot be sent: which field, why, and what to write instead."""

import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from toolwright import SchemaError, Tool, Toolbox


class Engine:
    """Nothing is known of how to make one."""


Bound = typing.TypeVar("Bound", bound="Engine")


Free = typing.TypeVar("Free")


@pytest.mark.parametrize(
    "hint", [type[Free], list[type[Free]], type[typing.Any], type[object], type]
)
def test_a_class_as_argument_is_refused_where_any_would_do(hint):
    def go(cls: hint): ...

    with pytest.raises(SchemaError, match=r"^go.cls has a type that cannot be sent as JSON: `"):
        Tool(go).input_schema


@pytest.mark.parametrize("hint", [type[Bound], type[Engine], type[Engine | Bound]])
def test_a_class_as_argument_goes_by_the_name_of_its_bound(hint):
    def go(cls: hint): ...

    assert Tool(go).input_schema["properties"] == {"cls": {"type": "string", "enum": ["Engine"]}}
    assert Tool(go).bind({"cls": "Engine"}) == ([], {"cls": Engine})


def test_values_that_cannot_be_sent_do_not_split_a_batch(monkeypatch):
    def bad(x: int) -> Engine: ...

    def good(x: int) -> int: ...

    written = []
    write = TypeAdapter.json_schemas
    monkeypatch.setattr(
        TypeAdapter, "json_schemas", lambda *a, **k: written.append(a) or write(*a, **k)
    )
    box = Toolbox("box")
    for at in range(8):
        box.add(bad if at == 3 else good, name=f"tool_{at}")

    box.to_mcp_json()

    assert len(written) == 1
    assert [tool.output_schema is None for tool in box.values()] == [at == 3 for at in range(8)]


class Driver(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str
    engine: Engine


@dataclass
class Car:
    drivers: list[Driver]


class Team(TypedDict):
    car: Car


@pytest.mark.parametrize("hint", [Driver, list[Driver], Car, Team, dict[str, Team]])
def test_the_field_that_cannot_be_sent_is_named(hint):
    def go(x: hint): ...

    with pytest.raises(SchemaError) as caught:
        Tool(go).input_schema

    assert "; `Driver.engine`: `Engine` cannot be sent as JSON - " in str(caught.value)


def test_a_service_is_to_be_injected():
    def go(engine: Engine): ...

    with pytest.raises(SchemaError) as caught:
        Tool(go).input_schema

    assert caught.value.hint == (
        "change the type, or inject it: `Annotated[Engine, Inject(provider)]`, "
        "or `box.provide(Engine, provider)` for all tools"
    )


@pytest.mark.parametrize("hint", [list[Engine], Callable[[], None], type[typing.Any]])
def test_what_is_no_single_service_is_to_be_injected_where_it_stands(hint):
    def go(x: hint): ...

    with pytest.raises(SchemaError) as caught:
        Tool(go).input_schema

    assert caught.value.hint == ("change the type, or inject it: `Annotated[T, Inject(provider)]`")


@pytest.mark.parametrize("cls", [Driver, Car])
def test_a_class_as_target_is_refused_with_its_field(cls):
    with pytest.raises(SchemaError) as caught:
        Tool(cls).input_schema

    said = str(caught.value)
    assert said.startswith(
        f"{cls.__name__} has a required field that cannot be used: `Driver.engine`:"
        " `Engine` cannot be sent"
    )
    assert ".value" not in said
    assert ":0)" not in said


class Valve:
    def __init__(self, size: int, of: "Nowhere | None" = None) -> None:  # noqa: F821
        self.size = size


class Pipe:
    def __init__(self, of: "Nowhere") -> None: ...  # noqa: F821


def test_an_unknown_name_in_a_constructor_is_left_out_where_it_can_be():
    def go(valve: Valve, pipe: Pipe | None = None, either: Pipe | int = 1) -> int:
        return valve.size

    tool = Tool(go)

    assert tool.call({"valve": {"size": 3}}).structured == 3
    properties = tool.input_schema["properties"]
    assert set(properties) == {"valve", "either"}
    assert set(properties["valve"]["properties"]) == {"size"}
    assert all("`Nowhere`" in problem for problem in tool.problems)
    assert len(tool.problems) == 3


def test_an_unknown_name_that_a_constructor_needs_is_refused():
    def go(pipe: Pipe): ...

    with pytest.raises(SchemaError, match=r"its parameter `of` has a type that is not known"):
        Tool(go).input_schema


class Kind(type):
    """A metaclass, as libraries have them for types of their own."""

    size: int


def test_a_metaclass_is_refused_like_any_other_class():
    def go(kind: Kind): ...

    with pytest.raises(SchemaError, match=r"^go.kind has a type that cannot be sent as JSON: `K"):
        Tool(go).input_schema


def test_a_metaclass_beside_another_type_is_left_out():
    def go(kind: Kind | int): ...

    assert Tool(go).input_schema["properties"] == {"kind": {"type": "integer"}}
