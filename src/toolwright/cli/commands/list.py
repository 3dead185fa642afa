"""`list`: list the tools, resources and prompts of a target."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from ..._log.printable import printable
from ..._words import first_line
from ...errors import SchemaError
from ..command import TargetCommand, switch
from ..load import open_target
from ..output import print_entries, print_heading, print_json, say

if TYPE_CHECKING:
    from ...toolbox.box import Toolbox
    from ...tools.definition import Tool

_KINDS = ("tools", "resources", "prompts")


class ListCommand(TargetCommand):
    """Lists the tools, resources and prompts of a target."""

    shows_rest = True

    tools: bool = switch("only the tools")
    resources: bool = switch("only the resources")
    prompts: bool = switch("only the prompts")
    json: bool = switch("print JSON")

    def run(self) -> int:
        """List what a target offers, or what the flags ask for."""
        opened = open_target(self)
        box = opened.box
        flags = {"tools": self.tools, "resources": self.resources, "prompts": self.prompts}
        kinds = [kind for kind, is_given in flags.items() if is_given]
        if self.json:
            listed = {kind: _json(box, kind) for kind in kinds or ["tools"]}
            print_json(listed if len(listed) > 1 else next(iter(listed.values())))
            return 0 if opened.usable else 1
        entries_of = {kind: _entries(box, kind) for kind in kinds or _KINDS}
        sections = {kind: entries for kind, entries in entries_of.items() if entries}
        for index, (kind, entries) in enumerate(sections.items()):
            if len(sections) > 1:
                if index:
                    say("")
                print_heading(f"{kind.capitalize()} ({len(entries)})")
            print_entries(entries)
        if not sections and not self.read_only:  # which reports this itself
            none = " and no ".join(kinds or ["tools"])
            print(f"note: {printable(box.name)} has no {none}", file=sys.stderr)
        return 0 if opened.usable else 1


def _json(box: Toolbox, kind: str) -> list[dict[str, Any]]:
    """Return what clients get in the list of a kind."""
    if kind == "tools":
        return json.loads(box.to_mcp_json())["tools"]
    if kind == "resources":
        return [resource.to_mcp() for resource in box.resources.values()]
    return [prompt.to_mcp() for prompt in box.prompts.values()]


def _entries(box: Toolbox, kind: str) -> list[tuple[str, str]]:
    """Return each thing of a kind, with the first line of its description."""
    if kind == "tools":
        tools = [(tool, "") for name, tool in box.items() if box.is_enabled(name)]
    elif kind == "resources":
        tools = [(resource.tool, resource.uri) for resource in box.resources.values()]
    else:
        tools = [(prompt.tool, "") for prompt in box.prompts.values()]
    return [entry for tool, uri in tools if (entry := _entry(tool, uri)) is not None]


def _entry(tool: Tool, uri: str) -> tuple[str, str] | None:
    from ...client.signatures import signature_text

    try:
        return uri or signature_text(tool), first_line(tool.description)
    except SchemaError:  # reported on standard error
        return None
