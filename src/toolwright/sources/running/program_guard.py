"""A process that ends what a killed process has left.

The system can tell a process that its parent has died (PR_SET_PDEATHSIG on Linux), but only that
one and not its children, and only if code runs between fork and exec, which is not safe with
threads. A broken pipe is noticed on any POSIX system.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from ..._process import HAS_GROUPS, NO_MARK
from ..._process import __file__ as script_file
from .run_settings import RunSettings, environment_of


class ProgramGuard:
    """Tells the guard process which programs run; that process is started when first needed."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start without a guard; also in a forked child."""
        self._lock = threading.Lock()
        self._known: dict[int, str] = {}
        self._pipe = -1

    def in_copy(self) -> None:
        """Let go of the parent's guard in a forked child: it must see when the parent is gone."""
        if self._pipe >= 0:
            os.close(self._pipe)
        self.begin()

    def ready(self) -> None:
        """Start the guard process: whoever is killed while it starts a program is not guarded."""
        with self._lock:
            if self._pipe < 0:
                self._start()

    def note(self, pid: int, mark: str = "") -> None:
        """Report that a program runs, with its process group and its mark; a server has none."""
        with self._lock:
            self._known[pid] = mark
            if self._pipe < 0:
                self._start()
            else:
                self._say("+", pid, mark)

    def forget(self, pid: int) -> None:
        """Report that it has ended, before its pid may mean another process."""
        with self._lock:
            mark = self._known.pop(pid, "")
            self._say("-", pid, mark)

    def _start(self) -> None:
        script = Path(script_file)
        # Not without groups, which it would end, nor in a frozen program or a zip file.
        if not HAS_GROUPS or not sys.executable or not script.is_file():
            return
        with contextlib.suppress(OSError):  # no room for it: the programs run all the same
            guard = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-I", "-S", str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,  # the client waits until the server's own is closed
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment_of(RunSettings(), tells_lines=False),
                start_new_session=True,
            )
            guard.returncode = 0  # nobody waits for it: it ends after this process
            if guard.stdin is not None:
                self._pipe = os.dup(guard.stdin.fileno())
                os.set_blocking(self._pipe, False)
                guard.stdin.close()
        for pid, mark in self._known.items():
            self._say("+", pid, mark)

    def _say(self, sign: str, pid: int, mark: str) -> None:
        if self._pipe < 0:
            return
        try:
            os.write(self._pipe, f"{sign} {pid} {mark or NO_MARK}\n".encode())
        except BlockingIOError:  # the guard is stopped
            pass
        except OSError:  # the guard was killed: the next program starts another one
            os.close(self._pipe)
            self._pipe = -1


guard = ProgramGuard()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=guard.in_copy)
