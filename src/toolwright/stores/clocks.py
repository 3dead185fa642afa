"""Clocks that do not step, and the id of this boot."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["boot", "since_boot"]

_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def _since_boot() -> Callable[[], float]:
    if _BOOTTIME is None:
        return time.monotonic
    number = _BOOTTIME
    return lambda: time.clock_gettime(number)


since_boot = _since_boot()
"""Seconds since the machine started, the same in each process; on Linux with suspended time."""


def boot() -> str:
    """Return the id of the boot that `since_boot` counts from; empty if the system has none."""
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
    try:
        return f"{boot_id} {Path('/proc/self/ns/time').readlink()}"  # a container may have its own
    except OSError:
        return boot_id
