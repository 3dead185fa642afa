"""Run tools in processes that can be killed: a few, kept warm, one call at a time each."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ..call import Call
from ..errors import (
    CallCancelled,
    CallError,
    ResultError,
    SchemaError,
    ToolError,
    UnexpectedError,
)
from ..limits import Process
from ..options import Inject, Options
from ..results import Result
from ..schema.injected import Wanted
from .failure import Remote, failed, log
from .frames import Closed, Pipe
from .home import Home
from .outcome import Outcome
from .reference import Reference, reference
from .work import Job, Made

_KINDS = {kind.__name__: kind for kind in (CallError, ResultError, ToolError, UnexpectedError)}
"""The errors that mean something else than their text."""
_SENT = ("input_schema", "output_schema", "extra", "on_unsupported", "max_result")


class Child:
    """One process, and the way to talk to it."""

    def __init__(self, memory: int | None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toolwright.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdin is not None  # noqa: S101 - both are pipes
        assert self.process.stdout is not None  # noqa: S101
        self.pipe = Pipe(self.process.stdout.fileno(), self.process.stdin.fileno())
        self.code = _code
        """Which version of the program it may have imported."""
        self.lock = threading.Lock()
        self.user: object = None
        with contextlib.suppress(Closed):  # then asking it says so
            self.pipe.send({"path": sys.path, "memory": memory})

    def ask(self, message: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> Any:
        """Send a message and return the answer; `tell` gets what comes before it."""
        self.pipe.send(message)
        while True:
            came = self.pipe.receive()
            if "done" in came:
                return came["done"]
            tell(came)

    def killer(self, user: object) -> Callable[[], None]:
        """Return what kills it, but only while it works for this user."""
        with self.lock:
            self.user = user

        def kill() -> None:
            with self.lock:
                if self.user is user:
                    self.kill()

        return kill

    def release(self) -> None:
        """It works for nobody."""
        with self.lock:
            self.user = None

    def kill(self) -> None:
        """Kill it, and everything it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def end(self) -> int:
        """Kill it if it lives; return what it ended with."""
        # Asked to end on its own first: one that died keeps the signal that killed it.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.05)
        self.kill()
        code = self.process.wait()
        for each in (self.process.stdin, self.process.stdout):
            if each is not None:
                with contextlib.suppress(OSError):
                    each.close()
        return code


class Pool:
    """Processes with the same limit of memory."""

    def __init__(self, memory: int | None) -> None:
        self.memory = memory
        self.most = max(os.cpu_count() or 1, 2)
        self.count = 0
        self.idle: list[Child] = []
        self.changed = threading.Condition()

    def take(self, call: Call) -> Child:
        """Wait for a process that works for nobody. Raises `CallCancelled`."""
        forget = call.on_cancel(self._wake)
        try:
            with self.changed:
                while not self.idle and self.count >= self.most and not call.cancelled:
                    self.changed.wait()
                if call.cancelled:
                    raise CallCancelled(f"{call.tool}: the call was cancelled")
                if self.idle:
                    return self.idle.pop()
                self.count += 1
        finally:
            forget()
        try:
            return Child(self.memory)
        except BaseException:
            self._lost()
            raise

    def give(self, child: Child) -> None:
        """Take one back that can work for others."""
        with self.changed:
            is_fresh = child.code == _code
            if is_fresh:
                self.idle.append(child)
                self.changed.notify()
        if not is_fresh:
            self.discard(child)

    def discard(self, child: Child) -> int:
        """End one that cannot; return what it ended with."""
        code = child.end()
        self._lost()
        return code

    def _lost(self) -> None:
        with self.changed:
            self.count -= 1
            self.changed.notify()

    def _wake(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def close(self) -> None:
        """End those that work for nobody."""
        with self.changed:
            idle, self.idle = self.idle, []
            self.count -= len(idle)
        for child in idle:
            child.kill()
            child.end()


_code = 0
_pools: dict[int | None, Pool] = {}
_lock = threading.Lock()


def pool(memory: int | None) -> Pool:
    """Return the processes with a limit of memory."""
    with _lock:
        if memory not in _pools:
            if not _pools:
                atexit.register(close_pools)
            _pools[memory] = Pool(memory)
        return _pools[memory]


def close_pools() -> None:
    """End every process that works for nobody; the others end when this one does."""
    with _lock:
        pools = list(_pools.values())
    for each in pools:
        each.close()


def forget_code() -> None:
    """Let no process work again that has imported the program as it was before."""
    global _code  # noqa: PLW0603 - there is one program
    _code += 1
    close_pools()


class Apart:
    """Runs the target of one tool in another process."""

    def __init__(
        self,
        name: str,
        target: Any,
        options: Options,
        outcome: Outcome,
        home: Home,
        epoch: str,
    ) -> None:
        self.name = name
        self.outcome = outcome
        self.epoch = epoch
        where = options.run_on
        self.limits = where if isinstance(where, Process) else Process()
        self.request: dict[str, Any] = {
            "name": name,
            "target": reference(target),
            "options": {key: getattr(options, key) for key in _SENT},
            "provided": _provided(home),
            "cpu": self.limits.cpu,
        }

    def sync(self, job: Job) -> Made:
        """Run once, in a process that nobody else uses meanwhile."""
        if self.epoch:
            text = f"{self.name} runs in another process, where no override reaches it"
            return None, failed(CallError(text), job.repairs)
        call = job.call
        owner = pool(self.limits.memory)
        try:
            child = owner.take(call)
        except OSError as error:
            log.error("%s: no process could be started", self.name, exc_info=error)
            return None, failed(CallError(f"{self.name}: no process could be started"), job.repairs)
        forget = call.on_cancel(child.killer(call))
        try:
            done = child.ask(self._message(job), lambda came: _tell(call, came))
        except Closed:
            child.release()
            code = owner.discard(child)
            if call.cancelled:
                raise CallCancelled(f"{self.name}: the call was cancelled") from None
            return None, failed(self._ended(code), job.repairs)
        except BaseException:
            child.release()
            owner.discard(child)
            raise
        finally:
            forget()
        child.release()
        if done.get("ends"):
            owner.discard(child)
        else:
            owner.give(child)
        if done.get("headers"):
            _ = call.headers
        return self._made(done, job)

    def _message(self, job: Job) -> dict[str, Any]:
        call = job.call
        who = {
            "id": call.id,
            "caller": call.caller,
            "roles": call.roles,
            "claims": call.all_claims(),
            "headers": call.all_headers(),
            "remaining": call.remaining,
        }
        return {**self.request, "data": job.data, "call": who}

    def _made(self, done: dict[str, Any], job: Job) -> Made:
        if "error" in done:
            error = self._error(done)
            return None, failed(error, job.repairs)
        if done["kept"] is None:
            text = f"{self.name}: its result cannot be sent from one process to another"
            return None, failed(CallError(text), job.repairs)
        value = self.outcome.kept(done["kept"].encode())
        made: Result = self.outcome.of(value, job.repairs)
        return value, made

    def _error(self, done: dict[str, Any]) -> CallError:
        said = done["error"]
        kind = _KINDS.get(said["class"], ToolError if said["code"] else CallError)
        if kind is UnexpectedError:
            log.error("%s\n%s", said["message"], done["trace"])
            said["message"] = said["message"].split("\n", 1)[0]
        made: CallError
        if issubclass(kind, ToolError):
            made = ToolError(
                said["message"],
                code=said["code"],
                retryable=said["retryable"],
                hint=said["hint"],
                path=said["path"],
            )
        else:
            made = kind(said["message"], hint=said["hint"], path=said["path"])
        made.__cause__ = Remote(frozenset(said["kinds"]), done.get("trace", ""))
        return made

    def _ended(self, code: int) -> CallError:
        if code == -getattr(signal, "SIGPROF", 0) and self.limits.cpu is not None:
            text = f"used more than {self.limits.cpu:g} s of processor time"
            return CallError(f"{self.name} {text}")
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        log.error("%s: its process %s", self.name, how)
        return UnexpectedError(f"{self.name}: its process {how}")


def check_found(name: str, target: Any, injected: Mapping[str, Wanted], home: Home) -> None:
    """Refuse what another process would not find. Raises `SchemaError`."""
    hint = 'move it to the top of a module, or use run_on="thread"'
    try:
        reference(target)
    except ValueError as error:
        what = f"cannot be found again by another process: {error}"
        raise SchemaError(what, tool=name, hint=hint) from None
    for parameter, wanted in injected.items():
        if wanted is Call or isinstance(wanted, Inject):
            continue
        try:
            reference(wanted)
            reference(home.providers.find(wanted).provider)
        except ValueError as error:
            what = f"has a provider that another process cannot find: {error}"
            raise SchemaError(what, tool=name, parameter=parameter, hint=hint) from None


def _tell(call: Call, came: dict[str, Any]) -> None:
    if "progress" in came:
        call.progress(*came["progress"])
    elif "log" in came:
        level, said = came["log"]
        call.log(said, level)
    else:
        call.heartbeat()


def _provided(home: Home) -> list[tuple[Reference, Reference, str]]:
    """Say where the providers of types are found; one that is nowhere is left out."""
    found: list[tuple[Reference, Reference, str]] = []
    for kind in home.provided:
        with contextlib.suppress(ValueError):
            inject = home.providers.find(kind)
            found.append((reference(kind), reference(inject.provider), inject.scope))
    return found
