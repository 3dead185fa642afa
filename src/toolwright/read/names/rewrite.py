"""Rewrites annotations that are text, where Python alone cannot evaluate them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

Open = Callable[[Any, str], Any]
"""Returns the type that `value.name` stands for; raises `LookupError` if Python knows it."""
Evaluate = Callable[[ast.expr], Any]


def with_attributes(text: str, evaluate: Evaluate, opened: Open) -> tuple[str, dict[str, Any]]:
    """Replace attributes that must be opened (`module.Alias`) with names; return their meaning."""
    if "." not in text:
        return text, {}
    tree = _parsed(text)
    if tree is None:
        return text, {}
    rewriter = _Attributes(evaluate, opened)
    rewritten = rewriter.visit(tree)
    return (ast.unparse(rewritten), rewriter.found) if rewriter.found else (text, {})


def without_refused_parameters(text: str, evaluate: Evaluate) -> str:
    """Drop the parameters of classes that take none at run time (`pandas.Series[int]`)."""
    tree = _parsed(text)
    return text if tree is None else ast.unparse(_Parameters(evaluate).visit(tree))


def used_names(text: str) -> set[str]:
    """Return the names that an annotation uses."""
    tree = _parsed(text)
    nodes = ast.walk(tree) if tree is not None else ()
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _parsed(text: str) -> ast.Expression | None:
    try:
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return None


class _Attributes(ast.NodeTransformer):
    def __init__(self, evaluate: Evaluate, opened: Open) -> None:
        self.evaluate = evaluate
        self.opened = opened
        self.found: dict[str, Any] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node = ast.Attribute(self.visit(node.value), node.attr, node.ctx)
        try:
            value = self.opened(self._value(node.value), node.attr)
        except (LookupError, AttributeError, NameError):
            return node  # evaluating the whole will say what is wrong
        name = f"_attribute_{len(self.found)}"
        self.found[name] = value
        return ast.Name(name, ast.Load())

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name) and node.id in self.found:
            return self.found[node.id]
        return self.evaluate(node)


class _Parameters(ast.NodeTransformer):
    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = ast.Subscript(self.visit(node.value), self.visit(node.slice), node.ctx)
        try:
            self.evaluate(node)
        except TypeError:
            return node.value
        except Exception:  # noqa: BLE001 - evaluating the whole will say what is wrong
            return node
        return node
