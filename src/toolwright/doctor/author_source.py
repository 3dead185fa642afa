"""The author's source of a tool: read, and mended."""

from __future__ import annotations

import ast
import difflib
import functools
import io
import linecache
import os
import re
import site
import sys
import sysconfig
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from .._files import replace_file
from ..read.target import code_of
from ..tools.definition import Tool
from .findings import Edit, Finding

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


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Mended(NamedTuple):
    """One file, before and after; `why_not` says why it was left alone."""

    file: str
    before: str
    after: str
    encoding: str
    has_mark: bool
    mended: tuple[Finding, ...] = ()
    """The findings that are mended in it."""
    why_not: str = ""

    def diff(self) -> str:
        """Return the change as a unified diff."""
        name = os.path.relpath(self.file)
        lines = difflib.unified_diff(
            _LINE.findall(self.before), _LINE.findall(self.after), f"a/{name}", f"b/{name}"
        )
        diff_lines = (line if line.endswith("\n") else f"{line}\n" for line in lines)
        return "".join(line.replace("\r\n", "\n") for line in diff_lines)

    def write(self) -> None:
        """Replace the file; a reader sees either the old or the new one. Raises `OSError`."""
        content = self.after.encode(self.encoding)
        if self.has_mark:
            content = b"\xef\xbb\xbf" + content
        replace_file(self.file, content)


def mended_files(findings: Iterable[Finding]) -> list[Mended]:
    """Return what the edits of findings make of their files; nothing is written."""
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.edits:
            by_file.setdefault(finding.edits[0].file, []).append(finding)
    return [_mended(file, fixable) for file, fixable in by_file.items()]


def _mended(file: str, fixable: list[Finding]) -> Mended:
    unchanged = Mended(file, "", "", "utf-8", has_mark=False)
    if not _is_authors(file):
        return unchanged._replace(why_not="it belongs to an installed package")
    try:
        raw = Path(file).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        has_mark = encoding == "utf-8-sig"
        encoding = "utf-8" if has_mark else encoding
        before = (raw[3:] if has_mark else raw).decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        return unchanged._replace(why_not=f"it cannot be read: {error}")
    lines: list[str | None] = list(_LINE.findall(before))
    mended = tuple(finding for finding in fixable if _apply(lines, finding.edits))
    after = "".join(line for line in lines if line is not None)
    if not _is_same_code(before, after):
        return unchanged._replace(why_not="the change would alter more than comments and texts")
    return Mended(file, before, after, encoding, has_mark, mended)


def _apply(lines: list[str | None], edits: tuple[Edit, ...]) -> bool:
    """Make edits, if every line still is what it was."""
    for edit in edits:
        if not 0 < edit.line <= len(lines):
            return False
        text = lines[edit.line - 1]
        if text is None or text.rstrip("\r\n") != edit.old:
            return False
    for edit in edits:
        text = lines[edit.line - 1] or ""
        ending = text[len(text.rstrip("\r\n")) :]
        lines[edit.line - 1] = None if edit.new is None else edit.new + ending
    return True


def _is_same_code(before: str, after: str) -> bool:
    """Return whether two texts differ in comments and docstrings only."""
    try:
        return _without_texts(before) == _without_texts(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _without_texts(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                first.value.value = ""
    return ast.dump(tree)


def _is_authors(file: str) -> bool:
    """Return whether a file is the author's own, not part of Python or an installed package."""
    real = os.path.realpath(file)
    installed = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
    installed |= {*site.getsitepackages(), site.getusersitepackages()}
    parts = Path(real).parts
    inside = any(
        real.startswith(os.path.realpath(folder) + os.sep) for folder in installed if folder
    )
    return Path(real).is_file() and not inside and "site-packages" not in parts and bool(sys.prefix)
