"""From an exception to a result that a model may read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic_core import PydanticSerializationError, ValidationError, to_json

from .._json_values import without_surrogates
from .._log import log
from ..call import Call
from ..errors import CallError, Overloaded, ToolError, UnexpectedError
from ..options import SPEAK
from ..questions import InputNeeded
from ..results import Repair, Result, written

_MOST_TEXT = 10_000
_MOST_SPOKEN = 4_000
"""How many characters of an exception's own message are sent."""
_MOST_READ = 100_000
_MOST_URL = 500
_REQUESTS = frozenset(
    (
        *("httpx.HTTPError", "httpx2.HTTPError", "requests.exceptions.RequestException"),
        *("urllib.error.HTTPError", "urllib.error.URLError"),
    )
)
"""Exceptions of libraries that send HTTP requests."""
_PASSWORD = re.compile(r"(://)[^\s/@]*@")
_QUERY = re.compile(r"(?<=[\w/])\?[^\s'\"<>()]*")
_THREAD_ERRORS = frozenset(("sqlite3.ProgrammingError", "builtins.RuntimeError", "greenlet.error"))
_VALUE_ERRORS = frozenset(("builtins.TypeError", "builtins.AttributeError"))
_OTHER_THREAD = re.compile(r"\b(?:same|different|main) thread\b")
_ANY_THREAD = (
    "tools run in several threads: open it for any thread (sqlite3: check_same_thread=False, and a"
    " lock), or for each call with Inject"
)
_CONTROLS = (*range(9), *range(11, 32), *range(127, 160))
"""All control characters but the tab and the end of a line."""
_ESCAPES = {code: f"\\x{code:02x}" for code in _CONTROLS}
_MOST_SENT = 20
"""How many faults are sent in structured form."""


class Remote(Exception):
    """What a tool raised in another process: its classes by name, and its traceback as text."""

    def __init__(self, kinds: frozenset[str], trace: str) -> None:
        super().__init__(trace)
        self.kinds = kinds


def kinds_of(error: BaseException) -> frozenset[str]:
    """Return the names of an exception's classes, as another process can compare them."""
    return names_of(type(error).__mro__)


def names_of(kinds: Iterable[type[Any] | str]) -> frozenset[str]:
    """Return the names of classes, as another process can compare them."""
    return frozenset(
        kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        for kind in kinds
    )


SPOKEN = names_of(SPEAK)
"""The names of exceptions whose text a model may read, unless an option says otherwise."""


def failed(error: CallError, repairs: tuple[Repair, ...] = (), call: Call | None = None) -> Result:
    """Make the result of a failure; an unexpected one names its call."""
    detail: dict[str, Any] = {"code": error.code}
    if call is not None and isinstance(error, UnexpectedError):
        detail["call"] = call.id
    if error.hint:
        detail["hint"] = error.hint
    retryable = getattr(error, "retryable", None)
    if retryable is not None:
        detail["retryable"] = bool(retryable)
    if isinstance(error, Overloaded):
        detail["retry_after"] = error.retry_after
    faults: Any = getattr(error, "faults", ())
    if faults:
        detail["faults"] = [
            {"path": list(fault.path), "code": fault.code, "text": fault.text}
            for fault in faults[:_MOST_SENT]
        ]
    text = without_surrogates(error.for_model())
    if not text.strip():
        text = type(error).__name__
    if len(text) > _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]} [cut]"
    try:
        to_json(detail)
    except PydanticSerializationError:  # paths may hold lone surrogates
        detail = without_surrogates(detail)
    return written(
        None,
        None,
        blocks=[{"type": "text", "text": text}],
        error=error,
        repairs=repairs,
        meta={"toolwright/error": detail},
    )


def failure_of(
    name: str,
    raised: BaseException,
    repairs: tuple[Repair, ...],
    call: Call | None = None,
    speak: frozenset[str] = SPOKEN,
) -> Result:
    """Make the result of whatever a tool raised, even if the exception's own code raises.

    `speak` has the names of exceptions whose text a model may read.
    """
    try:
        return _failure_of(name, raised, repairs, call, speak)
    except BaseException as second:  # noqa: BLE001 - no exception of a tool may lose the answer
        call = call or Call(name)
        what = f"{name} failed unexpectedly (reference {call.id})"
        # Without the traceback: writing that may be what has failed.
        log.error("%s, and so did its exception: %s", what, type(second).__name__)
        return failed(UnexpectedError(what), repairs, call)


def is_a(error: object, kinds: type[Any] | tuple[type[Any], ...]) -> bool:
    """Return whether an exception is of a class, by its type: its `__class__` may raise, or lie."""
    return issubclass(type(error), kinds)


def _failure_of(
    name: str,
    raised: BaseException,
    repairs: tuple[Repair, ...],
    call: Call | None,
    speak: frozenset[str],
) -> Result:
    if is_a(raised, CallError):
        if is_a(raised, ToolError):
            # What its author says on purpose needs no traceback, unless somebody looks for it.
            log.debug("%s raised %s", name, type(raised).__name__, exc_info=raised)
        return failed(cast("CallError", raised), repairs, call or Call(name))
    if is_a(raised, InputNeeded):
        needed = CallError(f"{name} needs answers from its caller")
        needed.__cause__ = raised
        return failed(needed, repairs)
    kind = type(raised).__name__
    if _may_speak(raised, speak):
        text = _spoken(raised)
        error = CallError(f"{kind}: {text}" if text else kind)
        log.info("%s raised %s", name, kind, exc_info=raised)
    else:
        call = call or Call(name)  # a plain call has no `Call` until it needs an id
        cause, advice = _known_mistake(raised)
        what = f"{name} failed unexpectedly (reference {call.id}){cause}"
        error = UnexpectedError(what)
        log.error("%s%s", what, advice, exc_info=raised)
    error.__cause__ = raised
    return failed(error, repairs, call)


def _of_request(raised: Any) -> str:
    """Return what an HTTP request has failed with, without the secrets that an address may hold."""
    answer = getattr(raised, "response", None)
    status = getattr(answer, "status_code", None) or getattr(raised, "code", None)
    try:
        request = answer if answer is not None else getattr(raised, "request", None)
    except RuntimeError:  # httpx does not know it
        request = None
    url = str(getattr(request, "url", None) or getattr(raised, "url", None) or "")
    url = _PASSWORD.sub(r"\1", url.partition("?")[0].partition("#")[0])[:_MOST_URL]
    if isinstance(status, int):
        reason = getattr(answer, "reason_phrase", None) or getattr(answer, "reason", None)
        text = f"{status} {reason or getattr(raised, 'reason', '')}".strip()
        return f"{text} from {url}" if url else text
    text = _QUERY.sub("", _PASSWORD.sub(r"\1", str(raised)[:_MOST_READ]))
    host = urlsplit(url).hostname or ""
    return text if not host or host in text else f"{text} ({url})"


def _known_mistake(raised: BaseException) -> tuple[str, str]:
    """Return what a model may read of a common mistake, and what to do about it, for the log."""
    kinds = kinds_of(raised)
    if not kinds & (_THREAD_ERRORS | _VALUE_ERRORS):
        return "", ""
    try:
        text = str(raised)[:_MOST_SPOKEN]
    except BaseException:  # noqa: BLE001 - an exception's own `__str__` may fail
        return "", ""
    if kinds & _THREAD_ERRORS and _OTHER_THREAD.search(text):
        return ": it used what belongs to another thread", f"; {_ANY_THREAD}"
    if kinds & _VALUE_ERRORS and "'coroutine'" in text:
        return "", "; a coroutine was used: await it"
    return "", ""


def _may_speak(raised: BaseException, speak: frozenset[str]) -> bool:
    # A ValidationError is a ValueError only by its class: its text is a library's.
    left_out = ValueError if is_a(raised, ValidationError) else None
    for kind in type(raised).__mro__:  # nearest first, which usually decides
        if kind is not left_out and f"{kind.__module__}.{kind.__qualname__}" in speak:
            return True
    return False


@functools.cache
def _redactor() -> Callable[[str], str]:
    from .._log.redact import without_known_secrets  # its patterns take a millisecond to compile

    return without_known_secrets


def _spoken(raised: BaseException) -> str:
    """Return the author's message, all lines of it; control characters are written as escapes."""
    try:
        # Redacted before it is cut, because half a secret is not recognised.
        text = _of_request(raised) if kinds_of(raised) & _REQUESTS else str(raised)
        text = _redactor()(text[:_MOST_READ])
    except BaseException:  # noqa: BLE001 - an exception's own `__str__` may fail
        return ""
    clean = text.replace("\r\n", "\n").translate(_ESCAPES).strip()
    return clean if len(clean) <= _MOST_SPOKEN else f"{clean[:_MOST_SPOKEN]} [cut]"
