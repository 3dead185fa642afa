"""Processes that programs, or a dead server, have left behind.

It imports only the standard library, and nothing relative: the guard runs this file alone, in a
tenth of the time and memory that the whole package would take.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

MARK = "TOOLWRIGHT_RUN"
"""A variable with a different value in each run. Daemons leave session and parent, but keep it."""

_ROUNDS = 10
"""How often to look for more processes: one may start another one while we look."""
NO_MARK = "-"
"""Stands for the mark of an MCP server: it has none, and what it leaves behind may live on."""
_LAST_SECONDS = 1.0
"""Seconds that programs of a dead process have to end by themselves."""


def new_mark() -> str:
    """Return a value that no other run has."""
    return secrets.token_hex(8)


def signal_group(pid: int, number: int) -> None:
    """Send a signal to the process group that a process leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def is_group(pid: int) -> bool:
    """Return whether a process group of this number has processes."""
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user: they cannot be ended either
        return False
    return True


def descendants(pid: int) -> list[int]:
    """Return a descriptor of each process below one, where the system shows that.

    Whatever they have done to their session and environment: only once their parent has ended is it
    no longer known whose they were.
    """
    if sys.platform != "linux":
        return []
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - somebody waits
        children.setdefault(_parent(int(name)), []).append(int(name))
    held: list[int] = []
    parents = [pid]
    while parents:
        parent = parents.pop()
        for child in children.get(parent, ()):
            with contextlib.suppress(OSError):
                at = os.pidfd_open(child)
                if _parent(child) == parent:  # else the number may have been given to another
                    held.append(at)
                    parents.append(child)
                else:
                    os.close(at)
    return held


def _parent(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    return int(stat.rpartition(b")")[2].split()[1])


def kill_all(pid: int, mark: str, held: list[int]) -> None:
    """Kill a group, all below the process that leads it, and all that have its mark.

    `held` are descendants found before; it is emptied.
    """
    held += descendants(pid)
    signal_group(pid, signal.SIGKILL)
    while held:
        at = held.pop()
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(at, signal.SIGKILL)
        os.close(at)
    kill_marked(mark)


def kill_marked(mark: str) -> None:
    """Kill every process that has this mark in its environment, where the system shows that."""
    if sys.platform != "linux":
        return
    for _ in range(_ROUNDS):
        found = list(_marked(f"{MARK}={mark}".encode()))
        for held in found:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(held, signal.SIGKILL)
            os.close(held)
        if not found:
            return


def _marked(entry: bytes) -> Iterator[int]:
    """Yield a descriptor of each marked process; it means no other, even if the pid is reused."""
    for name in os.listdir("/proc"):  # noqa: PTH208 - called while somebody waits
        if not name.isdigit() or int(name) == os.getpid():
            continue
        held = -1
        try:
            if not _has(name, entry):
                continue
            held = os.pidfd_open(int(name))
            if _has(name, entry):
                yield held
                held = -1
        except OSError:  # it has ended, or belongs to another user
            pass
        finally:
            if held >= 0:
                os.close(held)


def _has(process: str, entry: bytes) -> bool:
    return entry in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")


def _keep_guard() -> None:
    """Note what runs until our process is gone, for whatever reason; then end what still runs.

    An MCP server has seen its input end, and gets a moment before it is asked with a signal.
    """
    running: dict[int, str] = {}
    for line in sys.stdin:
        sign, pid, mark = line.split()
        if sign == "+":
            running[int(pid)] = mark
        else:
            running.pop(int(pid), None)
    servers = [pid for pid, mark in running.items() if mark == NO_MARK]
    programs = {pid: mark for pid, mark in running.items() if mark != NO_MARK}
    held = {pid: descendants(pid) for pid in programs}  # before their parents end
    _ask_to_end(programs)
    if running:
        time.sleep(_LAST_SECONDS)
    for pid, mark in programs.items():
        kill_all(pid, mark, held[pid])
    _ask_to_end(servers)
    if servers:
        time.sleep(_LAST_SECONDS)
    for pid in servers:
        signal_group(pid, signal.SIGKILL)


def _ask_to_end(pids: Iterable[int]) -> None:
    for pid in pids:
        signal_group(pid, signal.SIGTERM)
        signal_group(pid, signal.SIGCONT)  # a stopped process does not react


if __name__ == "__main__":
    _keep_guard()
