"""The child process: one call at a time.

Run as `python -m toolwright.run.child`. Standard input and output carry the
messages; what a tool prints goes to standard error, and it finds an empty standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import mmap
import operator
import os
import queue
import signal
import sys
import threading
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from .._log.redact import written
from .._process import kill_group
from ..call import Call, LogLevel, depends_on_headers, end, running
from ..errors import CallError, SchemaError
from ..markers import Inject
from ..options import options_from
from ..outcome.failure import kinds_of
from ..outcome.writer import keep
from ..read.reader import read_signature
from ..read.target import open_target, scope_of
from ..schema.compile import compile_all
from .attempt import AttemptInput
from .pipe import Closed, Pipe, TooLarge, end_copy, sendable, take_over, unshared
from .pool import Reference, find
from .runner import Runner
from .shared import Shared

_QUIET = 0.02
"""How many seconds must lie between signs of life that are passed on."""


_UNLIMITED: dict[str, Any] = {
    "run_on": "thread",
    "timeout": None,
    "retry": None,
    "cache": None,
    "max_concurrency": None,
    "rate_limit": None,
    "repair": False,
}
"""Options that the parent applies, whatever the target is marked with."""


class ChildCall(Call):
    """A call whose parent listens from another process.

    Everything it sends carries the number that the parent gave this call. Once answered, it is
    closed: a thread that goes on then sends nothing, and the process takes no other call.
    """

    __slots__ = ("_number", "_told", "_worker")

    def __init__(self, worker: Worker, asked: dict[str, Any]) -> None:
        sent, self._number = asked["call"], asked["number"]
        super().__init__(
            asked["name"],
            id=sent["id"],
            caller=sent["caller"],
            roles=sent["roles"],
            claims=sent["claims"],
            headers=sent["headers"],
            timeout=sent["remaining"],
            on_progress=lambda done, total, said: self._send("progress", [done, total, said]),
            on_log=lambda level, said, name=None: self._send("log", [level, sendable(said), name]),
        )
        self._worker = worker
        self._told = self._life  # the parent knows that the call has begun

    def _send(self, kind: str, said: Any) -> None:
        self._worker.pipe.send({"number": self._number, kind: said})

    def _note(self) -> None:
        """Note if the call is used after its end."""
        if self._mute:
            self._worker.is_late = True

    def progress(
        self, done: float, total: float | None = None, message: str = ""
    ) -> Awaitable[None]:
        """Report how far the work is."""
        self._note()
        return super().progress(done, total, message)

    def log(
        self,
        message: Any,
        level: LogLevel = "info",
        logger_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Awaitable[None]:
        """Send a message to the log of the call."""
        self._note()
        return super().log(message, level, logger_name, extra)

    def heartbeat(self) -> None:
        """Give a sign of life, here and to the parent."""
        super().heartbeat()
        self._note()
        if not self._mute and self._life - self._told > _QUIET:
            self._told = self._life
            # A forked copy may also give signs, which the parent does not see.
            with contextlib.suppress(Closed):
                self._send("alive", True)


class Worker:
    """Answers calls one at a time, as long as nothing from an earlier one is still running."""

    def __init__(self, pipe: Pipe, memory: int | None) -> None:
        self.pipe = pipe
        self.memory = memory
        self.process = os.getpid()
        self.tools: dict[str, dict[str, Any]] = {}
        """What is known about tools, by their keys."""
        self.runners: dict[str, Any] = {}
        self.threads = threading.enumerate()
        """The threads that existed after the last call."""
        self.is_late = False
        """Whether a call that was answered is still used by some thread."""
        self.fallen = mmap.mmap(-1, 1)
        """Shared with forked copies: set by a copy that returned from its tool."""

    def fall(self) -> None:
        """Note, in a copy, that it has returned from the tool."""
        self.fallen[0] = 1

    def answer(self, request: dict[str, Any]) -> None:
        """Answer one call. Raises `Closed`."""
        if "about" in request:
            self.tools[request["tool"]] = request["about"]
        request = {**self.tools[request["tool"]], **request}
        done = self._done(request)
        if self.process != os.getpid():
            end_copy()
        odd = self.is_late or self.fallen[0] or self._has_left_threads()
        done["ends"] = bool(done.get("ends") or odd)
        number = request["number"]
        try:
            self.pipe.send({"number": number, "done": done})
        except TooLarge:
            text = f"{request['name']}: its result is too large to be sent by a process"
            failure = {"error": _described(CallError(text)), "ends": done["ends"]}
            self.pipe.send({"number": number, "done": failure})

    def _has_left_threads(self) -> bool:
        """Return whether a call has left threads behind that go on working.

        Daemons are made to be left behind, and those of an executor wait for work.
        """
        before, now = self.threads, threading.enumerate()
        if len(before) == len(now) and all(map(operator.is_, before, now)):
            return False  # as after almost every call
        self.threads = now
        pools = sys.modules.get("concurrent.futures.thread")
        waiting: Any = getattr(pools, "_threads_queues", ())
        return any(
            not thread.daemon and thread not in before and thread not in waiting for thread in now
        )

    def _done(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            runner = _runner(asked, self.runners)
        except BaseException as error:  # noqa: BLE001 - importing runs other people's code
            return {"error": _described(error), "trace": _trace(error)}
        call = ChildCall(self, asked)
        try:
            return self._ran(runner, asked, call)
        finally:
            end(call)

    def _ran(self, runner: Any, asked: dict[str, Any], call: ChildCall) -> dict[str, Any]:
        try:
            with running(call, asked["name"], None), _cpu_limit(asked["cpu"]):
                value, result = _run(runner, asked["data"], call)
            if result.error is None:
                return {
                    "kept": keep(runner.outcome, value, result),
                    "headers": depends_on_headers(call),
                }
            cause = result.error.__cause__ or result.error
        except BaseException as error:  # noqa: BLE001 - nothing may end it but its parent
            description = _described(error)
            return {
                "error": description,
                "trace": _trace(error),
                "headers": depends_on_headers(call),
            }
        if isinstance(cause, MemoryError) and self.memory is not None:
            text = f"{asked['name']} needs more memory than its limit of {self.memory} bytes"
            return {"error": _described(CallError(text)), "ends": True}
        description = _described(result.error, cause)
        return {"error": description, "trace": _trace(cause), "headers": depends_on_headers(call)}


def main() -> None:
    """Answer the parent until it is gone."""
    pipe = Pipe(*take_over())
    first = pipe.receive()
    sys.path[:] = first["path"]
    sys.dont_write_bytecode = not first["writes_bytecode"]
    if first["memory"] is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (first["memory"], first["memory"]))
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, messages), daemon=True).start()
    worker = Worker(pipe, first["memory"])
    with unshared(lambda: (pipe.incoming, pipe.outgoing), worker.fall):
        while True:
            message = messages.get()
            try:
                worker.answer(message)
            except Closed:  # the parent is gone, or half a message is in the way of all others
                _end()


def _listen(pipe: Pipe, messages: queue.SimpleQueue[dict[str, Any]]) -> None:
    with contextlib.suppress(Closed):
        while True:
            messages.put(pipe.receive())
    _end()


def _end() -> NoReturn:
    kill_group(os.getpid())  # and whatever the tool has started
    os._exit(1)


def _run(runner: Any, data: Any, call: Call) -> Any:
    work = runner.work()
    validated, _ = runner.read(data)
    job = AttemptInput(validated, data, data, (), call)
    if work.sync is not None:
        return work.sync(job)
    return asyncio.run(work.waits(job))


def _runner(asked: dict[str, Any], runners: dict[str, Any]) -> Any:
    key = asked["tool"]
    if key not in runners:
        home = Shared()
        for kind, provider, scope in asked["provided"]:
            inject = Inject(find(Reference(*provider)), scope=scope)
            home.providers.provide(find(Reference(*kind)), inject)
        target = replace(open_target(find(Reference(*asked["target"]))), name=asked["name"])
        options = options_from({**_UNLIMITED, **asked["options"], "name": asked["name"]})
        options = replace(options, speak=tuple(asked["speak"]))
        signature = read_signature(target, scope_of(target), options)
        (compiled,) = compile_all([(signature, options, home.provided)])
        if isinstance(compiled, SchemaError):
            raise compiled
        runners[key] = Runner(asked["name"], target.call, compiled, options, home)
    return runners[key]


class _cpu_limit(contextlib.AbstractContextManager[None]):  # noqa: N801 - reads as a statement
    """Ends the process once it has used this much processor time."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_: object) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)


def _described(error: BaseException, cause: BaseException | None = None) -> dict[str, Any]:
    call_error = error if isinstance(error, CallError) else None
    return {
        "class": type(error).__name__ if call_error is not None else "UnexpectedError",
        "message": str(getattr(error, "message", None) or f"{type(error).__name__}: {error}"),
        "hint": getattr(call_error, "hint", ""),
        "code": getattr(call_error, "code", ""),
        "retryable": getattr(call_error, "retryable", None),
        "path": list(getattr(call_error, "path", ())),
        "kinds": sorted(kinds_of(cause or error)),
    }


def _trace(error: BaseException) -> str:
    return written(error)[-20_000:]


if __name__ == "__main__":
    main()
