"""Where the docstring of a tool is in its file."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from ...tools.definition import signature_of

if TYPE_CHECKING:
    from ...tools.definition import Tool

_MOST_READ = 5_000_000


def line_of_docstring(tool: Tool) -> int:
    """Return the line on which the docstring of a tool begins; 0 if that is not known."""
    place = signature_of(tool).location
    return _docstrings(place.file).get(place.line, 0) if place.file else 0


@functools.lru_cache(maxsize=32)
def _docstrings(file: str) -> dict[int, int]:
    """Return the first lines of docstrings, by the first lines of their functions and classes."""
    try:
        source = Path(file).read_text(encoding="utf-8")
        tree = ast.parse(source) if len(source) <= _MOST_READ else ast.Module([], [])
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    docstring_lines: dict[int, int] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            docstring_lines |= dict.fromkeys(range(min(lines), node.lineno + 1), first.lineno)
    return docstring_lines
