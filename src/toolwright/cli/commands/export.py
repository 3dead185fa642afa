"""`export`: write the tools as clients or providers get them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..._log.printable import say
from ..._words import count_of
from .. import output
from ..command import TargetCommand, option, switch
from ..load import open_target
from ..usage import UsageError

if TYPE_CHECKING:
    from ...dialects.rendered import Rendered

_MOST_LOSSES = 50
"""How many losses are printed."""


class ExportCommand(TargetCommand):
    """Writes the tools as clients or providers get them."""

    output: str | None = option(
        "where to (mcp-tools.json, or openai-tools.json; - is standard output)",
        "-o",
        "--output",
        metavar="FILE",
    )
    bare: bool = switch("the array of tools, without the object around it")
    dialect: str | None = option(
        "as a provider or client takes them: openai, anthropic, gemini, cursor ...",
        "--for",
        metavar="NAME",
    )
    strict: bool = False
    enforce: bool = switch("with --for: the provider is asked to enforce the schemas", "--strict")
    prefix: str = option("what the client puts before names; it adds to their length", default="")
    json: bool = switch("print JSON")

    def run(self) -> int:
        """Write them to a file or to standard output."""
        _check(self)
        opened = open_target(self)
        if not opened.usable:
            return 1
        box = opened.box
        if self.dialect:
            rendered = box.render(self.dialect, strict=self.enforce, prefix=self.prefix)
            _show_losses(rendered)
            definitions: Any = rendered.definitions
            count = len(rendered.names)
        else:
            definitions = json.loads(box.to_mcp_json())
            count = len(definitions["tools"])
            definitions = definitions["tools"] if self.bare else definitions
        text = json.dumps(definitions, indent=2, ensure_ascii=False) + "\n"
        file: str = self.output or f"{self.dialect or 'mcp'}-tools.json"
        if file == "-":
            output.write(text)
            return 0
        output.write_file(file, text)
        if self.json:
            output.print_json({"file": file, "tools": count})
        else:
            output.say(f"{count_of(count, 'tool')} written to {file}")
        return 0


def _check(chosen: ExportCommand) -> None:
    """Refuse flags that do not go together, before anything is imported. Raises `UsageError`."""
    if chosen.dialect:
        from ...dialects.facts import dialect_named

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
