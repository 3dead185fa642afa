"""`completion`: print the script that completes this command in a shell."""

from __future__ import annotations

from .. import output
from ..command import CliCommand, positional


class CompletionCommand(CliCommand):
    """Prints the script that completes this command in a shell."""

    shell: str = positional(None, "which shell", choices=("bash", "zsh", "fish"))

    def run(self) -> int:
        """Print the script; the shell then asks `cli.completer` for each word."""
        from argcomplete.shell_integration import shellcode

        output.write(shellcode(["toolwright"], shell=self.shell))
        return 0
