"""Constraints that do not fit a type refuse the tool, and those that fit a part refuse the rest."""

import datetime
import ipaddress
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional
from uuid import UUID

import pytest
from pydantic import AnyUrl, BaseModel, Field, HttpUrl, RootModel, SecretStr, create_model
from typing_extensions import TypedDict

from toolwright import SchemaError, Tool


class Model(BaseModel):
    n: int


class Tree(BaseModel):
    children: "list[Tree]" = []


class Root(RootModel[list[int]]):
    pass


@dataclass
class Data:
    n: int


@dataclass(order=True)
class Ordered:
    n: int


class Keys(TypedDict):
    n: int


class Color(Enum):
    RED = "red"


class Plain:
    def __init__(self, n: int) -> None:
        self.n = n


ABSURD = [
    (Path, {"max_length": 5}),
    (Path, {"pattern": "a"}),
    (Path, {"gt": 0}),
    (AnyUrl, {"pattern": "a"}),
    (HttpUrl, {"gt": 0}),
    (Model, {"max_length": 5}),
    (Model, {"pattern": "a"}),
    (Tree, {"gt": 0}),
    (Root, {"multiple_of": 2}),
    (Data, {"max_digits": 3}),
    (Keys, {"gt": 0}),
    (Color, {"pattern": "a"}),
    (Plain, {"max_length": 5}),
    (Sequence[int], {"gt": 0}),
    (list[int], {"pattern": "a"}),
    (dict[str, int], {"pattern": "a"}),
    (int, {"pattern": "a"}),
    (int, {"max_length": 5}),
    (str, {"allow_inf_nan": False}),
    (bool, {"pattern": "a"}),
    (UUID, {"pattern": "a"}),
    (datetime.date, {"pattern": "a"}),
    (datetime.date, {"gt": 0}),
    (SecretStr, {"gt": 0}),
    (Literal["a"], {"allow_inf_nan": False}),
    (int | float, {"max_length": 5}),
    (Sequence[int], {"strict": True}),
    (Any, {"strict": True}),
    (str, {"discriminator": "n"}),
]
IDS = [f"{getattr(hint, '__name__', 'type')}-{next(iter(said))}" for hint, said in ABSURD]
IDS = [f"{at}-{each}" for at, each in zip(itertools.count(), IDS, strict=False)]


def taking(hint):
    def probe(x: hint) -> str:
        return "taken"

    return Tool(probe)


@pytest.mark.promise("parameters.constraints")
@pytest.mark.parametrize(("hint", "said"), ABSURD, ids=IDS)
@pytest.mark.parametrize("place", ["itself", "list", "union", "dict", "optional"])
def test_a_constraint_that_fits_no_value_is_refused_by_name(hint, said, place):
    one = Annotated[hint, Field(**said)]
    places = {
        "itself": one,
        "list": list[one],
        "union": one | bytes,
        "dict": dict[str, one],
        "optional": Optional[one],
    }
    with pytest.raises(SchemaError) as refused:
        _ = taking(places[place]).input_schema
    text = str(refused.value)
    assert text.startswith("probe.x has a constraint that its type cannot meet: ")
    assert next(iter(said)) in text
    assert "change the type, or the constraint" in text
    assert "schema of type" not in text


@pytest.mark.parametrize("hint", [Path, Model, Any, Sequence[int]])
def test_it_is_refused_in_a_field_and_in_a_result(hint):
    one = Annotated[hint, Field(gt=0)]
    holder = create_model("Holder", x=(one, ...))
    if hint is Any:
        assert taking(holder).call({"x": {"x": 1}}).text == "taken"
        return
    with pytest.raises(SchemaError, match=r"`gt=0` does not fit"):
        _ = taking(holder).input_schema

    def probe() -> one:
        return 1

    with pytest.raises(SchemaError, match=r"`gt=0` does not fit"):
        _ = Tool(probe).output_schema


@pytest.mark.parametrize(
    ("hint", "said", "good", "bad", "reason"),
    [
        (Any, {"max_length": 2}, ["ab", [1]], [1, True, "abc"], ["a length", "a length", "2 char"]),
        (Any, {"gt": 0}, [1, 2.5], ["a", 0], ["compared with 0", "more than 0"]),
        (Any, {"pattern": "^a"}, ["ab"], [1, "b"], ["be a string", "match `^a`"]),
        (object, {"max_length": 2}, [[]], [1], ["a length"]),
        (int | list[int], {"max_length": 1}, [[1]], [1, [1, 2]], ["a length", "1 item"]),
        (int | str, {"pattern": "^a"}, ["a"], [1], ["be a string"]),
        (int | str, {"gt": 0}, [1], ["a", 0], ["compared with 0", "more than 0"]),
        (AnyUrl, {"max_length": 12}, ["http://a/"], ["http://abcdefgh/"], ["12 characters"]),
    ],
)
def test_a_value_that_it_does_not_fit_is_refused_with_its_place(hint, said, good, bad, reason):
    one = Annotated[hint, Field(**said)]
    for place, wrap in (("`x`", lambda v: v), ("`x[0]`", lambda v: [v]), ("`x.k`", None)):
        outer = one if place == "`x`" else list[one] if wrap else dict[str, one]
        tool = taking(outer)
        for value in good:
            made = tool.call({"x": wrap(value) if wrap else {"k": value}})
            assert made.text == "taken", (value, made.text)
        for value, why in zip(bad, reason, strict=True):
            made = tool.call({"x": wrap(value) if wrap else {"k": value}})
            assert made.is_error
            assert made.error.code == "arguments"
            assert made.text.startswith(f"probe: {place} must ")
            assert why in made.text


def test_an_arm_that_does_not_fit_leaves_the_others():
    tool = taking(Annotated[Any, Field(max_length=2)] | int)
    assert tool.call({"x": 5}).text == "taken"
    assert tool.call({"x": "abc"}).is_error


def test_a_result_that_it_does_not_fit_is_named():
    def probe(wide: bool) -> list[Annotated[int | str, Field(max_length=2)]]:
        return ["ab", 1 if wide else "a"]

    assert Tool(probe).call({"wide": False}).structured == ["ab", "a"]
    assert Tool(probe).call({"wide": True}).text == (
        "probe: `result[1]` is not of its declared type: must have a length"
    )


def test_constraints_that_fit_are_left_alone():
    later = Annotated[Ordered, Field(gt=Ordered(1))]
    assert taking(later).call({"x": {"n": 2}}).text == "taken"
    assert taking(later).call({"x": {"n": 1}}).is_error
    address = Annotated[ipaddress.IPv4Address, Field(gt=ipaddress.IPv4Address("1.1.1.1"))]
    assert taking(address).call({"x": "1.1.1.2"}).text == "taken"
    assert taking(address).call({"x": "1.1.1.1"}).is_error
    short = Annotated[Sequence[int], Field(max_length=1)]
    assert taking(short).call({"x": [1]}).text == "taken"
    assert taking(Annotated[SecretStr, Field(max_length=1)]).call({"x": "a"}).text == "taken"
