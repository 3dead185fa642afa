"""The author's source of a tool, as a syntax tree."""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from ..read.wrappers import code_of
from ..tools.definition import Tool

Import = ast.Import | ast.ImportFrom
Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_LINES = 100_000


class AuthorSource(NamedTuple):
    """A function as it is written, in a file."""

    file: str
    lines: list[str]
    """All lines of the file."""
    tree: ast.Module
    node: Function
    function: Any
    """The function itself."""
    imports: dict[str, str]
    """What the names that the file imports stand for, as `module.name`."""

    @property
    def first_line(self) -> int:
        """The line of the first decorator, or of `def`."""
        return _first_line(self.node)

    @property
    def last_line(self) -> int:
        """The last line of the body."""
        return self.node.end_lineno or self.node.lineno

    @property
    def body_line(self) -> int:
        """The line at which the body begins."""
        return self.node.body[0].lineno

    def parameter_lines(self) -> dict[str, int]:
        """Return the line of each parameter."""
        arguments = self.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [
            argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None
        ]
        return {argument.arg: argument.lineno for argument in every}

    def docstring(self) -> ast.Constant | None:
        """Return the docstring's node."""
        first = self.node.body[0]
        if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
            return None
        return first.value if isinstance(first.value.value, str) else None


class Sources:
    """Source files, each read and parsed once for one run of the doctor."""

    def __init__(self) -> None:
        self._files: dict[str, _File | None] = {}

    def of(self, tool: Tool) -> AuthorSource | None:
        """Return the source of a tool; None if it has none, or it cannot be read."""
        return self.of_function(_function_of(tool))

    def of_function(self, function: Any) -> AuthorSource | None:
        """Return the source of a function; None if it has none, or it cannot be read."""
        code = code_of(function)
        if code is None or not code.co_filename:
            return None
        file = self._file(code.co_filename)
        node = file.find(code.co_firstlineno, code.co_name) if file else None
        if file is None or node is None:
            return None
        return AuthorSource(code.co_filename, file.lines, file.tree, node, function, file.imports)

    def class_line(self, tool: Tool) -> int:
        """Return the line of the class that a tool is, or is an instance of; 0 if unclear."""
        function = _function_of(tool)
        cls: type = function if isinstance(function, type) else type(function)
        module = sys.modules.get(getattr(cls, "__module__", ""))
        opened = self._file(getattr(module, "__file__", None) or "")
        lines = opened.classes.get(cls.__name__, []) if opened is not None else []
        return lines[0] if len(lines) == 1 else 0

    def _file(self, name: str) -> _File | None:
        if name not in self._files:
            linecache.checkcache(name)
            lines = linecache.getlines(name)
            self._files[name] = _opened(lines) if 0 < len(lines) <= _MOST_LINES else None
        return self._files[name]


def _function_of(tool: Tool) -> Any:
    """Return the innermost function of a tool, or its class: wrappers around it call it."""
    return tool._target.function  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


class _File:
    def __init__(self, lines: list[str], tree: ast.Module) -> None:
        self.lines = lines
        self.tree = tree

    @functools.cached_property
    def functions(self) -> dict[int, Function]:
        return {_first_line(node): node for node in _functions(self.tree)}

    @functools.cached_property
    def classes(self) -> dict[str, list[int]]:
        lines: dict[str, list[int]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef):
                lines.setdefault(node.name, []).append(node.lineno)
        return lines

    @functools.cached_property
    def imports(self) -> dict[str, str]:
        imports = (imported(node) for node in self.tree.body if isinstance(node, Import))
        return {name: dotted for names in imports for name, dotted in names.items()}

    def find(self, line: int, name: str) -> Function | None:
        node = self.functions.get(line)
        return node if node is not None and node.name == name else None


def _opened(lines: list[str]) -> _File | None:
    try:
        return _File(lines, ast.parse("".join(lines)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def imported(node: Import) -> dict[str, str]:
    """Return what the names that a statement imports stand for, as `module.name`."""
    names: dict[str, str] = {}
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.asname or alias.name.split(".")[0]
            names[name] = alias.name if alias.asname else name
        elif node.module and not node.level:
            names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _functions(tree: ast.Module) -> Iterator[Function]:
    """Yield every function of a file; only statements are walked, which saves most of the time."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, Function):
            yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                todo.extend(cast("list[ast.AST]", statements))


def _first_line(node: Function) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
