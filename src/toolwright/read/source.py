"""Source files, read and parsed once each."""

from __future__ import annotations

import ast
import functools
import io
import linecache
import tokenize
from collections.abc import Iterator


def lines_of(file: str) -> list[str]:
    """Return a file's lines; none if it cannot be read (also notebooks' and doctests' cells)."""
    return linecache.getlines(file) if file else []


def stamp_of(file: str) -> tuple[int, float | None] | None:
    """Return what changes with a file's text, as far as its lines are known; None if it has none."""
    known = linecache.cache.get(file) if lines_of(file) else None
    return (known[0], known[1]) if known is not None and len(known) > 1 else None


def module_tree(file: str) -> ast.Module | None:
    """Return the syntax tree of a file, or None if it has none."""
    lines = lines_of(file)
    return _parsed(file, len(lines), "".join(lines)) if lines else None


@functools.lru_cache(maxsize=64)
def _parsed(file: str, size: int, text: str) -> ast.Module | None:
    try:
        return ast.parse(text, file)
    except (SyntaxError, ValueError):
        return None


def class_node(file: str, qualname: str, line: int | None) -> ast.ClassDef | None:
    """Find a class in a file by its qualified name, and by its line where Python knows it."""
    tree = module_tree(file)
    found = _classes(tree).get(qualname, ()) if tree else ()
    if line is not None:
        starts = {min([n.lineno, *(d.lineno for d in n.decorator_list)]): n for n in found}
        return starts.get(line)
    return found[-1] if found else None


@functools.lru_cache(maxsize=64)
def _classes(tree: ast.Module) -> dict[str, list[ast.ClassDef]]:
    index: dict[str, list[ast.ClassDef]] = {}
    _index(tree, "", index)
    return index


def _index(node: ast.AST, prefix: str, index: dict[str, list[ast.ClassDef]]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            index.setdefault(prefix + child.name, []).append(child)
            _index(child, f"{prefix}{child.name}.", index)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            _index(child, f"{prefix}{child.name}.<locals>.", index)
        elif not isinstance(child, ast.expr):
            _index(child, prefix, index)


def tokens_from(lines: list[str], start: int) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of `lines` from line `start` (counted from 1) until they cannot be tokenised."""
    text = io.StringIO("".join(lines[start - 1 :]))
    try:
        yield from tokenize.generate_tokens(text.readline)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return
