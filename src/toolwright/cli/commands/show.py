"""`show`: show one tool, with its schemas."""

from __future__ import annotations

import argparse

from ..load import add_target, open_target, selected_tool
from ..output import add_json, print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    parser.add_argument("tool", metavar="TOOL")
    add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """Show one tool."""
    box, usable = open_target(chosen)
    tool = selected_tool(box, chosen.tool)
    if chosen.json:
        print_json(tool.to_mcp())
        return 0 if usable else 1
    say(tool.name)
    if tool.description:
        say(f"\n{tool.description}")
    for title, schema in (("Arguments", tool.input_schema), ("Result", tool.output_schema)):
        if schema is not None:
            say(f"\n{title}:")
            print_json(schema)
    for problem in tool.problems:
        say(f"\nNote: it {problem}")
    return 0 if usable else 1
