"""Definitions of tools: what is refused, lost, or not described."""

from __future__ import annotations

import unicodedata

from ..._json_values import is_list, is_object, kind_of
from ..._words import did_you_mean, nearest
from ...json_schema.document import with_definitions
from ...read.signature import EMPTY, Lost
from ...schema.explicit import broken_rules, validator_for
from ..author_source import mended_entry
from ..findings import Found, Severity, check
from ..subjects import CheckedTool, CheckedToolbox, fits, kinds_of

_MOST_EXAMPLES = 50
_ELSEWHERE = frozenset(("stray", "unread", "more_unread", "unlisted_output"))
"""What other checks report."""


@check(
    "refused_tool",
    severity=Severity.ERROR,
    fix="correct its definition",
    group="definition",
    scope="toolbox",
)
def refused_tool(box: CheckedToolbox) -> Found:
    """A target cannot become a tool, so that no client sees it."""


@check(
    "lost_detail",
    fix="write it in another way, or leave it out",
    group="definition",
)
def lost_detail(tool: CheckedTool) -> Found:
    """Something that the author wrote is in no schema."""
    for lost in tool.lost:
        if lost.kind in _ELSEWHERE or _is_default(lost):
            continue
        if lost.parameter in tool.properties and lost.place == f"`{lost.parameter}`":
            yield tool.finding(lost.sentence, parameter=lost.parameter)
        else:
            yield tool.finding(str(lost))


def _is_default(lost: Lost) -> bool:
    """Return whether a default of a parameter is lost; one in a result is a detail."""
    return lost.kind == "default" and bool(lost.parameter)


@check(
    "unserialisable_default",
    fix="use a default that JSON can hold, or `None`",
    group="definition",
)
def unserialisable_default(tool: CheckedTool) -> Found:
    """A default cannot be written as JSON, so that no model learns of it."""
    for lost in filter(_is_default, tool.lost):
        text = f"has a default that no client sees: {lost.sentence}"
        yield tool.finding(text, parameter=lost.parameter)


@check(
    "mismatched_default",
    fix="give it a default of its type, or a type that allows the default",
    group="definition",
)
def mismatched_default(tool: CheckedTool) -> Found:
    """A default is not of the type that its parameter has."""
    for name, node in tool.properties.items():
        if not is_object(node) or node.get("default") is None:
            continue
        kind, kinds = kind_of(node["default"]), kinds_of(tool.inputs.facts(node))
        is_part = kind == "number" and "integer" in kinds and "number" not in kinds
        if is_part or not fits(frozenset((kind,)), kinds):
            kind_names = " or ".join(sorted(kinds))
            yield tool.finding(f"is of type {kind_names}, but its default is not", parameter=name)


@check(
    "broken_example",
    fix="give an example that the parameter takes",
    group="definition",
)
def broken_example(tool: CheckedTool) -> Found:
    """An example of a parameter is not a value that it takes."""
    for name, node in tool.properties.items():
        examples = node.get("examples") if is_object(node) else None
        if not is_list(examples):
            continue
        validator = validator_for(with_definitions(node, tool.input_schema))
        for number, example in enumerate(examples[:_MOST_EXAMPLES], 1):
            try:
                broken, _ = broken_rules(validator, example)
            except Exception:  # noqa: BLE001 - a foreign schema: what cannot be checked is no finding
                break
            if broken:
                # Not the value itself: it may be a secret.
                text = f"has an example that it does not take: number {number}"
                yield tool.finding(text, parameter=name)
                break


@check(
    "no_return_schema",
    fix="write the type of what it returns: `-> T`, or `-> None`",
    group="definition",
)
def no_return_schema(tool: CheckedTool) -> Found:
    """A tool does not say what it returns."""
    if tool.output_schema is not None or tool.options.output_schema is not None:
        return
    if tool.signature.returns is EMPTY and all(lost.kind != "no_output" for lost in tool.lost):
        yield tool.finding("does not say what it returns: no tool or program can build on it")


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
        if not tool.inputs.facts(node).description:
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
        text = tool.inputs.facts(node).description
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
