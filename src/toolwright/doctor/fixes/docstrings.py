"""Entries of docstrings for parameters that do not exist."""

from __future__ import annotations

import re

from ..author_source import AuthorSource
from ..findings import Edit


def mended_entry(
    source: AuthorSource | None, name: str, right: str
) -> tuple[int, tuple[Edit, ...]]:
    """Return the line of a docstring that describes a parameter, and what would mend it.

    A misspelt name becomes the right one. Other entries are left to their author, since their text
    may be worth keeping.
    """
    lines = [] if source is None else _docstring_lines(source)
    entry = re.compile(
        rf"\s*(?:[-*]\s+)?(?:[:@](?:param|parameter|arg|argument|key|keyword)\s[^:]*?)?"
        rf"[`*]*(?P<name>{re.escape(name)})[`]*\s*(?:[:(\[,-]|\Z)"
    )
    entries = [(line, text, match) for line, text in lines if (match := entry.match(text))]
    if source is None or len(entries) != 1:
        return 0, ()
    line, text, match = entries[0]
    if not right:
        return line, ()
    start, end = match.span("name")
    return line, (Edit(source.file, line, text, f"{text[:start]}{right}{text[end:]}"),)


def _docstring_lines(source: AuthorSource) -> list[tuple[int, str]]:
    """Return the lines of a docstring with their numbers; nothing if they are not as they look."""
    node = source.docstring()
    if node is None or node.end_lineno is None or node.end_lineno == node.lineno:
        return []
    numbers = range(node.lineno, node.end_lineno + 1)
    source_lines = [source.lines[number - 1].rstrip("\r\n") for number in numbers]
    text_lines = str(node.value).split("\n")
    # The first and the last line have quotes; an escape in the others would make them differ.
    if len(text_lines) != len(source_lines) or text_lines[1:-1] != source_lines[1:-1]:
        return []
    return list(zip(numbers, source_lines, strict=True))[1:]
