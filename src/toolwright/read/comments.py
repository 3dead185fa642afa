"""Comments that describe parameters, after or above them.

def add(
    a: int,  # First number
    # Second number
    b: int = 1,
) -> int:  # Their sum
"""

from __future__ import annotations

import re
import tokenize
from itertools import pairwise
from typing import Any

from .source import lines_of, tokens_from

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
