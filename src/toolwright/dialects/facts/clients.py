"""The rules of MCP clients."""

from __future__ import annotations

from .providers import GEMINI_RULES
from .rules import EVERYTHING, READ, Dialect, Fact, NameRule, Quota, Rules

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
        Fact("name", "at most 64 with the prefix", "mims-harvard/ToolUniverse#3", READ),
        Fact("keys", "[a-zA-Z0-9_.-]{1,64}", "anthropics/claude-code#34771", READ),
        Fact("root", "no oneOf, allOf or anyOf", "anthropics/claude-code#27337", READ),
        Fact("draft", "2020-12 only", "perplexityai/modelcontextprotocol#132", READ),
        Fact("description", "cut at 2048 characters", "anthropics/claude-code#41593", READ),
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
        Fact("name", "at most 59 with the server's", "ComposioHQ/composio#2788", READ),
        Fact("tools", "80", "Snowflake-Labs/mcp#77", "2025-09"),
        Fact("type", "a list of types is misread", "cursor/cursor#3778", READ),
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
        Fact("name", "at most 64 with the prefix", "microsoft/vscode#243602", READ),
        Fact("tools", "128 with those built in", "microsoft/vscode-copilot-release#11653", READ),
        Fact(
            "schema",
            "draft-07; items on every array; no combination at the root; 1024 characters",
            "microsoft/vscode-copilot-chat toolSchemaNormalizer.ts",
            READ,
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
        Fact("name", "cut at 63", "google-gemini/gemini-cli", READ),
        Fact("type", "a property without one is skipped", "google-gemini/gemini-cli#5694", READ),
        Fact(
            "schema",
            "handed on as parametersJsonSchema",
            "google-gemini/gemini-cli#4176",
            READ,
        ),
    ),
)
_CODEX = Dialect(
    "codex",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=64),
    counts_prefix=True,
    facts=(Fact("$ref", "a parameter behind one is shown as text", "openai/codex#3152", READ),),
)
_WINDSURF = Dialect(
    "windsurf",
    "mcp",
    _PORTABLE,
    names=NameRule(longest=64),
    counts_prefix=True,
    limits=Quota(tools=100),
    facts=(Fact("tools", "100", "docs.windsurf.com cascade/mcp", READ),),
)

CLIENTS = (_CLAUDE, _CURSOR, _VSCODE, _GEMINI_CLI, _CODEX, _WINDSURF)
