"""The sessions of all callers: one each, bounded, ended when idle."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Hashable, Sequence

from ...errors import Overloaded
from ..running.settings import RunSettings
from .session import ENDED, START_SECONDS, PythonSession, Ran

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
