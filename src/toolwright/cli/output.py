"""Output of the command: coloured on a terminal, else plain."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from .._files import replace_file
from .._log.printable import printable
from .terminal import THEME, is_coloured
from .usage import UsageError

if TYPE_CHECKING:
    from rich.console import Console

_out: TextIO = sys.stdout
"""Where our own output goes: what a target prints goes to standard error."""
_HANGING = 8
"""By how much the second line of a signature is indented."""
_GLUE = "\ue000"
"""Stands for a space at which no line is broken; nobody writes this character."""
_MOST_COLOURED = 200_000
"""Characters; colouring more would take seconds."""


def write_file(file: str, text: str) -> None:
    """Write a file. Raises `UsageError`."""
    try:
        replace_file(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def claim() -> None:
    """Keep standard output for ourselves; what a target prints goes to standard error."""
    global _out  # noqa: PLW0603 - there is one standard output
    private = os.dup(1)
    os.dup2(2, 1)
    _out = os.fdopen(private, "w", encoding="utf-8", errors="backslashreplace")
    sys.stdout = sys.stderr


def flush() -> None:
    """Write out what is buffered."""
    _out.flush()


def drop() -> None:
    """Point our output at /dev/null: its reader is gone, and the final flush must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _out.fileno())


def write(text: str) -> None:
    """Write a text unchanged."""
    _out.write(text)


def is_terminal() -> bool:
    """Return whether our output is a terminal."""
    return _out.isatty()


def has_colours() -> bool:
    """Return whether our output is a terminal on which colours are wanted."""
    return is_coloured(_out)


def say(text: str) -> None:
    """Write a line; no text in it can control a terminal."""
    print(printable(text) if is_terminal() else text, file=_out)


def print_json(value: Any) -> None:
    """Print JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if not has_colours() or len(text) > _MOST_COLOURED:
        say(text)
        return
    from rich.highlighter import JSONHighlighter

    print_styled(JSONHighlighter()(printable(text)))


def _console() -> Console:
    from rich.console import Console
    from rich.theme import Theme

    return Console(file=_out, highlight=False, no_color=not has_colours(), theme=Theme(THEME))


def print_styled(*parts: Any) -> None:
    """Print what `rich` can show, on a terminal; the terminal breaks long lines."""
    _console().print(*parts, soft_wrap=True)


def print_finding(text: Any, indent: int) -> None:
    """Print a styled line of a report on a terminal; long ones continue below, indented."""
    from rich.text import Text

    console = _console()
    first, *later_lines = text.wrap(console, max(console.width - indent, indent))
    console.print(first, *(Text(" " * indent) + line for line in later_lines), sep="\n")


def print_entries(entries: Sequence[tuple[str, str]]) -> None:
    """Print signatures with their descriptions: below them on a terminal, else after a tab."""
    if not is_terminal():
        for head, text in entries:
            say(f"{head}\t{text}" if text else head)
        return
    from rich.padding import Padding
    from rich.text import Text

    console = _console()
    for head, text in entries:
        # A line ends after a comma, not inside an argument.
        glued = printable(head).replace(" ", _GLUE).replace(f",{_GLUE}", ", ")
        lines = Text(glued).wrap(console, max(console.width - _HANGING, _HANGING))
        for index, line in enumerate(lines):
            signature = Text(line.plain.replace(_GLUE, " "))
            if index == 0 and has_colours():
                signature.stylize("bold", 0, len(head.partition("(")[0]))
            console.print(Padding(signature, (0, 0, 0, _HANGING if index else 0), expand=False))
        if text:
            style = "dim" if has_colours() else ""
            console.print(Padding(Text(printable(text), style=style), (0, 0, 0, 4), expand=False))


def print_heading(text: str) -> None:
    """Print a line above a part of the output."""
    if not has_colours():
        say(text)
        return
    from rich.text import Text

    print_styled(Text(printable(text), style="bold underline"))


def print_text(text: str) -> None:
    """Print prose; a terminal breaks its lines between words."""
    if not is_terminal():
        say(text)
        return
    from rich.text import Text

    _console().print(Text(printable(text)))


def print_hanging(text: str, indent: int) -> None:
    """Print a line; a terminal breaks it between words, and later lines are indented."""
    if not is_terminal():
        say(text)
        return
    import shutil
    import textwrap

    wrapper = textwrap.TextWrapper(
        max(shutil.get_terminal_size().columns, indent + 20),
        subsequent_indent=" " * indent,
        drop_whitespace=True,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in text.split("\n"):
        say(wrapper.fill(line) if line.strip() else "")


def print_rows(rows: Sequence[Sequence[str]], indent: int = 0) -> None:
    """Print names in columns, each with its description in the last one."""
    if is_terminal():
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, pad_edge=False)
        for name, *texts in rows:
            # As plain text: a description may look like markup.
            cells = [Text(printable(text), overflow="fold") for text in texts]
            style = "bold" if has_colours() else ""
            table.add_row(Text(printable(name), style=style, overflow="fold"), *cells)
        _console().print(Padding(table, (0, 0, 0, indent), expand=False))
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        say((" " * indent + "  ".join(padded)).rstrip())
