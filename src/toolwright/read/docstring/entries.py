"""Entries of a docstring section, and the parameters they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .blocks import indent, starts_item


class Head(NamedTuple):
    """How an entry begins: the names in it, the text after them, and where its lines go on."""

    names: tuple[str, ...]
    text: str
    end: int


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """Some lines of a section: an entry, or text that names no parameter (then without a head)."""

    start: int
    end: int
    level: int
    head: Head | None
    indented: bool = False
    """Whether it goes on in lines that are indented more than its first."""


class Entries:
    """The lines of one section, taken apart into entries, each by itself.

    An entry written in a usual way counts, whatever it names. One in an odd way counts only if
    it names a parameter that has no usual entry in this section.
    """

    def __init__(
        self,
        lines: Sequence[str],
        start: int,
        end: int,
        names: frozenset[str],
        *,
        numpy: bool = False,
    ) -> None:
        self.lines = lines
        self.start = start
        self.end = end
        self.names = names
        self.numpy = numpy
        self._heads: dict[int, Head | None] = {}
        first = next((index for index in range(start, end) if lines[index].strip()), start)
        # The items of a list are entries only where the section is such a list.
        self.listed = first < end and starts_item(lines[first])
        if self.listed and not self._usual(first):
            self.listed = False
            self._heads.clear()
        self.left = names.difference(self._usually_named(first))

    def _usually_named(self, first: int) -> Iterator[str]:
        for index in range(first, self.end) if self.names else ():
            if indent(self.lines[index]) <= indent(self.lines[first]):
                head = self._usual(index)
                yield from head.names if head else ()

    def groups(self) -> Iterator[Group]:
        """Yield the lines of the section in groups, in order; together they cover all of it."""
        current: Group | None = None
        index, gap = self.start, False
        while index < self.end:
            if not self.lines[index].strip():
                index, gap = index + 1, True
                continue
            head = self._head(index, current)
            if current and not head and self._goes_on(index, current, gap=gap):
                current.indented = current.indented or indent(self.lines[index]) > current.level
                index, gap = index + 1, False
                continue
            if current:
                current.end = index
                yield current
            start = index if current else self.start
            current = Group(start, self.end, indent(self.lines[index]), head)
            index, gap = head.end if head else index + 1, False
        if current:
            yield current

    def _head(self, at: int, current: Group | None) -> Head | None:
        """Return the head of the entry that begins at a line, if one does."""
        if current and indent(self.lines[at]) > current.level:
            # It continues the group, unless that is text that only leads to the entries.
            head = self._usual(at) if current.head is None else None
            return head if head and self.names.issuperset(head.names) else None
        return self._usual(at) or self._odd(at)

    def _goes_on(self, at: int, current: Group, *, gap: bool) -> bool:
        """Return whether a line that begins no entry belongs to the group before it."""
        line = self.lines[at]
        if indent(line) > current.level or current.head is None:
            return True
        if gap or current.indented or line.lstrip().startswith(".. "):
            return False
        if self.numpy and at == current.head.end and not current.head.text and _is_lower(line):
            return False  # a text would begin with a capital: this is about something else
        # Text may go on at the indent of its entry, but a new sentence with a colon in it looks
        # like another entry, though it is not clear whose.
        return starts_item(line) or not (":" in line and self._begins_sentence(at))

    def _usual(self, at: int) -> Head | None:
        """Return the head of an entry written in a usual way; each line is read once."""
        if at not in self._heads:
            self._heads[at] = self._read_usual(at)
        return self._heads[at]

    def _read_usual(self, at: int) -> Head | None:
        text = self._line(at)
        match = _NAMES.match(text)
        names = _split(match.group()) if match else ()
        if not match or not names:
            return None
        text_behind = text[match.end() :]
        if text_behind.rstrip() == ",":
            return self._listed_names(at, names)
        if self.numpy and not text_behind.lstrip().startswith("("):
            return self._usual_numpy(at, names, text_behind)
        place = _skip_brackets(self.lines, at, self.end, text_behind)
        separator = _SEPARATOR.match(place.rest) if place else None
        if not place or not separator:
            return None
        if self.numpy and place.rest.startswith(" "):
            return self._usual_numpy(at, names, place.rest)
        return Head(names, place.rest[separator.end() :], place.line + 1)

    def _usual_numpy(self, at: int, names: tuple[str, ...], rest: str) -> Head | None:
        text_behind = rest.strip()
        if text_behind[:1] not in ("", ":"):
            return None
        # Where a text is missing, it may be in the place of the type, and go on below it.
        end = at + 1
        if not self._indented_below(at):
            if _is_sentence(text_behind):
                return Head(names, text_behind[1:], end)
            end = self._wrapped(end, indent(self.lines[at]))
            joined_text = " ".join(
                (text_behind, *(line.strip() for line in self.lines[at + 1 : end]))
            )
            if text_behind and _is_sentence(joined_text):
                return Head(names, joined_text[1:], end)
        return Head(names, "", at + 1)

    def _wrapped(self, at: int, level: int) -> int:
        """Return where a sentence ends that goes on in lines at its own indent."""
        for end in range(at, min(at + MOST_LINES, self.end)):
            line = self.lines[end]
            if indent(line) != level or ":" in line or not _is_lower(line):
                break
            if line.rstrip().endswith(_ENDS):
                return end + 1
        return at

    def _listed_names(self, at: int, names: tuple[str, ...]) -> Head | None:
        """Read a list of parameters that goes on in the next lines, followed by its text."""
        for line in range(at + 1, min(at + MOST_LINES, self.end)):
            text = self.lines[line]
            match = _NAMES.match(text)
            if not match or not self.names.issuperset(names):
                return None
            names += _split(match.group())
            text_behind = text[match.end() :]
            separator = _SEPARATOR.match(text_behind)
            if separator and self.names.issuperset(names):
                return Head(names, text_behind[separator.end() :], line + 1)
            if text_behind.rstrip() != ",":
                return None
        return None

    def _odd(self, at: int) -> Head | None:
        """Read an entry that is written in an odd way, but names a parameter first."""
        text = self._line(at)
        names, text_behind = _leading(text, self.left)
        if not names:
            return None
        below = self._indented_below(at)
        if self.numpy and below and not _SEPARATOR.match(text_behind):
            return Head(names, "", at + 1)
        if not text_behind.strip():
            return self._typed_below(below, names) if below else None
        separator = (
            _SEPARATOR.match(text_behind)
            or _TYPE_WORDS.match(text_behind)
            or _ODD_SEPARATOR.match(text_behind)
        )
        if not separator and self._begins_sentence(at):
            separator = _CAPITAL.match(text_behind)
        if separator:
            return Head(names, text_behind[separator.end() :], at + 1)
        place = _skip_brackets(self.lines, at, self.end, text_behind)
        separator = (
            _BEHIND_BRACKETS.match(place.rest) if place and place.rest is not text_behind else None
        )
        return (
            Head(names, place.rest[separator.end() :], place.line + 1)
            if place and separator
            else None
        )

    def _typed_below(self, below: int, names: tuple[str, ...]) -> Head:
        """Read a name on a line of its own; its type may be in brackets on the next."""
        place = _skip_brackets(self.lines, below, self.end, self.lines[below])
        separator = _SEPARATOR.match(place.rest) if place else None
        if place and separator:
            return Head(names, place.rest[separator.end() :], place.line + 1)
        return Head(names, "", below)

    def _begins_sentence(self, at: int) -> bool:
        before = self.lines[at - 1].rstrip() if at > self.start else ""
        return not before or before.endswith(_ENDS)

    def _indented_below(self, at: int) -> int:
        """Return the next line that is not blank if it is indented more, otherwise 0."""
        below = at + 1
        while below < self.end and not self.lines[below].strip():
            below += 1
        deeper = below < self.end and indent(self.lines[below]) > indent(self.lines[at])
        return below if deeper else 0

    def _line(self, at: int) -> str:
        return _ITEM_MARK.sub("", self.lines[at]) if self.listed else self.lines[at]


_ENDS = (".", "!", "?")

_ITEM_MARK = re.compile(r"\A\s*+(?:[-*+\u2022]|\d++[.)])\s++")

# A name, perhaps with stars or in quotes; `etc.` and `...` may be among several.
_NAME = r"""(?:etc\.|\.\.\.|[`*\\"']*+(?:\w|\\_)++[`*"']*+)"""
_NAMES = re.compile(rf"\A\s*+{_NAME}(?:\s*+[,/&]\s*+{_NAME})*+")
_LOOSE_NAMES = re.compile(rf"\A\s*+{_NAME}(?:(?:\s*+[,/&]|\s++(?:and|or)\s)\s*+{_NAME})*+")
_BETWEEN = re.compile(r"([,/&]|\s(?:and|or)\s)")

_SEPARATOR = re.compile(r"\A(?:\s*+:(?:\s++|\Z)|\s++(?:--?|\u2013|\u2014)\s++)")
_TYPE_WORDS = re.compile(r"\A(?:\s++[^\s:]++){1,6}+:(?:\s++|\Z)")
_ODD_SEPARATOR = re.compile(r"\A\s*+(?:[=-]>?|:)\s*+(?=\S)")
_BEHIND_BRACKETS = re.compile(r"\A[.,;:]?\s++(?=\S)")
_CAPITAL = re.compile(r"\A\s++(?=[A-Z])")


def _leading(text: str, names: frozenset[str]) -> tuple[tuple[str, ...], str]:
    """Return the names of parameters that a line begins with, and what follows them."""
    match = _LOOSE_NAMES.match(text) if names else None
    listed: list[str] = []
    end = column = 0
    for index, piece in enumerate(_BETWEEN.split(match.group())) if match else ():
        column += len(piece)
        if index % 2 == 0:
            if plain_name(piece) not in names:
                break
            listed.append(plain_name(piece))
            end = column
    return tuple(listed), text[end:]


def _split(text: str) -> tuple[str, ...]:
    if text.isidentifier():
        return (text,) if text != "None" else ()
    names = (plain_name(part) for part in _BETWEEN.split(text)[::2])
    return tuple(name for name in names if name not in ("", "...", "etc.", "None"))


def plain_name(text: str) -> str:
    """Return a name without stars, quotes and backslashes."""
    return text.strip().strip("`*\"'\\").replace("\\_", "_")


def _is_lower(line: str) -> bool:
    return line.lstrip()[:1].islower()


def _is_sentence(text: str) -> bool:
    """Return whether the words in the place of a NumPy type are a text rather than a type."""
    return text.rstrip().endswith(_ENDS) and len(text.split()) > 2


class _Place(NamedTuple):
    rest: str
    line: int


MOST_LINES = 8
_BRACKET = re.compile(r"[()]")


def _skip_brackets(lines: Sequence[str], at: int, end: int, rest: str) -> _Place | None:
    """Skip the brackets that the rest of a line begins with, if any.

    They may be closed some lines below; None if they are not closed.
    """
    if not rest.lstrip().startswith("("):
        return _Place(rest, at)
    depth = 0
    for line in range(at, min(at + MOST_LINES, end)):
        text = rest if line == at else lines[line]
        for mark in _BRACKET.finditer(text):
            depth += 1 if mark.group() == "(" else -1
            if depth == 0:
                return _Place(text[mark.end() :], line)
    return None
