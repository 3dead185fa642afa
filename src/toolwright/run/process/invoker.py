"""Run tools in processes that can be killed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import signal
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_core import to_json

from ..._log import log
from ...call import Call, unread_claims, unread_headers
from ...errors import (
    CallCancelled,
    CallError,
    Overloaded,
    ResultError,
    SchemaError,
    ToolError,
    UnexpectedError,
)
from ...limits import Process
from ...markers import Inject
from ...options import Options
from ...outcome.failure import Remote, failed, names_of
from ...outcome.writer import ResultWriter, kept
from ...results import Result
from ...schema.injected import Wanted
from ..attempt import AttemptInput, ValueAndResult
from ..shared import Shared
from . import pipe as frames
from .pipe import Closed, Garbled, TooLarge
from .pool import ToldTool, pool

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
