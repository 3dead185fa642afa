"""Sphinx and Epydoc fields: `:param name: text`, `@param name: text`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .blocks import indent
from .entries import plain_name


class Field(NamedTuple):
    """One field: the parameters that it names, and the text on its first line."""

    names: tuple[str, ...]
    text: str
    is_type: bool = False
    of_attribute: bool = False


_START = re.compile(
    r"\A\s*+[:@](?P<kind>(?:param(?:eter)?|arg(?:ument)?|key(?:word)?|kwarg|kwparam)s?"
    r"|(?:param|arg|kw|var|attr)?type|[ic]?var)(?=[\s:])"
)
# Any field: a role such as :class:`X` has a quote after it.
_ANY_FIELD = re.compile(r"\A\s*+(?::[A-Za-z][^:`]*+:(?:\s|\Z)|@[A-Za-z]++(?:\s++[^:]++)?+:)")
_BROKEN_FIELD = re.compile(r"\A\s*+[:@](?:returns?|rtype|raises?|yields?|throws)\b")
_NAMED = re.compile(r"\A\s*+:(?:(?=[*\\])[*\\]++(?P<starred>\w++):?+|(?P<name>\w++):)(?:\s++|\Z)")
_NAME = re.compile(r"\A\w++\Z")


def is_field(line: str) -> bool:
    """Return whether a line begins a field of any kind."""
    return _ANY_FIELD.match(line) is not None or _START.match(line) is not None


def names_parameter(line: str) -> bool:
    """Return whether a line begins a field about a parameter."""
    return _START.match(line) is not None


def field_at(line: str, names: frozenset[str]) -> Field | None:
    """Read the field that begins at a line, if one does and it can be read."""
    start = _START.match(line)
    if start is None:
        match = _NAMED.match(line) if names else None
        name = (match["name"] or match["starred"]) if match else ""
        return Field((name,), line[match.end() :]) if match and name in names else None
    is_type = start["kind"].endswith("type")
    of_attribute = start["kind"].endswith("var")
    end = _end_of_name(line, start.end())
    if end >= 0:
        names_there = _names(line[start.end() : end])
        if names_there:
            return Field(names_there, line[end + 1 :], is_type, of_attribute)
    # A colon that is misplaced or missing: the first word names the parameter.
    behind = line[start.end() :].lstrip(": \t")
    name, _, text = behind.partition(" ")
    name = name.rstrip(":,-")
    return Field((name,), text.lstrip(":- \t"), is_type, of_attribute) if name in names else None


def _end_of_name(line: str, start: int) -> int:
    """Find the colon that ends the name: one outside of quotes, with a space after it."""
    within = False
    first = -1
    for column in range(start, len(line)):
        within ^= line[column] == "`"
        if line[column] == ":" and not within:
            if column + 1 == len(line) or line[column + 1].isspace():
                return column
            first = column if first < 0 else first
    return first


def _names(typed: str) -> tuple[str, ...]:
    """Return the names in the text before the colon; the type, if any, comes first."""
    words = typed.split()
    several = [_name(part) for part in typed.split(",")]
    if all(several):
        return tuple(several)
    several = [_name(part) for part in words[-1].split(",")] if words else []
    if several and all(several):
        return tuple(several)
    # The type may follow the name, in brackets.
    first = _name(words[0]) if len(words) > 1 and words[1].startswith("(") else ""
    return (first,) if first else ()


def _name(text: str) -> str:
    name = plain_name(text.partition("=")[0])
    return name if _NAME.match(name) else ""


def end_of_field(
    lines: Sequence[str], at: int, quoted: Sequence[bool], stops: Callable[[int], bool]
) -> int:
    """Find where a field ends.

    What is indented more belongs to it, including paragraphs and lists. So do lines that are not
    indented, up to a blank line or the start of something else.
    """
    base = indent(lines[at])
    end = at + 1
    gap = False
    for index in range(at + 1, len(lines)):
        line = lines[index]
        if not line.strip():
            gap = True
            continue
        if not quoted[index] and _START.match(line):
            break
        if indent(line) <= base and (gap or indent(line) < base or _begins(line) or stops(index)):
            break
        end, gap = index + 1, False
    return end


def _begins(line: str) -> bool:
    return (
        line.lstrip().startswith((".. ", ">>>", "```"))
        or is_field(line)
        or _BROKEN_FIELD.match(line) is not None
    )
