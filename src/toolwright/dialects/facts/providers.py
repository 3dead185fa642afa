"""The rules of Anthropic, Amazon and Google."""

from __future__ import annotations

from dataclasses import replace

from .rules import (
    COUNTS,
    ENUM_TYPES,
    EVERYTHING,
    FORMAT,
    LENGTHS,
    PATTERN,
    READ,
    Dialect,
    Fact,
    NameRule,
    Quota,
    Rules,
)

# -- Anthropic, and Bedrock

_ANTHROPIC_KEYS = NameRule("A-Za-z0-9_.-", "", 64)
_ANTHROPIC_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
)
_ANTHROPIC_STRICT = Rules(
    keywords=PATTERN | FORMAT | frozenset(("default", "minItems", "title")),
    formats=_ANTHROPIC_FORMATS,
    patterns="simple",
    closed=True,
    maps="pairs",
    tuples="object",
    anything="text",
    refs="inline",
    enums=ENUM_TYPES,
    most_min_items=1,
    keys=_ANTHROPIC_KEYS,
)
_ANTHROPIC = Dialect(
    "anthropic",
    "anthropic",
    Rules(keys=_ANTHROPIC_KEYS),
    _ANTHROPIC_STRICT,
    "tool",
    names=NameRule(longest=128),
    limits=Quota(strict_tools=20, optional=24, unions=16),
    examples=True,
    search={"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
    facts=(
        Fact("name", "[a-zA-Z0-9_-]{1,128}", "home-assistant/core#147760", READ),
        Fact("keys", "[a-zA-Z0-9_.-]{1,64}", "anthropics/claude-code#34771", READ),
        Fact("root", "no oneOf, allOf or anyOf", "anthropics/claude-code#27337", READ),
        Fact(
            "strict",
            "20 strict tools, 24 optional and 16 union parameters; no recursion, maps or bounds",
            "Anthropic guide on structured outputs",
            READ,
        ),
        Fact("draft", "must be 2020-12", "anthropics/claude-code#586", READ),
        Fact(
            "input_examples",
            "whole arguments that the schema accepts",
            "anthropic 2.8.0 types/tool_param.py",
            READ,
        ),
        Fact(
            "defer_loading",
            "found by tool_search_tool_bm25_20251119 or tool_search_tool_regex_20251119",
            "anthropic 2.8.0 types/tool_param.py, tool_search_tool_bm25_20251119_param.py",
            READ,
        ),
    ),
)
_BEDROCK_STRICT = replace(
    _ANTHROPIC_STRICT, keywords=_ANTHROPIC_STRICT.keywords | LENGTHS, keys=_ANTHROPIC_KEYS
)
_BEDROCK = Dialect(
    "bedrock",
    "bedrock",
    Rules(keys=_ANTHROPIC_KEYS),
    _BEDROCK_STRICT,
    "tool",
    limits=Quota(strict_tools=20, optional=24, unions=16),
    facts=(
        Fact(
            "name",
            "[a-zA-Z0-9_-]{1,64}",
            "botocore 1.44.0 bedrock-runtime/2023-09-30 ToolName",
            READ,
        ),
        Fact(
            "strict",
            "objects closed; no bounds, maxItems or oneOf; the limits of Anthropic hold for Claude",
            "AWS guide on structured output; pydantic-ai 2.66.0; strands-agents 1.62.0",
            READ,
        ),
    ),
)
_NOVA = Dialect(
    "nova",
    "bedrock",
    Rules(
        keywords=EVERYTHING - {"not"},
        refs="inline",
        root_keys=frozenset(("type", "properties", "required")),
        tuples="items",
    ),
    facts=(
        Fact(
            "root",
            "type, properties and required only; else the tool is ignored",
            "Amazon Nova guide, prompting-tool-troubleshooting",
            READ,
        ),
        Fact(
            "name",
            "[a-zA-Z0-9_-]{1,64}",
            "botocore 1.44.0 bedrock-runtime/2023-09-30 ToolName",
            READ,
        ),
    ),
)

# -- Gemini

_VALIDATED = {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}}
_GEMINI_NAMES = NameRule("A-Za-z0-9_.:-", "A-Za-z_", 64)
_GEMINI_KEYS = NameRule("A-Za-z0-9_", "A-Za-z_", 64)
_GEMINI_FACTS = (
    Fact(
        "name",
        "a letter or underscore, then letters, digits, _ . : -; at most 64",
        "google-genai 3.1.0 types.py; google-gemini/gemini-cli#6704",
        READ,
    ),
    Fact(
        "keys",
        "a letter or underscore, then letters, digits and underscores; at most 64",
        "google-genai 3.1.0 types.py",
        READ,
    ),
)
GEMINI_RULES = Rules(
    keywords=COUNTS | frozenset(("minimum", "maximum")),
    refs="inline",
    enums=frozenset(("string", "number", "integer")),
    keys=_GEMINI_KEYS,
)
_GEMINI = Dialect(
    "gemini",
    "gemini",
    GEMINI_RULES,
    strict_is="request",
    strict_request=_VALIDATED,
    names=_GEMINI_NAMES,
    facts=(
        *_GEMINI_FACTS,
        Fact(
            "keywords",
            "parametersJsonSchema: type, enum, items, prefixItems, bounds, counts, anyOf",
            "google-genai 3.1.0 types.py",
            READ,
        ),
        Fact("strict", "mode VALIDATED, for the request", "pydantic-ai 2.66.0", READ),
        Fact("title", "must be stripped", "googleapis/python-genai#1732", READ),
    ),
)
_GEMINI_OPENAPI = Dialect(
    "gemini-openapi",
    "gemini-openapi",
    Rules(
        keywords=COUNTS
        | LENGTHS
        | PATTERN
        | FORMAT
        | frozenset(("minimum", "maximum", "minProperties", "maxProperties")),
        formats=frozenset(("enum", "date-time", "int32", "int64")),
        extra="omit",
        maps="pairs",
        tuples="object",
        anything="text",
        refs="inline",
        null="nullable",
        lone_unions=True,
        enums=frozenset(("string",)),
        empty_enum_text=False,
        empty_objects=False,
        keys=_GEMINI_KEYS,
    ),
    strict_is="request",
    strict_request=_VALIDATED,
    names=_GEMINI_NAMES,
    facts=(
        *_GEMINI_FACTS,
        Fact("const", "unknown", "zed-industries/zed#44875", READ),
        Fact("anyOf", "nothing may stand beside it on Vertex", "litellm 1.108.4", READ),
        Fact("enum", "texts only", "decolua/9router#359", READ),
        Fact("properties", "must not be empty", "lobehub/lobehub#5002", READ),
        Fact("additionalProperties", "unknown, and maps arrive empty", "pydantic-ai 2.66.0", READ),
    ),
)

PROVIDERS = (_ANTHROPIC, _GEMINI, _GEMINI_OPENAPI, _BEDROCK, _NOVA)
