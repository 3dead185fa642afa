"""How a help text spells an option and its value.

One grammar for all families: `-o, --output FILE`, `--output=FILE`, `--color[=WHEN]`,
`--tag stringArray`, `--shout / --no-shout`, `-f FILE, --file=FILE`, `--[no-]verify`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FLAG = re.compile(
    r"--(?P<can_no>\[no-?\])?[A-Za-z0-9](?:[A-Za-z0-9_+:-]|\.(?=[A-Za-z0-9_]))*"
    r"|-[A-Za-z][A-Za-z0-9_-]+"
    r"|-(?P<short>[^\s,=\[\]<>|/-])(?!(?P=short))"  # not `-###`
)
_BETWEEN = re.compile(r"(?:, ?| ?\| ?| or )(?=-)|,(?=-)")
_LONG_FOLLOWS = re.compile(r" (?=--[A-Za-z])")
_OPPOSITE = re.compile(r" ?/ ?(?=-)")
_CAPITALS = re.compile(r"[A-Z0-9%+][A-Z0-9_.:/|,=+@*?#-]*(?:\.\.\.)?")
_QUOTED_END = re.compile(r"':(?= |$)")
_DEFAULT_END = re.compile(r":(?= |$)")
_CLOSES = {"<": ">", "[": "]", "{": "}", "(": ")"}
_MOST_VALUES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The part of an option's line before its description."""

    flags: tuple[str, ...]
    negatives: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """The values that it takes, as written; empty for a switch."""
    is_optional: bool = False
    """Whether its value may be missing: `--color[=WHEN]`."""
    repeats: bool = False
    """Whether three dots follow it."""
    has_equals: bool = False
    shown_default: str | None = None
    """The value in `--replicas=1:`, which is how kubectl writes defaults."""
    is_certain: bool = True
    """Whether it is clear where the spelling ends and the description begins."""
    is_switch: bool = False
    """Whether it takes no value by how the whole text writes values."""
    rest: str = ""
    """The description, as far as it is on the same line."""


def read_spelling(text: str, *, framed: bool = False) -> Spelling | None:
    """Return how the option that a line begins with is spelled; None if there is none."""
    reader = _Reader(text)
    if framed:
        return reader.cells()
    return reader.line()


class _Reader:
    """Reads one line from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: list[str] = []
        self.negatives: list[str] = []
        self.values: tuple[str, ...] = ()
        self.is_optional = False
        self.repeats = False
        self.has_equals = False
        self.shown_default: str | None = None
        self.is_certain = True

    def line(self) -> Spelling | None:
        current = self.flags
        while self.flag(current):
            self.value()
            between = _BETWEEN.match(self.text, self.at) or self.long_behind_short(current)
            if between is None:
                between = _OPPOSITE.match(self.text, self.at)
                current = self.negatives if between is not None else current
            if between is None:
                break
            self.at = between.end()
        return self.spelling(self.text[self.at :].strip())

    def long_behind_short(self, flags: list[str]) -> re.Match[str] | None:
        """Return the blank in `-H --host`, as systemd writes it."""
        is_short = len(flags[-1]) == len("-H") and not self.values
        return _LONG_FOLLOWS.match(self.text, self.at) if is_short else None

    def cells(self) -> Spelling | None:
        """Read a row of a table: flags, more flags, what it takes, the description."""
        cells = [cell for cell in self.text.split("  ") if cell.strip()]
        index = 0
        while index < len(cells) and cells[index].strip().startswith("-"):
            for flag in re.split(r"[,\s]+", cells[index].strip()[:200]):
                if _FLAG.fullmatch(flag):
                    self.flags.append(flag)
            index += 1
        remaining = [cell.strip() for cell in cells[index:]]
        if remaining:
            kind, bracket, limits = remaining[0].partition(" [")  # `<int range> [1<=x<=3]`
            if is_type(kind if bracket else remaining[0]):
                self.values = (kind if bracket else remaining[0],)
                remaining[0] = bracket.strip() + limits
        return self.spelling("  ".join(filter(None, remaining)))

    def spelling(self, description: str) -> Spelling | None:
        if not self.flags:
            return None
        flags, negatives = list(dict.fromkeys(self.flags)), list(dict.fromkeys(self.negatives))
        for flag in list(flags):
            if f"--no-{flag[2:]}" in flags and flag.startswith("--"):
                flags.remove(f"--no-{flag[2:]}")
                negatives.append(f"--no-{flag[2:]}")
        return Spelling(
            flags=tuple(flags),
            negatives=tuple(dict.fromkeys(negatives)),
            values=self.values,
            is_optional=self.is_optional,
            repeats=self.repeats,
            has_equals=self.has_equals,
            shown_default=self.shown_default,
            is_certain=self.is_certain,
            rest=description.removeprefix(": "),  # `-q       : say nothing`
        )

    def flag(self, into: list[str]) -> bool:
        match = _FLAG.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        word = match[0]
        if match["can_no"]:
            word = word.replace(match["can_no"], "", 1)
            self.negatives.append(f"--no-{word[2:]}")
        into.append(word)
        return True

    def value(self) -> None:
        """Read what follows a flag, if it is something that the flag takes."""
        ahead = self.text[self.at : self.at + 2]
        if ahead.startswith("="):
            self.has_equals = True
            self.at += 1
            self.take_behind_equals()
        elif ahead[:1] in ("[", "<"):
            group = self.group(self.at)
            if group:
                self.at += len(group)
                self.is_optional = ahead[0] == "["
                self.has_equals |= "=" in ahead
                self.values = (group[1:-1].removeprefix("=") if ahead[0] == "[" else group,)
        elif ahead[:1] == " " and ahead[1:] not in (" ", ""):
            self.take_behind_blank()
        if self.text.startswith("...", self.at):
            self.at += 3
            self.repeats = True

    def take_behind_equals(self) -> None:
        default = _shown_default(self.text, self.at)
        if default is not None:
            self.at += len(default) + len(":")
            self.shown_default = default
            self.values = (default,)
            return
        word = self.word(self.at)
        self.at += len(word)
        bare = word.rstrip(".:")
        self.repeats |= word != bare and word.endswith("...")
        self.values = (bare or word,)

    def take_behind_blank(self) -> None:
        end = self.text.find("  ", self.at + 1)
        segment = self.text[self.at + 1 : end if end >= 0 else None]
        words = _words(segment)
        if segment.startswith("-") or not words or words[0] in ("/", "|", "or"):
            return  # another flag
        # It is another flag of the same option only after a comma or a slash.
        upto = next((index for index, word in enumerate(words) if word.endswith(",")), len(words))
        if upto < len(words) and words[upto + 1 : upto + 2] and words[upto + 1].startswith("-"):
            words = [word for word in (*words[:upto], words[upto].rstrip(",")) if word]
            if not words:
                self.is_certain = False  # `-s , --shout`
                return
        count = 0
        while count < min(len(words), _MOST_VALUES) and _is_value(words[count]):
            count += 1
        if count == len(words):
            self.take(words)
        elif count and words[0][0] in _CLOSES:  # `--ciphers <list> SSL ciphers to use`
            literals = (
                index
                for index in range(count)
                if words[index][0] not in _CLOSES and words[index] != "..."
            )
            self.take(words[: next(literals, count)])
        elif count:
            self.take(words[:1])  # `--level N be as loud as N`: or is N the first word of the text?
            self.is_certain = False
        elif len(words) == 1:
            self.take(words)
        else:
            self.is_certain = False  # the description, one blank after the flag

    def take(self, words: list[str]) -> None:
        self.at += 1 + len(" ".join(words))
        joined = words[-1]
        self.repeats |= joined.endswith("...") and len(joined) > len("...")
        if joined.endswith("...") and len(joined) > len("..."):
            words = [*words[:-1], joined[: -len("...")]]
        marked = re.match(r"([^\[]{1,80})\[=(.{0,200})\]$", words[0]) if len(words) == 1 else None
        if marked is not None:  # pflag: `string[="all"]`
            self.is_optional = True
            self.values = (marked[1],)
            return
        # Not `[protocol://]host[:port]`, which only begins and ends with something optional.
        if len(words) == 1 and words[0][0] == "[" and _Reader(words[0]).group(0) == words[0]:
            placeholder = words[0][1:-1]
            if (
                placeholder
                and "|" not in placeholder
                and "," not in placeholder
                and "%" not in placeholder
            ):
                self.is_optional = True
                words = [placeholder]
        self.values = tuple(words)

    def group(self, start: int) -> str:
        """Return a text in brackets, including them; empty if they are not closed."""
        depth = 0
        for index in range(start, min(len(self.text), start + 300)):
            if self.text[index] in _CLOSES:
                depth += 1
            elif self.text[index] in _CLOSES.values():
                depth -= 1
                if depth == 0:
                    return self.text[start : index + 1]
        return ""

    def word(self, start: int) -> str:
        """Return a word; blanks and commas in brackets are part of it."""
        end = start
        while end < len(self.text) and self.text[end] not in " ,":
            group = self.group(end) if self.text[end] in _CLOSES else ""
            end += len(group) or 1
        return self.text[start:end]


def _shown_default(text: str, start: int) -> str | None:
    """Return the default that kubectl writes in place of a value: `--replicas=1: How many.`.

    The description may be on the next line. A text is in quotes, which do not end where the text
    has one itself. A word in capitals before the colon is what the option takes: `--file=FILE:`.
    """
    quote = text[start : start + 1]
    if quote == "'":
        ends = _QUOTED_END.search(text, start + 1)
        end = ends.start() + 1 if ends is not None else -1
    elif quote == "[":
        end = text.find("]", start) + 1 or -1
    else:
        ends = _DEFAULT_END.search(text, start)
        end = ends.start() if ends is not None else -1
    if end < 0 or not _DEFAULT_END.match(text, end):
        return None
    default = text[start:end]
    is_literal = quote in ("'", "[")
    if not is_literal and (" " in default or quote in _CLOSES or default.isupper()):
        return None
    return default


def _words(segment: str) -> list[str]:
    """Return the words of a text; one in brackets is one word."""
    words: list[str] = []
    start = 0
    reader = _Reader(segment)
    while start < len(segment) and len(words) <= _MOST_VALUES + 1:
        if segment[start] == " ":
            start += 1
            continue
        end = start
        while end < len(segment) and segment[end] != " ":
            group = reader.group(end) if segment[end] in _CLOSES else ""
            end += len(group) or 1
        words.append(segment[start:end])
        start = end
    return words


def _is_value(word: str) -> bool:
    return (
        word.startswith(("<", "[", "{")) or word == "..." or _CAPITALS.fullmatch(word) is not None
    )


def is_type(cell: str) -> bool:
    """Return whether a cell of a table says what an option takes."""
    words = cell[:300].split(" ")
    if cell.startswith("["):
        return cell.endswith("]") and ":" not in cell.replace("%H:%M", "") and "|" in cell
    return cell.startswith("<") or all(_CAPITALS.fullmatch(word) for word in words)
