"""Options: each does what the documentation says, wherever it is given."""

import datetime
import enum
import json
from dataclasses import FrozenInstanceError, fields, replace
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema
import pytest
from pydantic import BaseModel, Field

from toolwright import (
    ArgumentError,
    Fixed,
    Flatten,
    Hidden,
    SchemaError,
    SchemaOptions,
    Tool,
    Toolbox,
    tool,
)
from toolwright.options import FULL, PORTABLE, Options, options_from


def target(a: int) -> int:
    """Do it."""
    return a


def taking(hint, **options):
    def taker(x): ...

    taker.__annotations__ = {"x": hint}
    return Tool(taker, **options)


def giving(hint, **options):
    def giver(): ...

    giver.__annotations__ = {"return": hint}
    return Tool(giver, **options)


# -- bad options


@pytest.mark.promise("errors.bad-options")
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"read_onyl": True}, TypeError),
        ({"emit": "loud"}, ValueError),
        ({"extra": "keep"}, ValueError),
        ({"on_unsupported": "ignore"}, ValueError),
        ({"style": "pretty"}, ValueError),
        ({"tags": "money"}, TypeError),
        ({"tags": [1]}, TypeError),
        ({"name": 3}, TypeError),
        ({"title": 3}, TypeError),
        ({"description": 3}, TypeError),
        ({"icons": ["i.png"]}, TypeError),
        ({"icons": [{"href": "i.png"}]}, TypeError),
        ({"icons": [{"src": "i.png", "theme": "red"}]}, ValueError),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_bad_option_is_refused_where_it_is_given(options, error):
    with pytest.raises(error):
        options_from(options)
    with pytest.raises(error):
        tool(**options)(target)
    for make in (Tool, Toolbox("box").add, lambda given, **o: Toolbox("box").tool(**o)(given)):
        with pytest.raises(SchemaError, match=f"{options.get('name', 'target')} has a bad option"):
            make(target, **options)


def test_the_media_type_of_a_resource_is_text():
    with pytest.raises(SchemaError, match="mime_type must be text; got 3"):
        Toolbox("box").resource("box://it", mime_type=3)(target)


CUT = "cut \ud83d"
"""JSON cannot hold half of a character."""


def test_a_text_that_is_cut_costs_half_a_character_and_not_the_list():
    def documented(a: int) -> int:
        return a

    documented.__doc__ = CUT
    box = Toolbox("box", [documented, target])
    box.add(target, name="b", title=CUT, tags=[CUT], meta={CUT: CUT}, icons=[{"src": CUT}])
    first, _, third = box.to_mcp()["tools"]
    assert first["description"] == third["title"] == "cut \ufffd"
    assert third["icons"] == [{"src": "cut \ufffd"}]
    assert third["_meta"] == {"cut \ufffd": "cut \ufffd", "toolwright/tags": ["cut \ufffd"]}


def test_options_are_frozen_and_build_on_others():
    first = options_from({"title": "A", "tags": ["x"]})
    second = options_from({"title": None}, first)
    assert (second.title, second.tags, first.title) == (None, ("x",), "A")
    with pytest.raises(FrozenInstanceError):
        first.title = "B"


def test_without_options_everything_is_at_its_default():
    assert Tool(target).options == Options() == options_from({})


# -- what a list shows


def test_a_name_is_that_of_the_target_unless_given():
    assert Tool(target).name == "target"
    assert Tool(target, name="other").name == "other"
    assert Tool(target, name=None).name == "target"


@pytest.mark.promise("toolbox.lists-itself")
def test_a_list_shows_all_that_was_given_and_nothing_else():
    made = Tool(
        target,
        title="A title",
        description="What it does.",
        icons=[{"src": "https://example.org/icon.png", "mimeType": "image/png"}],
        tags=["one", "two"],
        meta={"owner": "shop"},
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
    )
    assert made.to_mcp() == {
        "name": "target",
        "title": "A title",
        "description": "What it does.",
        "icons": [{"src": "https://example.org/icon.png", "mimeType": "image/png"}],
        "inputSchema": made.input_schema,
        "outputSchema": {"type": "integer"},
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "_meta": {"owner": "shop", "toolwright/tags": ["one", "two"]},
    }
    assert list(Tool(target).to_mcp()) == ["name", "description", "inputSchema", "outputSchema"]


# -- unknown arguments


def closed(a: int) -> None: ...


def opened(a: int, **more: int) -> None: ...


@pytest.mark.promise("parameters.extra")
@pytest.mark.parametrize(
    ("given", "extra", "published", "bound"),
    [
        (closed, None, False, None),
        (closed, "forbid", False, None),
        (closed, "ignore", True, {"a": 1}),
        (opened, None, {"type": "integer"}, {"a": 1, "b": 2}),
        (opened, "pass", {"type": "integer"}, {"a": 1, "b": 2}),
        (opened, "ignore", True, {"a": 1}),
        (opened, "forbid", False, None),
    ],
)
def test_unknown_arguments_are_refused_dropped_or_handed_over(given, extra, published, bound):
    made = Tool(given, extra=extra)
    assert made.input_schema["additionalProperties"] == published
    if bound is None:
        with pytest.raises(ArgumentError):
            made.bind({"a": 1, "b": 2})
    else:
        assert made.bind({"a": 1, "b": 2}) == ([], bound)


@pytest.mark.promise("parameters.extra", "errors.refused-when-compiled")
def test_handing_over_needs_keywords():
    with pytest.raises(SchemaError, match="takes no unknown arguments"):
        Tool(closed, extra="pass").compile()


# -- schemas of the author


EXPLICIT = {
    "type": "object",
    "title": "Mine",
    "properties": {"a": {"type": "integer", "multipleOf": 5, "x-own": [1]}},
    "required": ["a"],
}


@pytest.mark.promise("parameters.explicit-schema")
def test_an_explicit_schema_is_published_word_for_word_and_enforced():
    def untyped(a): ...

    for given in (target, untyped):
        made = Tool(given, input_schema=EXPLICIT)
        assert made.input_schema == EXPLICIT
        assert made.problems == ()
        assert made.bind({"a": 10}) == ([], {"a": 10})
        for refused in ({"a": 7}, {"a": "10"}, {}):
            with pytest.raises(ArgumentError):
                made.bind(refused)


@pytest.mark.promise("parameters.explicit-schema")
def test_the_types_are_enforced_beside_an_explicit_schema():
    def text(a: str) -> None: ...

    with pytest.raises(ArgumentError):
        Tool(text, input_schema=EXPLICIT).bind({"a": 10})


@pytest.mark.promise("errors.refused-when-compiled")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"anyOf": [{"type": "object"}]},
        {"type": "object", "properties": 3},
        {"type": "object", "default": {1, 2}},
        {"type": "object", "default": float("nan")},
    ],
    ids=str,
)
def test_an_explicit_schema_that_is_none_is_refused(schema):
    with pytest.raises(SchemaError, match="input_schema"):
        Tool(target, input_schema=schema).compile()


def test_an_explicit_output_schema_is_published_word_for_word():
    schema = {"type": "object", "properties": {"n": {"const": 1}}}
    made = Tool(target, output_schema=schema)
    assert made.output_schema == schema
    assert made.to_mcp("2025-11-25")["outputSchema"] == schema
    with pytest.raises(SchemaError, match="output_schema"):
        Tool(target, output_schema={"type": 3}).compile()


# -- what is sent of a result


@pytest.mark.promise("schema.emit")
@pytest.mark.parametrize(
    ("emit", "text", "number"),
    [
        ("auto", False, True),
        ("text", False, False),
        ("structured", True, True),
        ("both", True, True),
    ],
)
def test_emit_says_which_output_schema_is_published(emit, text, number):
    for hint, published in ((str, text), (int, number)):
        made = giving(hint, emit=emit)
        assert made.output_schema is not None
        for protocol in ("2025-11-25", "2026-07-28"):
            assert ("outputSchema" in made.to_mcp(protocol)) is published


@pytest.mark.promise("schema.null-is-boxed-for-all")
@pytest.mark.parametrize("hint", [int | None, list[int] | None, Literal["a", None], dict | None])
def test_a_result_that_may_be_null_is_boxed_for_everybody(hint):
    made = giving(hint)
    for protocol in ("2025-11-25", "2026-07-28"):
        published = made.to_mcp(protocol)["outputSchema"]
        assert published["required"] == ["result"]
        assert published["x-toolwright-box"] == {"field": "result"}
        jsonschema.Draft202012Validator(published).validate({"result": None})


# -- styles


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


class Pair(NamedTuple):
    left: int
    right: str = ""


class Colour(enum.Enum):
    RED = "red"


class Holder(BaseModel):
    name: str | None = None


ALL_OFF = {each.name: False for each in fields(SchemaOptions) if each.name != "inline_limit"}
Pet = Annotated[Cat | Dog, Field(discriminator="kind")]

# A switch, a type that it affects, a word, and whether the word is there when the switch is on.
SWITCHES = [
    ("absent_for_null", Holder, "null", False),
    ("inline_refs", Holder, "$ref", False),
    ("any_of", Pet, "oneOf", False),
    ("one_items", tuple[int, str], "prefixItems", False),
    ("enum_for_const", Literal["on"], "const", False),
    ("typed_nodes", Any, "anyOf", True),
    ("plain_keys", dict[Annotated[str, Field(pattern="^a")], int], "patternProperties", False),
    ("plain_strings", datetime.datetime, "format", False),
    ("no_unique_items", set[int], "uniqueItems", False),
]


@pytest.mark.promise("schema.switches")
def test_the_full_style_turns_every_switch_off():
    assert replace(PORTABLE, **ALL_OFF) == FULL
    assert options_from({"style": "portable"}).style is PORTABLE is Options().style
    assert options_from({"style": "full"}).style is FULL


@pytest.mark.promise("schema.switches")
@pytest.mark.parametrize(
    ("switch", "hint", "word", "when_on"), SWITCHES, ids=[each[0] for each in SWITCHES]
)
def test_each_switch_is_one_rule(switch, hint, word, when_on):
    def says_it(style):
        return f'"{word}"' in json.dumps(taking(hint, style=style).input_schema)

    assert says_it(replace(FULL, **{switch: True})) is when_on
    assert says_it(replace(PORTABLE, **{switch: False})) is not when_on
    assert says_it(PORTABLE) is when_on
    assert says_it(FULL) is not when_on


@pytest.mark.promise("schema.switches")
def test_dots_are_published_as_underscores_in_the_portable_style():
    assert Tool(target, name="a.b-c").to_mcp()["name"] == "a_b-c"
    assert Tool(target, name="a.b", style="full").to_mcp()["name"] == "a.b"
    assert Tool(target, name="a.b", style=replace(FULL, plain_names=True)).published_name == "a_b"


@pytest.mark.promise("schema.definitions-in-place", "schema.switches")
def test_above_the_limit_definitions_used_twice_stay():
    class Inner(BaseModel):
        a: int

    def twice(x: Inner, y: Inner) -> None: ...

    assert "$defs" not in Tool(twice).input_schema
    small = Tool(twice, style=SchemaOptions(inline_limit=10)).input_schema
    assert list(small["$defs"]) == ["Inner"]
    assert small["properties"]["x"] == small["properties"]["y"] == {"$ref": "#/$defs/Inner"}


@pytest.mark.promise("schema.styles-share-one-validator")
@pytest.mark.parametrize("hint", [Holder, Pair, Pet, tuple[int, str], set[int], Colour, int | None])
def test_a_style_never_changes_what_is_accepted(hint):
    sent = [None, 1, "red", [1, "a"], [1, 1], {"left": 1}, {"kind": "cat"}, {"name": None}, {}]

    def outcome(style, value):
        try:
            return taking(hint, style=style).bind({"x": value})
        except ArgumentError as error:
            return [(fault.path, fault.code) for fault in error.faults]

    for value in sent:
        assert outcome("portable", value) == outcome("full", value)


# -- markers


@pytest.mark.promise("parameters.hidden")
@pytest.mark.parametrize("marker", [Hidden(), Hidden], ids=["instance", "class"])
def test_a_hidden_parameter_is_neither_shown_nor_taken(marker):
    def fetch(url: str, tries: Annotated[object, marker] = 3) -> None: ...

    made = Tool(fetch)
    assert list(made.input_schema["properties"]) == ["url"]
    assert made.bind({"url": "x"}) == ([], {"url": "x"})
    with pytest.raises(ArgumentError):
        made.bind({"url": "x", "tries": 9})


@pytest.mark.promise("parameters.fixed")
def test_a_fixed_parameter_always_has_its_value():
    value = object()

    def read(path: str, root: Annotated[object, Fixed(value)]) -> None: ...

    made = Tool(read)
    assert list(made.input_schema["properties"]) == ["path"]
    _, named = made.bind({"path": "x"})
    assert named["root"] is value
    with pytest.raises(ArgumentError):
        made.bind({"path": "x", "root": "/"})


@pytest.mark.promise("parameters.flatten")
def test_a_flattened_parameter_stands_at_the_top():
    class Window(BaseModel):
        start: int
        end: int = 9

    def cut(window: Annotated[Window, Flatten()], name: str = "") -> None: ...

    made = Tool(cut)
    assert list(made.input_schema["properties"]) == ["start", "end", "name"]
    assert made.input_schema["required"] == ["start"]
    assert made.bind({"start": 1, "name": "a"}) == ([], {"window": Window(start=1), "name": "a"})


# -- defaults


@pytest.mark.promise("parameters.defaults-beyond-json")
@pytest.mark.parametrize(
    "default", [float("inf"), float("nan"), object()], ids=["infinite", "no number", "object"]
)
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_default_that_json_cannot_hold_is_left_out_and_said(default, style):
    def target(x: Any = default) -> None: ...

    made = Tool(target, style=style)
    assert "default" not in made.input_schema["properties"]["x"]
    assert "required" not in made.input_schema
    [problem] = made.problems
    assert problem.startswith("`x`: the default `")
    assert made.bind({})[1]["x"] is default


@pytest.mark.promise("parameters.none-means-absent", "schema.default-none-is-absent")
def test_a_default_of_none_may_be_left_out_whatever_the_type_says():
    def search(kind: str | None = None, limit: int = None) -> None: ...

    made = Tool(search)
    assert made.input_schema["properties"] == {
        "kind": {"type": "string"},
        "limit": {"type": "integer"},
    }
    assert "required" not in made.input_schema
    for sent in ({}, {"kind": None, "limit": None}):
        assert made.bind(sent) == ([], {"kind": None, "limit": None})


# -- parameters without a usable type


@pytest.mark.promise("parameters.on-unsupported")
def test_what_has_no_usable_type_is_refused_taken_or_left_out():
    def old(a, *rest, b: int = 1): ...

    with pytest.raises(SchemaError, match=r"old\.a"):
        Tool(old)
    with pytest.raises(SchemaError, match=r"old\.a"):
        Tool(old, on_unsupported="skip")
    permissive = Tool(old, on_unsupported="permissive")
    assert permissive.bind({"a": {"x": [1]}, "rest": [2]}) == ([{"x": [1]}, 2], {"b": 1})
    assert len(permissive.problems) == 2

    def wrapper(x: int, *args, **kwargs): ...

    skipped = Tool(wrapper, on_unsupported="skip")
    assert list(skipped.input_schema["properties"]) == ["x"]
    assert len(skipped.problems) == 2
