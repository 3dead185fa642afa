"""The checks of providers' rules find what is planted, and nothing where nothing is."""

import copy
import json
from pathlib import Path

import pytest

from tests.counting import for_every
from tests.unit.dialects.provider_rules.plain_wire import plain
from tests.unit.dialects.provider_rules.provider_faults import CLIENTS, FAULTS, STRICT, faults

BATTERY = json.loads(
    Path(__file__).parents[2].joinpath("data", "dialect-battery.json").read_text("utf-8")
)
OPEN = ("gemini-openapi", "nova")
"""Those that do not know `additionalProperties`, at least at the root."""
WAYS = [(each, False) for each in FAULTS] + [(each, True) for each in STRICT]


def clean_schema(dialect):
    inner = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    properties = {
        "q": {"type": "string", "description": "What to find."},
        "o": inner,
        "l": {"type": "array", "items": {"type": "string"}},
    }
    schema = {"type": "object", "properties": properties, "required": ["q", "o", "l"]}
    if dialect not in OPEN:
        inner["additionalProperties"] = schema["additionalProperties"] = False
    return schema


def clean(dialect, strict=False):
    return plain(dialect, [("find", "Find it.", clean_schema(dialect))], strict)


@pytest.mark.parametrize(("dialect", "strict"), WAYS)
def test_what_is_right_has_no_faults(dialect, strict):
    assert faults(dialect, clean(dialect, strict), strict) == []


@pytest.mark.parametrize(("dialect", "strict"), WAYS)
def test_plain_schemas_have_faults(dialect, strict):
    """The battery is hard: no provider takes all of it as it is."""
    bad = [
        name
        for name, schema in BATTERY.items()
        if faults(dialect, plain(dialect, [(name, "Do it.", schema)], strict), strict)
    ]
    assert bad
    if strict and dialect not in ("mistral", "cohere"):
        assert len(bad) == len(BATTERY)


OPENAI = ("openai", "openai-responses")
ANTHROPIC = ("anthropic", "bedrock")
ALL = tuple(FAULTS)
FUNCTIONS = ("openai", "mistral", "cohere", "xai", "groq", "deepseek", "ollama")
Q = ("properties", "q")
TEXT = {"type": "string"}
TREE = {
    "type": "object",
    "properties": {"t": {"$ref": "#/$defs/T"}},
    "required": ["t"],
    "additionalProperties": False,
}

# dialects, strict, where in the schema, what is put there, part of the fault
SCHEMA_FAULTS = [
    (ALL, False, (), {"type": "array"}, "not object"),
    (ALL, False, (), {"required": ["q", "ghost"]}, "requires ['ghost']"),
    (ALL, False, Q, {"$ref": "#/$defs/Nothing"}, "points to nothing"),
    (ALL, False, Q, {"$ref": "https://example.com/schema"}, "points to nothing"),
    (ALL, False, Q, {"enum": []}, "enum of nothing"),
    (ALL, False, Q, {"anyOf": []}, "anyOf of nothing"),
    (ALL, False, Q, {"default": float("nan")}, "not JSON"),
    (ALL, False, Q, {"description": None}, "not text"),
    *[
        ((*OPENAI, "mistral", "groq", "vscode"), False, (), {key: value}, f"has {key}")
        for key, value in {
            "oneOf": [{}],
            "anyOf": [{}],
            "allOf": [{}],
            "enum": [{}],
            "const": {},
            "not": {},
        }.items()
    ],
    ((*OPENAI, "vscode", "gemini-openapi"), False, Q, {"type": "array"}, "array without items"),
    (OPENAI, False, Q, {"type": "array", "items": {}}, "array without items"),
    ((*FUNCTIONS, "openai-responses"), False, Q, {"pattern": r"\p{L}"}, "pattern"),
    (OPENAI, False, (), {"properties": ...}, "no properties"),
    # strict
    *[
        (OPENAI, True, Q, {key: value}, f"has {key}")
        for key, value in {
            "oneOf": [TEXT],
            "allOf": [TEXT],
            "not": {"const": "x"},
            "if": {},
            "dependentRequired": {},
            "dependentSchemas": {},
            "prefixItems": [TEXT],
            "patternProperties": {},
            "propertyNames": {},
            "unevaluatedProperties": False,
            "contains": TEXT,
            "uniqueItems": True,
            "minProperties": 1,
            "$schema": "x",
        }.items()
    ],
    ((*OPENAI, "groq", "deepseek"), True, (), {"required": ["q", "l"]}, "not required"),
    (
        (*OPENAI, "groq", "deepseek"),
        True,
        (),
        {"required": ..., "properties": {}},
        "nothing said of what is required",
    ),
    ((*OPENAI, "groq", "deepseek"), True, ("properties", "o"), {"required": []}, "not required"),
    (
        (*OPENAI, *ANTHROPIC, "groq", "deepseek"),
        True,
        ("properties", "o"),
        {"additionalProperties": ...},
        "not false",
    ),
    (
        (*OPENAI, *ANTHROPIC, "groq", "deepseek"),
        True,
        Q,
        {"type": "object", "additionalProperties": TEXT},
        "not false",
    ),
    (OPENAI, True, Q, {"type": ..., "description": ...}, "untyped"),
    ((*OPENAI, *ANTHROPIC), True, Q, {"format": "binary"}, "format binary"),
    (OPENAI, True, Q, {"format": "uri"}, "format uri"),
    (OPENAI, True, Q, {"pattern": "a(?=b)"}, "pattern"),
    (OPENAI, True, Q, {"type": ..., "$ref": "#"}, "beside $ref"),
    (OPENAI, True, Q, {"type": ..., "description": ..., "$ref": "#/properties/o"}, "refers to"),
    (OPENAI, True, Q, {"enum": [f"v{n}" for n in range(1001)]}, "1001 values"),
    (OPENAI, True, Q, {"enum": [f"{n:080}" for n in range(251)]}, "over 250 values"),
    (OPENAI, True, Q, {"enum": ["x" * 60_000, "y" * 60_001]}, "letters"),
    (ANTHROPIC, True, Q, {"oneOf": [TEXT]}, "has oneOf"),
    *[
        (ANTHROPIC, True, ("properties", "l"), {key: value}, f"has {key}")
        for key, value in {
            "maxItems": 3,
            "uniqueItems": True,
            "contains": TEXT,
            "prefixItems": [TEXT],
            "minimum": 1,
            "maximum": 1,
            "exclusiveMinimum": 1,
            "multipleOf": 2,
            "minProperties": 1,
            "patternProperties": {},
            "propertyNames": {},
            "dependentRequired": {},
            "unevaluatedProperties": False,
            "if": {},
            "not": {"const": 1},
        }.items()
    ],
    (("anthropic",), True, Q, {"minLength": 1}, "has minLength"),
    (ANTHROPIC, True, ("properties", "l"), {"minItems": 2}, "minItems 2"),
    (ANTHROPIC, True, Q, {"enum": [[1]]}, "primitive"),
    (ANTHROPIC, True, Q, {"enum": ["a", 1], "type": ["string", "integer"]}, "list of types"),
    (ANTHROPIC, True, Q, {"pattern": r"(a)\1"}, "pattern"),
    (ANTHROPIC, True, Q, {"pattern": r"a(?!b)"}, "pattern"),
    (("anthropic",), True, Q, {"pattern": r"\bword"}, "pattern"),
    (ANTHROPIC, True, (), TREE | {"$defs": {"T": TREE}}, "recursive"),
    (
        ANTHROPIC,
        True,
        (),
        {
            "$defs": {"A": TEXT},
            "properties": {"q": {"allOf": [{"$ref": "#/$defs/A"}]}},
            "required": ["q"],
        },
        "allOf with $ref",
    ),
    # Anthropic and Claude, strict or not
    (("anthropic", "claude"), False, (), {"anyOf": [{}]}, "has anyOf"),
    (("anthropic", "claude"), False, ("properties",), {"with space": TEXT}, "key 'with space'"),
    (("anthropic", "claude"), False, ("properties",), {"k" * 65: TEXT}, "key 'kkk"),
    (("anthropic", "claude"), False, ("properties", "o", "properties"), {"$id": TEXT}, "key '$id'"),
    (("anthropic", "claude"), False, Q, {"exclusiveMinimum": True}, "2020-12/schema"),
    (("anthropic", "claude"), False, Q, {"items": [TEXT]}, "2020-12/schema"),
    (
        ("anthropic", "claude"),
        False,
        (),
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        "$schema is",
    ),
    (
        ("anthropic", "claude"),
        False,
        (),
        {
            "definitions": {"A": TEXT},
            "properties": {"q": {"$ref": "#/definitions/A"}},
            "required": ["q"],
        },
        "not $defs",
    ),
    # Gemini
    *[
        (("gemini", "gemini-openapi"), False, Q, {key: value}, f"has {key}")
        for key, value in {
            "const": "x",
            "allOf": [TEXT],
            "not": TEXT,
            "exclusiveMinimum": 1,
            "multipleOf": 2,
            "uniqueItems": True,
            "title": "T",
            "patternProperties": {},
            "propertyNames": {},
            "$schema": "x",
            "examples": ["x"],
        }.items()
    ],
    (("gemini",), False, Q, {"pattern": "a"}, "has pattern"),
    (("gemini-cli",), False, (), {"$schema": "x"}, "has $schema"),
    (("gemini", "gemini-cli"), False, Q, {"enum": ["a", None]}, "None in an enum"),
    (("gemini", "gemini-cli"), False, Q, {"enum": [True]}, "True in an enum"),
    (
        ("gemini", "gemini-cli"),
        False,
        (),
        {
            "$defs": {"A": TEXT},
            "properties": {"q": {"$ref": "#/$defs/A", "type": "string"}},
            "required": [],
        },
        "beside $ref",
    ),
    (("gemini", "gemini-cli"), False, (), TREE | {"$defs": {"T": TREE}}, "required and recursive"),
    (
        ("gemini", "gemini-cli", "gemini-openapi"),
        False,
        ("properties",),
        {"x-y": TEXT},
        "key 'x-y'",
    ),
    (("gemini-cli",), False, Q, {"type": ...}, "untyped"),
    (("gemini", "gemini-openapi"), False, ("properties",), {"b": True}, "boolean schema"),
    (("gemini-openapi",), False, Q, {"type": ["string", "null"]}, "type is"),
    (("gemini-openapi",), False, Q, {"type": ...}, "type is"),
    (("gemini-openapi",), False, Q, {"type": "integer", "enum": [1]}, "1 in an enum"),
    (("gemini-openapi",), False, Q, {"enum": ["", "a"]}, "'' in an enum"),
    (("gemini-openapi",), False, Q, {"anyOf": [TEXT]}, "beside anyOf"),
    (("gemini-openapi",), False, Q, {"format": "uuid"}, "format uuid"),
    (
        ("gemini-openapi",),
        False,
        ("properties", "o"),
        {"additionalProperties": False},
        "has additional",
    ),
    (("gemini-openapi",), False, ("properties", "o"), {"properties": {}}, "without properties"),
    (("gemini-openapi",), False, (), {"$defs": {}}, "has $defs"),
    # the others
    (("nova",), False, (), {"description": "It."}, "has description"),
    (("nova",), False, (), {"additionalProperties": False}, "has additionalProperties"),
    (("nova",), False, Q, {"$ref": "#/properties/o"}, "has #/properties/o"),
    (("mistral",), False, (), {"$schema": "x"}, "has $schema"),
    (("mistral",), False, ("properties", "o"), {"$id": "x"}, "has $id"),
    (("mistral",), False, Q, {"exclusiveMinimum": True}, "draft 4"),
    *[
        (("cohere",), True, ("properties", "l"), {key: value}, f"has {key}")
        for key, value in {
            "allOf": [TEXT],
            "oneOf": [TEXT],
            "not": TEXT,
            "minimum": 1,
            "maxItems": 1,
            "minLength": 1,
            "uniqueItems": True,
        }.items()
    ],
    (("cohere",), True, Q, {"format": "email"}, "format email"),
    (("cohere",), True, Q, {"pattern": "^a$"}, "pattern"),
    (("cohere",), True, ("properties", "o"), {"required": []}, "nothing required"),
    (("cohere",), True, ("properties", "o"), {"additionalProperties": TEXT}, "beside others"),
    (
        ("cohere",),
        True,
        ("properties", "o"),
        {"properties": {f"p{n}": TEXT for n in range(201)}, "required": ["p0"]},
        "204 fields",
    ),
    (("xai",), False, ("properties",), {"b": True}, "boolean schema"),
    (("xai",), False, Q, {"items": [TEXT]}, "list of items"),
    (("xai",), False, Q, {"minContains": 1}, "has minContains"),
    (("xai",), False, Q, {"pattern": r"(?i)a"}, "pattern"),
    (("xai",), False, Q, {"pattern": r"\ba"}, "pattern"),
    (("xai",), False, Q, {"pattern": r"(a)\1"}, "pattern"),
    (("xai",), False, (), TREE | {"$defs": {"T": TREE}}, "recursive"),
    (("deepseek",), True, Q, {"minLength": 1}, "has minLength"),
    (("deepseek",), True, ("properties", "l"), {"maxItems": 1}, "has maxItems"),
    (("deepseek",), True, Q, {"format": "date-time"}, "format date-time"),
    (("deepseek",), True, Q, {"type": ["object", "null"]}, "list of types"),
    (("deepseek",), True, ("properties", "o"), {"properties": {}, "required": []}, "empty object"),
    (
        ("deepseek",),
        True,
        (),
        {
            "$defs": {"A": TEXT},
            "properties": {"q": {"anyOf": [{"$ref": "#/$defs/A"}]}},
            "required": ["q"],
        },
        "$ref in anyOf",
    ),
    (("cursor",), False, Q, {"type": ["null", "string"]}, "list of types"),
    (
        ("codex", "vscode"),
        False,
        (),
        {"$defs": {"A": TEXT}, "properties": {"q": {"$ref": "#/$defs/A"}}, "required": ["q"]},
        "refers to",
    ),
    (("vscode",), False, Q, {"exclusiveMinimum": True}, "draft-07/schema"),
]
SCHEMA_CASES = [(dialect, *case) for dialects, *case in SCHEMA_FAULTS for dialect in dialects]


@for_every(("dialect", "strict", "where", "change", "fault"), SCHEMA_CASES)
def test_a_fault_in_a_schema_is_found(dialect, strict, where, change, fault):
    schema = clean_schema(dialect)
    node = schema
    for step in where:
        node = node[step]
    for key, value in change.items():
        if value is ...:
            node.pop(key)
        else:
            node[key] = copy.deepcopy(value)
    found = faults(dialect, plain(dialect, [("find", "Find it.", schema)], strict), strict)
    assert any(fault in line for line in found), found


LONGEST = dict.fromkeys(FAULTS, 64) | {"anthropic": 128, "cursor": 59, "gemini-cli": 63}
MOST = {"openai": 128, "openai-responses": 128, "groq": 128, "cursor": 80, "vscode": 128}
MOST |= {"windsurf": 100}


@pytest.mark.parametrize("dialect", FAULTS)
def test_bad_names_are_found(dialect):
    def found(*names):
        tools = [(name, "Find it.", clean_schema(dialect)) for name in names]
        return faults(dialect, plain(dialect, tools))

    assert found("x" * LONGEST[dialect]) == []
    assert found("x" * (LONGEST[dialect] + 1)) != []
    assert found("") != []
    assert found("größe") != []
    assert found("a b") != []
    assert found("a", "a") != []
    if dialect not in ("gemini", "gemini-openapi", "gemini-cli"):
        assert found("a.b") != []
    else:
        assert found("9a") != []


@pytest.mark.parametrize("dialect", MOST)
def test_too_many_tools_are_found(dialect):
    tools = [(f"t{n}", "Find it.", clean_schema(dialect)) for n in range(MOST[dialect] + 1)]
    assert faults(dialect, plain(dialect, tools[:-1])) == []
    assert any("more than" in line for line in faults(dialect, plain(dialect, tools)))


@pytest.mark.parametrize("dialect", CLIENTS)
def test_a_prefix_counts_for_the_length_of_a_name(dialect):
    definitions = plain(dialect, [("x" * LONGEST[dialect], "Find it.", clean_schema(dialect))])
    assert FAULTS[dialect](definitions, False, prefix="s_") != []


# dialects, what is changed in the definitions, part of the fault
WIRE_FAULTS = [
    (FUNCTIONS, lambda tools: tools[0].update(type="tool"), "not function"),
    (FUNCTIONS, lambda tools: tools[0].pop("type"), "lacks type"),
    (FUNCTIONS, lambda tools: tools[0].update(name="find"), "has name"),
    (FUNCTIONS, lambda tools: tools[0]["function"].update(input_schema={}), "has input_schema"),
    (FUNCTIONS, lambda tools: tools[0]["function"].pop("name"), "lacks name"),
    (("cohere", "ollama"), lambda tools: tools[0]["function"].update(strict=True), "has strict"),
    (("mistral",), lambda tools: tools[0]["function"].update(strict=None), "neither"),
    (
        ("openai", "groq", "deepseek"),
        lambda tools: tools[0]["function"].update(strict=True),
        "asked",
    ),
    (("openai-responses",), lambda tools: tools[0].pop("strict"), "lacks strict"),
    (("openai-responses",), lambda tools: tools[0].pop("parameters"), "lacks parameters"),
    (("openai-responses",), lambda tools: tools[0].update(function={}), "has function"),
    (("anthropic",), lambda tools: tools[0].pop("input_schema"), "lacks input_schema"),
    (("anthropic",), lambda tools: tools[0].update(parameters={}), "has parameters"),
    (("anthropic",), lambda tools: tools[0].update(type="function"), "not custom"),
    (("anthropic",), lambda tools: tools[0].update(strict=True), "asked"),
    (("gemini", "gemini-openapi"), lambda tools: tools.append(tools[0]), "more than one"),
    (("gemini", "gemini-openapi"), lambda tools: tools[0].pop("functionDeclarations"), "lacks"),
    (("bedrock", "nova"), lambda tools: tools[0]["toolSpec"].update(description=""), "empty"),
    (("bedrock", "nova"), lambda tools: tools[0]["toolSpec"].update(inputSchema={}), "lacks json"),
    (("bedrock", "nova"), lambda tools: tools.clear(), "no tools"),
    (("nova",), lambda tools: tools[0]["toolSpec"].update(strict=True), "no strict"),
    (tuple(CLIENTS), lambda tools: tools[0].pop("inputSchema"), "lacks inputSchema"),
    (tuple(CLIENTS), lambda tools: tools[0].update(input_schema={}), "has input_schema"),
]
WIRE_CASES = [(dialect, *case) for dialects, *case in WIRE_FAULTS for dialect in dialects]


@for_every(("dialect", "change", "fault"), WIRE_CASES)
def test_a_fault_around_a_schema_is_found(dialect, change, fault):
    definitions = clean(dialect)
    change(definitions)
    found = faults(dialect, definitions)
    assert any(fault in line for line in found), found


@pytest.mark.parametrize("dialect", ["anthropic", "bedrock"])
def test_what_all_strict_tools_need_together_is_counted(dialect):
    def found(count, schema):
        tools = [(f"t{n}", "Find it.", schema) for n in range(count)]
        return faults(dialect, plain(dialect, tools, strict=True), strict=True)

    one = {"type": "object", "properties": {"q": TEXT}, "additionalProperties": False}
    either = {"anyOf": [TEXT, {"type": "null"}]}
    union = {**one, "properties": {"q": either}, "required": ["q"]}
    assert found(20, {**one, "required": ["q"]}) == []
    assert found(21, {**one, "required": ["q"]}) == ["21 strict tools, more than 20"]
    assert found(13, {**one, "properties": {"a": TEXT, "b": TEXT}}) == [
        "26 optional parameters of strict tools, more than 24"
    ]
    assert found(16, union) == []
    assert found(17, union) == ["17 unions in strict tools, more than 16"]


def test_deepseek_has_all_tools_strict_or_none():
    tools = clean("deepseek", strict=True) + plain("deepseek", [("b", "B.", clean_schema("x"))])
    assert faults("deepseek", tools, strict=True) == ["some tools are strict, and some are not"]


def test_levels_are_counted():
    schema = TEXT
    for _ in range(11):
        schema = {
            "type": "object",
            "properties": {"a": schema},
            "required": ["a"],
            "additionalProperties": False,
        }
    found = faults("openai", plain("openai", [("deep", "D.", schema)], strict=True), strict=True)
    assert any("10 levels" in line for line in found)
