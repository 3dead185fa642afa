"""What is said about tools and parameters."""

from __future__ import annotations

import unicodedata

from ..._words import did_you_mean, nearest
from ..fixes.docstrings import mended_entry
from ..registry import Found, check
from ..schema_facts import description_of
from ..subjects import CheckedTool

_SURELY_MEANT = 0.8
"""How much of a misspelt name must be right for `--fix` to correct it: two letters changed places
in one of five, but `user` is not `user_id`."""


@check(
    "undocumented_tool",
    fix="write a docstring that says what it does, and when to use it",
    group="description",
)
def undocumented_tool(tool: CheckedTool) -> Found:
    """A tool has no description."""
    if not tool.description.strip():
        yield tool.finding("has no description")


@check(
    "short_tool_description",
    fix="say what it does, and when to use it",
    group="description",
)
def short_tool_description(tool: CheckedTool) -> Found:
    """A tool's description has fewer than ten characters."""
    length, least = _length(tool.description), tool.limits.short_description
    if 0 < length < least:
        yield tool.finding(f"has a description of {length} characters; the minimum is {least}")


@check(
    "undocumented_param",
    fix="describe it: in the docstring, in a comment after it, or in `Annotated`",
    group="description",
)
def undocumented_param(tool: CheckedTool) -> Found:
    """A parameter has no description."""
    for name, node in tool.properties.items():
        if not description_of(tool.input_schema, node):
            yield tool.finding("has no description", parameter=name)


@check(
    "short_param_description",
    fix="say what it means, and what it may be",
    group="description",
)
def short_param_description(tool: CheckedTool) -> Found:
    """A parameter's description is one word of fewer than ten characters, or hardly anything."""
    least = tool.limits.short_description
    for name, node in tool.properties.items():
        text = description_of(tool.input_schema, node)
        length = _length(text)
        # `Space key` says what it should.
        if 0 < length < (least if len(text.split()) < 2 else least // 2):
            text = f"has a description of {length} characters; the minimum is {least}"
            yield tool.finding(text, parameter=name)


@check(
    "stray_documentation",
    fix="name a parameter that exists, or take the entry out",
    group="description",
)
def stray_documentation(tool: CheckedTool) -> Found:
    """A docstring describes a parameter that the tool does not have."""
    for name in [lost.name for lost in tool.lost if lost.kind == "stray"]:
        parameters = tool.signature.parameters
        suggestion = did_you_mean(name, [parameter.name for parameter in parameters], "; {}")
        undescribed = [parameter.name for parameter in parameters if not parameter.description]
        right = nearest(name, undescribed, least=_SURELY_MEANT)
        line, edits = mended_entry(tool.source, name, right)
        yield tool.finding(
            f"documents `{name}`, which is not a parameter{suggestion}", line=line, edits=edits
        )


@check(
    "unread_documentation",
    fix="write it as `name: text`",
    group="description",
)
def unread_documentation(tool: CheckedTool) -> Found:
    """An entry of a docstring belongs to no parameter that could be made out."""
    for lost in tool.lost:
        if lost.kind in ("unread", "more_unread"):
            yield tool.finding(str(lost))


def _length(text: str) -> int:
    """Count characters; one of Chinese, Japanese or Korean says as much as three others."""
    return sum(
        3 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text.strip()[:100]
    )
