"""`completion`: print the script that completes this command in a shell."""

from __future__ import annotations

import argparse

from .. import output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def run(chosen: argparse.Namespace) -> int:
    """Print the script; the shell then asks `cli.completer` for each word."""
    from argcomplete.shell_integration import shellcode

    output.write(shellcode(["toolwright"], shell=chosen.shell))
    return 0
