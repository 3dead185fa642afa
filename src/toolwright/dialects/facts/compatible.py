"""The rules of providers whose messages are like OpenAI's."""

from __future__ import annotations

from dataclasses import replace

from .openai import LENIENT, OPENAI_STRICT
from .rules import (
    ENUM_TYPES,
    EVERYTHING,
    FORMAT,
    NUMERIC,
    PATTERN,
    READ,
    TEXTS,
    Dialect,
    Fact,
    Quota,
    Rules,
)

_INLINE = replace(LENIENT, keywords=EVERYTHING - {"not"}, refs="inline")
_CHAT_NAMES = Fact(
    "name",
    "letters, digits, underscores and dashes, at most 64",
    "Kochava-Studios/witsy#164",
    READ,
)
_MISTRAL = Dialect(
    "mistral",
    "chat",
    LENIENT,
    OPENAI_STRICT,
    "tool",
    facts=(
        _CHAT_NAMES,
        Fact("$schema", "refused, as is $id", "BerriAI/litellm#13389", READ),
        Fact("draft", "boolean exclusiveMinimum is refused", "SylphxAI/pdf-reader-mcp#63", READ),
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
            READ,
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
        Fact("strict", "always on", "xAI guide on function calling", READ),
        Fact("additionalProperties", "false unless it is said", "xAI guide", READ),
        Fact("pattern", "must match the whole text", "xAI guide", READ),
        Fact("$ref", "not circular", "xAI guide", READ),
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
            READ,
        ),
        Fact("tools", "at most 128", "groq 1.7.0 types/chat/completion_create_params.py", READ),
        Fact(
            "strict",
            "every property required, every object closed",
            "console.groq.com/docs/structured-outputs",
            READ,
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
            READ,
        ),
        Fact("objects", "no maps, no empty objects", "rig-core 0.46 providers/deepseek.rs", READ),
    ),
)
_OLLAMA = Dialect(
    "ollama",
    "chat",
    _INLINE,
    facts=(
        Fact(
            "strict",
            "there is none",
            "pydantic-ai 2.66.0 providers/ollama.py",
            READ,
        ),
        Fact("wire", "dicts, since ollama.Tool drops keywords", "ollama 0.6.3", READ),
    ),
)

COMPATIBLE = (_MISTRAL, _COHERE, _XAI, _GROQ, _DEEPSEEK, _OLLAMA)
