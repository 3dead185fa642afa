"""Processes: watched, asked to end, killed with what they started.

It imports only the standard library, and nothing relative: the guard runs this file alone, in a
tenth of the time and memory that the whole package would take.

A process that we start leads a group of its own (`start_new_session=True`). What a system lacks:

- `killpg` (Windows): signals reach the process alone; what it has started may live on.
- `pidfd_open` (macOS, some builds for Linux): every 20 ms it is checked whether a process has
  ended, and daemons that have left their group are not found.
- `eventfd`: a pipe does the same.
- `waitid` (macOS before Python 3.13): a process is reaped when it is seen to have ended.
- `fork` (Windows): `toolwright test` runs tools in its own process, which they may end.
- `poll` and `pass_fds` (Windows): no command-line programs, sessions of code or `--workers`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

IS_POSIX = os.name == "posix" and hasattr(select, "poll")
"""Whether programs can be run, and their output followed."""
HAS_GROUPS = hasattr(os, "killpg")
_HAS_PIDFD = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")
_KNOWS_ENDED = hasattr(os, "waitid")
"""Whether the system can say that a process has ended without reaping it."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
LOOK_EVERY = 0.02
"""Seconds between two checks whether a process has ended, where the system cannot tell."""
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
        if HAS_GROUPS:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def ask_to_end(pid: int) -> None:
    """Ask the group that a process leads to end."""
    signal_group(pid, signal.SIGTERM)
    if HAS_GROUPS:
        signal_group(pid, signal.SIGCONT)  # a stopped process does not react


def kill_group(pid: int) -> None:
    """Kill the group that a process leads."""
    signal_group(pid, _KILL)


def is_group(pid: int) -> bool:
    """Return whether a process group of this number has processes."""
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, AttributeError):
        return False
    except PermissionError:  # of another user: they cannot be ended either
        return False
    return True


def end(process: subprocess.Popen[bytes], seconds: float = 0.0) -> int:
    """Wait this long for a process, then kill it and its group; return its exit code."""
    due, pause = time.monotonic() + seconds, 0.0005
    while process.poll() is None and (left := due - time.monotonic()) > 0:
        time.sleep(min(pause, left))
        pause = min(2 * pause, 0.05)
    kill_group(process.pid)
    return process.wait()


def wait_unreaped(pid: int) -> None:
    """Wait until a process has ended, where that is possible without reaping it."""
    if _KNOWS_ENDED:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


class Waker:
    """Wakes the thread that polls `descriptor`; any thread may do that."""

    def __init__(self) -> None:
        if hasattr(os, "eventfd"):
            self.descriptor = self._writes = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        else:
            self.descriptor, self._writes = os.pipe()

    def wake(self) -> None:
        """Make the descriptor readable."""
        with contextlib.suppress(OSError):
            os.write(self._writes, b"\1\0\0\0\0\0\0\0")  # a number, if it is an eventfd

    def close(self) -> None:
        """Close it; nobody may wake it afterwards, whose number might be another's."""
        descriptors = {self.descriptor, self._writes} - {-1}
        self.descriptor = self._writes = -1
        for descriptor in descriptors:
            os.close(descriptor)


class Ending:
    """Whether a process has ended, found out without reaping it.

    Until it is reaped, its pid means its group, and no other.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.is_seen = False
        self.descriptor = -1
        """Readable once it has ended; -1 where the system has no such descriptor."""
        if _HAS_PIDFD:
            with contextlib.suppress(OSError):
                self.descriptor = os.pidfd_open(process.pid)

    def close(self) -> None:
        """Close the descriptor."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1

    def register(self, poll: select.poll) -> None:
        """Have a poll watch it, where it can."""
        if self.descriptor >= 0:
            poll.register(self.descriptor, select.POLLIN)

    def timeout(self, seconds: float | None) -> float | None:
        """Return how many milliseconds to wait for an event."""
        if self.descriptor < 0 and not self.is_seen:
            seconds = LOOK_EVERY if seconds is None else min(seconds, LOOK_EVERY)
        return None if seconds is None else seconds * 1000 + 1

    def look(self) -> None:
        """Check whether it has ended, where no descriptor says so."""
        if self.descriptor < 0 and not self.is_seen:
            if not _KNOWS_ENDED:
                self.is_seen = self.process.poll() is not None
                return
            try:
                self.is_seen = self._status(os.WNOHANG) is not None
            except ChildProcessError:
                self.is_seen = True

    def exit_code(self) -> int:
        """Return the exit code. Raises `ChildProcessError` if it is lost."""
        if not _KNOWS_ENDED:
            return self.process.wait()
        status = self._status(0)
        if status is None:
            raise ChildProcessError
        return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status

    def _status(self, option: int) -> os.waitid_result | None:
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | option)


def descendants(pid: int) -> list[int]:
    """Return a descriptor of each process below one, where the system shows that.

    Whatever they have done to their session and environment: only once their parent has ended is it
    no longer known whose they were.
    """
    if sys.platform != "linux" or not _HAS_PIDFD:
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
    kill_group(pid)
    while held:
        at = held.pop()
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(at, signal.SIGKILL)
        os.close(at)
    kill_marked(mark)


def kill_marked(mark: str) -> None:
    """Kill every process that has this mark in its environment, where the system shows that."""
    if sys.platform != "linux" or not _HAS_PIDFD:
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
    for pid in programs:
        ask_to_end(pid)
    if running:
        time.sleep(_LAST_SECONDS)
    for pid, mark in programs.items():
        kill_all(pid, mark, held[pid])
    for pid in servers:
        ask_to_end(pid)
    if servers:
        time.sleep(_LAST_SECONDS)
    for pid in servers:
        kill_group(pid)


if __name__ == "__main__":
    _keep_guard()
