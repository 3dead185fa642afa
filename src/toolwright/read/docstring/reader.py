"""Takes a docstring apart, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..._words import one_line, truncate
from .blocks import clean, indent, is_other_heading, joined, quoted, underlined
from .entries import Entries, Group
from .fields import end_of_field, field_at, is_field, names_parameter
from .parts import PARAMETERS, Docstring, Entry, Section


class DocstringReader:
    """Goes through the lines of one docstring, once."""

    def __init__(self, text: str, headings: frozenset[str], names: frozenset[str]) -> None:
        self.lines = lines = clean(text)
        self.headings = headings
        self.names = names
        self.quoted = quoted(lines)
        self.parts: list[str | Section] = []
        self.unread: list[str] = []

    def read(self) -> Docstring:
        """Return the text and the sections, in order."""
        index = 0
        while index < len(self.lines):
            index = self._take(index)
        return Docstring(tuple(self.parts), tuple(self.unread))

    def _take(self, at: int) -> int:
        """Take a section, a field or a line; return where the next one starts."""
        if self._may_start(at) and not self.quoted[at]:
            end = self._numpy(at) or self._google(at) or self._field(at)
            if end:
                return end
        self.parts.append(self.lines[at])
        return at + 1

    def _may_start(self, at: int) -> bool:
        """Return whether a line may start a section or a field: most lines cannot."""
        line = self.lines[at]
        if ":" in line or "@" in line:
            return True
        return at + 1 < len(self.lines) and self.lines[at + 1].lstrip()[:1] in ("-", "=")

    # -- NumPy: "Parameters", a line of dashes, then "name : type" with an indented text

    def _numpy(self, at: int) -> int:
        if not underlined(self.lines, at) or not self._is_heading(at):
            return 0
        base = indent(self.lines[at])
        end = at + 2
        while end < len(self.lines) and not self._ends_numpy(end, base):
            end += 1
        return self._section(at, at + 2, end, numpy=True)

    def _ends_numpy(self, at: int, base: int) -> bool:
        line = self.lines[at]
        if not line.strip() or self.quoted[at]:
            return False
        if indent(line) < base or underlined(self.lines, at):
            return True
        return indent(line) == base and (is_other_heading(line) or is_field(line))

    # -- Google: "Args:" and an indented block of "name (type): text"

    def _google(self, at: int) -> int:
        line = self.lines[at]
        if not line.rstrip("* ").endswith(":") or not self._is_heading(at):
            return self._headed_by_text(at)
        base = indent(line)
        first = at + 1
        while first < len(self.lines) and not self.lines[first].strip():
            first += 1
        if first < len(self.lines) and indent(self.lines[first]) <= base:
            return self._flat(at, first, base)
        end = first
        while end < len(self.lines) and not self._is_outside(end, base):
            end += 1
        return self._section(at, at + 1, end)

    def _headed_by_text(self, at: int) -> int:
        """Read a section whose heading is followed by text: "Args: see below", then its entries.

        The first of them must name a parameter. The heading stays in the description.
        """
        heading, colon, text = self.lines[at].partition(":")
        title = heading.strip("*# ").lower()
        if not (colon and text.strip()) or title not in self.headings:
            return 0
        base, end = indent(self.lines[at]), at + 1
        while end < len(self.lines) and not self._is_outside(end, base):
            end += 1
        if end == at + 1:
            return 0
        group = next(Entries(self.lines, at + 1, end, self.names).groups(), None)
        if group is None or not group.head or not self.names.issuperset(group.head.names):
            return 0
        self.parts.append(self.lines[at])
        return self._section(at + 1, at + 1, end, title=title)

    def _is_outside(self, at: int, base: int) -> bool:
        return bool(self.lines[at].strip()) and indent(self.lines[at]) <= base

    def _flat(self, at: int, first: int, base: int) -> int:
        """Read entries that are not indented.

        Either the docstring opens with its heading, so that cleaning took the indent away, or
        its author wrote them so: then the first must come right below the heading.
        """
        opens = at == 0
        if not opens:
            group = next(Entries(self.lines, first, first + 1, self.names).groups())
            names_parameters = group.head and self.names.issuperset(group.head.names)
            if first > at + 1 or not names_parameters:
                return 0
        end = first
        while end < len(self.lines) and not self._ends_flat(end, base, opens=opens):
            end += 1
        return self._section(at, at + 1, end)

    def _ends_flat(self, at: int, base: int, *, opens: bool) -> bool:
        line = self.lines[at]
        if not line.strip():
            return not opens
        if indent(line) < base or underlined(self.lines, at) or is_field(line):
            return True
        return _CAPITAL_HEADING.match(line) is not None

    # -- both

    def _is_heading(self, at: int) -> bool:
        return self._title(at) in self.headings

    def _title(self, at: int) -> str:
        return self.lines[at].strip("*#: ").lower()

    def _section(
        self, heading: int, start: int, end: int, *, numpy: bool = False, title: str = ""
    ) -> int:
        """Read the entries of a section, each by itself; return 0 if there are none."""
        while end > start and not self.lines[end - 1].strip():
            end -= 1  # blank lines after a section stay outside
        groups = list(Entries(self.lines, start, end, self.names, numpy=numpy).groups())
        entries = [entry for group in groups for entry in self._entries(group)]
        if not any(entry.name for entry in entries):
            return 0
        of_attributes = (title or self._title(heading)) not in PARAMETERS
        heading_lines = tuple(self.lines[heading:start])
        self.parts.append(Section(heading_lines, tuple(entries), of_attributes))
        return end

    def _entries(self, group: Group) -> Iterator[Entry]:
        group_lines = tuple(self.lines[group.start : group.end])
        head = group.head
        if head is None:
            self._leave(next(line for line in group_lines if line.strip()))
            yield Entry("", "", group_lines)
            return
        text = joined(head.text, self.lines[head.end : group.end])
        for name in head.names:
            yield Entry(name, text, group_lines)

    def _leave(self, line: str) -> None:
        """Note that a line stays in the text, though it should describe a parameter."""
        words = one_line(line)
        if words.lower().rstrip(".") not in _NOTHING:
            self.unread.append(truncate(words, 60))

    # -- Sphinx and Epydoc: ":param type name: text" and "@param name: text"

    def _field(self, at: int) -> int:
        field = field_at(self.lines[at], self.names)
        if field is None:
            if names_parameter(self.lines[at]):
                self._leave(self.lines[at])
            return 0
        end = end_of_field(self.lines, at, self.quoted, self._stops_field)
        text = "" if field.is_type else joined(field.text, self.lines[at + 1 : end])
        field_lines = tuple(self.lines[at:end])
        entries = tuple(Entry(name, text, field_lines) for name in field.names)
        self.parts.append(Section((), entries, field.of_attribute))
        return end

    def _stops_field(self, at: int) -> bool:
        line = self.lines[at]
        if is_other_heading(line) or underlined(self.lines, at) or field_at(line, self.names):
            return True
        return self.lines[at].rstrip().endswith(":") and self._is_heading(at)


_CAPITAL_HEADING = re.compile(r"\A\s*+[A-Z][\w ]*+:\s*+\Z")
_NOTHING = frozenset(("none", "n/a", "nothing", "-", "no arguments", "no parameters"))
