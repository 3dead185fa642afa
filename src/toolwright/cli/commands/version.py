"""`version`: show the version."""

from __future__ import annotations

import sys

from ..._door import __version__
from ..command import CliCommand, switch
from ..output import print_json, say


class VersionCommand(CliCommand):
    """Shows the version."""

    json: bool = switch("print JSON")

    def run(self) -> int:
        """Show the versions of Toolwright and Python."""
        if self.json:
            print_json({"toolwright": __version__, "python": sys.version.split()[0]})
        else:
            say(f"toolwright {__version__}")
        return 0
