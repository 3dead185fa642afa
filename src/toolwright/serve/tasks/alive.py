"""Whether the process of another server still runs."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import TypedDict

from ...stores.clocks import boot


class Sign(TypedDict):
    """Identifies a process: its number is used again, but never with the same start."""

    where: str
    pid: int
    began: str


def this_process() -> Sign:
    """Return the sign that identifies this process."""
    pid = os.getpid()
    return {"where": _where(), "pid": pid, "began": _began(pid) or ""}


def lives(sign: Sign) -> bool | None:
    """Return whether a process runs; None if that cannot be seen from here."""
    if sign["where"] != _where() or sys.platform == "win32":
        return None
    if sign["began"]:
        return _began(sign["pid"]) == sign["began"]
    try:
        os.kill(sign["pid"], 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return None  # there is one with that number, but it may be another


def _where() -> str:
    """Name the scope of process numbers: a machine since it was started, or a container."""
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        space = ""
    return f"{platform.node()} {boot()} {space}"


def _began(pid: int) -> str | None:
    """Return when a process began, as the system counts; None if it has ended or cannot be seen."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold anything
    return None if len(fields) < 20 or fields[0] in "ZX" else fields[19]
