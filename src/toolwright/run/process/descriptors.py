"""Standard input and output, taken over by a server or child."""

from __future__ import annotations

import os
import sys


def stand_in() -> None:
    """Reopen closed standard streams on the null device, so no other file gets their numbers."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def take_over() -> tuple[int, int]:
    """Take over standard input and output: other code reads nothing and prints to `stderr`."""
    stand_in()
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (wire_in, wire_out):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return wire_in, wire_out
