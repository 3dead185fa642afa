"""`export`: write the list of tools as clients get it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ...arguments.wording import count_of
from .. import output
from ..load import add_target, open_target
from ..usage import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    parser.add_argument(
        "-o",
        "--output",
        default="mcp-tools.json",
        metavar="FILE",
        help="where to (%(default)s; - is standard output)",
    )
    parser.add_argument(
        "--bare", action="store_true", help="the array of tools, without the object around it"
    )
    output.add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """Write the list of tools to a file or to standard output."""
    box, usable = open_target(chosen)
    tools = json.loads(box.to_mcp_json())
    written = tools["tools"] if chosen.bare else tools
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    if chosen.output == "-":
        output.write(text)
        return 0 if usable else 1
    try:
        Path(chosen.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{chosen.output} cannot be written: {error.strerror}") from error
    count = len(tools["tools"])
    if chosen.json:
        output.print_json({"file": chosen.output, "tools": count})
    else:
        output.say(f"{count_of(count, 'tool')} written to {chosen.output}")
    return 0 if usable else 1
