"""The rules of OpenAI."""

from __future__ import annotations

from dataclasses import replace

from .rules import (
    COUNTS,
    ENUM_TYPES,
    FORMAT,
    LENGTHS,
    NUMERIC,
    PATTERN,
    READ,
    Dialect,
    Fact,
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
        READ,
    ),
    Fact(
        "tools",
        "at most 128",
        "openai 3.49.0 types/evals/create_eval_completions_run_data_source_param.py",
        READ,
    ),
    Fact(
        "strict",
        "every object closed, every property required; no oneOf, allOf, not, maps or tuples",
        "OpenAI guide on structured outputs",
        READ,
    ),
    Fact(
        "$ref",
        "in strict mode nothing stands beside it",
        "virattt/dexter#280",
        READ,
    ),
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
        READ,
    ),
    Fact("items", "an array must say what its items are", "mark3labs/mcphost#35", READ),
    Fact(
        "size",
        "10 levels, 5000 properties, 1000 enum values, 120,000 characters",
        "OpenAI guide on structured outputs",
        READ,
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
            READ,
        ),
        Fact(
            "strict",
            "always said, since it is on by default",
            "openai 3.49.0 types/responses/function_tool_param.py",
            READ,
        ),
    ),
)

OPENAI = (_OPENAI, _RESPONSES)
