"""Output of the command: plain in a pipe, coloured on a terminal."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, TextIO

from .terminal import image_for

_out: TextIO = sys.stdout
"""Where our own output goes: what a target prints goes to standard error."""


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


def say(text: str) -> None:
    """Write a line."""
    print(text, file=_out)


def print_json(value: Any) -> None:
    """Print JSON."""
    if _out.isatty():
        from rich.console import Console

        Console(file=_out).print_json(data=value)
    else:
        say(json.dumps(value, indent=2, ensure_ascii=False))


def print_rows(rows: list[tuple[str, str]]) -> None:
    """Print names, each with its description."""
    if _out.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, pad_edge=False)
        for name, text in rows:
            # As plain text: a description may look like markup.
            table.add_row(Text(name, style="bold"), Text(text, overflow="fold"))
        Console(file=_out).print(table)
        return
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        say(f"{name.ljust(width)}  {text}".rstrip())


def print_content(blocks: list[dict[str, Any]]) -> None:
    """Print the content of a result."""
    for block in blocks:
        if block["type"] == "text":
            say(block["text"])
        elif _out.isatty() and (shown := image_for(block)):
            say(shown)
        else:
            kind = block.get("mimeType") or block.get("resource", {}).get("mimeType", "")
            say(f"[{block['type']} {kind}; use --json to see it]".replace(" ;", ";"))


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.split("\n", 1)[0]
