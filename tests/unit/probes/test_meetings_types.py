"""Where recursive, generic, local and nested types meet."""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, Generic, Literal, NotRequired, Optional, TypedDict, TypeVar, Union

import pytest
from pydantic import BaseModel, Field

from tests.unit.probes.case import INT, NULL, STR, Like, array, enum, obj
from tests.unit.probes.compiled import Kind, made, properties, refuses
from tests.unit.probes.targets import meetings
from toolwright import Nullable

T = TypeVar("T")


# -- recursion, generics, unions


class Leaf(BaseModel, Generic[T]):
    kind: Literal["leaf"]
    value: T


class Branch(BaseModel, Generic[T]):
    kind: Literal["branch"]
    children: list[Annotated[Union["Branch[T]", Leaf[T]], Field(discriminator="kind")]]


def test_a_recursive_generic_model_with_a_discriminated_union():
    def f(tree: Branch[int]) -> Branch[int]: ...

    tool = made(f)
    leaf = obj({"kind": enum("leaf"), "value": INT}, ["kind", "value"])
    (name,) = tool.input_schema["$defs"]
    branch = obj(
        {
            "kind": enum("branch"),
            "children": array({"anyOf": [{"$ref": f"#/$defs/{name}"}, leaf]}),
        },
        ["kind", "children"],
    )

    assert tool.input_schema["properties"] == {"tree": {"$ref": f"#/$defs/{name}"}}
    assert tool.input_schema["$defs"] == {name: branch}
    assert tool.output_schema == {**branch, "$defs": {name: branch}}
    tree = {"kind": "branch", "children": [{"kind": "leaf", "value": 1}]}
    _, named = tool.bind({"tree": tree})
    assert isinstance(named["tree"].children[0], Leaf)
    refuses(tool, {"tree": {"kind": "branch", "children": [{"kind": "leaf", "value": "x"}]}})


def test_the_same_recursive_generic_of_two_types_is_two_definitions():
    def f(a: Branch[int], b: Branch[str]): ...

    tool = made(f)

    assert len(tool.input_schema["$defs"]) == 2
    refs = [tool.input_schema["properties"][name]["$ref"] for name in "ab"]
    assert refs[0] != refs[1]


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str = "x"


@pytest.mark.promise("schema.any-of")
def test_what_a_discriminated_union_needs_is_required_even_with_a_default():
    def f(pet: Annotated[Cat | Dog, Field(discriminator="kind")]): ...

    tool = made(f)

    refuses(tool, {"pet": {"lives": 3}})
    assert [arm.get("required") for arm in tool.input_schema["properties"]["pet"]["anyOf"]] == [
        ["kind"],
        ["kind"],
    ]


# -- local types under future annotations


def test_a_local_typed_dict_that_holds_itself():
    tool = meetings.local_typed_dict()
    ref = {"$ref": "#/$defs/Kind"}

    assert tool.input_schema["properties"] == {"kind": ref, "kinds": array(ref)}
    kind = obj({"word": STR, "near": ref}, ["word"])
    assert tool.input_schema["$defs"] == {"Kind": kind}
    assert tool.output_schema == {**kind, "$defs": {"Kind": kind}}
    arguments = {"kind": {"word": "a", "near": {"word": "b"}}, "kinds": []}
    assert tool.bind(arguments) == ([], arguments)


def test_a_local_dataclass_that_holds_a_local_typed_dict():
    tool = meetings.local_dataclass_with_a_local_typed_dict()
    kind = obj({"word": STR}, ["word"])
    holder = {"kind": kind, "more": array(kind), "name": {"type": "string", "default": "x"}}

    assert tool.input_schema["properties"] == {"holder": Like(obj(holder, ["kind", "more"]))}
    assert tool.output_schema["type"] == "object"
    assert set(tool.output_schema["properties"]) == {"kind", "more", "name"}
    _, named = tool.bind({"holder": {"kind": {"word": "a"}, "more": [{"word": "b"}]}})
    assert named["holder"].more == [{"word": "b"}]
    assert named["holder"].name == "x"


def test_a_local_model_with_a_forward_reference():
    tool = meetings.local_model_with_a_forward_reference()
    ref = {"$ref": "#/$defs/Outer"}
    outer = obj({"inner": obj({"x": INT}, ["x"]), "outers": array(ref, default=[])}, ["inner"])

    assert tool.input_schema["properties"] == {"outer": ref}
    assert tool.input_schema["$defs"] == {"Outer": outer}
    assert tool.output_schema == {"anyOf": [ref, NULL], "$defs": {"Outer": outer}}


def test_a_local_named_tuple_of_a_local_model():
    tool = meetings.local_named_tuple()

    _, named = tool.bind({"pair": [{"x": 1}, 2]})

    assert named["pair"].left.x == 1
    assert named["pair"].right == 2
    assert [arm["type"] for arm in tool.input_schema["properties"]["pair"]["anyOf"]] == [
        "object",
        "array",
    ]
    assert tool.output_schema["type"] == "array"


def test_a_local_plain_class_with_a_local_typed_dict():
    tool = meetings.local_plain_class()

    _, named = tool.bind({"engine": {"size": {"width": 1}}})

    assert named["engine"].size == {"width": 1}
    assert tool.output_schema["properties"] == {"size": obj({"width": INT}, ["width"])}


def test_a_local_class_through_a_method_of_a_local_class():
    tool = meetings.local_class_through_a_method()

    assert tool.input_schema["properties"] == {"item": obj({"x": INT}, ["x"])}
    assert tool.output_schema == obj({"x": INT}, ["x"])


# -- records inside records


@dataclass
class Holder:
    """Holds kinds."""

    kind: Kind
    when: dt.date | None = None


KIND = obj(
    {"word": {"type": "string", "description": "The word for it."}, "rank": INT},
    ["word"],
    description="A kind.",
)


def test_a_typed_dict_in_a_dataclass_in_a_list_in_an_optional_with_default_none():
    def f(holders: Optional[list[Holder]] = None) -> Optional[list[Holder]]: ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "holders": array(
            Like(
                obj(
                    {"kind": KIND, "when": {"type": "string", "format": "date"}},
                    ["kind"],
                    description="Holds kinds.",
                )
            )
        )
    }
    assert "required" not in tool.input_schema
    assert tool.bind({}) == ([], {"holders": None})
    assert tool.bind({"holders": None}) == ([], {"holders": None})
    _, named = tool.bind({"holders": [{"kind": {"word": "a"}, "when": "2024-01-02"}]})
    assert named == {"holders": [Holder({"word": "a"}, dt.date(2024, 1, 2))]}
    refuses(tool, {"holders": [{"kind": {}}]}, {"holders": [{"kind": {"word": "a", "rank": "1"}}]})
    when = tool.output_schema["anyOf"][0]["items"]["properties"]["when"]
    assert when["anyOf"] == [{"type": "string", "format": "date"}, NULL]


@pytest.mark.promise("parameters.nullable")
def test_nullable_inside_a_nested_model_keeps_its_null_arm():
    class Patch(BaseModel):
        name: Annotated[str | None, Nullable()] = None
        nick: str | None = None

    class Request(BaseModel):
        patch: Patch
        note: Annotated[int | None, Nullable()] = None

    def f(request: Request, top: Annotated[int | None, Nullable()] = None): ...

    tool = made(f)
    nullable = {"anyOf": [INT, NULL], "default": None}

    assert tool.input_schema["properties"] == {
        "request": obj(
            {
                "patch": obj(
                    {"name": {"anyOf": [STR, NULL], "default": None}, "nick": STR},
                ),
                "note": nullable,
            },
            ["patch"],
        ),
        "top": nullable,
    }


def test_nullable_with_a_description_and_an_alias():
    def f(x: Annotated[int | None, Nullable(), "null clears it", Field(alias="theX")] = None): ...

    assert properties(f) == {
        "theX": {"anyOf": [INT, NULL], "default": None, "description": "null clears it"}
    }


def test_nullable_inside_dataclasses_and_typed_dicts():
    @dataclass
    class A:
        x: Annotated[int | None, Nullable()] = None

    class B(TypedDict):
        y: NotRequired[Annotated[int | None, Nullable()]]
        z: NotRequired[int | None]

    def f(a: A, b: B): ...

    found = properties(f)

    assert found["a"]["properties"]["x"] == {"anyOf": [INT, NULL], "default": None}
    assert found["b"]["properties"] == {
        "y": {"anyOf": [INT, NULL]},
        # Absent and null differ for a TypedDict: it has no default.
        "z": {"anyOf": [INT, NULL]},
    }
