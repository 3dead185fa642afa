"""Writes edits into files, whole or not at all."""

from __future__ import annotations

import ast
import difflib
import io
import os
import re
import site
import sys
import sysconfig
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..._files import replace_file
from ..findings import Edit, Finding

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
