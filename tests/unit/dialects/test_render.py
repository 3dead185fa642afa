"""Tools as providers and clients get them."""

import datetime
import inspect
import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from toolwright import Image, Toolbox
from toolwright.dialects import DIALECTS, Rendered, render

SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
    "required": ["query"],
    "additionalProperties": False,
}
STRICT = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": ["integer", "null"], "description": "Default: 10."},
    },
    "required": ["query", "limit"],
    "additionalProperties": False,
}


SEARCH = "Search the shop. Returns a string."


@pytest.fixture
def box():
    box = Toolbox("shop")

    @box.tool(read_only=True)
    def search(query: str, limit: int = 10) -> str:
        """Search the shop."""
        return query

    return box


def test_chat_completions(box):
    named = {"name": "search", "description": SEARCH}
    plain = {"type": "function", "function": {**named, "parameters": SCHEMA}}
    for dialect in ("openai", "mistral", "cohere", "groq", "deepseek", "ollama", "xai"):
        assert box.render(dialect).definitions == [plain]
    strict = {"type": "function", "function": {**named, "parameters": STRICT, "strict": True}}
    for dialect in ("openai", "mistral", "groq", "deepseek"):
        assert box.render(dialect, strict=True).definitions == [strict]


def test_responses_always_say_whether_they_are_strict(box):
    named = {"type": "function", "name": "search", "description": SEARCH}
    assert box.render("openai-responses").definitions == [
        {**named, "parameters": SCHEMA, "strict": False}
    ]
    assert box.render("openai-responses", strict=True).definitions == [
        {**named, "parameters": STRICT, "strict": True}
    ]


def test_anthropic(box):
    made = {"name": "search", "description": SEARCH, "input_schema": SCHEMA}
    assert box.render("anthropic").definitions == [made]
    assert box.render("anthropic", strict=True).definitions == [{**made, "strict": True}]


def test_gemini(box):
    said = {"type": "integer", "description": "Default: 10."}
    schema = {**SCHEMA, "properties": {"query": {"type": "string"}, "limit": said}}
    named = {"name": "search", "description": SEARCH}
    assert box.render("gemini").definitions == [
        {"functionDeclarations": [{**named, "parametersJsonSchema": schema}]}
    ]
    del schema["additionalProperties"]
    assert box.render("gemini-openapi").definitions == [
        {"functionDeclarations": [{**named, "parameters": schema}]}
    ]
    assert box.render("gemini", strict=True).request == {
        "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}
    }


def test_bedrock_and_nova(box):
    named = {"name": "search", "description": SEARCH}
    assert box.render("bedrock").definitions == [
        {"toolSpec": {**named, "inputSchema": {"json": SCHEMA}}}
    ]
    bare = {key: SCHEMA[key] for key in ("type", "properties", "required")}
    assert box.render("nova").definitions == [
        {"toolSpec": {**named, "inputSchema": {"json": bare}}}
    ]


@pytest.mark.parametrize("client", ["claude", "cursor", "vscode", "codex", "windsurf"])
def test_clients_get_what_the_server_lists(box, client):
    assert box.render(client).definitions == box.to_mcp()["tools"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_without_parameters_or_description_is_fine_everywhere(dialect):
    box = Toolbox("b", {"now": lambda: None})
    made = box.render(dialect, strict=True)
    json.dumps(made.definitions)
    assert "description" not in json.dumps(made.definitions)
    assert made.decode("now", {}) == ("now", {})


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_tools_are_no_definitions(dialect):
    assert Toolbox("empty").render(dialect, strict=True).definitions == []


@pytest.mark.promise("dialects.fresh")
def test_definitions_are_ones_own_to_change(box):
    one, other = box.render("openai"), box.render("openai")
    one.definitions[0]["function"]["parameters"]["properties"].clear()
    assert other.definitions[0]["function"]["parameters"] == SCHEMA
    assert box.render("openai").definitions == other.definitions
    assert box["search"].input_schema == SCHEMA


@pytest.mark.promise("dialects.enabled")
def test_only_enabled_tools_are_rendered(box):
    box.add(lambda: "", name="hidden")
    box.add(lambda: "", name="never", enabled=lambda call: False)
    box.disable("hidden")
    assert list(box.render("openai").names) == ["search"]
    box.enable("hidden")
    assert list(box.render("openai").names) == ["search", "hidden"]


def test_a_tool_that_is_refused_is_left_out_alone(box):
    def bad(x: "Nowhere") -> str: ...  # noqa: F821

    box.add(bad)
    made = box.render("openai")
    assert list(made.names) == ["search"]
    [loss] = made.losses
    assert (loss.tool, loss.keyword) == ("bad", "definition")


def test_a_tool_that_changed_is_rendered_as_it_is_now(box):
    class Session:
        pass

    @box.tool
    def order(item: str, session: Session) -> str:
        return item

    assert list(box.render("openai").names) == ["search"]
    box.provide(Session)
    assert list(box.render("openai").names) == ["search", "order"]


def test_an_unknown_dialect_brings_the_nearest(box):
    with pytest.raises(ValueError, match="unknown dialect `open-ai` - did you mean `openai`"):
        box.render("open-ai")
    with pytest.raises(ValueError, match="known are openai, "):
        render([], "zzzzzzzzz")


def test_entries_of_another_servers_list_are_rendered_too():
    entry = {"name": "far", "title": "Far", "description": "d", "inputSchema": {"type": "object"}}
    made = render([entry, {"name": "bare"}, {"inputSchema": {}}, 5], "openai")
    assert list(made.names) == ["far", "bare"]
    assert [loss.message for loss in made.losses] == [
        "is missing, so the tool is left out",
        "is no tool, so it is left out: int",
    ]
    [shown] = render([entry], "claude").definitions
    assert shown == {**entry, "inputSchema": {"type": "object", "properties": {}}}


# -- names


@pytest.mark.promise("dialects.names")
def test_names_are_accepted_unique_and_found_again():
    own = ["a.b", "a_b", "a:b", "x" * 128, "x" * 127 + "y", "-9", "plain"]
    box = Toolbox("b", {name: lambda: "" for name in own[1:2] + own[5:]})
    entries = [{"name": name, "inputSchema": {"type": "object"}} for name in own]
    for dialect in DIALECTS:
        made = render(entries, dialect)
        again = render(list(reversed(entries)), dialect)
        assert sorted(made.names.values()) == sorted(own)
        assert all(made.decode(name).name == own for name, own in made.names.items())
        assert made.names.keys() >= {"a_b", "plain"}
        assert made.names["a_b"] == "a_b"
        long = [name for name, known in made.names.items() if len(known) == 128]
        assert set(long) <= again.names.keys()
    assert set(box.render("openai").names) == {"a_b", "-9", "plain"}


@pytest.mark.promise("dialects.prefix")
def test_the_prefix_of_a_client_counts():
    entry = {"name": "n" * 50, "inputSchema": {"type": "object"}}
    [name] = render([entry], "cursor", prefix="server-").names
    assert name == "n" * 50
    [name] = render([entry], "cursor", prefix="a-longer-server-").names
    assert len("a-longer-server-" + name) == 59
    [name] = render([entry], "openai", prefix="a-longer-server-").names
    assert name == "n" * 50
    made = render([entry], "cursor", prefix="p" * 58)
    assert (made.definitions, [loss.keyword for loss in made.losses]) == ([], ["name"])


# -- schemas that are written another way


def parameters(schema, dialect="openai", strict=True):
    made = render([{"name": "f", "inputSchema": schema}], dialect, strict=strict)
    return made.definitions[0]["function"]["parameters"], made.losses


def test_a_discriminated_union_of_models_stays_a_union():
    from pydantic import BaseModel

    class Cat(BaseModel):
        kind: Literal["cat"]
        lives: dict[str, int] = {}

    class Dog(BaseModel):
        kind: Literal["dog"]

    box = Toolbox("pets")

    @box.tool
    def adopt(pet: Cat | Dog) -> str:
        return type(pet).__name__

    made = box.render("openai", strict=True)
    assert made.losses == ()
    pets = made.definitions[0]["function"]["parameters"]["properties"]["pet"]["anyOf"]
    assert [each["required"] for each in pets] == [["kind", "lives"], ["kind"]]
    sent = {"pet": {"kind": "cat", "lives": [{"key": "a", "value": 9}]}}
    assert made.decode("adopt", sent).arguments == {"pet": {"kind": "cat", "lives": {"a": 9}}}
    assert box.call(*made.decode("adopt", {"pet": {"kind": "cat", "lives": None}})).text == "Cat"


def test_required_groups_at_the_root_are_said_in_words():
    schema = {**SCHEMA, "required": [], "anyOf": [{"required": ["query"]}, {"required": ["limit"]}]}
    made = render([{"name": "f", "description": "Find.", "inputSchema": schema}], "openai")
    function = made.definitions[0]["function"]
    assert function["description"] == (
        "Find. At least one of these must be given: `query`; or `limit`."
    )
    assert [loss.keyword for loss in made.losses] == ["anyOf"]


def test_all_of_is_merged():
    one = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 1}},
        "required": ["a"],
    }
    two = {"type": "object", "properties": {"a": {"maximum": 9}, "b": {"type": "string"}}}
    schema, losses = parameters({"type": "object", "allOf": [one, two]}, strict=False)
    assert schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "maximum": 9},
            "b": {"type": "string"},
        },
        "required": ["a"],
    }
    assert losses == ()


def test_nothing_is_fetched():
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x.json"}}}
    _, losses = parameters(schema)
    assert "leads nowhere" in losses[0].message


def test_a_schema_that_is_too_deep_is_left_out_alone():
    deep = {"type": "string"}
    for _ in range(400):
        deep = {"type": "object", "properties": {"a": deep}}
    good = {"name": "good", "inputSchema": SCHEMA}
    for dialect in DIALECTS:
        made = render([{"name": "deep", "inputSchema": deep}, good], dialect, strict=True)
        assert "good" in made.names.values()


NONSENSE = {
    "type": "object",
    "properties": {
        **{"a": 5, "b": [1], "c": None, "d": {"type": "foo"}, "e": {"enum": []}},
        **{"f": {"anyOf": []}, "g": {"minimum": "x"}, "h": {"type": "array", "minItems": "x"}},
        **{"i": {"type": "string", "pattern": 5, "format": 7, "description": 9, "title": 8}},
        **{"j": {"$ref": 5}, "k": {"required": [1]}, "l": {"prefixItems": [1], "maxItems": None}},
        **{"m": {"allOf": 3, "not": 4}, "n": {"default": float("1e400")}},
    },
    "required": [1, None, {}, "zz"],
}


@pytest.mark.parametrize(
    "schema", [True, False, None, [], "x", {}, NONSENSE, {"$ref": "#"}, {"type": ["object", 5]}]
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_whatever_a_server_lists_nothing_fails(dialect, schema):
    for strict in (False, True):
        made = render([{"name": "f", "inputSchema": schema}], dialect, strict=strict)
        json.dumps(made.definitions, allow_nan=False)
        for name in made.names:
            assert made.decode(name, {"a": 1}).name == "f"


# -- the room


@pytest.mark.promise("dialects.facts")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_says_where_its_rules_are_from(dialect):
    known = DIALECTS[dialect]
    assert known.name == dialect
    assert known.source
    assert known.date >= "2026"
    for fact in known.facts:
        assert fact.about
        assert fact.text
        assert fact.source
        assert fact.date


def test_a_rendering_says_what_it_is(box):
    made = box.render("openai", strict=True)
    assert repr(made) == "<Rendered openai: 1 tool>"
    assert isinstance(made, Rendered)
    assert made.strict == {"search"}
    with pytest.raises(TypeError):
        made.names["x"] = "y"


class Product(BaseModel):
    sku: str
    price: float


class Node(BaseModel):
    value: int
    inner: "list[Node]" = []


def described(returns, text="Do it.", dialect="anthropic"):
    def target():
        return None

    target.__doc__ = text
    if returns is not inspect.Parameter.empty:
        target.__annotations__["return"] = returns
    made = Toolbox("b", {"target": target}).render(dialect).definitions[0]
    for key in ("function", "toolSpec", "functionDeclarations"):
        made = made.get(key, made)
    made = made[0] if isinstance(made, list) else made
    return made.get("description", "")


@pytest.mark.promise("dialects.returns")
@pytest.mark.parametrize(
    ("returns", "sentence"),
    [
        (str, "Returns a string."),
        (int, "Returns an integer."),
        (bool, "Returns a boolean."),
        (list[str], "Returns a list of strings."),
        (list[list[int]], "Returns a list of lists of integers."),
        (int | None, "Returns an integer or null."),
        (tuple[int, str], "Returns a list of integers or strings."),
        (dict[str, int], "Returns an object whose values are integers."),
        (dict, "Returns an object."),
        (list, "Returns a list."),
        (datetime.date, "Returns a string (date)."),
        (Literal["a", "b"], 'Returns "a" or "b".'),
        (Product, "Returns an object with `sku`, `price`."),
        (list[Product], "Returns a list of objects with `sku`, `price`."),
        (Node, "Returns an object with `value`, `inner`."),
        (list[Node], "Returns a list of objects with `value`, `inner`."),
        (None, ""),
        (Any, ""),
        (Image, ""),
        (bytes, ""),
        (inspect.Parameter.empty, ""),
    ],
    ids=str,
)
def test_a_provider_without_output_schemas_reads_what_is_returned(returns, sentence):
    for dialect in ("anthropic", "openai", "gemini", "bedrock", "mistral", "cohere"):
        assert described(returns, dialect=dialect) == f"Do it. {sentence}".rstrip()
    assert described(returns, text="") == sentence
    assert described(returns, dialect="cursor") == "Do it."  # it has the schema itself


def test_the_result_is_told_after_what_the_author_says_of_it():
    def stock() -> int:  # How many there are
        """Count."""
        return 1

    box = Toolbox("b", [stock])
    assert box.render("anthropic").definitions[0]["description"] == (
        "Count.\n\nReturns: How many there are\n\nThe result is an integer."
    )


def test_the_result_of_a_foreign_tool_is_told_however_it_is_boxed_or_tangled():
    def told(schema):
        entry = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}
        return render([entry], "anthropic").definitions[0].get("description")

    box = Toolbox("b", {"names": names})
    assert (
        told(box.to_mcp("2025-06-18")["tools"][0]["outputSchema"]) == "Returns a list of strings."
    )
    wide = {"type": "object", "properties": {f"field_{n}{'x' * 90}": {} for n in range(1000)}}
    assert told(wide).endswith(", ....")
    assert len(told(wide)) < 450
    circle = {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}
    for strange in (circle, True, [], {"type": 3}, {"enum": []}, {"anyOf": [{}]}, {"$ref": "#/x"}):
        assert told(strange) is None


def names() -> list[str]:
    return []
