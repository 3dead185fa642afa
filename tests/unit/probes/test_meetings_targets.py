"""Where documentation meets kinds of targets."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Annotated, NamedTuple

import attrs
import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.unit.probes.case import ANY_ITEM, INT, NULL, NUM, STR, Like, array
from tests.unit.probes.compiled import (
    Address,
    Blob,
    Desk,
    Kind,
    Point,
    Window,
    made,
    properties,
    refuses,
)
from toolwright import Tool, Toolbox

# -- documentation


def test_an_alias_keeps_the_docstrings_text():
    def f(x: Annotated[int, Field(alias="theX")], y: int = Field(2, alias="theY")):
        """Do it.

        Args:
            x: The first.
            y: The second.
        """

    assert properties(f) == {
        "theX": {"type": "integer", "description": "The first."},
        "theY": {"type": "integer", "default": 2, "description": "The second."},
    }
    assert Tool(f).description == "Do it."


@pytest.mark.promise("documentation.overridden")
def test_an_overriding_method_inherits_text_it_does_not_write():
    class Base:
        def run(self, x: int, y: int = 1) -> int:
            """Run it.

            Args:
                x: How far.
                y: How fast.

            Returns:
                How long.
            """

    class Silent(Base):
        def run(self, x: int, y: int = 1) -> int: ...

    class Speaking(Base):
        def run(self, x: int, y: int = 1) -> int:
            """Run it better.

            Args:
                x: How very far.
            """

    silent, speaking = made(Silent().run), made(Speaking().run)

    assert silent.description == "Run it.\n\nReturns:\n    How long."
    assert silent.input_schema["properties"]["x"]["description"] == "How far."
    assert speaking.description.startswith("Run it better.")
    assert speaking.input_schema["properties"]["x"]["description"] == "How very far."
    assert speaking.input_schema["properties"]["y"]["description"] == "How fast."
    assert silent.problems == speaking.problems == ()


def test_an_overriding_method_with_fewer_parameters_shows_only_its_own():
    class Base:
        def run(self, x: int, secret: int = 1) -> int:
            """Run it.

            Args:
                x: How far.
                secret: Not for anyone.
            """

    class Narrow(Base):
        def run(self, x: int) -> int: ...

    tool = made(Narrow().run)

    assert tool.input_schema["properties"] == {"x": {"type": "integer", "description": "How far."}}
    assert "Not for anyone" not in tool.description


def test_a_models_text_and_the_parameters_text_are_both_kept():
    class Spot(BaseModel):
        """A spot on the map."""

        x: int

    def f(spot: Spot, spots: list[Spot]):
        """Do it.

        Args:
            spot: Where to go.
            spots: Where not to.
        """

    found = properties(f)

    assert found["spot"]["description"] == "Where to go.\n\nA spot on the map."
    assert found["spots"]["description"] == "Where not to."
    assert found["spots"]["items"]["description"] == "A spot on the map."


def test_two_tools_that_share_an_annotated_alias_keep_their_own_texts():
    Shared = Annotated[Point, Field(description="Shared text.")]

    def f(p: Shared): ...

    def g(p: Shared, q: Annotated[Point, "Own text."]): ...

    box = Toolbox("shared")
    box.add(f)
    box.add(g)
    listed = {t["name"]: t["inputSchema"]["properties"] for t in box.to_mcp()["tools"]}

    assert listed["f"]["p"] == listed["g"]["p"]
    assert listed["f"]["p"]["description"] == "Shared text."
    assert listed["g"]["q"]["description"] == "Own text."


# -- kinds of targets


def test_an_async_method_of_an_instance():
    tool = made(Desk().fetch)

    assert tool.input_schema["properties"] == {"x": INT}
    assert tool.output_schema == array(STR)
    assert tool.description == "Fetch them."


@pytest.mark.parametrize(
    ("returns", "schema"),
    [
        (Iterator[int], array(INT)),
        (Generator[int, None, None], array(INT)),
        (Generator[int, str, bool], array(INT)),
        (AsyncIterator[int], array(INT)),
        (AsyncGenerator[int, None], array(INT)),
        (Iterator[Point], array(Like({"type": "object"}))),
        (Iterator, array(ANY_ITEM)),
        (Iterator[str], STR),
    ],
    ids=str,
)
def test_generators_publish_what_they_yield(returns, schema):
    def f(): ...

    f.__annotations__ = {"return": returns}

    assert made(f).output_schema == schema


class Engine:
    """An engine.

    Args:
        power: In kW.
    """

    def __init__(self, power: int, fuel: str = "gas"):
        self.power = power
        self.fuel = fuel


class Meters(NamedTuple):
    """A length."""

    value: float
    unit: str = "m"


@attrs.define
class Crate:
    """A crate."""

    size: int
    tags: list[str] = attrs.Factory(list)


def check_class(cls, arguments, expected):
    tool = made(cls)
    assert tool.name == cls.__name__
    positional, named = tool.bind(arguments)
    assert tool.target(*positional, **named) == expected
    return tool


@pytest.mark.promise("target.plain-classes")
def test_a_plain_class_as_tool():
    tool = made(Engine)

    assert tool.description == "An engine."
    assert tool.input_schema["properties"] == {
        "power": {"type": "integer", "description": "In kW."},
        "fuel": {"type": "string", "default": "gas"},
    }
    assert tool.bind({"power": 1}) == ([], {"power": 1, "fuel": "gas"})
    assert set(tool.output_schema["properties"]) == {"power", "fuel"}


@pytest.mark.promise("target.records")
def test_a_dataclass_as_tool():
    tool = check_class(Window, {"start": 1}, Window(1))

    assert tool.description == "A part of something."
    assert tool.input_schema["properties"]["start"]["description"] == "Where it begins."
    assert tool.input_schema["required"] == ["start"]
    assert tool.output_schema["properties"]["end"]["anyOf"] == [INT, NULL]


def test_a_dataclass_without_a_docstring_as_tool_says_nothing_made_up():
    assert made(Blob).description == ""


@pytest.mark.promise("target.records")
def test_a_model_as_tool():
    tool = check_class(Address, {"street": "a", "zipCode": "b"}, Address(street="a", zipCode="b"))

    assert tool.description == "Where."
    assert set(tool.input_schema["properties"]) == {"street", "zipCode", "country"}


@pytest.mark.promise("target.records")
def test_a_typed_dict_as_tool():
    tool = check_class(Kind, {"word": "a"}, {"word": "a"})

    assert tool.description == "A kind."
    assert tool.input_schema["properties"]["word"]["description"] == "The word for it."
    assert tool.input_schema["required"] == ["word"]


def test_a_named_tuple_as_tool():
    tool = check_class(Meters, {"value": 1.5}, Meters(1.5))

    assert tool.description == "A length."
    assert tool.input_schema["properties"] == {
        "value": NUM,
        "unit": {"type": "string", "default": "m"},
    }


def test_an_attrs_class_as_tool():
    tool = check_class(Crate, {"size": 1, "tags": ["a"]}, Crate(1, ["a"]))

    assert tool.description == "A crate."
    assert tool.input_schema["required"] == ["size"]
    assert set(tool.input_schema["properties"]) == {"size", "tags"}
    positional, named = tool.bind({"size": 1})
    assert tool.target(*positional, **named) == Crate(1)


def test_an_attrs_class_as_parameter():
    def f(crate: Crate) -> Crate: ...

    tool = made(f)

    assert tool.bind({"crate": {"size": 1, "tags": ["a"]}}) == ([], {"crate": Crate(1, ["a"])})
    assert tool.bind({"crate": {"size": 1}}) == ([], {"crate": Crate(1)})
    assert set(tool.output_schema["properties"]) == {"size", "tags"}


@pytest.mark.promise("target.callables")
def test_a_callable_object():
    tool = made(Desk())

    assert tool.name == "Desk"
    assert tool.description == "Call it."
    assert tool.input_schema["properties"] == {"x": INT}


def test_a_class_with_a_field_called_value_as_tool():
    class Reading(BaseModel):
        value: int

    tool = made(Reading)

    assert tool.input_schema["properties"] == {"value": INT}
    assert tool.bind({"value": 1}) == ([Reading(value=1)], {})


def test_a_closed_model_as_tool_and_an_open_one():
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    assert made(Closed).input_schema["additionalProperties"] is False
    refuses(made(Closed), {"a": 1, "b": 2})
    assert made(Open).input_schema["additionalProperties"] is not False
    assert made(Open).bind({"a": 1, "b": 2}) == ([Open(a=1, b=2)], {})
