"""What has changed since a module was generated."""

from __future__ import annotations

import ast


def changes(old: str, new: str) -> list[str]:
    """Return one line for each function and class that differs; none if both mean the same.

    The code is compared, not the text: a formatter may have changed that, and comments are the
    user's. Raises `ValueError` if the old text is not Python.
    """
    try:
        before = _parts(old)
    except (SyntaxError, RecursionError) as error:
        msg = f"is not Python that can be compared ({error})"
        raise ValueError(msg) from None
    after = _parts(new)
    lines = [
        f"added: {name}{_signature(node)}" for name, node in after.items() if name not in before
    ]
    lines += [f"removed: {name}" for name in before if name not in after]
    for name in before.keys() & after.keys():
        if ast.dump(before[name]) != ast.dump(after[name]):
            lines.append(f"changed: {name}{_difference(before[name], after[name])}")
    return sorted(lines)


def _parts(source: str) -> dict[str, ast.stmt]:
    """Return the statements by what they define; not the docstring, which says how it was made."""
    parts: dict[str, ast.stmt] = {}
    for position, node in enumerate(ast.parse(source).body):
        if position == 0 and isinstance(node, ast.Expr):
            continue
        if isinstance(node, ast.ImportFrom | ast.Import | ast.If):
            continue
        parts[_name(node)] = node
    return parts


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target)
    return ast.unparse(node)[:60]


def _signature(node: ast.stmt) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(node.args)}){returns}"


def _difference(before: ast.stmt, after: ast.stmt) -> str:
    old, new = _signature(before), _signature(after)
    if old != new:
        return f"{old} is now {new}"
    return " (its documentation)" if _body(before) == _body(after) else ""


def _body(node: ast.stmt) -> list[str]:
    """Return the statements of a function or class, without its docstring."""
    statements: list[ast.stmt] = getattr(node, "body", [])
    is_said = bool(statements) and isinstance(statements[0], ast.Expr)
    return [ast.dump(statement) for statement in statements[1 if is_said else 0 :]]
