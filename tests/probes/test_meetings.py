"""Features where they meet: each works alone, so does each pair."""

import datetime as dt
import enum as enums
import functools
import io
import types
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sized
from dataclasses import InitVar, dataclass, field
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Never,
    NotRequired,
    Optional,
    ParamSpec,
    Self,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
)

import attrs
import pytest
from pydantic import (
    AliasChoices,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    SecretBytes,
    SecretStr,
    create_model,
)

from toolwright import (
    ArgumentError,
    DefinitionError,
    Fixed,
    Flatten,
    Hidden,
    Nullable,
    SchemaError,
    Tool,
    Toolbox,
)

from .case import ANY_ITEM, BYTES, BYTES_OUT, INT, NULL, NUM, STR, Like, Text, array, enum, obj
from .rules import dead_definitions, faults
from .targets import blue, keywords, meetings, red

T = TypeVar("T")


def made(target: Any, **options: Any) -> Tool:
    """Make a tool, and check what holds for all of them."""
    tool = Tool(target, **options)
    assert faults(tool.input_schema, is_input=True) == []
    assert dead_definitions(tool.input_schema) == set()
    if tool.output_schema is not None:
        assert faults(tool.output_schema, is_input=False) == []
        assert dead_definitions(tool.output_schema) == set()
    return tool


def properties(target: Any, **options: Any) -> dict[str, Any]:
    tool = made(target, **options)
    assert tool.problems == ()
    return tool.input_schema["properties"]


def refuses(tool: Tool, *each: dict[str, Any]) -> None:
    for arguments in each:
        with pytest.raises(ArgumentError):
            tool.bind(arguments)


# -- Flatten


class Address(BaseModel):
    """Where."""

    street: str
    zip_code: str = Field(alias="zipCode", description="Five digits.")
    country: str = "CH"


@dataclass
class Window:
    """A part of something.

    Attributes:
        start: Where it begins.
    """

    start: int
    end: int | None = None


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


# -- partial


def fetch(url: str, key: str, *, retries: int = 3, **headers: str) -> str:
    """Fetch a page.

    Args:
        url: Where it is.
        key: The secret key.
        retries: How often to try.
        headers: More headers.
    """


@pytest.mark.promise("target.partials")
def test_a_bound_name_is_never_seen_nor_set_through_the_extras():
    tool = made(functools.partial(fetch, key="sk-SECRET", trace="sk-TRACE"))
    listed = tool.to_mcp_json().decode()

    assert set(tool.input_schema["properties"]) == {"url", "retries"}
    assert tool.input_schema["additionalProperties"] == {
        "type": "string",
        "description": "More headers.",
    }
    assert "SECRET" not in listed
    assert "TRACE" not in listed
    assert "secret key" not in listed
    refuses(tool, {"url": "a", "key": "mine"}, {"url": "a", "trace": "mine"})
    assert tool.bind({"url": "a", "accept": "b"}) == ([], {"url": "a", "retries": 3, "accept": "b"})


def test_a_value_bound_by_position_is_never_set_through_the_extras():
    tool = made(functools.partial(fetch, "https://here"))

    assert set(tool.input_schema["properties"]) == {"key", "retries"}
    refuses(tool, {"key": "a", "url": "b"})


def test_a_bound_keyword_only_default_is_not_published():
    tool = made(functools.partial(fetch, retries=9))

    assert set(tool.input_schema["properties"]) == {"url", "key"}
    refuses(tool, {"url": "a", "key": "b", "retries": 1})


def test_what_follows_a_parameter_bound_by_name_goes_by_name():
    def f(a: int, b: int, c: int, *rest: int): ...

    tool = made(functools.partial(f, b=2))

    assert set(tool.input_schema["properties"]) == {"a", "c"}
    positional, named = tool.bind({"a": 1, "c": 3})
    # The call itself decides: neither may land on `b`.
    assert functools.partial(lambda a, b, c, *rest: (a, b, c, rest), b=2)(*positional, **named) == (
        1,
        2,
        3,
        (),
    )


def test_a_partial_after_update_wrapper_has_name_and_text_and_still_hides():
    bound = functools.partial(fetch, key="sk-SECRET")
    functools.update_wrapper(bound, fetch)

    tool = made(bound)

    assert tool.name == "fetch"
    assert tool.description == "Fetch a page."
    assert "key" not in tool.input_schema["properties"]
    assert "SECRET" not in tool.to_mcp_json().decode()
    refuses(tool, {"url": "a", "key": "mine"})


class Desk:
    def __init__(self, start: int = 0):
        self.start = start

    def add(self, x: int, y: int = 1) -> int:
        """Add to it.

        Args:
            x: A number.
            y: Another.
        """
        return self.start + x + y

    async def fetch(self, x: int) -> list[str]:
        """Fetch them."""

    def _add(self, x: int) -> int:
        return x

    def __call__(self, x: int) -> int:
        """Call it."""


def test_a_partial_of_a_bound_method_hides_self_and_what_it_binds():
    tool = made(functools.partial(Desk(10).add, y=5))

    assert tool.name == "add"
    assert tool.input_schema["properties"] == {"x": {"type": "integer", "description": "A number."}}
    positional, named = tool.bind({"x": 1})
    assert tool.target(*positional, **named) == 16


@pytest.mark.promise("target.partials")
def test_a_partial_of_a_partial_hides_both():
    inner = functools.partial(fetch, key="sk-A")
    tool = made(functools.partial(inner, retries=1, agent="sk-B"))

    assert set(tool.input_schema["properties"]) == {"url"}
    refuses(tool, {"url": "a", "key": "x"}, {"url": "a", "agent": "x"}, {"url": "a", "retries": 2})


def test_a_partial_of_a_class_is_its_constructor():
    class Engine:
        def __init__(self, power: int, fuel: str): ...

    tool = made(functools.partial(Engine, fuel="gas"))

    assert set(tool.input_schema["properties"]) == {"power"}
    assert tool.bind({"power": 1}) == ([], {"power": 1})


def test_a_partial_of_a_dataclass_binds_its_field():
    tool = made(functools.partial(Window, end=5))

    assert set(tool.input_schema["properties"]) == {"start"}
    positional, named = tool.bind({"start": 1})
    assert tool.target(*positional, **named) == Window(1, 5)


def test_a_partial_that_binds_an_untyped_parameter_makes_the_rest_a_tool():
    def f(x: int, connection) -> int: ...

    assert properties(functools.partial(f, connection=object())) == {"x": INT}


def test_a_partial_that_binds_an_unsendable_parameter_makes_the_rest_a_tool():
    class Engine: ...

    def f(x: int, engine: Engine) -> int: ...

    assert properties(functools.partial(f, engine=Engine())) == {"x": INT}


def test_a_bound_callable_object_in_a_partial():
    assert properties(functools.partial(Desk(), 1)) == {}


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
    assert tool.output_schema == {
        "type": "object",
        "$ref": f"#/$defs/{name}",
        "$defs": {name: branch},
    }
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
    assert tool.input_schema["$defs"] == {"Kind": obj({"word": STR, "near": ref}, ["word"])}
    assert tool.output_schema == {
        "type": "object",
        **ref,
        "$defs": {"Kind": obj({"word": STR, "near": ref}, ["word"])},
    }
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


class Kind(TypedDict):
    """A kind."""

    word: str
    """The word for it."""
    rank: NotRequired[int]


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


# -- Hidden and Fixed


def test_hidden_beside_positional_only():
    def f(a: int, h: Annotated[int, Hidden()] = 7, b: int = 2, /, *, c: int = 3): ...

    tool = made(f)

    assert set(tool.input_schema["properties"]) == {"a", "b", "c"}
    assert tool.bind({"a": 1, "b": 5}) == ([1, 7, 5], {"c": 3})
    refuses(tool, {"a": 1, "h": 2})


def test_hidden_with_an_unsendable_type_is_no_reason_to_refuse():
    class Engine: ...

    engine = Engine()

    def f(x: int, e: Annotated[Engine, Hidden()] = engine) -> int: ...

    tool = made(f)

    assert tool.input_schema["properties"] == {"x": INT}
    assert tool.problems == ()
    refuses(tool, {"x": 1, "e": 1})


def test_hidden_without_a_default_is_refused():
    def f(x: Annotated[int, Hidden()]): ...

    with pytest.raises(SchemaError, match=r"f\.x is hidden but has no default"):
        Tool(f).compile()


def test_fixed_beside_args():
    def f(a: int, level: Annotated[int, Fixed(9)], *rest: int): ...

    tool = made(f)

    assert set(tool.input_schema["properties"]) == {"a", "rest"}
    assert tool.bind({"a": 1, "rest": [2, 3]}) == ([1, 9, 2, 3], {})
    assert tool.bind({"a": 1}) == ([1, 9], {})
    refuses(tool, {"a": 1, "level": 2})


@pytest.mark.promise("parameters.hidden", "parameters.fixed")
def test_fixed_and_hidden_names_cannot_be_set_through_kwargs():
    def f(
        level: Annotated[int, Fixed(9)], debug: Annotated[bool, Hidden()] = False, **more: int
    ): ...

    tool = made(f)

    assert tool.bind({"a": 1})[1] == {"level": 9, "a": 1} or tool.bind({"a": 1}) == (
        [],
        {"level": 9, "debug": False, "a": 1},
    )
    refuses(tool, {"level": 1}, {"debug": 1})


def test_fixed_values_are_never_published():
    def f(x: int, key: Annotated[str, Fixed("sk-SECRET")] = "sk-OTHER"): ...

    listed = made(f).to_mcp_json().decode()

    assert "SECRET" not in listed
    assert "OTHER" not in listed


@pytest.mark.promise("documentation.hidden-vanishes")
def test_the_docstrings_text_on_a_hidden_parameter_vanishes():
    def f(
        x: int,
        token: Annotated[str, Hidden()] = "t",
        level: Annotated[int, Fixed(1)] = 2,
    ) -> int:
        """Do it.

        Args:
            x: A number.
            token: The secret handshake.
            level: The secret level.

        Returns:
            Another number.
        """

    tool = made(f)

    assert tool.description == "Do it.\n\nReturns:\n    Another number."
    assert "secret" not in tool.to_mcp_json().decode()
    assert tool.problems == ()


@pytest.mark.promise("documentation.hidden-vanishes")
def test_the_docstrings_text_on_a_bound_parameter_vanishes():
    tool = made(functools.partial(fetch, key="k"))

    assert tool.description == "Fetch a page."
    assert tool.problems == ()


@pytest.mark.parametrize("place", ["annotated", "default"])
def test_a_hidden_default_factory_makes_a_fresh_value_for_each_call(place):
    def annotated(xs: Annotated[list[int], Hidden(), Field(default_factory=list)], y: int = 1): ...

    def default(xs: Annotated[list[int], Hidden()] = Field(default_factory=list), y: int = 1): ...

    tool = made({"annotated": annotated, "default": default}[place])

    first, second = tool.bind({})[1], tool.bind({})[1]
    assert first == second == {"xs": [], "y": 1}
    assert first["xs"] is not second["xs"]


def test_a_hidden_field_default_is_its_value():
    def f(x: Annotated[int, Hidden()] = Field(5), y: int = 1): ...

    assert made(f).bind({}) == ([], {"x": 5, "y": 1})


# -- aliases


@pytest.mark.parametrize("kind", ["by name", "by position"])
def test_an_extra_named_like_an_aliased_parameter_never_takes_its_place(kind):
    def by_name(x: Annotated[int, Field(alias="theX", le=3)], **more: Any): ...

    def by_position(x: Annotated[int, Field(alias="theX", le=3)], /, **more: Any): ...

    tool = made({"by name": by_name, "by position": by_position}[kind])
    try:
        positional, named = tool.bind({"theX": 1, "x": 500})
    except ArgumentError:
        return
    assert [*positional, named.get("x")][0] == 1


def test_an_alias_that_is_another_parameters_name_is_refused():
    def f(x: Annotated[int, Field(alias="y")], y: int): ...

    with pytest.raises(SchemaError, match="`y`"):
        Tool(f).compile()


@pytest.mark.promise("parameters.aliases")
def test_the_first_of_several_aliases_is_published_and_each_is_taken():
    def f(x: Annotated[int, Field(validation_alias=AliasChoices("a", "b"))]): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {"a": INT}
    assert tool.bind({"a": 1}) == tool.bind({"b": 1}) == ([], {"x": 1})


def test_an_alias_beside_positional_only_and_args():
    def f(x: Annotated[int, Field(alias="theX")], /, *rest: int): ...

    assert made(f).bind({"theX": 1, "rest": [2]}) == ([1, 2], {})


def test_a_model_with_an_alias_generator_has_its_aliases_both_ways():
    class Shouting(BaseModel):
        model_config = ConfigDict(alias_generator=str.upper)
        my_name: int

    def f(model: Shouting) -> Shouting: ...

    tool = made(f)

    assert tool.input_schema["properties"]["model"]["properties"] == {"MY_NAME": INT}
    assert tool.output_schema["properties"] == {"MY_NAME": INT}


# -- names and data that look like schema


def test_a_default_that_looks_like_a_schema_is_published_as_it_is():
    odd = {"$ref": "#/$defs/X", "const": 1, "title": "t", "oneOf": [], "default": None}

    def f(
        x: dict[str, Any] = odd,
        y: Annotated[
            int, Field(examples=[{"const": 1}], json_schema_extra={"x-unit": {"title": "s"}})
        ] = 1,
    ): ...

    assert properties(f) == {
        "x": {"type": "object", "additionalProperties": True, "default": odd},
        "y": {
            "type": "integer",
            "default": 1,
            "examples": [{"const": 1}],
            "x-unit": {"title": "s"},
        },
    }


def test_keys_that_look_like_schema_words_are_just_keys():
    words = ("$ref", "$defs", "anyOf", "const", "properties", "required", "title", "")
    Odd = TypedDict("Odd", {word: int for word in words})

    def f(odd: Odd) -> Odd: ...

    tool = made(f)

    schema = obj({word: INT for word in words}, words)
    assert tool.input_schema["properties"] == {"odd": schema}
    assert tool.output_schema == schema
    assert tool.bind({"odd": dict.fromkeys(words, 1)}) == ([], {"odd": dict.fromkeys(words, 1)})


def test_parameters_named_like_our_own_stand_in_are_just_parameters():
    def f(extra: int, extra_: int, validated: int, arguments: int, **more: int): ...

    sent = {"extra": 1, "extra_": 2, "validated": 3, "arguments": 4, "other": 5}

    assert made(f).bind(sent) == ([], sent)


def test_unpacked_keys_named_like_our_own_are_just_keys():
    Odd = TypedDict("Odd", {"class": int, "key_0": int, "key_1": int})

    def f(**odd: Unpack[Odd]): ...

    sent = {"class": 1, "key_0": 2, "key_1": 3}

    assert made(f).bind(sent) == ([], sent)


def test_an_unpacked_key_that_is_also_a_parameter_is_refused_by_name():
    def f(color: str, **filters: Unpack[keywords.Filters]): ...

    with pytest.raises(SchemaError, match="color"):
        Tool(f).compile()


# -- extras


@pytest.mark.promise("parameters.nested-extra", "schema.closed")
def test_each_nested_model_keeps_its_own_rule_for_extras():
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    class Usual(BaseModel):
        a: int

    def f(closed: Closed, open: Open, usual: Usual): ...

    tool = made(f)
    found = tool.input_schema["properties"]
    a, more = {"a": 1}, {"a": 1, "b": 2}

    assert found["closed"]["additionalProperties"] is False
    assert found["open"]["additionalProperties"] is True
    assert "additionalProperties" not in found["usual"]
    assert tool.bind({"closed": a, "open": more, "usual": more}) == (
        [],
        {"closed": Closed(a=1), "open": Open(a=1, b=2), "usual": Usual(a=1)},
    )
    refuses(tool, {"closed": more, "open": a, "usual": a})


def test_ignored_extras_are_dropped_beside_flatten_hidden_and_args():
    def f(
        x: int, window: Annotated[Window, Flatten()], h: Annotated[int, Hidden()] = 3, *rest: int
    ): ...

    tool = made(f, extra="ignore")

    assert tool.bind({"x": 1, "start": 2, "zzz": 3, "rest": [4]}) == ([1, Window(2), 3, 4], {})
    assert tool.input_schema["additionalProperties"] is not False


def test_extras_can_only_be_passed_to_kwargs():
    def f(x: int): ...

    with pytest.raises(SchemaError, match=r"\*\*kwargs"):
        Tool(f, extra="pass").compile()


# -- variadics


class Point(BaseModel):
    x: int
    y: int = 0


@pytest.mark.promise("parameters.variadics")
def test_args_of_a_model():
    def f(first: Point, *more: Point): ...

    tool = made(f)
    point = obj({"x": INT, "y": {"type": "integer", "default": 0}}, ["x"])

    assert tool.input_schema["properties"] == {"first": point, "more": array(point)}
    assert tool.bind({"first": {"x": 1}, "more": [{"x": 2}, {"x": 3}]}) == (
        [Point(x=1), Point(x=2), Point(x=3)],
        {},
    )
    refuses(tool, {"first": {"x": 1}, "more": [{"y": 1}]}, {"first": {"x": 1}, "more": {"x": 1}})


def test_args_with_a_default_before_them():
    def f(a: int = 1, *rest: int, b: int = 2): ...

    tool = made(f)

    assert tool.bind({"rest": [5]}) == ([1, 5], {"b": 2})
    assert tool.bind({}) == ([1], {"b": 2})


def test_the_docstring_describes_args_and_kwargs():
    def f(*paths: str, **options: int):
        """Do it.

        Args:
            *paths: Where.
            **options: How.
        """

    tool = made(f)

    assert tool.input_schema["properties"] == {"paths": array(STR, description="Where.")}
    assert tool.input_schema["additionalProperties"] == {"type": "integer", "description": "How."}
    assert tool.problems == ()


@pytest.mark.promise("parameters.variadics")
def test_kwargs_of_a_model():
    def f(**points: Point): ...

    tool = made(f)

    assert tool.input_schema["additionalProperties"] == obj(
        {"x": INT, "y": {"type": "integer", "default": 0}}, ["x"]
    )
    assert tool.bind({"a": {"x": 1}}) == ([], {"a": Point(x=1)})


@pytest.mark.promise("parameters.unpack")
def test_unpacked_keywords_have_their_documentation_bounds_and_requirements():
    def f(query: str, **filters: Unpack[keywords.Filters]) -> int: ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "query": STR,
        "color": {"type": "string", "description": "Which color."},
        "shape": {"type": "string", "description": "Which shape."},
        "size": {"type": "integer", "description": "How large"},
        "count": {"type": "integer", "minimum": 1},
        "nothing": {"anyOf": [INT, NULL]},
    }
    assert sorted(tool.input_schema["required"]) == ["color", "query", "size"]
    assert tool.input_schema["additionalProperties"] is False
    needed = {"query": "a", "color": "red", "size": 1}
    assert tool.bind(needed) == ([], needed)
    assert tool.bind({**needed, "nothing": None}) == ([], {**needed, "nothing": None})
    refuses(
        tool,
        {"query": "a", "color": "red"},
        {**needed, "count": 0},
        {**needed, "shape": None},
        {**needed, "other": 1},
    )


def test_unpacked_keys_that_are_python_keywords_or_no_names_at_all():
    def f(**odd: Unpack[keywords.Odd]): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "class": STR,
        "from": INT,
        "x-y": STR,
        "plain": INT,
    }
    assert sorted(tool.input_schema["required"]) == ["class", "plain"]
    assert tool.bind({"class": "a", "plain": 1}) == ([], {"class": "a", "plain": 1})
    everything = {"class": "a", "from": 1, "x-y": "b", "plain": 2}
    assert tool.bind(everything) == ([], everything)
    refuses(tool, {"plain": 1}, {"class": 1, "plain": 1}, {"class": "a", "plain": 1, "key_0": "a"})


def test_unpacked_keywords_behind_args_and_positional_only():
    def f(a: int, /, b: int, *rest: int, **odd: Unpack[keywords.Odd]): ...

    assert made(f).bind({"a": 1, "b": 2, "rest": [3], "class": "x", "plain": 4}) == (
        [1, 2, 3],
        {"class": "x", "plain": 4},
    )


def test_unpacked_keywords_bound_by_a_partial_are_gone():
    def f(**filters: Unpack[keywords.Filters]): ...

    tool = made(functools.partial(f, color="red", count=3))

    assert set(tool.input_schema["properties"]) == {"shape", "size", "nothing"}
    assert tool.input_schema["required"] == ["size"]
    refuses(tool, {"size": 1, "color": "blue"})
    assert tool.bind({"size": 1}) == ([], {"size": 1})


# -- defaults, secrets, keys, bytes


class Login(BaseModel):
    user: str = "me"
    password: SecretStr = SecretStr("hunter2")


@pytest.mark.promise("parameters.secrets")
def test_a_secret_default_is_never_published():
    def f(login: Login = Login(), token: SecretStr = SecretStr("hunter2")): ...

    tool = made(f)
    listed = tool.to_mcp_json().decode()

    assert "hunter2" not in listed
    assert "***" not in listed
    assert "default" not in tool.input_schema["properties"]["token"]
    assert "default" not in tool.input_schema["properties"]["login"]["properties"]["password"]
    _, named = tool.bind({})
    assert named["login"].password.get_secret_value() == "hunter2"
    assert named["token"].get_secret_value() == "hunter2"


@pytest.mark.promise("parameters.secrets")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_secret_deep_in_a_default_is_never_published(style):
    class Server(BaseModel):
        logins: list[Login] = [Login(password=SecretStr("hunter3"))]
        key: SecretBytes = SecretBytes(b"hunter4")

    @dataclass
    class Site:
        server: Server = field(default_factory=Server)
        secret: SecretStr = SecretStr("hunter5")

    def f(
        server: Server = Server(),
        site: Site = Site(),
        more: dict[str, SecretStr] = {"a": SecretStr("hunter6")},
        pair: tuple[int, SecretStr] = (1, SecretStr("hunter7")),
    ): ...

    tool = Tool(f, style=style)
    listed = tool.to_mcp_json().decode() + "".join(tool.problems)

    assert "hunter" not in listed


def test_enum_keys_of_a_map_are_said_and_kept():
    class Color(enums.Enum):
        RED = "red"
        BLUE = "blue"

    def f(counts: dict[Color, int]) -> dict[Color, int]: ...

    tool = made(f)

    assert tool.input_schema["properties"]["counts"] == {
        "type": "object",
        "additionalProperties": INT,
        "description": Text("red, blue"),
    }
    assert tool.output_schema["description"] == Text("red, blue")
    assert tool.bind({"counts": {"red": 1}}) == ([], {"counts": {Color.RED: 1}})
    refuses(tool, {"counts": {"green": 1}})


def test_literal_and_bounded_keys_of_a_map_are_said():
    def f(
        a: dict[Literal["x", "y"], int],
        b: dict[Annotated[str, Field(pattern="^[a-z]+$")], int],
        c: dict[Annotated[str, Field(min_length=2)], int],
    ): ...

    found = properties(f)

    assert found["a"]["description"] == Text("x, y")
    assert found["b"]["description"] == Text("^[a-z]+$")
    assert found["c"]["description"] == Text("2")


class Perm(enums.Flag):
    R = 1
    W = 2


@pytest.mark.promise("schema.flags")
def test_a_flag_inside_a_model():
    class File(BaseModel):
        perm: Perm
        others: list[Perm] = []

    def f(file: File) -> File: ...

    tool = made(f)
    perm = tool.input_schema["properties"]["file"]["properties"]["perm"]

    assert perm["type"] == "integer"
    assert "R=1" in perm["description"]
    _, named = tool.bind({"file": {"perm": 3, "others": [0, 1, 2]}})
    assert named["file"].perm == Perm.R | Perm.W
    refuses(tool, {"file": {"perm": 4}})


def test_a_flag_as_default():
    def f(perm: Perm = Perm.R | Perm.W): ...

    tool = made(f)

    assert tool.input_schema["properties"]["perm"]["default"] == 3
    assert tool.bind({}) == ([], {"perm": Perm.R | Perm.W})


@dataclass
class Blob:
    data: bytes
    more: list[bytes] = field(default_factory=list)


class Silent(BaseModel):
    data: bytes


class Spoken(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    data: bytes


class Encoded(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    data: bytes


@pytest.mark.promise("schema.bytes")
def test_bytes_inside_a_dataclass_are_base64():
    def f(blob: Blob) -> Blob: ...

    tool = made(f)

    assert tool.input_schema["properties"]["blob"]["properties"] == {
        "data": BYTES,
        "more": array(BYTES),
    }
    assert tool.output_schema["properties"]["data"] == BYTES_OUT
    assert tool.bind({"blob": {"data": "aGk=", "more": ["_w=="]}}) == (
        [],
        {"blob": Blob(b"hi", [b"\xff"])},
    )


@pytest.mark.promise("schema.bytes", "schema.own-rule-for-bytes")
def test_bytes_inside_a_model_follow_the_models_own_rule():
    def f(spoken: Spoken, encoded: Encoded, bare: bytes) -> tuple[Spoken, Encoded, bytes]: ...

    tool = made(f)
    found = tool.input_schema["properties"]

    assert found["spoken"]["properties"]["data"] == STR
    assert found["encoded"]["properties"]["data"] == BYTES
    assert found["bare"] == BYTES
    assert tool.bind({"spoken": {"data": "aGk="}, "encoded": {"data": "aGk="}, "bare": "aGk="}) == (
        [],
        {"spoken": Spoken(data=b"aGk="), "encoded": Encoded(data=b"hi"), "bare": b"hi"},
    )


@pytest.mark.promise("schema.own-rule-for-bytes")
def test_bytes_inside_a_model_as_output_follow_its_own_rule():
    def spoken() -> Spoken: ...
    def encoded() -> Encoded: ...
    def listed() -> list[Spoken]: ...

    assert made(spoken).output_schema["properties"]["data"] == STR
    assert made(encoded).output_schema["properties"]["data"] == BYTES_OUT
    assert made(listed).output_schema["items"]["properties"]["data"] == STR


@dataclass
class BlobOfSilent:
    inner: Silent


class SilentOfBlob(BaseModel):
    inner: Blob


class SpokenOfBlob(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    inner: Blob


class SpokenOfSilent(BaseModel):
    model_config = ConfigDict(val_json_bytes="utf8", ser_json_bytes="utf8")
    inner: Silent


class EncodedOfSpoken(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    inner: Spoken


@pytest.mark.parametrize(
    "cls", [BlobOfSilent, SilentOfBlob, SpokenOfBlob, SpokenOfSilent, EncodedOfSpoken]
)
def test_whatever_the_rule_for_bytes_is_schema_and_validator_say_the_same(cls):
    def f(outer: cls): ...

    tool = made(f)
    outer = tool.input_schema["properties"]["outer"]["properties"]
    data = outer["inner"]["properties"]["data"]

    _, named = tool.bind({"outer": {"inner": {"data": "aGk="}}})

    decoded = named["outer"].inner.data == b"hi"
    assert (data.get("contentEncoding") == "base64") is decoded


def test_a_default_of_bytes_inside_a_record_is_written_by_the_rule_of_its_field():
    class Outer(BaseModel):
        blob: Blob = Blob(b"\xff")
        silent: Silent = Silent(data=b"hi")

    def f(outer: Outer = Outer(), spoken: Spoken = Spoken(data=b"hi")): ...

    tool = made(f)
    schema = tool.input_schema

    published = {name: node.get("default") for name, node in schema["properties"].items()}
    assert published["spoken"] == {"data": "hi"}
    # What is published as the default, sent back, is the default.
    sent = {name: value for name, value in published.items() if value is not None}
    assert tool.bind(sent) == tool.bind({})


def test_a_pattern_that_the_engine_cannot_read_is_refused_with_the_reason():
    def f(x: Annotated[str, Field(pattern="^(?=x)x+$")]): ...

    with pytest.raises(SchemaError, match=r"f\.x .*look-around"):
        Tool(f).compile()


@pytest.mark.promise("schema.nothing-breakable")
def test_a_pattern_with_look_around_that_python_reads_is_said_in_words_and_kept():
    class Code(BaseModel):
        model_config = ConfigDict(regex_engine="python-re")
        text: str = Field(pattern="^(?=x)x+$", description="A code.")

    def f(code: Code): ...

    tool = made(f)
    text = tool.input_schema["properties"]["code"]["properties"]["text"]

    assert "pattern" not in text
    assert text["description"].startswith("A code.")
    assert "^(?=x)x+$" in text["description"]
    refuses(tool, {"code": {"text": "y"}})


def test_bounds_on_an_optional_stay_when_its_null_arm_goes():
    def f(
        x: Annotated[int | None, Field(ge=1)] = None,
        y: Annotated[list[int] | None, Field(min_length=1)] = None,
        z: Optional[Annotated[int, Field(ge=1)]] = None,
        w: int | str | None = None,
        v: int | None = Field(default=None, ge=1, description="V."),
    ): ...

    assert properties(f) == {
        "x": {"type": "integer", "minimum": 1},
        "y": array(INT, minItems=1),
        "z": {"type": "integer", "minimum": 1},
        "w": {"anyOf": [INT, STR]},
        "v": {"type": "integer", "minimum": 1, "description": "V."},
    }


@pytest.mark.promise("schema.definitions-in-place")
def test_a_large_model_used_often_is_a_definition():
    fields = {f"field_{n}": (int, Field(0, description="x" * 80)) for n in range(60)}
    Large = create_model("Large", **fields)

    def f(a: Large, b: Large, c: list[Large], p: Point): ...

    schema = made(f).input_schema

    assert set(schema["$defs"]) == {"Large"}
    assert schema["properties"]["a"] == {"$ref": "#/$defs/Large"}
    assert schema["properties"]["c"] == array({"$ref": "#/$defs/Large"})


def test_an_init_variable_is_only_taken_and_a_field_without_init_only_given():
    @dataclass
    class Job:
        seed: InitVar[int]
        name: str
        done: bool = field(init=False, default=False)

    def f(job: Job) -> Job: ...

    tool = made(f)

    assert set(tool.input_schema["properties"]["job"]["properties"]) == {"seed", "name"}
    assert set(tool.output_schema["properties"]) == {"name", "done"}
    assert "seed" not in tool.output_schema.get("required", ())


def test_base64_bytes_of_pydantic_are_decoded_once():
    def f(data: Base64Bytes): ...

    tool = made(f)

    assert tool.input_schema["properties"]["data"]["type"] == "string"
    assert tool.bind({"data": "aGk="}) == ([], {"data": b"hi"})


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


# -- neighbours


@pytest.mark.promise("schema.alone")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_schema_does_not_depend_on_its_neighbours(style):
    targets = {
        f"{module.__name__.rsplit('.', 1)[-1]}_{function.__name__}": function
        for module in (red, blue)
        for function in (module.use, module.walk, module.pick)
    }
    box = Toolbox("together")
    for name, target in targets.items():
        box.add(target, name=name, style=style)

    for era in ("2025-11-25", "2026-07-28"):
        together = {t["name"]: t for t in box.to_mcp(era)["tools"]}
        for name, target in targets.items():
            assert together[name] == Tool(target, name=name, style=style).to_mcp(era)


@pytest.mark.promise("schema.alone")
def test_a_schema_does_not_depend_on_the_order_of_the_box():
    def names(order):
        box = Toolbox("order")
        for number, target in order:
            box.add(target, name=f"t{number}")
        return {t["name"]: t for t in box.to_mcp()["tools"]}

    targets = list(enumerate([red.walk, blue.walk, red.use, blue.use, red.pick, blue.pick]))

    assert names(targets) == names(targets[::-1])


def test_a_neighbour_that_cannot_be_compiled_changes_nothing():
    class Engine: ...

    def bad(e: Engine): ...

    alone = Tool(red.walk).to_mcp()
    box = Toolbox("mixed")
    box.add(bad)
    box.add(red.walk)

    assert box.to_mcp()["tools"] == [alone]


@pytest.mark.parametrize("order", ["local first", "other first"])
@pytest.mark.parametrize("name", ["unknown to the module", "another class in the module"])
def test_a_neighbour_that_sees_other_names_changes_nothing(order, name):
    class Local(TypedDict):
        word: int

    @dataclass
    class HoldsLocal:
        local: "Local"

    def unknown():
        def local(holder: HoldsLocal): ...

        def other(holder: HoldsLocal): ...

        return local, other

    class Kind(TypedDict):
        word: int

    @dataclass
    class HoldsKind:
        kind: "Kind"

    def another():
        def local(holder: HoldsKind): ...

        def other(holder: HoldsKind): ...

        return local, other

    local, other = unknown() if name == "unknown to the module" else another()
    # As if it stood in the module, which does not see the names of this function.
    other.__qualname__ = "other"
    box = Toolbox("local")
    for target in (local, other) if order == "local first" else (other, local):
        box.add(target)
    listed = {listed["name"]: listed for listed in box.to_mcp()["tools"]}

    assert listed.get("local") == Tool(local).to_mcp()
    try:
        alone = Tool(other).to_mcp()
    except SchemaError:
        alone = None
    assert listed.get("other") == alone


@pytest.mark.promise("toolbox.refused-tools-are-left-out")
def test_one_bad_tool_never_fails_the_batch():
    class Opaque(enums.Enum):
        A = object()

    class Wrong(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        inner: object
        stream: Iterator[int]
        lock: type(functools)

    def good(x: int) -> int: ...

    def unknown(x: "Nowhere") -> int: ...  # noqa: F821

    def opaque(x: Opaque) -> int: ...

    def callback(x: Wrong) -> int: ...

    def flat(x: Annotated[int, Flatten()]) -> int: ...

    def schema(x: int) -> int: ...

    def also_good(y: str) -> str: ...

    box = Toolbox("mixed")
    for target in (good, unknown, opaque, callback, flat):
        box.add(target)
    box.add(schema, input_schema={"type": "array"})
    box.add(also_good)

    assert [t["name"] for t in box.to_mcp()["tools"]] == ["good", "also_good"]
    assert [t["name"] for t in box.to_mcp("2025-06-18")["tools"]] == ["good", "also_good"]
    fatal = {problem.tool: str(problem) for problem in box.problems if problem.fatal}
    assert set(fatal) == {"unknown", "opaque", "callback", "flat", "schema"}
    assert all(name in text for name, text in fatal.items())
    with pytest.raises(DefinitionError) as caught:
        box.compile()
    assert {problem.tool for problem in caught.value.problems} == set(fatal)
    assert box["good"].bind({"x": 1}) == ([], {"x": 1})


class Abstract(Sized): ...


ODD_HINTS = [
    3,
    ...,
    NotImplemented,
    (int, str),
    [int],
    {"a": int},
    print,
    functools,
    "1 +",
    "a b",
    "Nowhere",
    list["Nowhere"],
    Optional["Nowhere"],
    Literal,
    Union,
    Optional,
    Annotated,
    Generic,
    TypedDict,
    NamedTuple,
    ParamSpec("P"),
    Never,
    Self,
    type[int],
    Abstract,
    Exception,
    property,
    types.FunctionType,
    types.ModuleType,
    io.BytesIO,
    range,
    dict[tuple[int, int], int],
    dict[list[int], int],
    Annotated[int, Field(gt="a")],
    Annotated[str, Field(pattern="(")],
    Annotated[int, Field(discriminator="k")],
    Annotated[int, Flatten()],
    Annotated[int, Hidden()],
]
ODD_IDS = [f"{at}-{getattr(hint, '__name__', hint)}"[:40] for at, hint in enumerate(ODD_HINTS)]
ODD_IDS = [id.split(" object at ")[0] for id in ODD_IDS]


@pytest.mark.parametrize("hint", ODD_HINTS, ids=ODD_IDS)
def test_an_odd_hint_of_a_parameter_is_refused_by_the_parameters_name(hint):
    def f(x: int, odd): ...

    f.__annotations__["odd"] = hint

    with pytest.raises(SchemaError, match=r"f\.odd ") as caught:
        Tool(f).compile()

    assert caught.value.parameter == "odd"
    assert "\n" not in str(caught.value)


@pytest.mark.promise("schema.lost-output")
@pytest.mark.parametrize("hint", ODD_HINTS, ids=ODD_IDS)
def test_an_odd_hint_of_the_return_value_costs_at_most_the_output_schema(hint):
    def f(x: int): ...

    f.__annotations__["return"] = hint

    assert Tool(f).input_schema["properties"] == {"x": INT}
    Tool(f).to_mcp("2025-06-18")


def test_a_bad_output_schema_never_fails_the_batch():
    class Opaque(enums.Enum):
        A = object()

    def good(x: int) -> int: ...

    def opaque(x: int) -> Opaque: ...

    box = Toolbox("mixed")
    box.add(opaque)
    box.add(good)

    assert [t["name"] for t in box.to_mcp()["tools"]] == ["opaque", "good"]
    assert "outputSchema" not in box.to_mcp()["tools"][0]
    assert [problem.tool for problem in box.problems] == ["opaque"]
    assert not box.problems[0].fatal
