"""The other end of `run.processes`: runs one call at a time, and dies with its parent.

Run as `python -m toolwright.child`. Standard input and output carry the messages; what a tool
prints goes to standard error, and it finds an empty standard input.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import sys
import threading
import traceback
from typing import Any

from pydantic_core import to_json

from .call import Call
from .definition import Tool
from .errors import CallError
from .options import Inject
from .run.failure import kinds_of
from .run.frames import Closed, Pipe, sendable, take_over
from .run.home import Home
from .run.reference import Reference, find
from .run.work import Job

_QUIET = 0.02
"""How many seconds apart signs of life are passed on."""


_UNLIMITED: dict[str, Any] = {
    "run_on": "thread",
    "timeout": None,
    "retry": None,
    "cache": None,
    "max_concurrency": None,
    "rate_limit": None,
    "repair": False,
}
"""The parent sees to these, whatever the target is marked with."""


class ChildCall(Call):
    """A call whose parent listens from another process."""

    __slots__ = ("_pipe", "_told")

    def __init__(self, pipe: Pipe, tool: str, sent: dict[str, Any]) -> None:
        super().__init__(
            tool,
            id=sent["id"],
            caller=sent["caller"],
            roles=sent["roles"],
            claims=sent["claims"],
            headers=sent["headers"],
            timeout=sent["remaining"],
            on_progress=lambda done, total, said: pipe.send({"progress": [done, total, said]}),
            on_log=lambda level, said: pipe.send({"log": [level, sendable(said)]}),
        )
        self._pipe = pipe
        self._told = 0.0

    def heartbeat(self) -> None:
        """Give a sign of life, here and to whoever waits."""
        super().heartbeat()
        if self.life - self._told > _QUIET:
            self._told = self.life
            self._pipe.send({"alive": True})


def main() -> None:
    """Answer the parent until it is gone."""
    pipe = Pipe(*take_over())
    first = pipe.receive()
    sys.path[:] = first["path"]
    runners: dict[str, Any] = {}
    if first["memory"] is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (first["memory"], first["memory"]))
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, messages), daemon=True).start()
    while True:
        asked = messages.get()
        with contextlib.suppress(Closed):
            pipe.send({"done": _answer(pipe, asked, runners, first["memory"])})


def _listen(pipe: Pipe, messages: queue.SimpleQueue[dict[str, Any]]) -> None:
    with contextlib.suppress(Closed):
        while True:
            messages.put(pipe.receive())
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)  # and whatever the tool has started
    os._exit(1)


def _answer(
    pipe: Pipe, asked: dict[str, Any], runners: dict[str, Any], memory: int | None
) -> dict[str, Any]:
    try:
        runner = _runner(asked, runners)
    except BaseException as error:  # noqa: BLE001 - importing runs code of others
        return {"error": _described(error), "trace": _trace(error)}
    call = ChildCall(pipe, asked["name"], asked["call"])
    try:
        with _cpu_limit(asked["cpu"]):
            value, made = _run(runner, asked["data"], call)
        if made.error is None:
            return {"kept": runner.outcome.keep(value, made), "headers": call.headers_read}
        cause = made.error.__cause__ or made.error
    except BaseException as error:  # noqa: BLE001 - nothing may end the process but its parent
        return {"error": _described(error), "trace": _trace(error), "headers": call.headers_read}
    if isinstance(cause, MemoryError) and memory is not None:
        text = f"{asked['name']} needs more memory than its limit of {memory} bytes"
        return {"error": _described(CallError(text)), "ends": True}
    said = _described(made.error, cause)
    return {"error": said, "trace": _trace(cause), "headers": call.headers_read}


def _run(runner: Any, data: Any, call: Call) -> Any:
    work = runner.work()
    validated, _ = runner.read(data)
    job = Job(validated, data, data, (), call)
    if work.sync is not None:
        return work.sync(job)
    return asyncio.run(work.waits(job))


def _runner(asked: dict[str, Any], runners: dict[str, Any]) -> Any:
    key = to_json([asked["target"], asked["options"], asked["provided"]]).decode()
    if key not in runners:
        home = Home()
        for kind, provider, scope in asked["provided"]:
            made = Inject(find(Reference(*provider)), scope=scope)
            home.providers.provide(find(Reference(*kind)), made)
        target = find(Reference(*asked["target"]))
        tool = Tool(target, **{**_UNLIMITED, **asked["options"]}, name=asked["name"])
        runners[key] = tool.at_home(home).runner
    return runners[key]


class _cpu_limit(contextlib.AbstractContextManager[None]):  # noqa: N801 - reads as a statement
    """Let the process die when it has used so much processor time."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_: object) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)


def _described(error: BaseException, cause: BaseException | None = None) -> dict[str, Any]:
    known = error if isinstance(error, CallError) else None
    return {
        "class": type(error).__name__ if known is not None else "UnexpectedError",
        "message": str(getattr(error, "message", None) or f"{type(error).__name__}: {error}"),
        "hint": getattr(known, "hint", ""),
        "code": getattr(known, "code", ""),
        "retryable": getattr(known, "retryable", None),
        "path": list(getattr(known, "path", ())),
        "kinds": sorted(kinds_of(cause or error)),
    }


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-20_000:]


if __name__ == "__main__":
    main()
