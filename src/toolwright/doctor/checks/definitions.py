"""Tools that were refused, and parts of definitions that were lost."""

from __future__ import annotations

from ..._json_values import is_list, is_object, kind_of
from ...json_schema.build import with_definitions
from ...read.signature import EMPTY, Lost
from ...schema.explicit import broken_rules, validator_for
from ..findings import Severity
from ..registry import Found, check
from ..schema_facts import fits, kinds_of
from ..subjects import CheckedTool, CheckedToolbox

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
    root = tool.input_schema
    for name, node in tool.properties.items():
        if not is_object(node) or node.get("default") is None:
            continue
        kind, kinds = kind_of(node["default"]), kinds_of(root, node)
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
