"""A help text as data: usage, description, options, commands, arguments.

One grammar serves all families. It looks at each line once, and keeps a bounded number of
everything: what it reads was written by a program that nobody vouches for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from ..watched_process import plain_text
from .notation import Spelling, is_type, read_spelling

# -- lines


MOST_LINES = 8_000
MOST_COLUMNS = 1_000
_MOST_BYTES = 800_000
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Characters that take no space, or reverse the order of others."""
_PANEL_TOP = re.compile(r"[╭┌+]─+ ([^─╮┐]{1,200}) ─*[╮┐+]?")
_BORDER = frozenset("│┃|")
_PANEL_END = frozenset("╰└")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: how far it is indented, and its text without blanks at either end."""

    indent: int
    text: str
    framed: bool = False
    """Whether it was in a panel, which is a table: two blanks separate its cells."""
    starred: bool = False
    """Whether a panel marks it as required."""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing on it."""
        return not self.text


def lines_of(output: bytes) -> list[Line]:
    """Return the lines of a help text without colours, control characters and frames."""
    text = plain_text(output[:_MOST_BYTES].decode("utf-8", "replace"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return [_line(row) for row in text.split("\n", MOST_LINES)[:MOST_LINES]]


def _line(text: str) -> Line:
    # Cut twice: a tab may become eight characters.
    plain = _UNSEEN.sub("", text[:MOST_COLUMNS].expandtabs(8)[:MOST_COLUMNS]).rstrip()
    visible = plain.lstrip()
    first = visible[:1]
    if first in ("╭", "┌"):  # rich draws a panel around each section
        top = _PANEL_TOP.match(visible)
        return Line(0, f"{top[1].strip()}:" if top is not None else "")
    if first in _PANEL_END:
        return Line(0, "")
    if first in _BORDER and visible[-1:] == first and len(visible) > 1:
        return _framed(" " + visible[1:-1].rstrip())
    return Line(len(plain) - len(visible), visible)


def _framed(plain: str) -> Line:
    starred = plain.lstrip().startswith("* ")
    if starred:
        plain = plain.replace("*", " ", 1)
    text = plain.lstrip()
    return Line(len(plain) - len(text), text, framed=True, starred=starred)


# -- pages


MOST_OPTIONS = 2_000
MOST_COMMANDS = 1_000
_MOST_TEXT = 2_000
_MOST_DESCRIPTION = 6_000
_MOST_USAGES = 30
_MOST_USAGE = 8_000
_LONGEST_HEADING = 80
_ENOUGH_VALUES = 5
"""Values in brackets that show how a whole text writes them."""

Part = Literal["text", "usage", "examples", "aliases", "commands", "arguments", "options"]
_USAGE = re.compile(r"usage(?: of [^:]{1,80})?:?(?: |$)", re.IGNORECASE)
_COMMANDS = re.compile(r"\b(?:sub-?)?commands?\b", re.IGNORECASE)
_ARGUMENTS = re.compile(
    r"(?:(?:positional|required) arguments|arguments|args|positionals)\b", re.IGNORECASE
)
_OPTIONS = re.compile(r"\b(?:options|flags|optional arguments|parameters)\b", re.IGNORECASE)
_EXAMPLES = re.compile(r"examples?\b", re.IGNORECASE)
_ALIASES = re.compile(r"aliases\b", re.IGNORECASE)
_COMMAND_ROW = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9_.+@-]|:(?=[A-Za-z0-9])){0,63}+):?"
    r"(?P<more>(?:(?:, |\|)[A-Za-z0-9][\w.-]{0,63}+){0,8})"
    r"(?: \((?P<inside>[\w.-]{1,63}+(?:, [\w.-]{1,63}+){0,8})\))?"
    r"(?P<taken>(?: [<\[{A-Z][^ ]{0,100}+){0,6})"
    r"\*?(?:  | - |$)"
)
_ARGUMENT_ROW = re.compile(r"(?P<name>[<\[{]{0,2}[A-Za-z0-9_][^ ]{0,200}+)(?: \.\.\.\]?)?(?:  |$)")


@dataclass(slots=True)
class OptionText:
    """An option as a help text shows it."""

    spelling: Spelling
    heading: str
    is_marked_required: bool = False
    text: str = ""
    has_gap: bool = False
    """Whether a blank line was passed: what follows is not the first paragraph."""
    more: str = ""
    """The paragraphs after the first."""


@dataclass(slots=True)
class CommandText:
    """A command in the list of a help text."""

    name: str
    aliases: tuple[str, ...] = ()
    text: str = ""


@dataclass(slots=True)
class Page:
    """A help text."""

    usages: list[str] = field(default_factory=list[str])
    starts_small: bool = False
    """Whether it says `usage:`, not `Usage:`."""
    description: list[str] = field(default_factory=list[str])
    examples: list[str] = field(default_factory=list[str])
    aliases: list[str] = field(default_factory=list[str])
    options: list[OptionText] = field(default_factory=list[OptionText])
    commands: list[CommandText] = field(default_factory=list[CommandText])
    arguments: dict[str, str] = field(default_factory=dict[str, str])
    is_framed: bool = False
    text: str = ""
    """All of it, without colours and frames."""

    @property
    def is_help(self) -> bool:
        """Whether it has anything that a help text has."""
        return bool(self.usages or self.options or self.commands)


def read_page(output: bytes) -> Page:
    """Read a help text."""
    reader = _PageReader()
    lines = lines_of(output)
    for line in lines:
        reader.add(line)
    page = reader.page
    page.options = _merged(page.options)
    _find_switches(page.options)
    page.usages = [usage[:_MOST_USAGE] for usage in page.usages]
    page.text = "\n".join(line.text for line in lines)
    return page


def _merged(options: list[OptionText]) -> list[OptionText]:
    """Return each option once: `--time` and `--time=WORD` are one whose value may be missing.

    What a description says of an option that is listed under a heading of options is left out.
    """
    listed = {
        flag
        for option in options
        if _OPTIONS.search(option.heading)
        for flag in option.spelling.flags
    }
    by_flags: dict[tuple[str, ...], OptionText] = {}
    for option in options:
        if not _OPTIONS.search(option.heading) and listed & set(option.spelling.flags):
            continue
        first = by_flags.setdefault(option.spelling.flags, option)
        if first is not option and not first.spelling.values and option.spelling.has_equals:
            option.spelling = replace(option.spelling, is_optional=True)
            by_flags[option.spelling.flags] = option
    return list(by_flags.values())


def _find_switches(options: list[OptionText]) -> None:
    """Mark the options without a value, where the text writes all values in brackets.

    A word that follows one of them is then the description, however few blanks are between.
    """
    values = [option.spelling for option in options if option.spelling.values]
    bracketed = [
        spelling.is_optional or spelling.values[0][:1] in ("<", "[") for spelling in values
    ]
    if len(values) < _ENOUGH_VALUES or not all(bracketed):
        return
    for option in options:
        if not option.spelling.values:
            option.spelling = replace(option.spelling, is_switch=True, is_certain=True)


class _PageReader:
    """Takes one line after another."""

    def __init__(self) -> None:
        self.page = Page()
        self.part: Part = "text"
        self.heading = ""
        self.option: OptionText | None = None
        self.command: CommandText | None = None
        self.argument = ""
        self.indent = 0
        """The indent of the entry that is being read."""
        self.row: int | None = None
        """The indent of the rows of this section."""
        self.columns = _Columns()
        self.described = 0
        self.was_blank = True
        self.has_subparsers = False

    def add(self, line: Line) -> None:
        self.page.is_framed |= line.framed
        if line.is_blank:
            self.blank()
        elif self.begins_usage(line):
            self.start("usage", "usage")
            self.page.starts_small |= line.text.startswith("usage")
            self.usage(_USAGE.sub("", line.text, count=1).strip())
        elif self.part == "usage" and self.option is None and self.usage_goes_on(line):
            self.usage(line.text)
        elif self.begins_section(line):
            self.start(self.part_of(line.text), line.text.rstrip(":"))
        elif self.continues(line):
            self.go_on(line)
        else:
            self.entry(line)
        self.was_blank = line.is_blank

    # -- where a part begins

    def start(self, part: Part, heading: str) -> None:
        self.part = part
        self.heading = heading[:_LONGEST_HEADING]
        self.option = self.command = None
        self.argument = ""
        self.row = None
        self.columns = _Columns()

    def begins_usage(self, line: Line) -> bool:
        return line.indent <= 1 and _USAGE.match(line.text) is not None and not self.page.usages

    def begins_section(self, line: Line) -> bool:
        text = line.text
        if line.indent > 1 or line.framed or text.startswith("-") or len(text) > _LONGEST_HEADING:
            return False
        if text.endswith(":"):
            return ". " not in text
        return self.was_blank and text.isupper() and text[0].isalpha()

    @staticmethod
    def part_of(heading: str) -> Part:
        if _EXAMPLES.match(heading):
            return "examples"
        if _ALIASES.match(heading):
            return "aliases"
        if _ARGUMENTS.match(heading):
            return "arguments"
        if _OPTIONS.search(heading):
            return "options"
        return "commands" if _COMMANDS.search(heading) else "text"

    # -- what continues a part

    def blank(self) -> None:
        if self.part == "usage" and self.page.usages:
            self.part = "text"
            self.heading = ""
        if self.option is not None:
            self.option.has_gap |= bool(self.option.text)
        if self.part == "examples":
            self.keep(self.page.examples, "")
        elif self.describes() and self.page.description:
            self.keep(self.page.description, "")

    def usage_goes_on(self, line: Line) -> bool:
        return line.indent > 0 and not line.text.startswith("-") and not line.framed

    def usage(self, text: str) -> None:
        if not text:
            return
        alternative = re.match(r"or:? +", text)
        usages = self.page.usages
        begins = alternative is not None or not usages or _first(text) == _first(usages[0])
        text = text[alternative.end() :] if alternative is not None else text
        if begins and len(usages) < _MOST_USAGES:
            usages.append(text)
        elif not begins and len(usages[-1]) < _MOST_USAGE:
            usages[-1] = f"{usages[-1]} {text}"
        self.has_subparsers |= text.endswith(" ...") and not text.endswith("] ...")

    def continues(self, line: Line) -> bool:
        """Return whether a line belongs to the entry above it."""
        if self.option is None and self.command is None and not self.argument:
            return False
        # A dash in the column of options begins one; further in it is text: `-1 means no limit`.
        if self.option is not None and line.text.startswith("-") and self.columns.fits(line):
            return False
        if self.argument and self.has_subparsers and self.row is not None:
            is_command = _COMMAND_ROW.match(line.text) is not None
            return line.indent > self.row + 2 or not is_command
        return line.indent > self.indent

    def go_on(self, line: Line) -> None:
        if self.option is not None:
            option = self.option
            if option.has_gap:
                option.more = _joined(option.more, line.text)
            else:
                option.text = _joined(option.text, line.text)
        elif self.command is not None:
            self.command.text = _joined(self.command.text, line.text)
        elif self.argument:
            text = self.page.arguments[self.argument]
            self.page.arguments[self.argument] = _joined(text, line.text)

    def keep(self, into: list[str], text: str) -> None:
        self.described += len(text) + 1
        if self.described < _MOST_DESCRIPTION:
            into.append(text)

    # -- entries

    def entry(self, line: Line) -> None:
        self.option = self.command = None
        self.argument = ""
        self.indent = line.indent
        if self.part == "examples":
            self.keep(self.page.examples, " " * min(line.indent, 8) + line.text)
            return
        if self.part == "aliases":
            self.page.aliases += [alias.strip() for alias in line.text.split(",")[:30]]
            return
        if line.text.startswith("-") and self.add_option(line):
            return
        if self.part == "usage" or (line.indent == 0 and not line.framed and self.is_list()):
            self.start("text", "")
        if self.part == "commands":
            self.add_command(line)
        elif self.part == "arguments":
            self.add_argument(line)
        elif self.describes():
            self.keep(self.page.description, line.text)

    def is_list(self) -> bool:
        return self.part in ("commands", "arguments")

    def describes(self) -> bool:
        """Return whether a text says what the command is for."""
        # Text below a list is a footer: an address for reports, or a hint to other commands.
        is_first = not self.page.options and not self.page.commands and not self.heading
        return self.part == "text" and (is_first or self.heading.lower() == "description")

    def add_option(self, line: Line) -> bool:
        page = self.page
        if line.indent == 0 or not self.columns.fits(line):
            return False  # a list with dashes in the description
        spelling = read_spelling(line.text, framed=line.framed)
        if spelling is None or len(page.options) >= MOST_OPTIONS:
            return False
        self.columns.learn(line)
        self.option = OptionText(spelling, self.heading, line.starred, spelling.rest[:_MOST_TEXT])
        page.options.append(self.option)
        return True

    def add_command(self, line: Line) -> None:
        if line.text.startswith("{"):  # argparse: the commands are below, further in
            self.row = None
            self.page.arguments.setdefault(line.text.partition("  ")[0][:200], "")
            return
        if self.row is None:
            self.row = line.indent
        match = _COMMAND_ROW.match(line.text)
        if match is None or line.indent != self.row or len(self.page.commands) >= MOST_COMMANDS:
            return
        more = re.findall(r"[\w.-]+", (match["more"] or "") + " " + (match["inside"] or ""))
        text = line.text[match.end() :].strip()
        self.command = CommandText(match["name"], tuple(more), text[:_MOST_TEXT])
        self.page.commands.append(self.command)

    def add_argument(self, line: Line) -> None:
        if self.row is None:
            self.row = line.indent
        if self.has_subparsers and line.indent == self.row + 2:
            row, self.row = self.row, line.indent
            self.add_command(line)
            self.row = row
            return
        match = _ARGUMENT_ROW.match(line.text)
        if match is None or line.indent != self.row or len(self.page.arguments) >= MOST_OPTIONS:
            return
        self.argument = match["name"]
        text = line.text[match.end() :].strip()
        kind, _, behind = text.partition("  ")
        if line.framed and kind and is_type(kind):
            text = behind.strip()
        self.page.arguments[self.argument] = text[:_MOST_TEXT]


class _Columns:
    """Where options begin: a dash further in begins text, not an option.

    `-x` has one column. Options without a short name begin in the same one, or three or four to the
    right of it, where the long names of others are.
    """

    _OFFSETS = (0, len("-x "), len("-x, "))

    def __init__(self) -> None:
        self.short: int | None = None
        self.long: int | None = None

    def fits(self, line: Line) -> bool:
        if line.framed:
            return True
        if line.text.startswith("--"):
            if self.long is not None:
                return line.indent == self.long
            return self.short is None or line.indent - self.short in self._OFFSETS
        if self.short is not None:
            return line.indent == self.short
        return self.long is None or self.long - line.indent in self._OFFSETS

    def learn(self, line: Line) -> None:
        if line.framed:
            return
        if line.text.startswith("--"):
            self.long = line.indent
        else:
            self.short = line.indent


def _first(text: str) -> str:
    return text.partition(" ")[0]


def _joined(text: str, more: str) -> str:
    return f"{text} {more}".strip() if len(text) < _MOST_TEXT else text


# -- the commands that pages are about


@dataclass(slots=True, eq=False)
class Node:
    """One command of a program that is being scanned."""

    path: tuple[str, ...]
    page: Page
    parent: Node | None = None
    listed: CommandText | None = None
    """How its parent lists it."""
    completed: frozenset[str] | None = None
    """The long flags that completion lists; None if it was not asked."""
    required: frozenset[str] = frozenset()
    unshown: list[OptionText] = field(default_factory=list[OptionText])
    """Options that only completion lists."""

    def above(self) -> Iterator[Node]:
        """Yield its parent, its parent's parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def repeats_an_ancestor(self) -> bool:
        """Return whether its help is that of a command above it, as when help lists itself."""
        shape = self._shape()
        return bool(shape[0]) and any(ancestor._shape() == shape for ancestor in self.above())  # noqa: SLF001

    def _shape(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        return (
            tuple(command.name for command in self.page.commands),
            tuple(option.spelling.flags for option in self.page.options),
        )
