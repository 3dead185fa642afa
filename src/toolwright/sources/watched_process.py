"""One process, watched by a thread until it has ended.

A thread, because starting a process takes milliseconds that no event loop should spend, and because
it works with any loop, or several; asyncio's own processes need a child watcher, and their `wait()`
also waits for the pipes, which a daemon may hold forever.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import select
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from .._process import (
    HAS_GROUPS,
    LOOK_EVERY,
    NO_MARK,
    Ending,
    Waker,
    ask_to_end,
    descendants,
    is_group,
    kill_all,
    kill_group,
    wait_unreaped,
)
from .._process import __file__ as script_file
from ..errors import ToolError
from ..run.loop import Pending

# -- how a program is run, as checked values

PASSED_ENVIRONMENT = (
    # Where things are, and who asks.
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP"),
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    # Language and time.
    *("LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR"),
    # What a program needs to start at all if this process needed it: its libraries and modules.
    # None of these holds a secret. Proxies are left out, since their addresses may hold passwords.
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8"),
    "PYTHONDONTWRITEBYTECODE",
)
"""The variables that programs get from this process by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a program is run. Raises `ValueError` or `TypeError` for settings that cannot work."""

    cwd: str | os.PathLike[str] | None = None
    """The working directory; None for that of this process."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Variables to set; one may be a secret."""
    pass_environment: tuple[str, ...] = PASSED_ENVIRONMENT
    """The variables of this process that the program gets, by name or with `*`; no others."""
    stdin: bytes | None = field(default=None, repr=False)
    """What it reads; None for nothing at all."""
    max_output: int = 65_536
    """How many bytes of each stream are kept, half from its beginning and half from its end."""
    end_seconds: float = 2.0
    """How long it may take to end when asked to, before it is killed."""

    def __post_init__(self) -> None:
        if self.cwd is not None:
            _path(self.cwd)
        variables = _environment(self.environment)
        object.__setattr__(self, "environment", types.MappingProxyType(variables))
        object.__setattr__(self, "pass_environment", _names(self.pass_environment))
        if self.stdin is not None and not isinstance(cast("Any", self.stdin), bytes):
            msg = f"stdin must be bytes, not {type(self.stdin).__name__}"
            raise TypeError(msg)
        _number("max_output", self.max_output, 2, 1 << 30)
        if not isinstance(cast("Any", self.max_output), int):
            msg = f"max_output must be a whole number of bytes, not {self.max_output!r}"
            raise TypeError(msg)
        _number("end_seconds", self.end_seconds, 0, 3600)


def _path(value: Any) -> None:
    try:
        path = cast("Any", os.fspath(cast("str", value)))
    except TypeError:
        path = None
    if not isinstance(path, str) or not path or "\0" in path:
        msg = f"cwd must be the path of a folder, not {value!r}"
        raise ValueError(msg)


def _environment(variables: Any) -> dict[str, str]:
    if not isinstance(variables, Mapping):
        msg = f"environment must be a mapping of names to text, not {type(variables).__name__}"
        raise TypeError(msg)
    checked: dict[str, str] = {}
    for name, value in cast("Mapping[Any, Any]", variables).items():
        if not isinstance(name, str) or not name or set(name) & set("=\0"):
            msg = f"environment: {name!r} is not a valid variable name"
            raise ValueError(msg)
        if not isinstance(value, str) or "\0" in value:  # the value itself may be a secret
            msg = f"environment: the value of {name} must be text without NUL"
            raise ValueError(msg)
        try:
            os.fsencode(name + value)
        except UnicodeEncodeError:
            msg = f"environment: {name!r} and its value must be text without lone surrogates"
            raise ValueError(msg) from None
        checked[name] = value
    return checked


def _names(patterns: Any) -> tuple[str, ...]:
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        msg = f"pass_environment must be a list of names such as `LC_*`, not {patterns!r}"
        raise TypeError(msg)
    names = tuple(cast("Iterable[Any]", patterns))
    for name in names:
        if not isinstance(name, str) or not name or "=" in name:
            msg = f"pass_environment: {name!r} is not a valid variable name"
            raise ValueError(msg)
    return names


def _number(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        msg = f"{name} must be a number from {least} to {most}, not {value!r}"
        raise ValueError(msg)


# -- the environment: an allow-list, and no questions

QUIET: Mapping[str, str] = {
    "CI": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INPUT": "1",
    "EDITOR": "false",
    "VISUAL": "false",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "COLUMNS": "200",
}
"""Variables that tell a program that nobody is there to answer."""


DEPTH = "TOOLWRIGHT_DEPTH"
"""The variable that says how many programs, each started by the one before, are running."""
MOST_DEPTH = 4
USER_VARIABLES = "TOOLWRIGHT_PASS_ENV"
"""The variable that names, with spaces between, those that the user gives to every command.

It stands in a client's entry beside them: whoever edits one there sees the other, and it reaches
whatever the entry starts, such as the processes of `--reload` and `--workers`.
"""


def depth() -> int:
    """Return how many such programs this process runs inside."""
    level = os.environ.get(DEPTH, "")
    return int(level) if level.isascii() and level.isdecimal() and len(level) < 4 else 0


def user_variables() -> dict[str, str]:
    """Return the variables of this process that its user gives to every command."""
    names = os.environ.get(USER_VARIABLES, "").split()
    return {name: os.environ[name] for name in names if name in os.environ}


def entry_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an entry that starts a server, such that they reach its commands."""
    return {**variables, USER_VARIABLES: " ".join(variables)} if variables else {}


def environment_of(how: RunSettings, *, tells_lines: bool) -> dict[str, str]:
    """Return the whole environment of a program.

    `QUIET` overrides variables that a pattern lets through, but not those named in full or set.
    `tells_lines` asks Python programs to write each line at once. It slows down those
    that print much: two million lines took 11 s instead of 1.
    """
    patterns = [pattern for pattern in how.pass_environment if set(pattern) & set("*?[")]
    ours = os.environ
    environment = {
        name: ours[name] for name in ours if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    environment |= QUIET
    if tells_lines:
        environment["PYTHONUNBUFFERED"] = "1"
    environment |= {name: ours[name] for name in how.pass_environment if name in ours}
    return {**environment, **how.environment, DEPTH: str(depth() + 1)}


# -- output as it comes: bounded bytes, and plain text

# ECMA-48: CSI (5.4), the strings OSC, DCS, SOS, PM and APC (5.6), other escapes (5.3); the same in
# their 8-bit forms. A string ends with ST, or with BEL as xterm and OSC 8 have it. What is never
# closed ends with its line, or after 4 kB: it must not hide what follows. Every alternative begins
# with a character of its own and repeats a bounded class, so that the time is linear.
_ESCAPE = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]{0,256} [ -/]{0,16} [@-~]?
    | (?: \x1b[\]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c\r\n]{0,4096} (?: \x07 | \x1b\\ | \x9c )?
    | \x1b [ -/]{0,16} [0-~]?
    """,
    re.VERBOSE,
)
# How `man` writes bold and underlined characters for paper.
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
# DEL, and C0 and C1 controls except tab, newline and carriage return.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def plain_text(text: str) -> str:
    r"""Return text without escape sequences and control characters, except tabs and line ends.

    >>> plain_text("\x1b[1;31mred\x1b[0m\a, 10 %\n")
    'red, 10 %\n'
    """
    if "\x1b" in text or not text.isprintable():
        text = _OVERSTRUCK.sub("", _ESCAPE.sub("", text))
        text = _CONTROL.sub("", text)
    return text


class OutputBytes:
    """Keeps at most `most` bytes: half from the beginning, and half from the end."""

    __slots__ = ("_head", "_head_size", "_tail", "_tail_size", "total")

    def __init__(self, most: int) -> None:
        self._tail_size = most // 2
        self._head_size = most - self._tail_size
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk."""
        self.total += len(chunk)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        if len(chunk) >= self._tail_size:
            self._tail[:] = chunk[len(chunk) - self._tail_size :]
            return
        self._tail += chunk
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            del self._tail[:excess]  # moves an offset, not the bytes

    @property
    def left_out(self) -> int:
        """How many bytes are not kept."""
        return self.total - len(self._head) - len(self._tail)

    def kept(self) -> bytes:
        """Return the bytes that are kept."""
        return bytes(self._head + self._tail)


# -- a process that ends what a killed process has left


class ProgramGuard:
    """Tells the guard process which programs run; that process is started when first needed.

    The system can tell a process that its parent has died (PR_SET_PDEATHSIG on Linux), but only
    that one and not its children, and only if code runs between fork and exec, which is not safe
    with threads. A broken pipe is noticed on any POSIX system.
    """

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
        self.answer = Pending()
        """The `Finished` of this run, or why there is none."""
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

    def watch(self) -> None:
        """Start it, read what it writes until it has ended, and settle the answer."""
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is awaited
            if not self.answer.is_settled:
                self.answer.settle(None, error)

    def _run(self) -> None:
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
                self.answer.settle(*self._outcome(popen, streams, ending))
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

    def _outcome(
        self, process: subprocess.Popen[bytes], streams: _Streams, ending: Ending
    ) -> tuple[Finished | None, BaseException | None]:
        """Return how it has ended, or what nobody can say of it."""
        if not ending.is_seen:
            text = f"{self.words[0]} was killed, but has not ended"
            return None, ToolError(text, code="not_ended")
        try:
            code = ending.exit_code()
        except ChildProcessError:
            reason = "its exit code is lost: something else in this server waits for all processes"
            return None, ToolError(f"{self.words[0]} has ended, but {reason}", code="not_ended")
        out, err = streams.kept[_OUT], streams.kept[_ERR]
        finished = Finished(
            exit_code=code,
            stdout=out.kept(),
            stderr=err.kept(),
            stdout_left_out=out.left_out,
            stderr_left_out=err.left_out,
        )
        return finished, None

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
