"""Output of the command: plain in a pipe, coloured on a terminal."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, TextIO

from .terminal import is_coloured, printable

_out: TextIO = sys.stdout
"""Where our own output goes: what a target prints goes to standard error."""
_MOST_COLOURED = 200_000
"""Characters; colouring more would take seconds."""


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`, which makes the output JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON")


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
    """Return whether our output is seen on a terminal."""
    return _out.isatty()


def has_colours() -> bool:
    """Return whether our output is a terminal on which colours are wished."""
    return is_coloured(_out)


def say(text: str) -> None:
    """Write a line; on a terminal, one that does not command it."""
    print(printable(text) if is_terminal() else text, file=_out)


def print_json(value: Any) -> None:
    """Print JSON."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if not has_colours() or len(text) > _MOST_COLOURED:
        say(text)
        return
    from rich.highlighter import JSONHighlighter

    print_styled(JSONHighlighter()(printable(text)))


def print_styled(*parts: Any) -> None:
    """Print what `rich` can show, on a terminal; the terminal breaks long lines."""
    from rich.console import Console

    Console(file=_out, highlight=False, soft_wrap=True).print(*parts)


def print_rows(rows: list[tuple[str, str]]) -> None:
    """Print names, each with its description."""
    if _out.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, pad_edge=False)
        for name, text in rows:
            # As plain text: a description may look like markup.
            table.add_row(
                Text(printable(name), style="bold"), Text(printable(text), overflow="fold")
            )
        Console(file=_out).print(table)
        return
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        say(f"{name.ljust(width)}  {text}".rstrip())


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.split("\n", 1)[0]
