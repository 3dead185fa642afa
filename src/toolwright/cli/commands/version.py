"""`version`: show the version."""

from __future__ import annotations

import argparse
import sys

from ..._door import __version__
from ..output import add_json, print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """Show the versions of Toolwright and Python."""
    if chosen.json:
        print_json({"toolwright": __version__, "python": sys.version.split()[0]})
    else:
        say(f"toolwright {__version__}")
    return 0
