"""Several server processes on one socket, supervised."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from .._log.printable import say
from .._process import end

NOT_STARTED = 113
"""The exit code of a worker whose lifespan failed; nothing else ends with it."""
_LOOK = 0.2
_LOOK_AT_START = 0.02
_CLOSING = 10.0
"""Seconds that workers have to close connections once their calls have ended."""
_SHORT = 2.0
"""Seconds; a worker that ends sooner has failed to start."""


class Workers:
    """Starts workers, replaces those that die, and stops all of them when it ends."""

    def __init__(
        self,
        command: Sequence[str],
        count: int,
        listening: socket.socket,
        folder: str,
        *,
        drain: float,
        state_keys: Sequence[bytes],
        announce: Callable[[], None],
    ) -> None:
        self.announce: Callable[[], None] | None = announce
        """Called once, when all workers answer requests."""
        self.ready, self.is_ready = os.pipe()
        """A pipe; each worker writes a byte into it when it answers requests."""
        os.set_blocking(self.ready, False)
        self.drain = drain
        self.state_keys = state_keys or (secrets.token_bytes(32),)
        """Shared by all workers: each opens the request state that another has sealed."""
        self.command = command
        self.count = count
        self.listening = listening
        self.folder = folder
        self.running: dict[int, tuple[subprocess.Popen[bytes], float]] = {}
        self.over = threading.Event()
        self.answering = 0
        self.replaced = 0
        """How many workers were replaced; while it is 0, all belong to the start."""
        self.have_lived = False
        """Whether any worker has run for a while; if none has, none can start."""

    def _start(self) -> None:
        number = self.listening.fileno()
        # A worker ends at the end of its input, so none outlives this process, however it dies.
        worker = subprocess.Popen(  # noqa: S603 - our own command
            [*self.command, "--listening", str(number), "--ready", str(self.is_ready)],
            stdin=subprocess.PIPE,
            pass_fds=[number, self.is_ready],
            cwd=self.folder,
            # Ctrl-C goes to this process only: a worker that gets two signals ends at once.
            process_group=0,
        )
        # A pipe, because `ps` shows arguments, and child processes inherit the environment.
        line = b" ".join(key.hex().encode() for key in self.state_keys) + b"\n"
        with contextlib.suppress(OSError):  # it has died, which the next look finds
            os.write(worker.stdin.fileno(), line)  # pyright: ignore[reportOptionalMemberAccess]
        self.running[worker.pid] = (worker, time.monotonic())

    def run(self) -> int:
        """Keep `count` workers running until a signal arrives; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        code, pause = 0, 0.0
        while not self.over.wait(pause):
            died = self._died()
            if died and not (self.have_lived and self.replaced):
                say("toolwright: a worker cannot start")
                code = 1
                break
            self._announce()
            # Workers that die at once, again and again, must not keep the machine busy.
            pause = min(pause * 2, 5.0) if died else _LOOK_AT_START if self.announce else _LOOK
            while len(self.running) < self.count:
                self._start()
        self._stop()
        return code

    def _announce(self) -> None:
        """Say where the server is, once every worker answers."""
        if self.announce is None:
            return
        with contextlib.suppress(BlockingIOError):
            self.answering += len(os.read(self.ready, self.count))
        if self.answering >= self.count:
            self.announce()
            self.announce = None

    def _died(self) -> bool:
        """Remove workers that have ended; return whether one failed to start."""
        young = False
        for pid, (worker, began) in list(self.running.items()):
            lived = time.monotonic() - began
            self.have_lived = self.have_lived or lived > _SHORT
            if worker.poll() is None:
                continue
            del self.running[pid]
            if worker.returncode == NOT_STARTED and not self.replaced:
                return True  # however long it took to find out
            young = young or lived < _SHORT
            if self.have_lived:
                self.replaced += 1
                say(f"toolwright: a worker died ({worker.returncode}), another starts")
        return young

    def _stop(self) -> None:
        self.listening.close()  # the workers also have the socket, and go on accepting
        self._tell()
        due = time.monotonic() + self.drain + _CLOSING
        for worker, _ in self.running.values():
            end(worker, due - time.monotonic())

    def _tell(self) -> None:
        for worker, _ in list(self.running.values()):
            worker.terminate()

    def _end(self, _number: int, _frame: object) -> None:
        """Stop; a second signal is passed on, so that workers end at once."""
        if self.over.is_set():
            self._tell()
        self.over.set()


def keys_from_input() -> list[bytes]:
    """Read the keys that the supervisor writes to this worker's standard input."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return [bytes.fromhex(key.decode()) for key in line.split()]


def end_with_input() -> None:
    """End this process when its standard input does."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
