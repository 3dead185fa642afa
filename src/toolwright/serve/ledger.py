"""What is known of long calls, where every process of the server, and the next one, finds it."""

from __future__ import annotations

import datetime as dt
import secrets
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pydantic_core import from_json, to_json

from ..store import MemoryStore, SqliteStore, Store, open_store

OVER = frozenset(("completed", "failed", "cancelled"))
LOST = "the server was stopped while this task ran"
_WHILE_RUNNING = 30 * 24 * 3600.0
"""Seconds for which a task is remembered that nobody ends."""
_ALIVE = 6.0
"""Seconds after its last sign of life a server counts as dead."""
_BEAT = 1.0
_MOST = 1_000_000
"""How many tasks are kept: none that was promised is dropped for another."""
_INTERNAL_ERROR = -32603


class Entry(TypedDict):
    """One task: what clients see of it, and behind `_` what they do not."""

    taskId: str
    status: str
    createdAt: str
    lastUpdatedAt: str
    ttlMs: int | None
    pollIntervalMs: int
    statusMessage: NotRequired[str]
    inputRequests: NotRequired[dict[str, Any]]
    result: NotRequired[dict[str, Any]]
    error: NotRequired[dict[str, Any]]
    _owner: str | None
    _server: str
    _began: float
    _answers: dict[str, Any]


def shown(entry: Entry) -> dict[str, Any]:
    """Return what a client sees of a task."""
    return {key: value for key, value in entry.items() if not key.startswith("_")}


def default_path() -> Path:
    """Return the file of tasks where programs keep their state."""
    from platformdirs import user_state_path

    # No author: else Windows has one more folder of the same name.
    return user_state_path("toolwright", appauthor=False) / "tasks.db"


def open_ledger(where: str | Store | None, box: str, keep: float) -> Ledger:
    """Open the tasks of a toolbox; in a file of the user's if nobody says where."""
    if where is None:
        path = default_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Ledger(SqliteStore(path, most=_MOST), box, keep)
    if where == "memory:":
        return Ledger(MemoryStore(most=_MOST), box, keep)
    if isinstance(where, str) and where.startswith("sqlite:///"):
        return Ledger(SqliteStore(where.removeprefix("sqlite:///"), most=_MOST), box, keep)
    return Ledger(open_store(where), box, keep)


class Ledger:
    """The tasks of one toolbox in a store. Its methods may wait for a disk."""

    def __init__(self, store: Store, box: str, keep: float) -> None:
        self.store = store
        self.keep = keep
        """Seconds for which a task can be read after it has ended."""
        self.server = secrets.token_hex(8)
        self._prefix = f"task:{box}:"
        self._beating: threading.Thread | None = None
        self._ends = threading.Event()
        self._lock = threading.Lock()

    def create(self, owner: str | None, poll_ms: int) -> Entry:
        """Write down a task that runs; whoever asks finds it from now on."""
        now = _now()
        entry: Entry = {
            "taskId": secrets.token_urlsafe(24),
            "status": "working",
            "createdAt": now,
            "lastUpdatedAt": now,
            "ttlMs": None,
            "pollIntervalMs": poll_ms,
            "_owner": owner,
            "_server": self.server,
            "_began": time.time(),
            "_answers": {},
        }
        self._beat_now()
        self.store.put(self._prefix + entry["taskId"], to_json(entry), _WHILE_RUNNING)
        return entry

    def read(self, number: str, owner: str | None) -> Entry | None:
        """Return a task of a caller; one whose server is dead has failed."""
        found = self._read(number, owner)
        if found is None or found["status"] in OVER or self._is_alive(found["_server"]):
            return found
        return self.end(number, "failed", error={"code": _INTERNAL_ERROR, "message": LOST})

    def _read(self, number: str, owner: str | None) -> Entry | None:
        written = self.store.get(self._prefix + number)
        entry: Entry | None = None if written is None else from_json(written)
        return entry if entry is not None and entry["_owner"] == owner else None

    def change(self, number: str, make: Callable[[Entry], None]) -> Entry | None:
        """Change a task that has not ended; return it as it is then, None if there is none."""
        result: list[Entry | None] = [None]

        def change(before: bytes | None) -> tuple[bytes, float]:
            if before is None:
                result[0] = None
                return b"", 0
            entry: Entry = from_json(before)
            result[0] = entry
            if entry["status"] not in OVER:
                make(entry)
                entry["lastUpdatedAt"] = _now()
            ends = entry["status"] in OVER
            left = self.keep if ends else _WHILE_RUNNING
            if ends and entry.get("ttlMs") is None:
                entry["ttlMs"] = int((time.time() - entry["_began"] + self.keep) * 1000)
            elif ends:
                left = entry["_began"] + (entry["ttlMs"] or 0) / 1000 - time.time()
            return to_json(entry), left

        self.store.update(self._prefix + number, change)
        return result[0]

    def forget(self, number: str) -> None:
        """Forget a task that nobody was told of."""
        self.store.delete(self._prefix + number)

    def end(self, number: str, status: str, **more: Any) -> Entry | None:
        """End a task, unless it has ended already."""

        def make(entry: Entry) -> None:
            entry["status"] = status
            for key in ("inputRequests", "statusMessage"):
                entry.pop(key, None)
            entry.update(more)  # pyright: ignore[reportCallIssue, reportArgumentType]
            if status == "failed":
                entry["statusMessage"] = str(more["error"]["message"])

        return self.change(number, make)

    # -- signs of life

    def beat(self, look: Callable[[], bool]) -> None:
        """Give signs of life as long as `look` says that tasks run; it looks after them."""
        with self._lock:
            if self._beating is None:
                self._ends.clear()
                self._beating = threading.Thread(target=self._beats, args=(look,), daemon=True)
                self._beating.start()

    def _beats(self, look: Callable[[], bool]) -> None:
        while not self._ends.wait(_BEAT):
            try:
                self._beat_now()
                runs = look()
            except OSError:
                continue  # the disk may be full for a while
            with self._lock:
                if not runs and not look():
                    self._beating = None
                    return

    def _beat_now(self) -> None:
        self.store.put(f"{self._prefix}alive:{self.server}", b"1", _ALIVE)

    def _is_alive(self, server: str) -> bool:
        return server == self.server or self.store.get(f"{self._prefix}alive:{server}") is not None

    def close(self) -> None:
        """Give no more signs of life."""
        self._ends.set()
        beating = self._beating
        if beating is not None:
            beating.join(5)
            self._beating = None


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
