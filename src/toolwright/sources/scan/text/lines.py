"""Plain lines of a help text, bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...running.plain_text import plain_text

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
