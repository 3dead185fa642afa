"""One process that runs code, and keeps its names."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..._json_values import is_object
from ..._process import IS_POSIX, MARK, Ending, Waker, kill_all, new_mark, signal_group
from ..running.environment import environment_of
from ..running.guard import guard
from ..running.output_bytes import OutputBytes
from ..running.settings import RunSettings
from ..running.start import NotStarted
from . import worker

KILLED, ENDED = "Killed", "Ended"
_LENGTH = struct.Struct(">I")
_CHUNK = 65_536
_AFTER_INTERRUPT = 1.0
"""Seconds that code may take to end when interrupted, before its process is killed."""
_PER_CHARACTER = 16
"""Bytes of JSON that one character of an answer may take, at most."""
START_SECONDS = 60.0
"""Seconds that a process may take to start on a busy machine."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of running code."""

    value: Any = None
    is_json: bool = True
    error: str = ""
    """The traceback, or why there is none; empty if the code ran to its end."""
    kind: str = ""
    """The class of the exception; `KILLED` or `ENDED` if the process was killed, or ended."""
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_left_out: int = 0
    stderr_left_out: int = 0


class PythonSession:
    """A process that runs one piece of code after another; one thread at a time uses it."""

    def __init__(
        self,
        command: Sequence[str],
        how: RunSettings,
        *,
        memory: int | None,
        start_seconds: float = START_SECONDS,
    ) -> None:
        if not IS_POSIX:
            raise NotStarted("python", "sessions need a POSIX system; inside=True needs none")
        self.lock = threading.Lock()
        """Held by whoever runs code in it."""
        self.used_at = time.monotonic()
        self.is_over = False
        self._mark = new_mark()
        self._most = how.max_output
        self._start_seconds = start_seconds
        self._started = False
        self._waker = Waker()
        own, theirs = _Pipes(), _Pipes()
        try:
            words = [*command, str(Path(worker.__file__)), str(theirs.reads), str(own.writes)]
            self._process = subprocess.Popen(  # noqa: S603 - our own file, never a shell
                [*words, str(memory or 0)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=how.cwd,
                env=environment_of(how, tells_lines=False) | {MARK: self._mark},
                start_new_session=True,
                pass_fds=(theirs.reads, own.writes),
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            for each in (own.reads, own.writes, theirs.reads, theirs.writes):
                os.close(each)
            self._waker.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise NotStarted(command[0], reason.lower()) from error
        os.close(theirs.reads)
        os.close(own.writes)
        self._reads, self._writes = own.reads, theirs.writes
        guard.note(self._process.pid, self._mark)
        for each in (self._reads, self._writes, *self._streams()):
            os.set_blocking(each, False)
        self._ending = Ending(self._process)

    def _streams(self) -> tuple[int, int]:
        out, err = self._process.stdout, self._process.stderr
        assert out is not None  # noqa: S101 - both are pipes
        assert err is not None  # noqa: S101
        return out.fileno(), err.fileno()

    # -- any thread

    def stop(self) -> None:
        """Have the running code killed; the thread that waits for it does the rest."""
        self.is_over = True
        self._waker.wake()

    def kill(self) -> None:
        """Kill it and everything that it has started, from a thread that cannot wait."""
        self.is_over = True
        kill_all(self._process.pid, self._mark, [])

    def disown(self) -> None:
        """Leave the process alone, in a forked copy of the one that started it."""
        self.is_over = True
        self._process.returncode = 0  # nobody waits for it here
        self._close()

    # -- with the lock held

    def end(self) -> None:
        """End it, and free what it holds; a second call does nothing."""
        self.is_over = True
        if self._reads < 0:
            return
        self.kill()
        self._process.wait()
        guard.forget(self._process.pid)
        self._close()

    def _close(self) -> None:
        for file in (self._process.stdout, self._process.stderr):
            if file is not None:
                file.close()
        for descriptor in (self._reads, self._writes):
            if descriptor >= 0:
                os.close(descriptor)
        self._reads = self._writes = -1
        self._ending.close()
        self._waker.close()

    def run(self, code: str, seconds: float) -> Ran:
        """Run code for at most this many seconds. Whatever happens, there is an answer."""
        number = secrets.token_hex(8)
        exchange = _Exchange(self._reads, self._streams(), self._most)
        if not self._started:
            answer = self._wait(exchange, "ready", self._start_seconds)
            if "error" in answer:
                exchange.drain()
                return exchange.ran({**answer, "kind": "NotStarted"})
            self._started = True
        exchange.drop_old()
        asked = {"code": code, "number": number, "most": self._most}
        body = json.dumps(asked).encode()
        exchange.outgoing = memoryview(_LENGTH.pack(len(body)) + body)
        answer = self._wait(exchange, number, seconds)
        self.used_at = time.monotonic()
        exchange.drain()
        return exchange.ran(answer)

    def _wait(self, exchange: _Exchange, number: str, seconds: float) -> dict[str, Any]:
        """Wait for the answer; kill it at the deadline, or when it is no longer wanted."""
        poll = self._watched(exchange)
        due = time.monotonic() + seconds
        interrupted = False
        while True:
            now = time.monotonic()
            if now >= due and interrupted:
                self.kill()
                return {"error": f"killed after {seconds:g} s, which is its limit", "kind": KILLED}
            if now >= due:
                interrupted, due = True, now + _AFTER_INTERRUPT
                signal_group(self._process.pid, signal.SIGINT)
            for at, _ in poll.poll(max(due - now, 0) * 1000):
                answer = self._heard(at, exchange, poll, number)
                if answer is None:
                    continue
                if exchange.is_garbled:
                    self.kill()
                if interrupted and answer.get("kind") == "KeyboardInterrupt":
                    answer["error"] += f"\n(after {seconds:g} s, which is its limit)"
                return answer

    def _watched(self, exchange: _Exchange) -> select.poll:
        poll = select.poll()
        for each in (
            self._reads,
            self._waker.descriptor,
            self._ending.descriptor,
            *exchange.streams,
        ):
            if each >= 0:
                poll.register(each, select.POLLIN)
        if exchange.outgoing:
            poll.register(self._writes, select.POLLOUT)
        return poll

    def _heard(
        self, at: int, exchange: _Exchange, poll: select.poll, number: str
    ) -> dict[str, Any] | None:
        """Handle an event on a descriptor; return the answer, if there is one now."""
        if at == self._waker.descriptor:
            self.kill()
            return {"error": "it was stopped", "kind": ENDED}
        if (
            at == self._ending.descriptor
        ):  # a fork may hold the connection of a process that has ended
            exchange.read(self._reads)
            return exchange.answer(number) or self._ended()
        goes_on = exchange.write(at) if at == self._writes else exchange.read(at)
        if not goes_on:
            poll.unregister(at)
        if at != self._reads:
            return None
        return exchange.answer(number) if goes_on else self._ended()

    def _ended(self) -> dict[str, Any]:
        """Return an answer that says how it ended by itself."""
        self.is_over = True
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_AFTER_INTERRUPT)
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            return {"error": f"its process has ended ({how})", "kind": ENDED}
        self.kill()
        return {"error": "its process has closed its connection", "kind": ENDED}


class _Pipes:
    def __init__(self) -> None:
        self.reads, self.writes = os.pipe()


class _Exchange:
    """The bytes of one run: what is written, what is answered, what is printed."""

    def __init__(self, reads: int, streams: tuple[int, int], most: int) -> None:
        self.reads = reads
        self.streams = streams
        self.most = most
        self.printed = {each: OutputBytes(most) for each in streams}
        self.came = bytearray()
        self.outgoing = memoryview(b"")
        self.is_garbled = False

    def drop_old(self) -> None:
        """Discard whatever came before the code was sent: it is not part of this run."""
        self.came.clear()
        self.printed = {each: OutputBytes(self.most) for each in self.streams}
        for each in (self.reads, *self.streams):
            left = 256  # a thread that prints forever is not waited for
            while left and _read(each):
                left -= 1

    def write(self, to: int) -> bool:
        """Write what fits; return whether there is more."""
        try:
            self.outgoing = self.outgoing[os.write(to, self.outgoing) :]
        except BlockingIOError:
            return True
        except OSError:  # it has ended, which reading shows
            return False
        return bool(self.outgoing)

    def read(self, at: int) -> bool:
        """Read what is there; return False at the end."""
        chunk = _read(at)
        if chunk is None:
            return True
        if at == self.reads:
            self.came += chunk
        else:
            self.printed[at].add(chunk)
        return bool(chunk)

    def drain(self) -> None:
        """Read what was printed before the answer was sent."""
        for each in self.streams:
            left = 64
            while left and _read_into(each, self.printed[each]):
                left -= 1

    def answer(self, number: str) -> dict[str, Any] | None:
        """Return the answer, or None until it is complete; anything else ends the session."""
        if len(self.came) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(self.came[: _LENGTH.size])
        if length > _CHUNK + _PER_CHARACTER * self.most:
            return self._garbled()
        if len(self.came) < _LENGTH.size + length:
            return None
        try:
            found: Any = json.loads(bytes(self.came[_LENGTH.size : _LENGTH.size + length]))
        except (ValueError, RecursionError):
            return self._garbled()
        if not is_object(found) or found.get("number") != number:
            return self._garbled()
        return found

    def _garbled(self) -> dict[str, Any]:
        self.is_garbled = True
        return {"error": "it has written to the connection of its session", "kind": ENDED}

    def ran(self, answer: dict[str, Any]) -> Ran:
        out, err = (self.printed[each] for each in self.streams)
        error, kind = answer.get("error", ""), answer.get("kind", "")
        return Ran(
            value=answer.get("value"),
            is_json=answer.get("json") is not False,
            error=error if isinstance(error, str) else "it failed",
            kind=kind if isinstance(kind, str) else "",
            stdout=out.kept(),
            stderr=err.kept(),
            stdout_left_out=out.left_out,
            stderr_left_out=err.left_out,
        )


def _read(at: int) -> bytes | None:
    """Return what can be read now: None if there is nothing, empty at the end."""
    try:
        return os.read(at, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _read_into(at: int, kept: OutputBytes) -> bool:
    chunk = _read(at)
    kept.add(chunk or b"")
    return bool(chunk)
