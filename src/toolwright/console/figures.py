"""Figures of a running server, kept in memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, TypedDict, cast

from pydantic_core import from_json, to_json

from .._files import read_file, replace_file
from .._json_values import is_object
from .._log.redact import without_likely_secrets
from .._words import truncate
from ..call import Call
from ..errors import ToolNotFound
from ..questions import InputNeeded
from ..refusals import Refused
from ..results import Result, size_of
from ..run.cache import NOTE as CACHE_NOTE

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds: the upper ends of the columns of the histogram, which has one more."""
MINUTE = 60
_MOST_CALLS = 200
_MOST_NAMES = 2_000
_MOST_ARGUMENTS = 2_000
"""Characters of the arguments of one call that are kept, if any are."""
ASKED = "asked"
"""The outcome of a call that ended with a question, to be begun again with the answer."""
_EVERY = 1.0
"""Seconds after which a worker writes its figures again."""
_DEAD = 5.0
"""Seconds after which a worker that has written nothing is no longer there."""
UNKNOWN = "(unknown)"
"""Stands for names that do not exist: callers could make up any number of them."""


class ToolFigures(TypedDict):
    """The calls of one tool, or the reads of one resource or prompt."""

    calls: int
    errors: int
    cancelled: int
    cached: int
    seconds: float
    """The sum of all."""
    histogram: list[int]
    """How many took at most each of `BOUNDS`, and how many took longer."""


class RecentCall(TypedDict):
    """One call that has ended."""

    at: float
    """When it began, in seconds since 1970."""
    kind: str
    name: str
    outcome: str
    seconds: float
    sent: int
    """Bytes of the arguments."""
    received: int
    """Bytes of the result."""
    arguments: str | None
    """As JSON, cut; None unless they are kept."""


class Snapshot(TypedDict):
    """The figures at one moment; those of several processes can be added."""

    since: float
    now: float
    running: int
    tools: dict[str, ToolFigures]
    refusals: dict[str, int]
    """By kind and code, such as `sign-in 401`."""
    minute: list[int]
    """Calls that ended in each of the last sixty seconds, the latest last."""
    recent: list[RecentCall]
    """The latest first."""


class Figures:
    """An `around` hook that counts, and keeps the last calls.

    Arguments may be private: they are kept only if that was wished.
    """

    def __init__(self, *, keeps_arguments: bool = False) -> None:
        self.keeps_arguments = keeps_arguments
        self.since = time.time()
        self.running = 0
        self._tools: dict[str, ToolFigures] = {}
        self._refusals: dict[str, int] = {}
        self._seconds: deque[tuple[int, int]] = deque(maxlen=MINUTE)
        """Seconds in which calls ended, and how many did."""
        self._recent: deque[RecentCall] = deque(maxlen=_MOST_CALLS)
        self._lock = threading.Lock()  # calls end in any thread

    async def __call__(
        self, call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Run a call, and count it when it has ended."""
        at, began = time.time(), time.perf_counter()
        with self._lock:
            self.running += 1
        outcome, name, received, is_cached = "error", call.tool, 0, False
        try:
            result = await go_on(sent)
            if isinstance(result.error, ToolNotFound):
                name = UNKNOWN
            outcome = "ok" if result.error is None else result.error.code
            if result.error is not None and isinstance(result.error.__cause__, InputNeeded):
                outcome = ASKED  # the client comes back with the answers
            received = size_of(result)
            note = (result.meta or {}).get(CACHE_NOTE)
            is_cached = is_object(note) and note.get("hit") is True
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            seconds = time.perf_counter() - began
            text = _written(sent)
            record = RecentCall(
                at=at,
                kind=call.kind,
                name=name,
                outcome=outcome,
                seconds=seconds,
                sent=len(text),
                received=received,
                arguments=_shown(text) if self.keeps_arguments else None,
            )
            self._count(record, is_cached=is_cached)
        return result

    def refused(self, event: Refused) -> None:
        """Count a request that was refused; what was asked for is never kept."""
        with self._lock:
            key = f"{event.kind} {event.code}"
            self._refusals[key] = self._refusals.get(key, 0) + 1

    def snapshot(self) -> Snapshot:
        """Return the figures as they are now."""
        now = time.time()
        with self._lock:
            ended = dict(self._seconds)
            return Snapshot(
                since=self.since,
                now=now,
                running=self.running,
                tools={name: _copied(entry) for name, entry in self._tools.items()},
                refusals=dict(self._refusals),
                minute=[ended.get(int(now) - ago, 0) for ago in reversed(range(MINUTE))],
                recent=list(reversed(self._recent)),
            )

    def _count(self, record: RecentCall, *, is_cached: bool) -> None:
        with self._lock:
            self.running -= 1
            entry = self._entry(record["name"])
            entry["calls"] += 1
            entry["errors"] += record["outcome"] not in ("ok", ASKED, "cancelled")
            entry["cancelled"] += record["outcome"] == "cancelled"
            entry["cached"] += is_cached
            entry["seconds"] += record["seconds"]
            entry["histogram"][bisect_left(BOUNDS, record["seconds"])] += 1
            second = int(time.time())
            if self._seconds and self._seconds[-1][0] == second:
                second, count = self._seconds.pop()
                self._seconds.append((second, count + 1))
            else:
                self._seconds.append((second, 1))
            self._recent.append(record)

    def _entry(self, name: str) -> ToolFigures:
        if name not in self._tools and len(self._tools) >= _MOST_NAMES:
            name = UNKNOWN  # resources with variables may have any number of URIs
        return self._tools.setdefault(name, _empty())


class WorkerFigures:
    """The figures of this process and, if several serve together, of all of them.

    Each writes its own into a file of a folder that they share, which goes when they end.
    """

    def __init__(self, own: Figures, folder: str | None = None) -> None:
        self.own = own
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None:
            threading.Thread(target=self._keep_written, name="figures", daemon=True).start()

    def snapshot(self) -> Snapshot:
        """Return the figures of all processes."""
        mine = self.own.snapshot()
        if self._folder is None:
            return mine
        me, now = f"{os.getpid()}.json", time.time()
        others = [file for file in self._folder.glob("*.json") if file.name != me]
        return added([mine, *(_recent(file, now) for file in others)])

    def _keep_written(self) -> None:
        folder = self._folder or Path()
        file = folder / f"{os.getpid()}.json"
        while folder.is_dir():
            with contextlib.suppress(OSError):  # the folder goes with the server
                replace_file(file, to_json(self.own.snapshot()))
            time.sleep(_EVERY)


def _recent(file: Path, now: float) -> Snapshot:
    """Return what another process has written; of one that has died, what it has done."""
    try:
        snapshot = cast("Snapshot", from_json(read_file(file)))
    except (OSError, ValueError):
        return added(())
    age = int(now) - int(snapshot["now"])
    if age > _DEAD:
        snapshot["running"] = 0
    snapshot["minute"] = (snapshot["minute"] + [0] * age)[-MINUTE:]
    return snapshot


def added(snapshots: Iterable[Snapshot]) -> Snapshot:
    """Return the sums of the figures of several processes."""
    now = time.time()
    total = Snapshot(
        since=now, now=now, running=0, tools={}, refusals={}, minute=[0] * MINUTE, recent=[]
    )
    for snapshot in snapshots:
        total["since"] = min(total["since"], snapshot["since"])
        total["running"] += snapshot["running"]
        for key, count in snapshot["refusals"].items():
            total["refusals"][key] = total["refusals"].get(key, 0) + count
        for name, entry in snapshot["tools"].items():
            _add(total["tools"].setdefault(name, _empty()), entry)
        total["minute"] = [a + b for a, b in zip(total["minute"], snapshot["minute"], strict=True)]
        total["recent"] += snapshot["recent"]
    total["recent"] = sorted(total["recent"], key=lambda call: -call["at"])[:_MOST_CALLS]
    return total


def visible(
    snapshot: Snapshot, may_see: Callable[[str, str], bool], *, arguments: bool
) -> Snapshot:
    """Return a snapshot without names that a caller may not see, given their kind and name.

    Without `arguments`, those of the last calls are left out as well.
    """
    kinds = ("tool", "resource", "prompt")
    shown = snapshot.copy()
    shown["recent"] = [
        call.copy()
        for call in snapshot["recent"]
        if call["name"] == UNKNOWN or may_see(call["kind"], call["name"])
    ]
    shown["tools"] = {
        name: figures
        for name, figures in snapshot["tools"].items()
        if name == UNKNOWN or any(may_see(kind, name) for kind in kinds)
    }
    if not arguments:
        for call in shown["recent"]:
            call["arguments"] = None
    return shown


def _empty() -> ToolFigures:
    return ToolFigures(
        calls=0, errors=0, cancelled=0, cached=0, seconds=0.0, histogram=[0] * (len(BOUNDS) + 1)
    )


def _copied(entry: ToolFigures) -> ToolFigures:
    copied = entry.copy()
    copied["histogram"] = list(entry["histogram"])
    return copied


def _add(total: ToolFigures, entry: ToolFigures) -> None:
    total["calls"] += entry["calls"]
    total["errors"] += entry["errors"]
    total["cancelled"] += entry["cancelled"]
    total["cached"] += entry["cached"]
    total["seconds"] += entry["seconds"]
    pairs = zip(total["histogram"], entry["histogram"], strict=True)
    total["histogram"] = [mine + other for mine, other in pairs]


def _written(sent: Any) -> bytes:
    """Return arguments as they were sent, or about so."""
    if isinstance(sent, bytes):
        return sent
    if isinstance(sent, str):
        return sent.encode(errors="replace")
    try:
        return to_json({} if sent is None else sent, fallback=repr)
    except ValueError:
        return b""


def _shown(text: bytes) -> str:
    cut = text[: 4 * _MOST_ARGUMENTS].decode(errors="replace")
    return truncate(without_likely_secrets(cut), _MOST_ARGUMENTS)
