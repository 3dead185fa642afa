"""What definitions of tools cost in every conversation, in tokens."""

from __future__ import annotations

from ..registry import Found, check
from ..subjects import CheckedTool, CheckedToolbox


@check(
    "tool_tokens",
    fix="shorten its texts, or split it; `[tool.toolwright.tokens] max_tool` is the limit",
    group="tokens",
)
def tool_tokens(tool: CheckedTool) -> Found:
    """The definition of one tool takes more tokens than it may."""
    count, most = tool.tokens, tool.settings.tool_tokens
    if count > most:
        yield tool.finding(f"takes about {count} tokens of every conversation; the limit is {most}")


@check(
    "total_tokens",
    fix="serve fewer tools, or shorten texts; `[tool.toolwright.tokens] max_total` is the limit",
    group="tokens",
    scope="toolbox",
)
def total_tokens(box: CheckedToolbox) -> Found:
    """The definitions of all tools together take more tokens than they may."""
    count, most = sum(tool.tokens for tool in box), box.settings.total_tokens
    if count > most:
        yield box.finding(f"takes about {count} tokens of every conversation; the limit is {most}")
