"""Load a target, and choose among its tools."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..tools.catalog import matches

if TYPE_CHECKING:
    from ..toolbox.box import Toolbox


def opened(chosen: argparse.Namespace) -> tuple[Toolbox, bool]:
    """Load the target and choose tools; tell whether it may be used."""
    from .load import load

    box, refused = load(chosen.target)
    for name, tool in list(box.items()):
        wanted = matches(name, chosen.select or "*")
        if not wanted or (chosen.read_only and tool.options.read_only is not True):
            box.disable(name)
    said = [str(each) for each in refused]
    said += [str(each) for each in box.problems if each.fatal]
    for line in dict.fromkeys(said):
        print(f"refused: {line}", file=sys.stderr)
    return box, not (said and chosen.strict)
