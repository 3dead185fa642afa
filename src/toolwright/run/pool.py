"""Processes that run tools: kept warm, and killed when needed."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib
import importlib.util
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic_core import to_json

from .._log import log
from .._process import end, kill_group
from ..call import Call, unread_claims, unread_headers
from ..errors import (
    CallCancelled,
    CallError,
    Overloaded,
    ResultError,
    SchemaError,
    ToolError,
    UnexpectedError,
)
from ..limits import Process
from ..markers import Inject
from ..options import Options
from ..outcome.failure import Remote, failed, names_of
from ..outcome.writer import ResultWriter, kept
from ..results import Result
from ..schema.injected import Wanted
from . import pipe as frames
from .attempt import AttemptInput, ValueAndResult
from .current import share_of
from .pipe import Closed, Garbled, Pipe, TooLarge
from .shared import Shared
from .threads import MOST_PARKED

_DRAWN = 64
"""How many call numbers are drawn at once."""


class ToldTool(NamedTuple):
    """What a process must know about a tool, and is told once."""

    key: str
    """Equal where `about` is equal."""
    about: dict[str, Any]


class Child:
    """One process, and the way to talk to it."""

    def __init__(self, memory: int | None) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", f"{__package__}.child"],
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
        self.holder = ""
        """The caller whose share it counts against while it works."""
        self.told: set[str] = set()
        """The keys of tools that it knows."""
        self.numbers: list[str] = []
        """For calls to come: asking the system for each takes longer than the rest of the work."""
        self.is_odd = False
        """Whether it has sent a message that belongs to no call, or to one that has ended."""
        with contextlib.suppress(Closed):  # then `ask` raises it
            # A server that reloads writes no bytecode: two edits within a second look alike.
            writes = not sys.dont_write_bytecode
            self.pipe.send({"path": sys.path, "memory": memory, "writes_bytecode": writes})

    def ask(
        self, tool: ToldTool, message: dict[str, Any], tell: Callable[[dict[str, Any]], None]
    ) -> Any:
        """Send a message to a tool and return the answer; `tell` gets the messages before it.

        All that belongs to it carries its number, which no code there can know in advance.
        Raises `Closed` or `TooLarge`.
        """
        number = self._number()
        message = {**message, "tool": tool.key, "number": number}
        if tool.key not in self.told:
            message["about"] = tool.about
        self.pipe.send(message)
        self.told.add(tool.key)
        while True:
            came = self.pipe.receive()
            if came.get("number") != number:
                self.is_odd = True
            elif "done" in came:
                return came["done"]
            else:
                tell(came)

    def _number(self) -> str:
        if not self.numbers:
            drawn = secrets.token_hex(8 * _DRAWN)
            self.numbers = [drawn[start : start + 16] for start in range(0, len(drawn), 16)]
        return self.numbers.pop()

    def killer(self, user: object) -> Callable[[], None]:
        """Return a function that kills it, but only while it works for this user."""
        with self.lock:
            self.user = user

        def kill() -> None:
            with self.lock:
                if self.user is user:
                    self.kill()

        return kill

    def release(self) -> None:
        """Note that it is idle."""
        with self.lock:
            self.user = None

    def kill(self) -> None:
        """Kill it, and everything it has started."""
        kill_group(self.process.pid)

    def forget(self) -> None:
        """Close its pipe in a forked child, which does not own it."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self.process.returncode = 0  # this process never waits for it

    def end(self) -> int:
        """Kill it if it is alive; return its exit code."""
        # Given a moment to end first: one that died keeps the signal that killed it.
        code = end(self.process, 0.05)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return code


class Turn:
    """One call that waits for a process."""

    __slots__ = ("came", "has_place")

    def __init__(self) -> None:
        self.came = threading.Event()
        self.has_place = False


class Pool:
    """Processes with the same memory limit.

    They are shared out as threads are (see `Threads`): a caller gets one only while they hold
    fewer than are free. There are two for each core, so that one caller alone can use every core.
    A caller waits behind their own calls only. A program that calls its own tools uses as
    many as there are cores.
    """

    def __init__(self, memory: int | None) -> None:
        self.memory = memory
        self.most_own = max(os.cpu_count() or 1, 2)
        """How many may work for the program itself."""
        self.most = 2 * self.most_own
        self.busy = 0
        self.idle: list[Child] = []
        self.all: set[Child] = set()
        """All of them, busy or idle."""
        self.held: dict[str, int] = {}
        """How many work for each caller."""
        self.waiting: dict[str, deque[Turn]] = {}
        """The callers who wait; the one served next comes first."""
        self.lock = threading.Lock()

    def take(self, call: Call) -> Child:
        """Wait for an idle process. Raises `CallCancelled` or `Overloaded`."""
        caller = share_of(call.caller)
        self._wait(call, caller)
        try:
            with self.lock:
                child = self.idle.pop() if self.idle else None
            if child is None:
                child = Child(self.memory)
                self.all.add(child)
        except BaseException:
            self._free(caller)
            raise
        child.holder = caller
        return child

    def _wait(self, call: Call, caller: str) -> None:
        """Wait for a place among those that work."""
        with self.lock:
            line = self.waiting.get(caller)
            if line is None and self._has_room(caller):
                self._begin(caller)
                return
            turn = Turn()
            if line is None:
                line = self.waiting[caller] = deque()
            elif len(line) >= MOST_PARKED:
                msg = f"{call.tool}: {len(line)} of your calls are waiting for a process"
                raise Overloaded(msg, retry_after=5.0)
            line.append(turn)
        forget = call.on_cancel(turn.came.set)
        goes_on = False
        try:
            turn.came.wait()
            goes_on = not call.cancelled
        finally:
            forget()
            if not goes_on:
                self._leave(turn, caller)
        if not goes_on:
            raise CallCancelled(f"{call.tool}: the call was cancelled")

    def _leave(self, turn: Turn, caller: str) -> None:
        """Stop waiting; if a place was given already, pass it on."""
        with self.lock:
            if not turn.has_place:
                line = self.waiting[caller]
                line.remove(turn)
                if not line:
                    del self.waiting[caller]
                return
        self._free(caller)

    def _has_room(self, caller: str) -> bool:
        in_use, free = self.held.get(caller, 0), self.most - self.busy
        return in_use < free if caller else free > 0 and in_use < self.most_own

    def _begin(self, caller: str) -> None:
        self.busy += 1
        self.held[caller] = self.held.get(caller, 0) + 1

    def _free(self, caller: str) -> None:
        """Give free places to those who wait, one to each caller, round robin."""
        with self.lock:
            self.busy -= 1
            self.held[caller] -= 1
            if not self.held[caller]:
                del self.held[caller]
            for waiter in list(self.waiting):
                if not self._has_room(waiter):
                    continue
                line = self.waiting.pop(waiter)
                turn = line.popleft()
                if line:
                    self.waiting[waiter] = line  # behind the others
                self._begin(waiter)
                turn.has_place = True
                turn.came.set()

    def give(self, child: Child) -> None:
        """Take a process back; end it if it must not be used again."""
        with self.lock:
            stays = child.code == _code and not child.is_odd
            if stays:
                self.idle.append(child)
        if stays:
            self._free(child.holder)
        else:
            child.kill()
            self.discard(child)

    def discard(self, child: Child) -> int:
        """End a process; return its exit code."""
        code = child.end()
        self.all.discard(child)
        self._free(child.holder)
        return code

    def close(self) -> None:
        """End the idle ones."""
        with self.lock:
            idle, self.idle = self.idle, []
        for child in idle:
            child.kill()
            child.end()
            self.all.discard(child)


_code = 0
_pools: dict[int | None, Pool] = {}
_lock = threading.Lock()


def pool(memory: int | None) -> Pool:
    """Return the pool of processes with a memory limit."""
    with _lock:
        if memory not in _pools:
            if not _pools:
                atexit.register(close_pools)
            _pools[memory] = Pool(memory)
        return _pools[memory]


def _in_copy() -> None:
    """Start without processes in a forked child: parent and child must not read the same pipe."""
    global _lock  # noqa: PLW0603 - another thread may have held it
    _lock = threading.Lock()
    pools = list(_pools.values())
    _pools.clear()
    for inherited in pools:
        for child in inherited.all:
            child.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_copy)


def close_pools() -> None:
    """End every idle process; the others end when this one does."""
    with _lock:
        pools = list(_pools.values())
    for started in pools:
        started.close()


def forget_code() -> None:
    """Stop using processes that may have imported an earlier version of the program."""
    global _code  # noqa: PLW0603 - there is one program
    _code += 1
    close_pools()


_MAIN = "__mp_main__"
"""The name of the main script in a process that did not start it, as in `multiprocessing`."""


class Reference(NamedTuple):
    """Where an object is found."""

    module: str
    name: str
    file: str


def claimed(target: Any) -> Reference:
    """Return where a target should be found. Raises `ValueError` with the reason if nowhere."""
    module = getattr(target, "__module__", None)
    name = getattr(target, "__qualname__", None)
    if not module or not name:
        msg = "it has no name of its own"
        raise ValueError(msg)
    if "<" in name:
        msg = f"`{name}` is not at the top of a module"
        raise ValueError(msg)
    module_object = sys.modules.get(module)
    file = getattr(module_object, "__file__", None) or ""
    if module == "__main__" and not file:
        msg = "it was defined in an interactive session"
        raise ValueError(msg)
    return Reference(module, name, file)


def reference(target: Any) -> Reference:
    """Return where a target is found, now that its module is loaded. Raises `ValueError`."""
    where = claimed(target)
    referred = _walk(sys.modules.get(where.module), where.name)
    if referred is not target and referred != target:
        msg = f"`{where.module}.{where.name}` is something else"
        raise ValueError(msg)
    return where


def find(where: Reference) -> Any:
    """Return the object a reference names. Raises `LookupError`, or what importing it raises."""
    target = _walk(_module(where), where.name)
    if target is None:
        msg = f"`{where.module}.{where.name}` does not exist"
        raise LookupError(msg)
    return target


def _walk(module: Any, name: str) -> Any:
    value = module
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _module(where: Reference) -> Any:
    name = _MAIN if where.module == "__main__" else where.module
    if name in sys.modules:
        return sys.modules[name]
    if name != _MAIN:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name or not where.file:
                raise
    spec = importlib.util.spec_from_file_location(name, where.file)
    if spec is None or spec.loader is None:
        msg = f"`{where.file}` cannot be imported"
        raise LookupError(msg)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


_KINDS = {kind.__name__: kind for kind in (CallError, ResultError, ToolError, UnexpectedError)}
"""The error classes that are rebuilt on this side."""
_SENT = ("input_schema", "output_schema", "extra", "on_unsupported", "max_result")


class ProcessInvoker:
    """Runs the target of one tool in another process."""

    def __init__(
        self,
        name: str,
        target: Any,
        options: Options,
        outcome: ResultWriter,
        home: Shared,
        epoch: str,
    ) -> None:
        self.name = name
        self.outcome = outcome
        self.epoch = epoch
        where = options.run_on
        self.limits = where if isinstance(where, Process) else Process()
        about: dict[str, Any] = {
            "name": name,
            "target": reference(target),
            "options": {key: getattr(options, key) for key in _SENT},
            "speak": sorted(names_of(options.speak)),
            "provided": _provided(home),
            "cpu": self.limits.cpu,
        }
        self.tool = ToldTool(hashlib.sha256(to_json(about)).hexdigest()[:32], about)

    def sync(self, job: AttemptInput) -> ValueAndResult:
        """Run once, in a process that no other call uses at the same time."""
        if self.epoch:
            text = f"{self.name} runs in another process, where no override reaches it"
            return None, failed(CallError(text), job.repairs)
        call = job.call
        owner = pool(self.limits.memory)
        try:
            child = owner.take(call)
        except Overloaded as error:
            return None, failed(error, job.repairs)
        except OSError as error:
            log.error("%s: no process could be started", self.name, exc_info=error)
            return None, failed(CallError(f"{self.name}: no process could be started"), job.repairs)
        forget = call.on_cancel(child.killer(call))
        try:
            done = child.ask(self.tool, _message(job), lambda came: _tell(call, came))
        except TooLarge:
            child.release()
            owner.give(child)
            return None, failed(self._too_large(), job.repairs)
        except Closed as error:
            child.release()
            code = owner.discard(child)
            if call.cancelled:
                raise CallCancelled(f"{self.name}: the call was cancelled") from None
            is_noise = isinstance(error, Garbled)
            error = self._garbled(job.call) if is_noise else self._ended(code, job.call)
            return None, failed(error, job.repairs, job.call)
        except BaseException:
            child.release()
            owner.discard(child)
            raise
        finally:
            forget()
        child.release()
        child.is_odd = child.is_odd or bool(done.get("ends"))
        owner.give(child)
        if done.get("headers"):
            _ = call.headers
        return self._made(done, job)

    def _made(self, done: dict[str, Any], job: AttemptInput) -> ValueAndResult:
        if "error" in done:
            error = self._error(done)
            return None, failed(error, job.repairs, job.call)
        if done["kept"] is None:
            text = f"{self.name}: its result cannot be sent from one process to another"
            return None, failed(CallError(text), job.repairs)
        value = kept(self.outcome, done["kept"].encode())
        result: Result = self.outcome.of(value, job.repairs)
        return value, result

    def _error(self, done: dict[str, Any]) -> CallError:
        described = done["error"]
        kind = _KINDS.get(described["class"], ToolError if described["code"] else CallError)
        if kind is UnexpectedError:
            log.error("%s\n%s", described["message"], done["trace"])
            described["message"] = described["message"].split("\n", 1)[0]
        elif done.get("trace"):
            log.info("%s raised an exception\n%s", self.name, done["trace"])
        error: CallError
        if issubclass(kind, ToolError):
            error = ToolError(
                described["message"],
                code=described["code"],
                retryable=described["retryable"],
                hint=described["hint"],
                path=described["path"],
            )
        else:
            error = kind(described["message"], hint=described["hint"], path=described["path"])
        error.__cause__ = Remote(frozenset(described["kinds"]), done.get("trace", ""))
        return error

    def _too_large(self) -> CallError:
        text = f"its arguments are too large for a process: the limit is {frames.MOST_FRAME} bytes"
        return CallError(f"{self.name}: {text}")

    def _garbled(self, call: Call) -> CallError:
        what = "its pipe has something other than answers"
        log.error("%s: %s (reference %s)", self.name, what, call.id)
        return UnexpectedError(f"{self.name}: its process sent something that is not an answer")

    def _ended(self, code: int, call: Call) -> CallError:
        if code == -getattr(signal, "SIGPROF", 0) and self.limits.cpu is not None:
            text = f"used more than {self.limits.cpu:g} s of processor time"
            return CallError(f"{self.name} {text}")
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        log.error("%s: its process %s (reference %s)", self.name, how, call.id)
        return UnexpectedError(f"{self.name}: its process {how}")


def check_found(name: str, target: Any, injected: Mapping[str, Wanted], home: Shared) -> None:
    """Refuse a target or provider that another process would not find. Raises `SchemaError`."""
    hint = 'move it to the top of a module, or use run_on="thread"'
    try:
        reference(target)
    except ValueError as error:
        what = f"cannot be found again by another process: {error}"
        raise SchemaError(what, tool=name, hint=hint) from None
    for parameter, injected_type in injected.items():
        if injected_type is Call or isinstance(injected_type, Inject):
            continue
        try:
            reference(injected_type)
            reference(home.providers.find(injected_type).provider)
        except ValueError as error:
            what = f"has a provider that another process cannot find: {error}"
            raise SchemaError(what, tool=name, parameter=parameter, hint=hint) from None


def _message(job: AttemptInput) -> dict[str, Any]:
    call = job.call
    who = {
        "id": call.id,
        "caller": call.caller,
        "roles": call.roles,
        "claims": unread_claims(call),
        "headers": unread_headers(call),
        "remaining": call.remaining,
    }
    return {"data": job.data, "call": who}


def _tell(call: Call, came: dict[str, Any]) -> None:
    if "progress" in came:
        call.progress(*came["progress"])
    elif "log" in came:
        level, message, name = came["log"]
        call.log(message, level, name)
    else:
        call.heartbeat()


def _provided(home: Shared) -> list[tuple[Reference, Reference, str]]:
    """Return references to the providers of types; those without one are left out."""
    references: list[tuple[Reference, Reference, str]] = []
    for kind in home.provided:
        with contextlib.suppress(ValueError):
            inject = home.providers.find(kind)
            references.append((reference(kind), reference(inject.provider), inject.scope))
    return references
