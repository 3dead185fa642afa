"""Where hidden and fixed parameters, aliases and extras meet."""

import functools
from typing import Annotated, Any, TypedDict, Unpack

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from tests.unit.probes.case import INT, obj
from tests.unit.probes.compiled import Window, fetch, made, properties, refuses
from tests.unit.probes.targets import keywords
from toolwright import ArgumentError, Fixed, Flatten, Hidden, SchemaError, Tool

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
