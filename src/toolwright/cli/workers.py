"""Serve with several processes that share one socket: each request is on its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

_SHORT = 2.0
"""Seconds after which a worker that ends has not failed at its very start."""


class Workers:
    """Starts workers, and starts one anew that dies; ends with all of them."""

    def __init__(self, command: Sequence[str], count: int, listening: socket.socket) -> None:
        self.command = command
        self.listening = listening
        self.running: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
        self.over = threading.Event()
        for _ in range(count):
            self._start()

    def _start(self) -> None:
        number = self.listening.fileno()
        # A worker ends when its input does: none outlives us, however we die.
        worker = subprocess.Popen(  # noqa: S603 - our own command
            [*self.command, "--listening", str(number)], stdin=subprocess.PIPE, pass_fds=[number]
        )
        self.running[worker.pid] = (worker, time.monotonic())

    def run(self) -> int:
        """Wait until a signal ends us; return the exit code."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._end)
        code = 0
        while not self.over.wait(0.2):
            for pid, (worker, began) in list(self.running.items()):
                if worker.poll() is None:
                    continue
                del self.running[pid]
                if time.monotonic() - began < _SHORT:
                    print("toolwright: a worker cannot start", file=sys.stderr)
                    self.over.set()
                    code = 1
                    break
                print(
                    f"toolwright: a worker died ({worker.returncode}), another starts",
                    file=sys.stderr,
                )
                self._start()
        for worker, _ in self.running.values():
            worker.terminate()
        for worker, _ in self.running.values():
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
        return code

    def _end(self, _number: int, _frame: object) -> None:
        self.over.set()


def end_with_input() -> None:
    """End this process when its standard input does."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
