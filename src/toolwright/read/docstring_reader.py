"""Takes a docstring apart, line by line.

Everything here goes through the lines once: a docstring may be long, and may come from anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .._words import one_line, truncate
from .docstring_parts import PARAMETERS, Docstring, Entry, Section


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
_LISTED_NAME = r"""(?:etc\.|\.\.\.|[`*\\"']*+(?:\w|\\_)++[`*"']*+)"""
_NAMES = re.compile(rf"\A\s*+{_LISTED_NAME}(?:\s*+[,/&]\s*+{_LISTED_NAME})*+")
_LOOSE_NAMES = re.compile(
    rf"\A\s*+{_LISTED_NAME}(?:(?:\s*+[,/&]|\s++(?:and|or)\s)\s*+{_LISTED_NAME})*+"
)
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


class Field(NamedTuple):
    """One field: the parameters that it names, and the text on its first line."""

    names: tuple[str, ...]
    text: str
    is_type: bool = False
    of_attribute: bool = False


_START = re.compile(
    r"\A\s*+[:@](?P<kind>(?:param(?:eter)?|arg(?:ument)?|key(?:word)?|kwarg|kwparam)s?"
    r"|(?:param|arg|kw|var|attr)?type|[ic]?var)(?=[\s:])"
)
# Any field: a role such as :class:`X` has a quote after it.
_ANY_FIELD = re.compile(r"\A\s*+(?::[A-Za-z][^:`]*+:(?:\s|\Z)|@[A-Za-z]++(?:\s++[^:]++)?+:)")
_BROKEN_FIELD = re.compile(r"\A\s*+[:@](?:returns?|rtype|raises?|yields?|throws)\b")
_NAMED = re.compile(r"\A\s*+:(?:(?=[*\\])[*\\]++(?P<starred>\w++):?+|(?P<name>\w++):)(?:\s++|\Z)")
_NAME = re.compile(r"\A\w++\Z")


def is_field(line: str) -> bool:
    """Return whether a line begins a field of any kind."""
    return _ANY_FIELD.match(line) is not None or _START.match(line) is not None


def names_parameter(line: str) -> bool:
    """Return whether a line begins a field about a parameter."""
    return _START.match(line) is not None


def field_at(line: str, names: frozenset[str]) -> Field | None:
    """Read the field that begins at a line, if one does and it can be read."""
    start = _START.match(line)
    if start is None:
        match = _NAMED.match(line) if names else None
        name = (match["name"] or match["starred"]) if match else ""
        return Field((name,), line[match.end() :]) if match and name in names else None
    is_type = start["kind"].endswith("type")
    of_attribute = start["kind"].endswith("var")
    end = _end_of_name(line, start.end())
    if end >= 0:
        names_there = _names(line[start.end() : end])
        if names_there:
            return Field(names_there, line[end + 1 :], is_type, of_attribute)
    # A colon that is misplaced or missing: the first word names the parameter.
    behind = line[start.end() :].lstrip(": \t")
    name, _, text = behind.partition(" ")
    name = name.rstrip(":,-")
    return Field((name,), text.lstrip(":- \t"), is_type, of_attribute) if name in names else None


def _end_of_name(line: str, start: int) -> int:
    """Find the colon that ends the name: one outside of quotes, with a space after it."""
    within = False
    first = -1
    for column in range(start, len(line)):
        within ^= line[column] == "`"
        if line[column] == ":" and not within:
            if column + 1 == len(line) or line[column + 1].isspace():
                return column
            first = column if first < 0 else first
    return first


def _names(typed: str) -> tuple[str, ...]:
    """Return the names in the text before the colon; the type, if any, comes first."""
    words = typed.split()
    several = [_name(part) for part in typed.split(",")]
    if all(several):
        return tuple(several)
    several = [_name(part) for part in words[-1].split(",")] if words else []
    if several and all(several):
        return tuple(several)
    # The type may follow the name, in brackets.
    first = _name(words[0]) if len(words) > 1 and words[1].startswith("(") else ""
    return (first,) if first else ()


def _name(text: str) -> str:
    name = plain_name(text.partition("=")[0])
    return name if _NAME.match(name) else ""


def end_of_field(
    lines: Sequence[str], at: int, quoted: Sequence[bool], stops: Callable[[int], bool]
) -> int:
    """Find where a field ends.

    What is indented more belongs to it, including paragraphs and lists. So do lines that are not
    indented, up to a blank line or the start of something else.
    """
    base = indent(lines[at])
    end = at + 1
    gap = False
    for index in range(at + 1, len(lines)):
        line = lines[index]
        if not line.strip():
            gap = True
            continue
        if not quoted[index] and _START.match(line):
            break
        if indent(line) <= base and (gap or indent(line) < base or _begins(line) or stops(index)):
            break
        end, gap = index + 1, False
    return end


def _begins(line: str) -> bool:
    return (
        line.lstrip().startswith((".. ", ">>>", "```"))
        or is_field(line)
        or _BROKEN_FIELD.match(line) is not None
    )


def clean(text: str) -> list[str]:
    """Return the lines of a docstring without their common indent and the blank lines around them.

    The same as `inspect.cleandoc`, but in linear time for any text.
    """
    lines = text.replace("\r\n", "\n").expandtabs().split("\n")
    margin = min((indent(line) for line in lines[1:] if line.strip(" ")), default=0)
    cleaned = [lines[0].lstrip(" "), *(line[margin:] for line in lines[1:])]
    filled = [index for index, line in enumerate(cleaned) if line]
    return cleaned[filled[0] : filled[-1] + 1] if filled else []


def indent(line: str) -> int:
    """Count the spaces in front of a line."""
    return len(line) - len(line.lstrip())


def underlined(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is a NumPy heading: one with a rule below it."""
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return bool(lines[at].strip()) and len(following) > 2 and not following.strip("-=")


_RULE = re.compile(r"^[^\S\n]*+[-=]{3}", re.MULTILINE)


def has_rule(text: str) -> bool:
    """Return whether a line of a text may be the rule below a NumPy heading."""
    return _RULE.search(text) is not None


_ITEM = re.compile(r"\A\s*+(?:[-*+\u2022]|\d++[.)])\s")


def starts_item(line: str) -> bool:
    """Return whether a line starts an item of a list."""
    return _ITEM.match(line) is not None


_OTHER_HEADING = re.compile(
    r"\A\s*+(?:returns?|yields?|receives?|raises?|exceptions|warns|warnings?|examples?|usage|notes?"
    r"|see also|references|todo|tips?|methods|functions|classes|modules)\s*+:\s*+\Z",
    re.IGNORECASE,
)


def is_other_heading(line: str) -> bool:
    """Return whether a line heads a Google section that is not about parameters."""
    return _OTHER_HEADING.match(line) is not None


# -- what is quoted

_CODE = re.compile(r"\A\s*+(?:async\s++def|def|class)\s[^\n]*+\Z")
_FENCE = re.compile(r"\A\s*+(?:```|~~~)")
_PROMPT = re.compile(r"\A\s*+>>>(?:\s|\Z)")


def quoted(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it belongs to code or to a block of its own.

    That is: what is indented below a line that ends with `::`, below a directive, below another
    section's heading, or below the head of a function or class; what is between fences, or
    between triple quotes, as the docstring of a function in an example is; and an example with
    `>>>`, with its output.
    """
    fenced = [a or b for a, b in zip(_fenced(lines), _in_text(lines), strict=True)]
    flags: list[bool] = []
    opener = -1  # the indent of the line that opened the block, or -1 outside of any
    prompt = False
    for line, inside in zip(lines, fenced, strict=True):
        blank = not line.strip()
        if not blank and indent(line) <= opener:
            opener = -1
        prompt = not blank and (prompt or (">>>" in line and _PROMPT.match(line) is not None))
        within = inside or opener >= 0 or prompt
        flags.append(within)
        if not blank and not within and _opens(line):
            opener = indent(line)
    return flags


def _opens(line: str) -> bool:
    text = line.rstrip()
    if "::" in text and (text.endswith("::") or text.lstrip().startswith(".. ")):
        return True
    if not text.endswith(":"):
        return False
    return is_other_heading(text) or _CODE.match(text) is not None


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is between fences; an unclosed fence does not count."""
    marked = ((index, line) for index, line in enumerate(lines) if "```" in line or "~~~" in line)
    rules = [index for index, line in marked if _FENCE.match(line)]
    flags = [False] * len(lines)
    for start, end in zip(rules[::2], rules[1::2], strict=False):
        flags[start : end + 1] = [True] * (end + 1 - start)
    return flags


def _in_text(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is between triple quotes; those that stay open do not count."""
    flags = [False] * len(lines)
    for quotes in ('"""', "'''"):
        rules = [index for index, line in enumerate(lines) if line.count(quotes) % 2]
        for start, end in zip(rules[::2], rules[1::2], strict=False):
            flags[start : end + 1] = [True] * (end + 1 - start)
    return flags


# -- what an entry says


def joined(first: str, rest: Sequence[str]) -> str:
    """Put an entry's lines together: wrapped lines become one, paragraphs and lists stay."""
    margin = min((indent(line) for line in rest if line.strip()), default=0)
    pieces: list[str] = [first.strip()] if first.strip() else []
    after_blank = False
    for line in (line_below[margin:].rstrip() for line_below in rest):
        if not line:
            after_blank = bool(pieces)
            continue
        if after_blank:
            pieces.append("\n\n" + line)
        elif not pieces:
            pieces.append(line)
        elif starts_item(line) or line != line.lstrip():
            pieces.append("\n" + line)
        else:
            pieces.append(" " + line)
        after_blank = False
    return "".join(pieces).strip()


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
