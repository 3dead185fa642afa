"""Processes that run code: one a caller, bounded, ended when idle."""

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
import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from .._json_values import is_object
from .._process import IS_POSIX, MARK, Ending, Waker, kill_all, new_mark, signal_group
from ..errors import Overloaded
from .python_worker import __file__ as worker_file
from .watched_process import NotStarted, OutputBytes, RunSettings, environment_of, guard

KILLED, ENDED = "Killed", "Ended"
# -- one process

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
        self._reads, their_writes = os.pipe()
        their_reads, self._writes = os.pipe()
        try:
            words = [*command, worker_file, str(their_reads), str(their_writes)]
            self._process = subprocess.Popen(  # noqa: S603 - our own file, never a shell
                [*words, str(memory or 0)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=how.cwd,
                env=environment_of(how, tells_lines=False) | {MARK: self._mark},
                start_new_session=True,
                pass_fds=(their_reads, their_writes),
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            os.close(self._reads)
            os.close(self._writes)
            self._waker.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise NotStarted(command[0], reason.lower()) from error
        finally:
            os.close(their_reads)
            os.close(their_writes)
        guard.note(self._process.pid, self._mark)
        for descriptor in (self._reads, self._writes, *self._streams()):
            os.set_blocking(descriptor, False)
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
        request = {"code": code, "number": number, "most": self._most}
        body = json.dumps(request).encode()
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
            for descriptor, _ in poll.poll(max(due - now, 0) * 1000):
                answer = self._heard(descriptor, exchange, poll, number)
                if answer is None:
                    continue
                if exchange.is_garbled:
                    self.kill()
                if interrupted and answer.get("kind") == "KeyboardInterrupt":
                    answer["error"] += f"\n(after {seconds:g} s, which is its limit)"
                return answer

    def _watched(self, exchange: _Exchange) -> select.poll:
        poll = select.poll()
        for descriptor in (
            self._reads,
            self._waker.descriptor,
            self._ending.descriptor,
            *exchange.streams,
        ):
            if descriptor >= 0:
                poll.register(descriptor, select.POLLIN)
        if exchange.outgoing:
            poll.register(self._writes, select.POLLOUT)
        return poll

    def _heard(
        self, descriptor: int, exchange: _Exchange, poll: select.poll, number: str
    ) -> dict[str, Any] | None:
        """Handle an event on a descriptor; return the answer, if there is one now."""
        if descriptor == self._waker.descriptor:
            self.kill()
            return {"error": "it was stopped", "kind": ENDED}
        if descriptor == self._ending.descriptor:
            # Not only the end of the connection: a fork may hold that after the process has ended.
            exchange.read(self._reads)
            return exchange.answer(number) or self._ended()
        goes_on = (
            exchange.write(descriptor) if descriptor == self._writes else exchange.read(descriptor)
        )
        if not goes_on:
            poll.unregister(descriptor)
        if descriptor != self._reads:
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


class _Exchange:
    """The bytes of one run: what is written, what is answered, what is printed."""

    def __init__(self, reads: int, streams: tuple[int, int], most: int) -> None:
        self.reads = reads
        self.streams = streams
        self.most = most
        self.printed = {stream: OutputBytes(most) for stream in streams}
        self.came = bytearray()
        self.outgoing = memoryview(b"")
        self.is_garbled = False

    def drop_old(self) -> None:
        """Discard whatever came before the code was sent: it is not part of this run."""
        self.came.clear()
        self.printed = {stream: OutputBytes(self.most) for stream in self.streams}
        for descriptor in (self.reads, *self.streams):
            reads_left = 256  # a thread that prints forever is not waited for
            while reads_left and _read(descriptor):
                reads_left -= 1

    def write(self, to: int) -> bool:
        """Write what fits; return whether there is more."""
        try:
            self.outgoing = self.outgoing[os.write(to, self.outgoing) :]
        except BlockingIOError:
            return True
        except OSError:  # it has ended, which reading shows
            return False
        return bool(self.outgoing)

    def read(self, descriptor: int) -> bool:
        """Read what is there; return False at the end."""
        chunk = _read(descriptor)
        if chunk is None:
            return True
        if descriptor == self.reads:
            self.came += chunk
        else:
            self.printed[descriptor].add(chunk)
        return bool(chunk)

    def drain(self) -> None:
        """Read what was printed before the answer was sent."""
        for stream in self.streams:
            for _ in range(64):
                if not (chunk := _read(stream)):
                    break
                self.printed[stream].add(chunk)

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
            message: Any = json.loads(bytes(self.came[_LENGTH.size : _LENGTH.size + length]))
        except (ValueError, RecursionError):
            return self._garbled()
        if not is_object(message) or message.get("number") != number:
            return self._garbled()
        return message

    def _garbled(self) -> dict[str, Any]:
        self.is_garbled = True
        return {"error": "it has written to the connection of its session", "kind": ENDED}

    def ran(self, answer: dict[str, Any]) -> Ran:
        out, err = (self.printed[stream] for stream in self.streams)
        error, kind = answer.get("error", ""), answer.get("kind", "")
        return Ran(
            value=answer.get("value"),
            error=error if isinstance(error, str) else "it failed",
            kind=kind if isinstance(kind, str) else "",
            stdout=out.kept(),
            stderr=err.kept(),
            stdout_left_out=out.left_out,
            stderr_left_out=err.left_out,
        )


def _read(descriptor: int) -> bytes | None:
    """Return what can be read now: None if there is nothing, empty at the end."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


# -- the processes of all callers

_LOOK_EVERY = 0.1
"""Seconds between two checks whether a call that waits for its session is still wanted."""

_every: weakref.WeakSet[PythonSessions] = weakref.WeakSet()


class Stop:
    """Stops one call, from any thread: whether it waits or runs."""

    def __init__(self) -> None:
        self.is_set = False
        self._session: PythonSession | None = None
        self._lock = threading.Lock()

    def runs_in(self, session: PythonSession | None) -> None:
        """Note the session that the call runs in; None if it does not run."""
        with self._lock:
            self._session = session
            if session is not None and self.is_set:
                session.stop()

    def set(self) -> None:
        """Stop the call."""
        with self._lock:
            self.is_set = True
            if self._session is not None:
                self._session.stop()


class PythonSessions:
    """Makes a session when a caller first needs one; each is used by one call at a time."""

    def __init__(self, how: RunSettings, *, memory: int | None, most: int, idle: float) -> None:
        self._how = how
        self._memory = memory
        self._most = most
        self._idle = idle
        self._lock = threading.Lock()
        self._known: dict[Hashable, PythonSession] = {}
        self._sweeper: threading.Timer | None = None
        # Runs when this object is collected, and when the process ends.
        weakref.finalize(self, _kill_all, self._known)
        _every.add(self)

    def __len__(self) -> int:
        return len(self._known)

    def run(
        self,
        key: Hashable,
        command: Sequence[str],
        code: str,
        seconds: float,
        stop: Stop,
        *,
        fresh: bool = False,
        start_seconds: float = START_SECONDS,
    ) -> Ran:
        """Run code in the session of a caller. Raises `Overloaded` or `NotStarted`.

        With `fresh`, the session is a new one. It ends with the code if the caller has no key.
        """
        while True:
            session = self._session(key, command, start_seconds)
            if not self._acquired(session, stop):
                return Ran(error="it was stopped", kind=ENDED)
            if (fresh and session.used_at != _UNUSED) or session.is_over:
                self._forget(key, session)
                fresh = False
                session.lock.release()
                continue
            break
        stop.runs_in(session)
        try:
            return session.run(code, seconds)
        finally:
            stop.runs_in(None)
            if session.is_over or key is None:
                self._forget(key, session)
            session.lock.release()
            self._sweep_later()

    def _session(
        self, key: Hashable, command: Sequence[str], start_seconds: float
    ) -> PythonSession:
        with self._lock:
            session = self._known.get(key) if key is not None else None
            if session is not None and not session.is_over:
                return session
            if len(self._known) >= self._most:
                self._make_room()
            session = PythonSession(
                command, self._how, memory=self._memory, start_seconds=start_seconds
            )
            session.used_at = _UNUSED
            self._known[session if key is None else key] = session
            return session

    def _make_room(self) -> None:
        """End the session that has been idle for longest. Raises `Overloaded` if all are in use."""
        for key, session in sorted(self._known.items(), key=lambda item: item[1].used_at):
            if session.lock.acquire(blocking=False):
                del self._known[key]
                session.end()
                session.lock.release()
                return
        raise Overloaded("too many Python sessions run code", retry_after=1)

    def _acquired(self, session: PythonSession, stop: Stop) -> bool:
        while not session.lock.acquire(timeout=_LOOK_EVERY):
            if stop.is_set:
                return False
        if stop.is_set:
            session.lock.release()
        return not stop.is_set

    def _forget(self, key: Hashable, session: PythonSession) -> None:
        """End a session, with its lock held."""
        with self._lock:
            held_key = session if key is None else key
            if self._known.get(held_key) is session:
                del self._known[held_key]
        session.end()

    # -- the idle ones

    def _sweep_later(self) -> None:
        with self._lock:
            if self._known and self._sweeper is None:
                # Weakly: a timer must not keep alive what nobody uses any more.
                self._sweeper = threading.Timer(self._idle, _sweep, (weakref.ref(self),))
                self._sweeper.daemon = True
                self._sweeper.start()

    def sweep(self) -> None:
        """End the sessions that have been idle for too long."""
        with self._lock:
            self._sweeper = None
            idle = [
                (key, session)
                for key, session in self._known.items()
                if time.monotonic() - session.used_at >= self._idle * 0.9
            ]
        for key, session in idle:
            if session.lock.acquire(blocking=False):
                self._forget(key, session)
                session.lock.release()
        self._sweep_later()

    def disown(self) -> None:
        """Forget every session in a forked copy of this process: they belong to the original."""
        self._lock = threading.Lock()
        self._sweeper = None
        for session in self._known.values():
            session.disown()
        self._known.clear()


_UNUSED = -1.0


def _sweep(sessions: weakref.ref[PythonSessions]) -> None:
    live = sessions()
    if live is not None:
        live.sweep()


def _kill_all(sessions: dict[Hashable, PythonSession]) -> None:
    for session in list(sessions.values()):
        with contextlib.suppress(Exception):
            session.kill()
            if session.lock.acquire(timeout=1):
                session.end()
    sessions.clear()


def _in_copy() -> None:
    for pool in list(_every):
        pool.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_copy)
