"""Output of the command: plain when it is piped, coloured on a terminal."""

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
    """Keep standard output for ourselves."""
    global _out  # noqa: PLW0603 - there is one standard output
    private = os.dup(1)
    os.dup2(2, 1)
    _out = os.fdopen(private, "w", encoding="utf-8", errors="backslashreplace")
    sys.stdout = sys.stderr


def flush() -> None:
    """Let nothing wait."""
    _out.flush()


def drop() -> None:
    """Whoever read our output has enough: there is nowhere to say so when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), _out.fileno())


def write(text: str) -> None:
    """Write a text as it is."""
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
    """Print names, and what is said of each."""
    if _out.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, pad_edge=False)
        for name, said in rows:
            # As it is: what people write is no markup.
            table.add_row(Text(name, style="bold"), Text(said, overflow="fold"))
        Console(file=_out).print(table)
        return
    width = max((len(name) for name, _ in rows), default=0)
    for name, said in rows:
        say(f"{name.ljust(width)}  {said}".rstrip())


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
