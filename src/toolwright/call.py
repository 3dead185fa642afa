"""One run of a tool, as tool and hooks see it."""

# The functions behind the class belong to it: the rest of the package has no need of its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, get_args, overload

from ._door import public
from ._json_values import without_surrogates
from ._log import logger
from .errors import CallCancelled, CallError
from .questions import AnswerOf, Asker, CannotAsk, Form, Question, Roots, Sample, wait_for_answer
from .refusals import Kind

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Call", "LogLevel", "OnLog", "OnProgress"]

M = TypeVar("M", bound="BaseModel")
LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
OnProgress = Callable[[float, float | None, str], object]
OnLog = Callable[[LogLevel, Any], object] | Callable[[LogLevel, Any, str | None], object]
"""Gets a level and a message; with a third parameter also the name of the logger, or None."""

_log = logger("call")
_NAMES = get_args(LogLevel)
_LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Reported(Coroutine[Any, Any, None]):
    """Something that is already done: code may await it, or not.

    It is a coroutine in all but the warning when nobody awaits it, so it can also be the body of a
    task.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<reported>"

    def __await__(self) -> Generator[Any, Any, None]:
        yield from ()

    def send(self, value: Any, /) -> NoReturn:
        raise StopIteration

    def throw(self, kind: Any, value: Any = None, trace: Any = None, /) -> NoReturn:
        raise kind if value is None else value

    def close(self) -> None:
        """Do nothing: nothing is open."""


_REPORTED = _Reported()


@public
class Call:
    """One run of a tool: who asked, until when, and a way to report how far it is.

    A parameter annotated `Call` gets it; callers never see that parameter. A tool may hand it on. Every method works in
    threads, in async code and in tests alike, and none of them waits.

    >>> seen = []
    >>> call = Call(caller="ada", on_progress=lambda *step: seen.append(step))
    >>> _ = call.progress(1, 3, "one of three")
    >>> seen
    [(1, 3, 'one of three')]
    """

    __slots__ = (
        "_asker",
        "_blocks",
        "_cancelled",
        "_claims",
        "_hang_up",
        "_headers",
        "_headers_read",
        "_id",
        "_life",
        "_lifespan",
        "_lock",
        "_loop",
        "_mute",
        "_on_log",
        "_on_progress",
        "_outer",
        "_runs",
        "_wakers",
        "caller",
        "deadline",
        "kind",
        "request_id",
        "roles",
        "tool",
    )

    def __init__(
        self,
        tool: str = "",
        *,
        id: str | None = None,  # noqa: A002 - what it is called everywhere
        request_id: str | None = None,
        caller: str | None = None,
        roles: Sequence[str] = (),
        claims: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        asker: Asker | None = None,
        hang_up: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self.tool = tool
        """The name of the tool, or of the prompt; of a resource, the URI that lists show."""
        self._on_progress = on_progress
        self._on_log = on_log
        self._life = time.monotonic()
        """When it last gave a sign of life, by the monotonic clock."""
        self._mute = False
        """Whether it is answered or cancelled: reports of code that still holds it are dropped."""
        self.kind: Kind = "tool"
        """What runs: a `tool`, a `resource` that is read, or a `prompt`."""
        self._id = id or ""
        self.request_id = request_id
        """What the client calls its request; other clients may use the same for theirs."""
        self.caller = caller
        """Who asked, if that is known."""
        self.roles = tuple(roles)
        self._claims = dict(claims) if claims else {}
        self._headers = {key.lower(): header for key, header in headers.items()} if headers else {}
        self._headers_read = False
        self.deadline: float | None = None if timeout is None else self._life + timeout
        """When an answer is due, by the monotonic clock; None without a limit."""
        self._asker = asker
        self._hang_up = hang_up
        self._loop = None if asker is None else asker.loop
        self._lifespan: Any = None
        self._outer: Call | None = None
        self._runs = False
        self._blocks = False
        """Whether it runs inline: then nothing can be read while it waits."""
        self._cancelled = False
        self._lock = threading.Lock()
        self._wakers: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        return f"<Call {self.id} of {self.tool}>"

    @property
    def id(self) -> str:
        """What the log, the audit line, spans and unexpected failures call this run by.

        It is random: unique among callers and processes, and it reveals no count of calls.
        """
        if not self._id:  # made at first use: most calls never need it
            prefix = "" if self._outer is None else f"{self._outer.id}."
            with self._lock:
                self._id = self._id or prefix + os.urandom(6).hex()
        return self._id

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the request, by lower-case name; empty if there are none."""
        call: Call | None = self
        while call is not None:
            call._headers_read = True
            call = call._outer
        return self._headers

    @property
    def claims(self) -> Mapping[str, Any]:
        """The claims in the caller's token; empty if the caller has not signed in."""
        _ = self.headers  # what depends on claims is never cached, either
        return self._claims

    @property
    def lifespan(self) -> Any:
        """What the lifespan of the toolbox gave; None without one, and in another process."""
        return self._lifespan

    @property
    def remaining(self) -> float | None:
        """Seconds until an answer is due; None without a limit."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    # -- reporting

    def progress(
        self, done: float, total: float | None = None, message: str = ""
    ) -> Awaitable[None]:
        """Report to the listener how far the work is, and restart the idle clock."""
        self._life = time.monotonic()
        if self._on_progress is not None and not self._mute:
            self._tell(self._on_progress, done, total, without_surrogates(message))
        return _REPORTED

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Report how far the work is: `progress`, under the name that other servers use."""
        return self.progress(progress, total, message or "")

    def heartbeat(self) -> None:
        """Give a sign of life: it restarts the idle clock."""
        self._life = time.monotonic()

    def log(
        self,
        message: Any,
        level: LogLevel = "info",
        logger_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Awaitable[None]:
        """Send a message to the listener of this call, or to the log if there is none.

        Clients see it as from the logger of that name; by default, from the toolbox. With `extra`,
        the message is a dict of `msg` and `extra`. Raises `ValueError` if there is no such level,
        and `TypeError` for another argument that is wrong.
        """
        if level not in _NAMES:
            raise ValueError(_no_level(message, level))
        if logger_name is not None or extra is not None:
            _check(logger_name, extra)
        if isinstance(message, str):
            message = without_surrogates(message)
        if logger_name is not None:
            logger_name = without_surrogates(logger_name)
        if self._on_log is None:
            source = self.tool if logger_name is None else f"{self.tool} ({logger_name})"
            line = message if extra is None else f"{message} {dict(extra)}"
            _log.log(_LEVELS.get(level, logging.CRITICAL), "%s: %s", source, line)
        elif not self._mute:
            if extra is not None:
                message = {"msg": message, "extra": dict(extra)}
            takes_name = logger_name is not None and _takes_three(self._on_log)
            self._tell(self._on_log, level, message, *((logger_name,) if takes_name else ()))
        return _REPORTED

    def debug(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `debug`."""
        return self.log(message, "debug", logger_name, extra)

    def info(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `info`."""
        return self.log(message, "info", logger_name, extra)

    def warning(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `warning`."""
        return self.log(message, "warning", logger_name, extra)

    def error(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `error`; the call goes on."""
        return self.log(message, "error", logger_name, extra)

    def _tell(self, listener: Callable[..., object], *said: Any) -> None:
        try:
            listener(*said)
        except Exception:  # noqa: BLE001 - a listener's failure is not the tool's
            _log.exception("%r: a listener failed", self)

    # -- asking

    def can(self, ability: str) -> bool:
        """Return whether the caller's client can be asked: `elicitation`, `sampling`, `roots`."""
        return self._asker is not None and not self._mute and ability in self._asker.abilities

    def request(self, **requests: Question) -> AnswerOf[dict[str, Any]]:
        """Ask several things at once; return the answers by name. Async code awaits it.

        Where the protocol has no way back to a client, the run ends here and starts again with
        the answers: do nothing before asking that must not be done twice.
        """
        return self._waited(lambda: self._request(requests))

    @overload
    def ask(self, form: type[M], message: str = "", *, key: str = "form") -> AnswerOf[M]: ...
    @overload
    def ask(
        self, form: Mapping[str, Any], message: str = "", *, key: str = "form"
    ) -> AnswerOf[dict[str, Any]]: ...
    def ask(self, form: Any, message: str = "", *, key: str = "form") -> Any:
        """Ask the user to fill in a form: a pydantic model of flat fields. Async code awaits it."""
        return self._waited(lambda: self._one(key, Form(form, message)))

    def sample(
        self, prompt: Any, *, max_tokens: int = 1000, key: str = "sample"
    ) -> AnswerOf[dict[str, Any]]:
        """Have the client's own model write a text. Async code awaits it."""
        return self._waited(lambda: self._one(key, Sample(prompt, max_tokens=max_tokens)))

    def roots(self, *, key: str = "roots") -> AnswerOf[list[dict[str, Any]]]:
        """Return the folders that the client lets a server see. Async code awaits it."""
        return self._waited(lambda: self._one(key, Roots()))

    def hang_up(self) -> Any:
        """End the stream that waits for this call, for clients that come back for the result.

        Where there is no such stream it does nothing. Async code awaits it.
        """
        return wait_for_answer(self, self._ended, self._loop) if self._loop is not None else None

    def _waited(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        if self._blocks:
            msg = f"{self.tool} runs inline, where it cannot wait for an answer"
            raise CallError(msg, hint='leave out run_on="inline"')
        return wait_for_answer(self, ask, self._loop)

    async def _ended(self) -> None:
        if self._hang_up is not None and not self._mute:
            await self._hang_up()

    async def _one(self, key: str, request: Question) -> Any:
        return (await self._request({key: request}))[key]

    async def _request(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        if self._mute:
            raise CallCancelled(f"{self.tool}: the call has ended, nobody can be asked")
        lacking = sorted(
            {question.ability for question in requests.values() if not self.can(question.ability)}
        )
        if self._asker is None or lacking:
            raise CannotAsk(lacking)
        answers = await self._asker.ask(requests)
        self.heartbeat()
        return answers

    # -- running

    def _inner(self, tool: str) -> Call:
        inner_call = Call(
            tool,
            request_id=self.request_id,
            caller=self.caller,
            roles=self.roles,
            claims=self._claims,
            on_progress=self.progress,
            on_log=None if self._on_log is None else self._pass_on,
        )
        inner_call._headers, inner_call._outer = self._headers, self
        inner_call._asker, inner_call._loop, inner_call._blocks = (
            self._asker,
            self._loop,
            self._blocks,
        )
        inner_call.deadline = self.deadline
        return inner_call

    def _pass_on(self, level: LogLevel, said: Any, logger_name: str | None = None) -> None:
        """Log what a call inside this one logs."""
        self.log(said, level, logger_name)

    # -- cancelling

    @property
    def cancelled(self) -> bool:
        """Whether the caller no longer waits for the answer: sync code should check from time to time."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop waiting for the answer, and let the tool know."""
        with self._lock:
            self._cancelled = self._mute = True
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    def on_cancel(self, wake: Callable[[], object]) -> Callable[[], None]:
        """Call a function on cancellation, now if that has come; return a function to undo it."""
        with self._lock:
            if not self._cancelled:
                self._wakers.append(wake)
                return lambda: self._forget(wake)
        wake()
        return _nothing

    def _forget(self, wake: Callable[[], object]) -> None:
        with self._lock:
            if wake in self._wakers:
                self._wakers.remove(wake)


def _no_level(message: Any, level: Any) -> str:
    """Return what is wrong with a level, which may have been given in place of the message."""
    if isinstance(message, str) and message in _NAMES:
        return f'`call.log` takes the message first: write `call.log(message, "{message}")`'
    return f"`call.log` has no level {level!r}; the levels are {', '.join(_NAMES)}"


def _check(logger_name: Any, extra: Any) -> None:
    if not isinstance(logger_name, str | None):
        kind = type(logger_name).__name__
        msg = f"logger_name is text, got {kind}; values in a message are written f'{{value}}'"
        raise TypeError(msg)
    if not isinstance(extra, Mapping | None):
        msg = f"extra takes a dict, got {type(extra).__name__}"
        raise TypeError(msg)


def _takes_three(listener: Callable[..., object]) -> bool:
    """Return whether a listener wants the name of the logger; most have no use for it."""
    try:
        inspect.signature(listener).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin that says nothing about its parameters
        return True
    return True


def _nothing() -> None:
    """Do nothing: there is nothing to forget."""


current: ContextVar[Call | str | None] = ContextVar("current", default=None)
"""What runs here: a call or, to save plain tools the cost of one, the name of the tool."""
opened: ContextVar[Any] = ContextVar("opened", default=None)
"""What the lifespan gave, for the call that is about to run here."""


# -- what other modules of the package need of a call, and tools do not


class running:  # noqa: N801 - not a generator, which would cost twice as much
    """Run a tool: with this call or, if a tool that runs hands it on, with one inside it.

    A call inside has its own deadline, and cancelling it does not cancel the whole.
    """

    __slots__ = ("before", "call", "deadline", "forget", "inner", "seconds", "tool")

    def __init__(self, call: Call, tool: str, seconds: float | None) -> None:
        self.call = call
        self.tool = tool
        self.seconds = seconds
        self.inner: running | None = None
        self.forget = _nothing

    def __enter__(self) -> Call:
        call = self.call
        with call._lock:
            nested, call._runs = call._runs, True
        if nested:
            inner_call = call._inner(self.tool)
            self.forget = call.on_cancel(inner_call.cancel)
            self.inner = running(inner_call, self.tool, self.seconds)
            return self.inner.__enter__()
        call._mute = call._cancelled  # a call object may be used for several calls in a row
        self.deadline = deadline = call.deadline
        call.tool = call.tool or self.tool
        call.heartbeat()
        if self.seconds is not None:
            due = call._life + self.seconds
            call.deadline = due if deadline is None else min(due, deadline)
        self.before, call._lifespan = current.get(), opened.get()
        current.set(call)
        opened.set(None)  # not for a tool of another toolbox that is called from here
        return call

    def __exit__(self, *raised: object) -> None:
        call, inner_run = self.call, self.inner
        if inner_run is not None:
            inner_run.__exit__(*raised)
            self.forget()
            end(inner_run.call)
            return
        opened.set(call._lifespan)
        current.set(self.before)  # not by a token: what is closed late is closed in another context
        call.deadline = self.deadline
        call._runs = call._blocks = False


@contextlib.contextmanager
def within(call: Call, lifespan: Any) -> Generator[None]:
    """Give a call what the lifespan gave; if it already runs, give it to the call inside."""
    before, outer_lifespan = opened.get(), call._lifespan
    opened.set(lifespan)
    if not call._runs:
        call._lifespan = lifespan  # hooks see it, too
    try:
        yield
    finally:
        opened.set(before)
        if not call._runs:
            call._lifespan = outer_lifespan


@contextlib.contextmanager
def part_of(call: Call, tool: str) -> Generator[Call]:
    """Yield one of several calls that are made for the same caller, side by side.

    Each has its own name and its own deadline; cancelling the whole cancels all of them.
    """
    call._mute = call._cancelled  # it may be used for several turns in a row
    part = call._inner(tool)
    forget = call.on_cancel(part.cancel)
    try:
        yield part
    finally:
        forget()


def end(call: Call) -> None:
    """End a call once it is answered, unless a tool still runs with it.

    From then on, progress and messages of threads that still hold it are dropped.
    """
    if not call._runs:
        call._mute = True


def last_sign_of_life(call: Call) -> float:
    """Return when a call last gave a sign of life, by the monotonic clock."""
    return call._life


def blocks(call: Call) -> None:
    """Mark a call as running inline: it cannot ask, since the answer could not be read."""
    call._blocks = True


def reports_progress(call: Call) -> bool:
    """Return whether there is a listener for the progress of a call."""
    return call._on_progress is not None


def depends_on_headers(call: Call) -> bool:
    """Return whether headers or claims were read: what depends on them is never cached."""
    return call._headers_read


def unread_headers(call: Call) -> dict[str, str]:
    """Return the headers, to be handed on: this does not count as reading them."""
    return call._headers


def unread_claims(call: Call) -> dict[str, Any]:
    """Return the claims, to be handed on: this does not count as reading them."""
    return call._claims


def view_of(call: Call) -> Call:
    """Return a call for functions of the author that decide what its sender may use.

    It says who asks, and has no way to report or to ask.
    """
    return Call(
        request_id=call.request_id,
        caller=call.caller,
        roles=call.roles,
        claims=call._claims,
        headers=call._headers,
    )
