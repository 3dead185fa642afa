"""One process, watched by a thread until it has ended.

A thread, because starting a process takes milliseconds that no event loop should spend, and because
it works with any loop, or several; asyncio's own processes need a child watcher, and their `wait()`
also waits for the pipes, which a daemon may hold forever.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..._process import (
    LOOK_EVERY,
    Ending,
    Waker,
    ask_to_end,
    descendants,
    is_group,
    kill_all,
    kill_group,
    wait_unreaped,
)
from ...errors import ToolError
from .output_stream import OutputBytes
from .program_guard import guard
from .run_settings import RunSettings

# -- starting it, or saying clearly why it did not start

_HERE = {
    errno.EMFILE: "this server has too many files open",
    errno.ENFILE: "the system has too many files open",
    errno.EAGAIN: "the system has no room for another process",
    errno.ENOMEM: "the system has no memory for another process",
}
"""Failures after which another attempt may succeed."""


class NotStarted(ToolError):
    """A program that could not be started."""

    def __init__(self, name: str, reason: str, *, retryable: bool = False) -> None:
        message = f"{name} cannot be started: {reason}"
        super().__init__(message, code="not_started", retryable=retryable)


def start(
    words: Sequence[str], how: RunSettings, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own. Raises `NotStarted`.

    A session of its own has no terminal, so that nothing can prompt there, and a process group that
    can be ended as a whole.
    """
    try:
        return subprocess.Popen(  # noqa: S603 - words, never a shell
            [os.fsencode(word) for word in words],
            stdin=subprocess.DEVNULL if how.stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=how.cwd,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise _not_started(words[0], how, error) from error
    except ValueError as error:  # NUL or a lone surrogate
        reason = "a word has NUL or a lone surrogate in it"
        raise NotStarted(words[0], reason) from error


def _not_started(name: str, how: RunSettings, error: OSError) -> NotStarted:
    if error.errno in _HERE:
        return NotStarted(name, _HERE[error.errno], retryable=True)
    if error.errno == errno.E2BIG:
        return NotStarted(name, "its arguments and environment are longer than the system takes")
    if how.cwd is not None and error.filename == how.cwd:
        return NotStarted(name, f"its working directory {os.fspath(how.cwd)} {_of_folder(how.cwd)}")
    return NotStarted(name, _of_file(name, how, error))


def _of_folder(path: str | os.PathLike[str]) -> str:
    try:
        if not Path(path).exists():
            return "does not exist"
        return "may not be entered" if Path(path).is_dir() else "is not a folder"
    except OSError:
        return "may not be entered"


def _of_file(name: str, how: RunSettings, error: OSError) -> str:
    path = Path(how.cwd or "", name)
    if error.errno == errno.ENOEXEC:
        return "the system cannot run such a file (a script needs a first line such as #!/bin/sh)"
    if path.is_dir() and os.sep in name:
        return "it is a folder"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        if os.sep not in name:
            return "there is no such program on its PATH"
        if path.exists():
            return "the interpreter that its first line names does not exist"
        return "no such file exists"
    if error.errno == errno.EACCES:
        return "it is not executable"
    return (error.strerror or "the system refused").lower()


# -- watching it

PATIENCE = 1.0
"""Seconds that pipes may stay open when the process has ended: a child of it may hold them."""
_AFTER_KILL = 1.0
"""Seconds that a killed process may take to end, before it is left alone."""
_CHUNK = 65_536
_OUT, _ERR = 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A program that has ended."""

    exit_code: int
    """Negative if a signal ended it."""
    stdout: bytes
    stderr: bytes
    stdout_left_out: int = 0
    """How many bytes are missing between the two halves of what is kept."""
    stderr_left_out: int = 0


class WatchedProcess:
    """One run of a program: `watch` is what its thread does, the rest is for other threads."""

    def __init__(
        self,
        words: Sequence[str],
        how: RunSettings,
        environment: Mapping[str, str],
        mark: str,
        feed: Callable[[int, bytes], None] | None,
    ) -> None:
        self.words = words
        self.how = how
        self.environment = environment
        self.mark = mark
        self.feed = feed
        self._lock = threading.Lock()
        self._stop_at: float | None = None
        """When it is or was to be killed, by the monotonic clock; None if nobody wants it ended."""
        self._waker: Waker | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._held: list[int] = []
        """Descriptors of what it has started, found when it was asked to end."""

    # -- any thread

    def stop(self, seconds: float | None = None) -> None:
        """Ask it to end, and kill it if it has not ended after this time."""
        deadline = time.monotonic() + (self.how.end_seconds if seconds is None else seconds)
        with self._lock:
            self._stop_at = deadline if self._stop_at is None else min(deadline, self._stop_at)
            if self._waker is not None:
                self._waker.wake()

    def kill(self) -> None:
        """Kill the whole group now, from a thread that cannot wait for the other one."""
        with self._lock:
            process = self._process
            if process is not None and process.returncode is None:
                kill_group(process.pid)

    # -- its own thread

    def watch(self, settle: Callable[[Finished | BaseException], None]) -> None:
        """Start it, read what it writes until it has ended, and report the outcome."""
        try:
            self._run(settle)
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            settle(error)

    def _run(self, settle: Callable[[Finished | BaseException], None]) -> None:
        with contextlib.ExitStack() as stack:
            waker = self._open_waker(stack)
            with self._lock:
                if self._stop_at is not None:
                    raise NotStarted(self.words[0], "it is no longer wanted")
            popen = start(self.words, self.how, self.environment)
            with self._lock:
                self._process = popen
            stack.callback(self._reap, popen)
            try:
                guard.note(popen.pid, self.mark)
                streams = _Streams(popen, self.how, self.feed)
                stack.callback(streams.close)
                ending = Ending(popen)
                stack.callback(ending.close)
                self._follow(popen, streams, ending, waker.descriptor)
                settle(self._finished(popen, streams, ending))
            except BaseException:  # no memory, or a fault of ours: nobody would end it later
                self._kill_all(popen)
                raise

    def _open_waker(self, stack: contextlib.ExitStack) -> Waker:
        """Return what wakes this thread when somebody wants the program to end."""
        try:
            waker = Waker()
        except OSError as error:
            reason = "this server has too many files open"
            raise NotStarted(self.words[0], reason, retryable=True) from error
        stack.callback(self._close_waker, waker)
        with self._lock:
            self._waker = waker
        return waker

    def _close_waker(self, waker: Waker) -> None:
        with self._lock:
            self._waker = None
        waker.close()

    def _follow(
        self, process: subprocess.Popen[bytes], streams: _Streams, ending: Ending, listener: int
    ) -> None:
        """Read and write until there is nothing more to wait for."""
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        ending.register(poll)
        streams.register(poll)
        until: float | None = None
        """When to stop waiting for the pipes."""
        was_asked = killed = False
        while not (ending.is_seen and not streams.reading):
            now = time.monotonic()
            stop_at = self._stop_at
            if stop_at is not None and not was_asked:
                was_asked = True
                self._held = descendants(process.pid)
                ask_to_end(process.pid)
            if stop_at is not None and not killed and now >= stop_at:
                killed = True
                self._kill_all(process)
                until = now + _AFTER_KILL
            if ending.is_seen and until is None:
                until = now + PATIENCE
            if until is not None and now >= until:
                break
            dues = [due for due in (until, stop_at if not killed else None) if due is not None]
            timeout = max(min(dues) - now, 0) if dues else None
            for descriptor, _ in poll.poll(ending.timeout(timeout)):
                if descriptor == ending.descriptor:
                    poll.unregister(descriptor)
                    ending.is_seen = True
                elif descriptor == listener:
                    os.read(listener, _CHUNK)  # somebody wants it to end, or to end sooner
                else:
                    streams.serve(descriptor, poll)
            ending.look()
        if was_asked and not killed:
            self._kill_all(process)

    def _kill_all(self, process: subprocess.Popen[bytes]) -> None:
        kill_all(process.pid, self.mark, self._held)

    def _finished(
        self, process: subprocess.Popen[bytes], streams: _Streams, ending: Ending
    ) -> Finished | BaseException:
        if not ending.is_seen:
            return ToolError(f"{self.words[0]} was killed, but has not ended", code="not_ended")
        try:
            code = ending.exit_code()
        except ChildProcessError:
            reason = "its exit code is lost: something else in this server waits for all processes"
            return ToolError(f"{self.words[0]} has ended, but {reason}", code="not_ended")
        out, err = streams.kept[_OUT], streams.kept[_ERR]
        return Finished(
            exit_code=code,
            stdout=out.kept(),
            stderr=err.kept(),
            stdout_left_out=out.left_out,
            stderr_left_out=err.left_out,
        )

    def _reap(self, process: subprocess.Popen[bytes]) -> None:
        """Reap it; only from then on may its pid mean another process."""
        # One that does not even end when killed is waited for here: the answer was given before.
        wait_unreaped(process.pid)
        if process.returncode is None:
            ask_to_end(process.pid)  # what it has left in its group
        guard.forget(process.pid)
        with self._lock:
            process.wait()
        # A number that still means a group is not given to a new process.
        if is_group(process.pid):
            guard.note(process.pid, self.mark)
            self._end_group(process.pid)
            guard.forget(process.pid)

    def _end_group(self, group: int) -> None:
        """Kill what does not end by itself; what has made itself a daemon is in another group."""
        due = time.monotonic() + self.how.end_seconds
        while is_group(group) and time.monotonic() < due:
            time.sleep(LOOK_EVERY)
        kill_group(group)


class _Streams:
    """What a process reads and writes."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        how: RunSettings,
        feed: Callable[[int, bytes], None] | None,
    ) -> None:
        self.files = [pipe for pipe in (process.stdout, process.stderr, process.stdin) if pipe]
        self.kept = {_OUT: OutputBytes(how.max_output), _ERR: OutputBytes(how.max_output)}
        self.feed = feed
        self.reading: dict[int, int] = {}
        """Which stream a descriptor reads."""
        for file, stream in ((process.stdout, _OUT), (process.stderr, _ERR)):
            if file is not None:
                self.reading[file.fileno()] = stream
        self.input = memoryview(how.stdin or b"")
        self.writer = process.stdin
        if self.writer is not None:
            os.set_blocking(self.writer.fileno(), False)
            if not self.input:
                self.writer.close()

    def register(self, poll: select.poll) -> None:
        for descriptor in self.reading:
            poll.register(descriptor, select.POLLIN)
        if self.writer is not None and not self.writer.closed:
            poll.register(self.writer.fileno(), select.POLLOUT)

    def serve(self, descriptor: int, poll: select.poll) -> None:
        """Read or write as much as is possible at once."""
        if descriptor not in self.reading:
            if not self._write():
                poll.unregister(descriptor)
                self._close_writer()
            return
        stream = self.reading[descriptor]
        chunk = os.read(descriptor, _CHUNK)
        self.kept[stream].add(chunk)
        if self.feed is not None:
            self.feed(stream, chunk)
        if not chunk:
            poll.unregister(descriptor)
            del self.reading[descriptor]

    def _write(self) -> bool:
        """Return whether there is more to write."""
        if self.writer is None:
            return False
        try:
            count = os.write(self.writer.fileno(), self.input[:_CHUNK])
        except BlockingIOError:
            return True
        except OSError:  # it does not read any more
            return False
        self.input = self.input[count:]
        return bool(self.input)

    def _close_writer(self) -> None:
        if self.writer is not None:
            with contextlib.suppress(OSError):
                self.writer.close()

    def close(self) -> None:
        for file in self.files:
            with contextlib.suppress(OSError):
                file.close()
