"""What a model sends back becomes the arguments of the tool, whatever it sends."""

import json

import pytest

from toolwright import Toolbox, ToolNotFound
from toolwright.dialects import DIALECTS, render

NODE = {
    "type": "object",
    "properties": {
        "v": {"type": "integer"},
        "kids": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}},
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"$ref": "#/$defs/Node"}],
            "items": False,
            "minItems": 2,
        },
    },
    "required": ["v"],
}
DEEP = {
    "type": "object",
    "properties": {
        "m": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "items": {
                    "type": "array",
                    "prefixItems": [
                        {"type": "string"},
                        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}},
                    ],
                    "minItems": 1,
                    "maxItems": 2,
                },
            },
        }
    },
    "required": ["m"],
    "$defs": {"Node": NODE},
}


def rendered(schema, dialect="openai", strict=True):
    return render([{"name": "f", "inputSchema": schema}], dialect, strict=strict)


def decoded(schema, arguments, dialect="openai", strict=True):
    return rendered(schema, dialect, strict).decode("f", arguments).arguments


def properties(**given):
    return {"type": "object", "properties": given, "required": list(given)}


@pytest.mark.promise("dialects.composed")
def test_changes_are_undone_at_every_depth():
    leaf = {"v": 4, "kids": None, "pair": None}
    node = {
        "v": 1,
        "kids": [
            {"key": "a", "value": {"v": 2, "kids": [], "pair": None}},
            {"key": "b", "value": {"v": 3, "kids": None, "pair": {"item_1": 1, "item_2": leaf}}},
        ],
        "pair": None,
    }
    rows = [
        {"item_1": "s", "item_2": [{"key": "n", "value": node}]},
        {"item_1": "z", "item_2": None},
    ]
    assert decoded(DEEP, {"m": [{"key": "x", "value": rows}]}) == {
        "m": {
            "x": [
                [
                    "s",
                    {
                        "n": {
                            "v": 1,
                            "kids": {
                                "a": {"v": 2, "kids": {}},
                                "b": {"v": 3, "pair": [1, {"v": 4}]},
                            },
                        }
                    },
                ],
                ["z"],
            ]
        }
    }


def test_what_is_written_as_json_text_below_a_recursion_is_undone_too():
    inner = {"v": 9, "kids": [{"key": "k", "value": {"v": 10}}]}
    at = {"v": 3, "kids": [{"key": "d", "value": {"json": json.dumps(inner)}}]}
    for key in ("c", "b"):
        at = {"v": 1, "kids": [{"key": key, "value": at}]}
    schema = {**properties(n={"$ref": "#/$defs/Node"}), "$defs": {"Node": NODE}}
    found = decoded(schema, {"n": at}, "anthropic")
    deepest = found["n"]["kids"]["b"]["kids"]["c"]["kids"]["d"]
    assert deepest == {"v": 9, "kids": {"k": {"v": 10}}}


def test_null_is_removed_only_where_it_means_absent():
    schema = {
        "type": "object",
        "properties": {
            "left_out": {"type": "integer"},
            "nullable": {"type": ["integer", "null"], "default": 5},
            "needed": {"type": ["string", "null"]},
            "none": {"type": ["string", "null"], "default": None},
        },
        "required": ["needed"],
    }
    given = {"left_out": None, "nullable": None, "needed": None, "none": None}
    assert decoded(schema, given) == {"nullable": None, "needed": None}


@pytest.mark.promise("dialects.boxes")
def test_branches_that_look_alike_are_told_apart():
    branches = [
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "items": {"type": "string"}},
        properties(q={"type": "integer"}),
        {"type": "string"},
    ]
    schema = properties(u={"anyOf": branches})
    assert decoded(schema, {"u": {"option_1": []}}) == {"u": {}}
    assert decoded(schema, {"u": {"option_2": []}}) == {"u": []}
    assert decoded(schema, {"u": {"option_3": {"q": 1}}}) == {"u": {"q": 1}}
    assert decoded(schema, {"u": "text"}) == {"u": "text"}


def test_branches_with_tags_need_no_boxes():
    one = properties(
        k={"const": "a"}, m={"type": "object", "additionalProperties": {"type": "integer"}}
    )
    two = properties(k={"const": "b"}, m={"type": "array", "items": {"type": "string"}})
    schema = properties(u={"anyOf": [one, two]})
    assert decoded(schema, {"u": {"k": "a", "m": []}}) == {"u": {"k": "a", "m": {}}}
    assert decoded(schema, {"u": {"k": "b", "m": []}}) == {"u": {"k": "b", "m": []}}


def test_properties_that_nobody_named_come_back_beside_the_others():
    schema = {
        **properties(a={"type": "string"}, additional_properties={"type": "string"}),
        "additionalProperties": {
            "type": "array",
            "prefixItems": [{"type": "integer"}],
            "minItems": 1,
            "items": False,
        },
    }
    more = [{"key": "x", "value": {"item_1": 1}}]
    given = {"a": "s", "additional_properties": "t", "additional_properties_2": more}
    assert decoded(schema, given) == {"a": "s", "additional_properties": "t", "x": [1]}
    assert decoded(schema, {**given, "additional_properties_2": None}) == {
        "a": "s",
        "additional_properties": "t",
    }
    clash = {**given, "additional_properties_2": [{"key": "a", "value": {"item_1": 1}}]}
    assert decoded(schema, clash) == clash


def test_keys_that_were_renamed_get_their_own_names_again():
    schema = properties(
        **{"a b": {"type": "string"}, "a_b": {"type": "string"}, "1st": {"type": "string"}}
    )
    for dialect in ("gemini", "anthropic", "cursor"):
        made = rendered(schema, dialect, strict=False)
        [tool] = made.definitions
        tool = tool["functionDeclarations"][0] if dialect == "gemini" else tool
        key = {
            "gemini": "parametersJsonSchema",
            "anthropic": "input_schema",
            "cursor": "inputSchema",
        }
        names = list(tool[key[dialect]]["properties"])
        assert len(set(names)) == 3
        sent = dict(zip(names, ["x", "y", "z"], strict=True))
        assert made.decode("f", sent).arguments == {"a b": "x", "a_b": "y", "1st": "z"}


@pytest.mark.parametrize(
    "given",
    [
        {"m": 5},
        {"m": [1, 2]},
        {"m": [{"key": "a"}]},
        {"m": [{"key": 1, "value": []}]},
        {"m": [{"key": "a", "value": [], "more": 1}]},
        {"m": [{"key": "a", "value": [1]}, {"key": "a", "value": [2]}]},
        {"m": None},
        {"m": "text", "other": [{}]},
    ],
)
@pytest.mark.promise("dialects.wrong-shapes")
def test_what_has_another_shape_is_left_for_the_tool_to_explain(given):
    before = json.dumps(given)
    assert decoded(DEEP, given) == given
    assert json.dumps(given) == before


def test_a_key_that_is_repeated_with_the_same_value_counts_once():
    schema = properties(m={"type": "object", "additionalProperties": {"type": "integer"}})
    pair = {"key": "a", "value": 1}
    assert decoded(schema, {"m": [pair, pair]}) == {"m": {"a": 1}}
    other = {"m": [pair, {"key": "a", "value": True}]}
    assert decoded(schema, other) == other


def test_a_model_that_sends_what_the_tool_itself_takes_is_understood():
    given = {"m": {"x": [["s", {"n": {"v": 1, "kids": {"a": {"v": 2}}}}]]}}
    assert decoded(DEEP, given) == given
    union = {
        "type": "object",
        "anyOf": [properties(a={"type": "string"}), properties(b={"type": "string"})],
    }
    assert decoded(union, {"value": {"a": "x"}}) == {"a": "x"}
    assert decoded(union, {"a": "x"}) == {"a": "x"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"n": null}', {}),
        (b'{"n": 1}', {"n": 1}),
        (None, {}),
        ("", {}),
        ("{broken", "{broken"),
        ('{"n": NaN}', '{"n": NaN}'),
        ("[1]", [1]),
        ([1], [1]),
        ("[" * 200_000, "[" * 200_000),
        ('{"n": ' + "9" * 5000 + "}", '{"n": ' + "9" * 5000 + "}"),
        (b"\xff\xfe\xff", b"\xff\xfe\xff"),
    ],
    ids=str,
)
def test_arguments_are_an_object_or_text(given, expected):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert decoded(schema, given) == expected


@pytest.mark.parametrize("name", ["nothing", "", "f" * 10_000, 5, None, ["f"]])
def test_a_name_that_was_not_published_is_not_found(name):
    with pytest.raises(ToolNotFound):
        rendered({"type": "object"}).decode(name, {})


def test_an_unknown_name_brings_the_nearest():
    box = Toolbox("b", {"search_orders": lambda: ""})
    with pytest.raises(ToolNotFound, match="did you mean `search_orders`"):
        box.render("openai").decode("search_order", {})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_reaches_its_tool_through_every_dialect(dialect):
    box = Toolbox("shop")

    @box.tool
    def order(items: dict[str, int], note: str | None = None, gift: bool = False) -> str:
        return f"{items} {note} {gift}"

    made = box.render(dialect, strict=True)
    [name] = made.names
    for items in ({"a": 1}, [{"key": "a", "value": 1}]):
        if (
            isinstance(items, list)
            and made.decode(name, {"items": items}).arguments["items"] == items
        ):
            continue  # this dialect has maps
        back = made.decode(name, json.dumps({"items": items, "note": None, "gift": None}))
        back.arguments.pop("gift", None)
        assert box.call(*back).text == "{'a': 1} None False"
