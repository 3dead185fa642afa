"""Source files, read and parsed once each, and their comments."""

from __future__ import annotations

import ast
import functools
import linecache
import re
import tokenize
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Any, NamedTuple


def lines_of(file: str) -> list[str]:
    """Return the lines of a file, or of a notebook's or doctest's cell; none if unreadable."""
    return linecache.getlines(file) if file else []


def stamp_of(file: str) -> tuple[int, float | None] | None:
    """Return what changes with a file's text, as far as its lines are known; None without lines."""
    entry = linecache.cache.get(file) if lines_of(file) else None
    return (entry[0], entry[1]) if entry is not None and len(entry) > 1 else None


def whole_module(file: str) -> ast.Module | None:
    """Parse a whole file; None if it cannot be parsed."""
    return _parsed("".join(lines_of(file)))


def module_outline(file: str) -> ast.Module | None:
    """Return the syntax tree of a file without the insides of its functions, classes and values.

    None if it has no syntax tree.
    """
    source = _source_of(file)
    return source.outline if source else None


class ClassSource(NamedTuple):
    """A class as it is written, and the lines that the positions of its nodes refer to."""

    node: ast.ClassDef
    lines: list[str]


def class_source(file: str, qualname: str, line: int | None) -> ClassSource | None:
    """Find a class in a file by its qualified name, and by its line where Python knows it."""
    source = _source_of(file)
    return source.find(qualname, line) if source else None


class _Source:
    """The text of one file; what is derived from it is worked out once.

    Parsing a large file takes long (20 ms for 3,000 lines): only the lines of a class are parsed,
    or those outside all functions and classes, if it is clear which they are.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    @functools.cached_property
    def tree(self) -> ast.Module | None:
        return _parsed("".join(self.lines))

    @functools.cached_property
    def outline(self) -> ast.Module | None:
        text = "".join(self.lines)
        starts = [margin.start() for margin in _MARGINS.finditer(text)]
        blocks = [text[: starts[0]]] if starts else []
        end_of_text = 0
        whole_blocks = _FOR_CHECKERS.search(text) is not None
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            if start < end_of_text:
                continue  # a line of a long text is at the margin
            if long := _LONG_TEXT.match(text, start):
                end_of_text = text.find(long["quote"], long.end()) + 1
                blocks.append(f"{long['name']} = 0\n")
                continue
            short = _shortened(text, start, end)
            if short is None:
                block = text[start:end]
                blocks.append(block if whole_blocks else _NESTED.sub(_without_body, block))
                continue
            if text.count('"""', start, end) % 2 or text.count("'''", start, end) % 2:
                return self.tree  # a text goes on at the margin: it is not clear where this ends
            blocks.append(short)
        return _parsed("".join(blocks)) or self.tree

    def _end(self, index: int) -> int:
        """Return where the block ends whose head is at the left margin."""
        index += 1
        while index < len(self.lines) and not _AT_MARGIN.match(self.lines[index]):
            index += 1
        return index

    @functools.cached_property
    def classes(self) -> dict[str, list[ast.ClassDef]]:
        index: dict[str, list[ast.ClassDef]] = {}
        if self.tree is not None:
            _index(self.tree, "", index)
        return index

    @functools.cached_property
    def heads(self) -> dict[str, list[int]]:
        """The lines, counted from 0, that look like the head of a class, by its name."""
        by_name: dict[str, list[int]] = {}
        for index, line in enumerate(self.lines):
            if "class" in line and (head := _CLASS.match(line)):
                by_name.setdefault(head.group(1), []).append(index)
        return by_name

    def find(self, qualname: str, line: int | None) -> ClassSource | None:
        alone = self._alone(qualname, line)
        if alone is not None:
            return alone
        nodes = self.classes.get(qualname, ())
        node = nodes[-1] if nodes else None
        if line is not None:
            starts = {min([n.lineno, *(d.lineno for d in n.decorator_list)]): n for n in nodes}
            node = starts.get(line)
        return ClassSource(node, self.lines) if node else None

    def _alone(self, qualname: str, line: int | None) -> ClassSource | None:
        """Parse only the lines of a class at the left margin, if it is the only one of its name.

        Return None if there may be another, or if it is not clear where it ends.
        """
        heads = self.heads.get(qualname, ())
        if len(heads) != 1 or not self.lines[heads[0]].startswith("class"):
            return None
        start = heads[0]
        if line is not None and line != start + 1 and not self._decorates(line, start):
            return None
        lines = self.lines[start : self._end(start)]
        tree = _parsed("".join(lines))
        node = tree.body[0] if tree is not None and len(tree.body) == 1 else None
        return ClassSource(node, lines) if isinstance(node, ast.ClassDef) else None

    def _decorates(self, line: int, start: int) -> bool:
        """Return whether a line, counted from 1, is a decorator of the class at `start`, from 0."""
        return line <= start and self.lines[line - 1].startswith("@")


_CLASS = re.compile(r"\A\s*+class\s++(\w++)")
_BLOCK = re.compile(r"(?:async\s++)?(?P<kind>def|class)\s++(?P<name>\w++)")
_AT_MARGIN = re.compile(r"\A[^\s#)\]}]")
_MARGINS = re.compile(r"^[^\s#)\]}]", re.MULTILINE)
# One name, and a value that is not a name itself: `a = b = 1` binds two.
_VALUE = re.compile(
    r"^(?P<name>\w++)[ \t]*+=[ \t]*+(?:[\[({\d]|\w*+[\"']|\w++[\[(.])", re.MULTILINE
)
_LONG_TEXT = re.compile(r"^(?P<name>\w++)[ \t]*+=[ \t]*+\w*+(?P<quote>\"{3}|'{3})", re.MULTILINE)
_BINDS_MORE = re.compile(r":=|;|[\])]\s*+=(?!=)")


# What type checkers see is run, so it has to be whole.
_FOR_CHECKERS = re.compile(r"^[ \t]*+(?:el)?if\b[^\n]*TYPE_CHECKING", re.MULTILINE)
_NESTED = re.compile(
    r"^(?P<indent>[ \t]++)(?:async\s++)?(?P<kind>def|class)\s++(?P<name>\w++)[^\n]*+\n"
    r"(?:(?P=indent)[ \t]++[^\n]*+\n|[ \t]*+\n|(?P=indent)[)\]}][^\n]*+\n)*+",
    re.MULTILINE,
)


def _without_body(nested: re.Match[str]) -> str:
    """Return a function or class of a block without its insides, if it is clear where it ends."""
    block = nested[0]
    if block.count('"""') % 2 or block.count("'''") % 2:
        return block
    return f"{nested['indent']}{nested['kind']} {nested['name']}(): ...\n"


def _shortened(text: str, start: int, end: int) -> str | None:
    """Return a statement at the margin without its insides; None if it has to stay as it is.

    Hints need to know which names a function, a class or a value is bound to, and no more. Tables
    and large unions take longer to parse than all else at the top level of their modules.
    """
    block = _BLOCK.match(text, start)
    if block is not None:
        return f"{block['kind']} {block['name']}(): ...\n"
    value = _VALUE.match(text, start)
    if value is None or _BINDS_MORE.search(text, start, end):
        return None
    return f"{value['name']} = 0\n"


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


_MOST_FILES = 64
_sources: dict[str, _Source] = {}


def _source_of(file: str) -> _Source | None:
    lines = lines_of(file)
    cached = _sources.get(file)
    # The cache of lines gives the same list until the file is read again.
    if cached is not None and cached.lines is lines:
        return cached
    if not lines:
        return None
    if len(_sources) >= _MOST_FILES:
        _sources.clear()
    source = _sources[file] = _Source(lines)
    return source


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
    """Yield the tokens from line `start` (counted from 1) until lines cannot be tokenised."""
    try:
        yield from tokenize.generate_tokens(islice(lines, start - 1, None).__next__)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


RETURN = "return"

_DIRECTIVE = re.compile(
    r"\A(noqa|type:\s*+ignore|pragma|pylint|pyright|mypy|ruff|flake8|fmt|isort|nosec|yapf|ty:)\b",
    re.IGNORECASE,
)

_OURS = re.compile(r"#[#\s]*+toolwright:.*+", re.IGNORECASE)
"""A comment that the doctor reads; the author's text may come before it."""
_WORDS = re.compile(r"\W++")


def comment_text(token: str) -> str:
    """Return the text of a comment; empty if it is for a tool, such as `noqa`."""
    text = _OURS.sub("", token).lstrip("#:! ").strip()
    return "" if _DIRECTIVE.match(text) else text


def parameter_comments(function: Any) -> dict[str, str]:
    """Read the comments in a function's header; the return value's is under `"return"`."""
    code = getattr(function, "__code__", None)
    lines = lines_of(code.co_filename) if code else []
    if code is None or not 0 < code.co_firstlineno <= len(lines):
        return {}
    header = _Header()
    for token in tokens_from(lines, code.co_firstlineno):
        if header.take(token):
            break
    return {**header.comments_above(), **header.comments}


class _Header:
    """A state machine over the tokens of `def name(...) -> ...:` up to the end of that line."""

    def __init__(self) -> None:
        self.comments: dict[str, str] = {}
        self.depth = -1  # before the opening bracket
        self.expecting = False  # a parameter's name may come next
        self.in_def = False
        self.closed_line = 0
        self.ended = False
        self.on_line: list[str] = []  # parameters that start on the current line
        self.line = 0
        self.above: list[str] = []
        self.texts_above: dict[str, str] = {}
        self.names: list[str] = []
        self.commented: set[str] = set()  # parameters with any comment after them

    def take(self, token: tokenize.TokenInfo) -> bool:
        """Take one token; return whether the header has ended."""
        if token.start[0] != self.line:
            self.line, self.on_line = token.start[0], []
        if not self.in_def:
            self.in_def = token.type == tokenize.NAME and token.string == "def"
        elif token.type == tokenize.COMMENT:
            self._comment(token)
        elif token.type == tokenize.OP:
            self._operator(token.string)
        elif token.type == tokenize.NAME and self.expecting and self.depth == 0:
            self._parameter(token.string)
        elif token.type == tokenize.NEWLINE:
            return True
        return self.ended and token.type != tokenize.COMMENT and token.start[0] != self.closed_line

    def _operator(self, text: str) -> None:
        if text in "([{":
            self.depth += 1
            self.expecting = self.depth == 0
        elif text in ")]}":
            self.depth -= 1
            if self.depth < 0:
                self.closed_line = self.line
        elif text == "," and self.depth == 0:
            self.expecting = True
        elif text == ":" and self.depth < 0 and self.closed_line:
            self.closed_line, self.ended = self.line, True

    def _parameter(self, name: str) -> None:
        self.expecting = False
        self.on_line.append(name)
        self.names.append(name)
        if self.above:
            self.texts_above[name] = " ".join(self.above)
            self.above = []

    def comments_above(self) -> dict[str, str]:
        """Return the comments above parameters, except those above a group of them."""
        following = dict(pairwise(self.names))
        return {
            name: text
            for name, text in self.texts_above.items()
            if not self._heads_group(name, text, following.get(name))
        }

    def _heads_group(self, name: str, text: str, following: str | None) -> bool:
        """Return whether a comment also covers the next parameter, which has none itself.

        If the comment names the parameter below it, it is about that one alone.
        """
        if following is None or following in self.texts_above or following in self.commented:
            return False
        return name.lower() not in _WORDS.split(text.lower())

    def _comment(self, token: tokenize.TokenInfo) -> None:
        text = comment_text(token.string)
        alone = not token.line[: token.start[1]].strip()
        if not alone:
            self.commented.update(self.on_line)
        if not text:
            return
        parameters = [name for name in self.on_line if name not in ("self", "cls")]
        if alone and not self.closed_line:
            self.above.append(text)
        elif parameters:
            # One comment after several parameters describes none of them in particular.
            if len(parameters) == 1:
                self.comments[parameters[0]] = text
        elif self.closed_line:
            self.comments[RETURN] = text
