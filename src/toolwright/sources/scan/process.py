"""A question to an executable: one short process, bounded in time and output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Literal

_LOOK_SECONDS = 0.05
"""How often a process is looked at whose pipes stay open."""
_PATIENCE_SECONDS = 0.25
"""How long pipes are read that a grandchild holds open."""
_CHUNK = 65_536
_MOST_IGNORED = 4
"""How many times the bytes that are kept may come before the process is killed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question."""

    code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    failure: Literal["", "missing", "timeout", "flood", "budget"] = ""

    @property
    def said(self) -> bytes:
        """Everything it wrote, standard output first."""
        return self.stdout + (b"\n" if self.stdout and self.stderr else b"") + self.stderr


def answer_of(
    words: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    most_bytes: int,
) -> Answer:
    """Run an executable without standard input in a session of its own; leave nothing behind."""
    try:
        process = subprocess.Popen(  # noqa: S603 - words, never a shell
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(environment),
            start_new_session=True,
        )
    except (OSError, ValueError):
        return Answer(-1, failure="missing")
    with process:
        reading = _Reading(process, time.monotonic() + seconds, most_bytes)
        try:
            failure = reading.read()
        finally:
            # Whatever it has started ends with it; it is not reaped before.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    kept = [bytes(each) for each in reading.kept]
    return Answer(process.returncode, kept[0], kept[1], failure)


class _Reading:
    """Reads both streams of a process, up to a time and a size."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float, most_bytes: int) -> None:
        self.process = process
        self.deadline = deadline
        self.most_bytes = most_bytes
        self.kept = (bytearray(), bytearray())
        self.seen = 0

    def read(self) -> Literal["", "timeout", "flood"]:
        """Read until it has ended; return what was wrong."""
        with selectors.DefaultSelector() as selector:
            streams: tuple[IO[bytes] | None, ...] = (self.process.stdout, self.process.stderr)
            for stream, kept in zip(streams, self.kept, strict=True):
                if stream is not None:
                    selector.register(stream, selectors.EVENT_READ, kept)
            ended = 0.0
            while selector.get_map():
                now = time.monotonic()
                if now >= self.deadline:
                    return "timeout"
                if not ended and self._has_ended():
                    ended = now
                if ended and now - ended > _PATIENCE_SECONDS:
                    return ""
                self._read_what_is_there(selector, min(_LOOK_SECONDS, self.deadline - now))
                if self.seen > self.most_bytes * _MOST_IGNORED:
                    return "flood"
        return self._wait()

    def _read_what_is_there(self, selector: selectors.BaseSelector, seconds: float) -> None:
        for key, _ in selector.select(seconds):
            data = os.read(key.fd, _CHUNK)
            if not data:
                selector.unregister(key.fileobj)
            self.seen += len(data)
            kept: bytearray = key.data
            kept += data[: max(self.most_bytes - len(kept), 0)]

    def _has_ended(self) -> bool:
        """Return whether it has ended, without reaping it: its number must stay its own."""
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            return self.process.poll() is not None
        found = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return found is not None

    def _wait(self) -> Literal["", "timeout"]:
        """Wait for the end of a process that has closed its streams."""
        while not self._has_ended():
            if time.monotonic() >= self.deadline:
                return "timeout"
            time.sleep(0.002)
        return ""
