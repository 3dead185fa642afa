"""`list`: list the tools of a target."""

from __future__ import annotations

import argparse
import json

from ..load import add_target, open_target
from ..output import add_json, first_line, print_json, print_rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """List the tools."""
    box, usable = open_target(chosen)
    tools = json.loads(box.to_mcp_json())["tools"]
    if chosen.json:
        print_json(tools)
    else:
        print_rows([(tool["name"], first_line(tool.get("description", ""))) for tool in tools])
    return 0 if usable else 1
