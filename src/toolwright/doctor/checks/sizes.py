"""Sizes of names, texts, lists, schemas and whole definitions."""

from __future__ import annotations

import re

from ..._json_values import is_list
from ...json_schema.walk import reachable
from ..findings import Found, Severity, check
from ..subjects import CheckedTool, CheckedToolbox, fields_of

_PARAM_NAME = re.compile(r"[A-Za-z0-9_.-]+")


@check(
    "overly_broad_tool",
    severity=Severity.INFO,
    fix="split it into several tools, or put what belongs together into a model",
    group="size",
)
def overly_broad_tool(tool: CheckedTool) -> Found:
    """A tool has more than ten parameters."""
    count, most = len(tool.properties), tool.limits.parameters
    if count > most:
        yield tool.finding(f"has {count} parameters; more than {most} are hard to fill in")


@check(
    "long_tool_name",
    fix="choose a shorter name",
    group="size",
)
def long_tool_name(tool: CheckedTool) -> Found:
    """A tool's name, with what clients put before it, has more than 64 characters."""
    prefix = tool.settings.prefix
    length, most = len(prefix + tool.tool.published_name), tool.limits.tool_name
    if length > most:
        prefixed = f" with the prefix `{prefix}`" if prefix else ""
        text = f"has a name of {length} characters{prefixed}; many clients take {most} at most"
        yield tool.finding(text)


@check(
    "param_name",
    fix="use 1 to 64 letters, digits, underscores, dots and dashes",
    group="size",
)
def param_name(tool: CheckedTool) -> Found:
    """A parameter's name is too long, or has characters that providers refuse."""
    for name in tool.properties:
        most = tool.limits.param_name
        if len(name) > most:
            text = f"has a name of {len(name)} characters; providers take {most} at most"
            yield tool.finding(text, parameter=name)
        elif not _PARAM_NAME.fullmatch(name):
            yield tool.finding("has characters in its name that providers refuse", parameter=name)


@check(
    "long_tool_description",
    fix="say the most important things first, and the rest in documentation or resources",
    group="size",
)
def long_tool_description(tool: CheckedTool) -> Found:
    """A tool's description has more than 2,048 characters, where clients cut it."""
    length, most = len(tool.description), tool.limits.tool_description
    if length > most:
        yield tool.finding(f"has a description of {length} characters; clients cut it at {most}")


@check(
    "long_param_description",
    fix="say less, or say it in the tool's description",
    group="size",
)
def long_param_description(tool: CheckedTool) -> Found:
    """A parameter's description has more than 1,024 characters."""
    most = tool.limits.param_description
    for name, node in tool.properties.items():
        length = len(tool.inputs.facts(node).description)
        if length > most:
            text = f"has a description of {length} characters; {most} are enough"
            yield tool.finding(text, parameter=name)


@check(
    "long_enum",
    fix="take text, and let another tool search the values",
    group="size",
)
def long_enum(tool: CheckedTool) -> Found:
    """A list of values has more than 250 of them."""
    most = tool.limits.enum
    for name, node in tool.properties.items():
        longest = max(
            (
                len(schema["enum"])
                for schema in reachable(tool.inputs.document, node)
                if is_list(schema.get("enum"))
            ),
            default=0,
        )
        if longest > most:
            yield tool.finding(
                f"has a list of {longest} values; the limit is {most}", parameter=name
            )


@check(
    "deep_schema",
    fix="flatten the models",
    group="size",
)
def deep_schema(tool: CheckedTool) -> Found:
    """A parameter is nested more than ten levels deep."""
    depth = max((field.depth for field in fields_of(tool.inputs)), default=0)
    if depth >= tool.limits.nesting:
        yield tool.finding(f"has parameters nested {depth + 1} levels deep")


@check(
    "large_output_schema",
    fix='return less, or a smaller model; `emit="both"` lists it, `emit="text"` needs none',
    group="size",
)
def large_output_schema(tool: CheckedTool) -> Found:
    """An output schema has more than 20,000 bytes, so that it is left out of lists."""
    for lost in tool.lost:
        if lost.kind == "unlisted_output":
            yield tool.finding(f"lists no output schema: it has {lost.name}")


@check(
    "too_many_tools",
    fix="serve fewer (`--select`), or several toolboxes",
    group="size",
    scope="toolbox",
)
def too_many_tools(box: CheckedToolbox) -> Found:
    """A toolbox has more than 128 tools, which is what clients take."""
    count, most = len(box), box.settings.limits.tools
    if count > most:
        yield box.finding(f"has {count} tools; clients take {most} at most")


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
