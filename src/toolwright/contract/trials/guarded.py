"""Runs tests in a copy of this process.

The copy writes down what it does. If it ends inside a call, that call has failed, and another copy
continues after it. A call that far exceeds its time has its process ended as well.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..._log.printable import say
from .calls import Done, Journal, Outcome, TrialCall

_GRACE = 5.0
"""Seconds beyond its time that a call may take: by then, a thread that can be left is left."""
_MOST_ENDED = 100
"""How many processes tools may end in one run."""


def may_guard() -> bool:
    """Return whether a copy of this process can be made: not with other threads in it."""
    return hasattr(os, "fork") and threading.active_count() == 1


def run_guarded(work: Callable[[Journal], int], flush: Callable[[], object]) -> int:
    """Do some work in copies of this process until one of them finishes it.

    A copy also returns from here, with the exit code of the work. This process returns the same.
    """
    done: Done = {}
    for _ in range(_MOST_ENDED):
        flush()
        reading, writing = os.pipe()
        copy = os.fork()
        if copy == 0:
            os.close(reading)
            return work(Journal(done, writing))
        os.close(writing)
        watch = _Watch(copy, reading, done)
        code = watch.until_it_ends()
        os.close(reading)
        if not watch.died_in_a_call:
            return code
        if sys.stderr.isatty():  # a progress bar may have hidden the cursor
            sys.stderr.write("\r\x1b[K\x1b[?25h")
            sys.stderr.flush()
    say(f"toolwright: {_MOST_ENDED} processes were ended by tools: not trying again")
    return 1


class _Watch:
    """Follows one copy, until it ends or has to be ended."""

    def __init__(self, copy: int, pipe: int, done: Done) -> None:
        self.copy, self.pipe, self.done = copy, pipe, done
        self.buffer = b""
        self.at: int | None = None
        self.planned: Outcome | None = None
        self.call: Mapping[str, Any] | None = None
        self.count = 0
        self.due: float | None = None
        self.hung = False
        self.interrupted = False

    def until_it_ends(self) -> int:
        before = signal.signal(signal.SIGINT, self._pass_on)
        on_terminate = signal.signal(signal.SIGTERM, self._pass_on)
        try:
            status = self._watched()
        finally:
            signal.signal(signal.SIGINT, before)
            signal.signal(signal.SIGTERM, on_terminate)
        code = os.waitstatus_to_exitcode(status)
        if self.died_in_a_call:
            self._record(code)
        return code if code >= 0 else 128 - code

    def _pass_on(self, number: int, _frame: object) -> None:
        """End the copy as the user ends us: that is not a failure of a tool."""
        self.interrupted = True
        os.kill(self.copy, number)

    @property
    def died_in_a_call(self) -> bool:
        return self.call is not None and not self.interrupted

    def _watched(self) -> int:
        while True:
            wait = 0.5 if self.due is None else min(0.5, max(self.due - time.monotonic(), 0.01))
            ready, _, _ = select.select([self.pipe], [], [], wait)
            is_open = not ready or self._read()
            gone, status = os.waitpid(self.copy, 0 if not is_open else os.WNOHANG)
            if gone:
                while select.select([self.pipe], [], [], 0)[0] and self._read():
                    pass
                return status
            if self.due is not None and time.monotonic() > self.due:
                self.hung = True
                os.kill(self.copy, signal.SIGKILL)
                self.due = None

    def _read(self) -> bool:
        """Take in what the copy has written; return whether it may write more."""
        received = os.read(self.pipe, 65536)
        *lines, self.buffer = (self.buffer + received).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(received)

    def _take(self, entry: Mapping[str, Any]) -> None:
        if "start" in entry:
            self.at, self.planned, self.count = entry["start"], Outcome(**entry["outcome"]), 0
        elif "begin" in entry:
            self.call, self.due = entry, time.monotonic() + entry["seconds"] + _GRACE
        elif "end" in entry:
            self.call, self.due = None, None
            self.count += 1
        elif "finish" in entry:
            calls = [_call_from(call) for call in entry["calls"]]
            self.done[entry["finish"]] = (Outcome(**entry["outcome"]), calls)
            self.at = None

    def _record(self, code: int) -> None:
        """Record a failure of the call in which the copy ended."""
        if self.planned is None or self.at is None or self.call is None:
            return
        if self.hung:
            seconds = self.call["seconds"]
            why = f"did not answer within {seconds:g} s, and its process had to be ended"
        elif code < 0:
            why = f"ended its process by signal {-code} ({_signal_name(-code)})"
        else:
            why = f"ended its process with exit code {code}"
        outcome = replace(
            self.planned,
            detail=why,
            arguments=self.call.get("arguments"),
            calls=self.count + 1,
        )
        names = tuple(self.call.get("arguments") or ())
        last_call = TrialCall(str(self.call["begin"]), names, 0.0, is_error=True, size=0)
        self.done[self.at] = (outcome, [last_call])


def _call_from(entry: Sequence[Any]) -> TrialCall:
    tool, names, seconds, is_error, size = entry
    return TrialCall(tool, tuple(names), seconds, is_error, size)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
