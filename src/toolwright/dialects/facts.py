"""Every dialect: what is known of it, and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from .._words import did_you_mean
from .rules import (
    COUNTS,
    ENUM_TYPES,
    EVERYTHING,
    FORMAT,
    LENGTHS,
    NUMERIC,
    PATTERN,
    TEXTS,
    Dialect,
    Fact,
    NameRule,
    Quota,
    Rules,
)

LENIENT = Rules(patterns="python", tuples="items")
OPENAI_STRICT = Rules(
    keywords=NUMERIC | LENGTHS | COUNTS | PATTERN | FORMAT,
    formats=frozenset(
        ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
    ),
    patterns="plain",
    closed=True,
    required="all",
    maps="pairs",
    tuples="object",
    anything="text",
    ref_siblings=False,
    null="list",
    enums=ENUM_TYPES,
)
_OPENAI_LIMITS = Quota(
    tools=128,
    levels=10,
    properties=5000,
    characters=120_000,
    enum_values=1000,
    enum_characters=(250, 15_000),
)
_OPENAI_FACTS = (
    Fact(
        "name",
        "letters, digits, underscores and dashes, at most 64",
        "openai 3.49.0 types/shared_params/function_definition.py",
    ),
    Fact(
        "tools",
        "at most 128",
        "openai 3.49.0 types/evals/create_eval_completions_run_data_source_param.py",
    ),
    Fact(
        "strict",
        "every object closed, every property required; no oneOf, allOf, not, maps or tuples",
        "OpenAI guide on structured outputs",
    ),
    Fact("$ref", "in strict mode nothing stands beside it", "virattt/dexter#280"),
    Fact(
        "default",
        "refused in strict mode by Azure and by snapshots of 2024",
        "openai-agents-python#4390",
        "2026-08-13",
    ),
    Fact(
        "root",
        "a union at the root is refused by models before GPT-5",
        "litellm 1.108.4 llms/openai/responses/transformation.py",
    ),
    Fact("items", "an array must say what its items are", "mark3labs/mcphost#35"),
    Fact(
        "size",
        "10 levels, 5000 properties, 1000 enum values, 120,000 characters",
        "OpenAI guide on structured outputs",
    ),
)
_OPENAI = Dialect(
    "openai",
    "chat",
    LENIENT,
    OPENAI_STRICT,
    "tool",
    limits=_OPENAI_LIMITS,
    facts=_OPENAI_FACTS,
)
_RESPONSES = replace(
    _OPENAI,
    name="openai-responses",
    wire="responses",
    search={"type": "tool_search"},
    facts=(
        *_OPENAI_FACTS,
        Fact(
            "defer_loading",
            "found by a tool of the type tool_search",
            "openai 3.49.0 types/responses/function_tool_param.py, tool_search_tool_param.py",
        ),
        Fact(
            "strict",
            "always said, since it is on by default",
            "openai 3.49.0 types/responses/function_tool_param.py",
        ),
    ),
)

OPENAI = (_OPENAI, _RESPONSES)


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
        Fact("name", "[a-zA-Z0-9_-]{1,128}", "home-assistant/core#147760"),
        Fact("keys", "[a-zA-Z0-9_.-]{1,64}", "anthropics/claude-code#34771"),
        Fact("root", "no oneOf, allOf or anyOf", "anthropics/claude-code#27337"),
        Fact(
            "strict",
            "20 strict tools, 24 optional and 16 union parameters; no recursion, maps or bounds",
            "Anthropic guide on structured outputs",
        ),
        Fact("draft", "must be 2020-12", "anthropics/claude-code#586"),
        Fact(
            "input_examples",
            "whole arguments that the schema accepts",
            "anthropic 2.8.0 types/tool_param.py",
        ),
        Fact(
            "defer_loading",
            "found by tool_search_tool_bm25_20251119 or tool_search_tool_regex_20251119",
            "anthropic 2.8.0 types/tool_param.py, tool_search_tool_bm25_20251119_param.py",
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
        Fact("name", "[a-zA-Z0-9_-]{1,64}", "botocore 1.44.0 bedrock-runtime/2023-09-30 ToolName"),
        Fact(
            "strict",
            "objects closed; no bounds, maxItems or oneOf; the limits of Anthropic hold for Claude",
            "AWS guide on structured output; pydantic-ai 2.66.0; strands-agents 1.62.0",
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
        ),
        Fact("name", "[a-zA-Z0-9_-]{1,64}", "botocore 1.44.0 bedrock-runtime/2023-09-30 ToolName"),
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
    ),
    Fact(
        "keys",
        "a letter or underscore, then letters, digits and underscores; at most 64",
        "google-genai 3.1.0 types.py",
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
        ),
        Fact("strict", "mode VALIDATED, for the request", "pydantic-ai 2.66.0"),
        Fact("title", "must be stripped", "googleapis/python-genai#1732"),
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
        Fact("const", "unknown", "zed-industries/zed#44875"),
        Fact("anyOf", "nothing may stand beside it on Vertex", "litellm 1.108.4"),
        Fact("enum", "texts only", "decolua/9router#359"),
        Fact("properties", "must not be empty", "lobehub/lobehub#5002"),
        Fact("additionalProperties", "unknown, and maps arrive empty", "pydantic-ai 2.66.0"),
    ),
)

PROVIDERS = (_ANTHROPIC, _GEMINI, _GEMINI_OPENAPI, _BEDROCK, _NOVA)


_INLINE = replace(LENIENT, keywords=EVERYTHING - {"not"}, refs="inline")
_CHAT_NAMES = Fact(
    "name", "letters, digits, underscores and dashes, at most 64", "Kochava-Studios/witsy#164"
)
_MISTRAL = Dialect(
    "mistral",
    "chat",
    LENIENT,
    OPENAI_STRICT,
    "tool",
    facts=(
        _CHAT_NAMES,
        Fact("$schema", "refused, as is $id", "BerriAI/litellm#13389"),
        Fact("draft", "boolean exclusiveMinimum is refused", "SylphxAI/pdf-reader-mcp#63"),
    ),
)
_COHERE = Dialect(
    "cohere",
    "chat",
    LENIENT,
    Rules(
        keywords=PATTERN | FORMAT | TEXTS | frozenset(("default",)),
        formats=frozenset(("date-time", "uuid", "date", "time")),
        patterns="bare",
        closed=True,
        required="some",
        maps="pairs",
        tuples="object",
        anything="text",
        enums=ENUM_TYPES,
    ),
    "request",
    {"strict_tools": True},
    limits=Quota(fields=200),
    facts=(
        Fact(
            "strict",
            "strict_tools, for the request; each object has a required field; 200 fields in all",
            "cohere-developer-experience structured-outputs.mdx",
        ),
    ),
)
_XAI = Dialect(
    "xai",
    "chat",
    Rules(
        keywords=EVERYTHING - {"oneOf", "minContains", "maxContains"},
        patterns="whole",
        extra="write",
        refs="inline",
        formats=frozenset(("date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri")),
    ),
    strict_is="always",
    facts=(
        Fact("strict", "always on", "xAI guide on function calling"),
        Fact("additionalProperties", "false unless it is said", "xAI guide"),
        Fact("pattern", "must match the whole text", "xAI guide"),
        Fact("$ref", "not circular", "xAI guide"),
    ),
)
_GROQ = Dialect(
    "groq",
    "chat",
    _INLINE,
    OPENAI_STRICT,
    "tool",
    limits=Quota(tools=128),
    facts=(
        Fact(
            "name",
            "letters, digits, underscores and dashes, at most 64",
            "groq 1.7.0 types/shared_params/function_definition.py",
        ),
        Fact("tools", "at most 128", "groq 1.7.0 types/chat/completion_create_params.py"),
        Fact(
            "strict",
            "every property required, every object closed",
            "console.groq.com/docs/structured-outputs",
        ),
    ),
)
_DEEPSEEK = Dialect(
    "deepseek",
    "chat",
    _INLINE,
    replace(
        OPENAI_STRICT,
        keywords=NUMERIC | PATTERN | FORMAT,
        formats=frozenset(("email", "hostname", "ipv4", "ipv6", "uuid")),
        refs="inline",
        empty_objects=False,
    ),
    "together",
    facts=(
        Fact(
            "strict",
            "beta; all functions or none; no lengths, no counts",
            "DeepSeek guide on function calling",
        ),
        Fact("objects", "no maps, no empty objects", "rig-core 0.46 providers/deepseek.rs"),
    ),
)
_OLLAMA = Dialect(
    "ollama",
    "chat",
    _INLINE,
    facts=(
        Fact("strict", "there is none", "pydantic-ai 2.66.0 providers/ollama.py"),
        Fact("wire", "dicts, since ollama.Tool drops keywords", "ollama 0.6.3"),
    ),
)

COMPATIBLE = (_MISTRAL, _COHERE, _XAI, _GROQ, _DEEPSEEK, _OLLAMA)


_KEYS = NameRule("A-Za-z0-9_", "A-Za-z_", 64)
_PORTABLE = Rules(
    keywords=EVERYTHING
    - {"oneOf", "not", "if", "then", "else", "unevaluatedProperties", "unevaluatedItems"},
    patterns="plain",
    tuples="items",
    refs="inline",
    keys=_KEYS,
)
"""What every client understands."""

_CLAUDE = Dialect(
    "claude",
    "mcp",
    Rules(tuples="items", keys=NameRule("A-Za-z0-9_.-", "", 64)),
    names=NameRule(longest=64),
    counts_prefix=True,
    limits=Quota(description=2048),
    facts=(
        Fact("name", "at most 64 with the prefix", "mims-harvard/ToolUniverse#3"),
        Fact("keys", "[a-zA-Z0-9_.-]{1,64}", "anthropics/claude-code#34771"),
        Fact("root", "no oneOf, allOf or anyOf", "anthropics/claude-code#27337"),
        Fact("draft", "2020-12 only", "perplexityai/modelcontextprotocol#132"),
        Fact("description", "cut at 2048 characters", "anthropics/claude-code#41593"),
    ),
)
_CURSOR = Dialect(
    "cursor",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=59),
    counts_prefix=True,
    limits=Quota(tools=80),
    facts=(
        Fact("name", "at most 59 with the server's", "ComposioHQ/composio#2788"),
        Fact("tools", "80", "Snowflake-Labs/mcp#77", "2025-09"),
        Fact("type", "a list of types is misread", "cursor/cursor#3778"),
    ),
)
_VSCODE = Dialect(
    "vscode",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=64),
    counts_prefix=True,
    limits=Quota(tools=128, description=1024),
    facts=(
        Fact("name", "at most 64 with the prefix", "microsoft/vscode#243602"),
        Fact("tools", "128 with those built in", "microsoft/vscode-copilot-release#11653"),
        Fact(
            "schema",
            "draft-07; items on every array; no combination at the root; 1024 characters",
            "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts",
        ),
    ),
)
_GEMINI_CLI = Dialect(
    "gemini-cli",
    "mcp",
    GEMINI_RULES,
    names=NameRule("A-Za-z0-9_.-", "A-Za-z_", 63),
    counts_prefix=True,
    own_prefix="mcp_",
    facts=(
        Fact("name", "cut at 63", "google-gemini/gemini-cli"),
        Fact("type", "a property without one is skipped", "google-gemini/gemini-cli#5694"),
        Fact("schema", "handed on as parametersJsonSchema", "google-gemini/gemini-cli#4176"),
    ),
)
_CODEX = Dialect(
    "codex",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=64),
    counts_prefix=True,
    facts=(Fact("$ref", "a parameter behind one is shown as text", "openai/codex#3152"),),
)
_WINDSURF = Dialect(
    "windsurf",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=64),
    counts_prefix=True,
    limits=Quota(tools=100),
    facts=(Fact("tools", "100", "docs.windsurf.com cascade/mcp"),),
)

CLIENTS = (_CLAUDE, _CURSOR, _VSCODE, _GEMINI_CLI, _CODEX, _WINDSURF)


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {each.name: each for each in (*OPENAI, *PROVIDERS, *COMPATIBLE, *CLIENTS)}
)


def dialect_named(name: str) -> Dialect:
    """Return a dialect. Raises `ValueError` with the nearest name."""
    dialect = DIALECTS.get(name)
    if dialect is None:
        hint = did_you_mean(str(name), DIALECTS) or f"known are {', '.join(DIALECTS)}"
        msg = f"unknown dialect `{str(name)[:100]}` - {hint}"
        raise ValueError(msg)
    return dialect
