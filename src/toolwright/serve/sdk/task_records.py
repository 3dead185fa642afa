"""Task records, shared by all server processes and kept across restarts."""

from __future__ import annotations

import datetime as dt
import os
import platform
import secrets
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from pydantic_core import from_json, to_json

from ..._json_values import is_object
from ...stores import MemoryStore, SqliteStore, Store, boot, clock_of, open_store


class Sign(TypedDict):
    """Identifies a process: its number is used again, but never with the same start."""

    where: str
    pid: int
    began: str


def this_process() -> Sign:
    """Return the sign that identifies this process."""
    pid = os.getpid()
    return {"where": _where(), "pid": pid, "began": _began(pid) or ""}


def lives(sign: Sign) -> bool | None:
    """Return whether a process runs; None if that cannot be seen from here."""
    if sign["where"] != _where() or sys.platform == "win32":
        return None
    if sign["began"]:
        return _began(sign["pid"]) == sign["began"]
    try:
        os.kill(sign["pid"], 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return None  # there is one with that number, but it may be another


def _where() -> str:
    """Name the scope of process numbers: a machine since it was started, or a container."""
    try:
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        space = ""
    return f"{platform.node()} {boot()} {space}"


def _began(pid: int) -> str | None:
    """Return when a process began, as the system counts; None if it has ended or cannot be seen."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name before it may hold anything
    return None if len(fields) < 20 or fields[0] in "ZX" else fields[19]


OVER = frozenset(("completed", "failed", "cancelled"))
LOST = "the server was stopped while this task ran"
_WHILE_RUNNING = 30 * 24 * 3600.0
"""Seconds for which a task that never ends is remembered."""
_SILENT = 60.0
"""Seconds of silence after which a server that cannot be seen from here counts as dead."""
_BEAT = 1.0
_MOST = 1_000_000
"""How many tasks are kept: none that was promised is dropped for another."""
_INTERNAL_ERROR = -32603


class TaskRecord(TypedDict):
    """One task: what clients see of it and, in keys with `_`, what they do not."""

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


def shown(entry: TaskRecord) -> dict[str, Any]:
    """Return what a client sees of a task."""
    return {key: value for key, value in entry.items() if not key.startswith("_")}


def default_path() -> Path:
    """Return the path of the task file, in the folder where programs keep their state."""
    from platformdirs import user_state_path

    # No author: otherwise Windows has one more folder of the same name.
    return user_state_path("toolwright", appauthor=False) / "tasks.db"


def open_task_records(where: str | Store | None, box: str, keep: float) -> TaskRecords:
    """Open the tasks of a toolbox; by default in a file of the user."""
    if where is None:
        path = default_path()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return TaskRecords(SqliteStore(path, max_items=_MOST), box, keep)
    if where == "memory:":
        return TaskRecords(MemoryStore(max_items=_MOST), box, keep)
    if isinstance(where, str) and where.startswith("sqlite:///"):
        return TaskRecords(
            SqliteStore(where.removeprefix("sqlite:///"), max_items=_MOST), box, keep
        )
    return TaskRecords(open_store(where), box, keep)


class TaskRecords:
    """The tasks of one toolbox in a store. Its methods may wait for a disk."""

    def __init__(self, store: Store, box: str, keep: float) -> None:
        self.store = store
        self.clock = clock_of(store)
        self.keep = keep
        """Seconds for which a task can be read after it has ended."""
        self.server = secrets.token_hex(8)
        self._process = this_process()
        self._has_created = False
        self._prefix = f"task:{box}:"
        self._beating: threading.Thread | None = None
        self._ends = threading.Event()
        self._lock = threading.Lock()

    def create(self, owner: str | None, poll_ms: int, far: str = "") -> TaskRecord:
        """Write down a running task, and how far it is; from now on its caller can find it.

        It must be durable before the client gets its id (SEP-2663).
        """
        now = _now()
        entry: TaskRecord = {
            "taskId": secrets.token_urlsafe(24),
            "status": "working",
            "createdAt": now,
            "lastUpdatedAt": now,
            "ttlMs": None,
            "pollIntervalMs": poll_ms,
            "_owner": owner,
            "_server": self.server,
            "_began": self.clock(),
            "_answers": {},
        }
        if far:
            entry["statusMessage"] = far
        self._has_created = True
        self._beat_now()
        self.store.put(self._prefix + entry["taskId"], to_json(entry), _WHILE_RUNNING)
        return entry

    def read(self, number: str, owner: str | None) -> TaskRecord | None:
        """Return a task of a caller; one whose server is dead has failed."""
        record = self._read(number, owner)
        if record is None or record["status"] in OVER or self._is_alive(record["_server"]):
            return record
        return self.end(number, "failed", error={"code": _INTERNAL_ERROR, "message": LOST})

    def _read(self, number: str, owner: str | None) -> TaskRecord | None:
        text = self.store.get(self._prefix + number)
        entry: TaskRecord | None = None if text is None else from_json(text)
        return entry if entry is not None and entry["_owner"] == owner else None

    def change(self, number: str, make: Callable[[TaskRecord], None]) -> TaskRecord | None:
        """Change a task, unless it has ended; return it as it is then, or None if there is none."""
        result: list[TaskRecord | None] = [None]

        def change(before: bytes | None) -> tuple[bytes, float]:
            if before is None:
                result[0] = None
                return b"", 0
            entry: TaskRecord = from_json(before)
            result[0] = entry
            if entry["status"] not in OVER:
                make(entry)
                entry["lastUpdatedAt"] = _now()
            ends = entry["status"] in OVER
            lifetime = self.keep if ends else _WHILE_RUNNING
            if ends and entry.get("ttlMs") is None:
                lasted = max(self.clock() - entry["_began"], 0)
                entry["ttlMs"] = int((lasted + self.keep) * 1000)
            elif ends:
                lifetime = entry["_began"] + (entry["ttlMs"] or 0) / 1000 - self.clock()
                lifetime = min(lifetime, self.keep)
            return to_json(entry), lifetime

        self.store.update(self._prefix + number, change)
        return result[0]

    def forget(self, number: str) -> None:
        """Forget a task whose id no client has."""
        self.store.delete(self._prefix + number)

    def end(self, number: str, status: str, **more: Any) -> TaskRecord | None:
        """End a task, unless it has ended already."""

        def make(entry: TaskRecord) -> None:
            entry["status"] = status
            for key in ("inputRequests", "statusMessage"):
                entry.pop(key, None)
            entry.update(more)  # pyright: ignore[reportCallIssue, reportArgumentType]
            if status == "failed":
                entry["statusMessage"] = str(more["error"]["message"])

        return self.change(number, make)

    # -- signs of life

    def beat(self, look: Callable[[], bool]) -> None:
        """Give signs of life while `look`, which looks after the tasks, says that any run."""
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
        sign = to_json({"at": self.clock(), "process": self._process})
        self.store.put(f"{self._prefix}alive:{self.server}", sign, _WHILE_RUNNING)

    def _is_alive(self, server: str) -> bool:
        """Return whether a server may still end its tasks.

        A client must never see two different ends of one task. So an end is told only once it is
        written, the first one that is written stays, and a process that writes "failed" for another
        has to be sure that the other is dead. Silence is not enough: code that holds the GIL, a
        stopped process and a sleeping machine are also silent, and answer later. The process itself
        is checked where it can be seen. Where it cannot (another machine, another container), only
        silence is left, and it counts after a minute: a server that comes back after that finds
        its task ended, stops its call, and its answer is dropped.
        """
        if server == self.server:
            return True
        text = self.store.get(f"{self._prefix}alive:{server}")
        if text is None:
            return False
        sign: Any = from_json(text)
        if not is_object(sign):  # from an older version, which keeps it for a few seconds only
            return True
        is_alive = lives(sign["process"])
        return self.clock() - sign["at"] < _SILENT if is_alive is None else is_alive

    def close(self) -> None:
        """Stop giving signs of life."""
        self._ends.set()
        beating = self._beating
        if beating is not None:
            beating.join(5)
            self._beating = None
        if self._has_created:
            self.store.delete(f"{self._prefix}alive:{self.server}")


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
