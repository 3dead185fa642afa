"""`export`: write the tools as clients or providers get them."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from ..._files import replace_file
from ..._log.printable import say
from ..._words import count_of
from .. import output
from ..load import add_target, open_target
from ..usage import UsageError

if TYPE_CHECKING:
    from ...dialects.rendered import Rendered

_MOST_LOSSES = 50
"""How many losses are printed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser, strict=None)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to (mcp-tools.json, or openai-tools.json; - is standard output)",
    )
    parser.add_argument(
        "--bare", action="store_true", help="the array of tools, without the object around it"
    )
    parser.add_argument(
        "--for",
        dest="dialect",
        metavar="NAME",
        help="as a provider or client takes them: openai, anthropic, gemini, cursor ...",
    )
    parser.add_argument(
        "--strict",
        dest="enforce",
        action="store_true",
        help="with --for: the provider is asked to enforce the schemas",
    )
    parser.add_argument(
        "--prefix", default="", help="what the client puts before names; it adds to their length"
    )
    output.add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """Write the tools to a file or to standard output."""
    _check(chosen)
    box, usable = open_target(chosen)
    if not usable:
        return 1
    if chosen.dialect:
        rendered = box.render(chosen.dialect, strict=chosen.enforce, prefix=chosen.prefix)
        _show_losses(rendered)
        written: Any = rendered.definitions
        count = len(rendered.names)
    else:
        written = json.loads(box.to_mcp_json())
        count = len(written["tools"])
        written = written["tools"] if chosen.bare else written
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    file: str = chosen.output or f"{chosen.dialect or 'mcp'}-tools.json"
    if file == "-":
        output.write(text)
        return 0
    try:
        replace_file(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error
    if chosen.json:
        output.print_json({"file": file, "tools": count})
    else:
        output.say(f"{count_of(count, 'tool')} written to {file}")
    return 0


def _check(chosen: argparse.Namespace) -> None:
    """Refuse flags that do not go together, before anything is imported. Raises `UsageError`."""
    if chosen.dialect:
        from ...dialects.known import dialect_named

        try:
            dialect_named(chosen.dialect)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if chosen.bare:
            raise UsageError("--bare is for the list of MCP; with --for there is nothing around it")
    elif chosen.enforce:
        raise UsageError(
            "--strict needs --for: the provider is asked to enforce the schemas "
            "(`toolwright list --strict` fails if a tool is refused)"
        )
    elif chosen.prefix:
        raise UsageError("--prefix needs --for: it adds to the length of names in a client")


def _show_losses(rendered: Rendered) -> None:
    """Say what could not be expressed."""
    for loss in rendered.losses[:_MOST_LOSSES]:
        say(f"note: {loss}")
    if len(rendered.losses) > _MOST_LOSSES:
        say(f"note: {len(rendered.losses) - _MOST_LOSSES} more losses")
