"""Runs code inside this process, in namespaces that it shares."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import io
import itertools
import signal
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from ..._door import public
from .worker import FILE, run, trace_of

T = TypeVar("T")
_MOST_TEXT = 100_000
_HEAD = "Traceback (most recent call last):"
_count = itertools.count(1)
_printing = threading.RLock()
"""Standard output belongs to the process: only one piece of code at a time may take it."""


@public
def python(
    code: str,  # Code to execute
    glb: dict[str, Any] | None = None,  # Globals namespace
    loc: dict[str, Any] | None = None,  # Locals namespace
    timeout: int = 3600,  # Maximum run time in seconds
) -> Any:
    """Execute Python `code` with a `timeout`, and return its final expression.

    Without one, it returns what was printed. What it raises comes back as the text of a traceback.
    By default the caller's globals are its names. There is no security here: see `python_tool`.

    >>> python("import math; math.factorial(5)")
    120
    """
    names = _caller_names() if glb is None else glb
    try:
        value, printed = evaluated(code, names, loc, timeout)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - as the text of it
        return _trace(error)
    return (printed.rstrip("\n") or None) if value is None else value


def _trace(error: BaseException) -> str:
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        if step.tb_next.tb_frame.f_code is _ring.__code__:
            step.tb_next = None  # the code has stopped there, and not in a file of ours
        step = step.tb_next
    text = trace_of(error, _MOST_TEXT)
    return text if text.startswith(_HEAD) else f"{_HEAD}\n{text}"


_own_names: dict[str, Any] = {"__name__": "__main__"}


def _caller_names() -> dict[str, Any]:
    frame = inspect.currentframe()
    for _ in range(2):  # this function's own, and that of `python`
        frame = frame and frame.f_back
    names = {} if frame is None else frame.f_globals
    # When it is called as a tool, its caller is this package.
    inside = str(names.get("__name__", "")).partition(".")[0] == __name__.partition(".")[0]
    return _own_names if inside else names


def evaluated(
    code: str, names: dict[str, Any], local: dict[str, Any] | None, seconds: float
) -> tuple[Any, str]:
    """Return the value of code, and what it printed. Raises what it raises, and `TimeoutError`."""
    if not _printing.acquire(timeout=seconds):
        msg = "other code has been running all the time"
        raise TimeoutError(msg)
    try:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            file = f"{FILE}{next(_count)}>"
            value = _limited(lambda: run(code, names, local, file), seconds)
        return value, printed.getvalue()
    finally:
        _printing.release()


def _limited(work: Callable[[], T], seconds: float) -> T:
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _alarm(seconds):
            return work()
    return _in_thread(work, seconds)


def _ring(*_: object) -> None:
    raise TimeoutError


@contextlib.contextmanager
def _alarm(seconds: float) -> Generator[None]:
    """Raise `TimeoutError` in the main thread, whatever it waits for."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _in_thread(work: Callable[[], T], seconds: float) -> T:
    """Run a function in a thread that is left alone at the deadline: no thread can be killed."""
    done: list[T] = []
    failed: list[BaseException] = []

    def go() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            failed.append(error)

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        # Raised between two steps of its code; a wait in C ends only when it returns.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeoutError)
        )
        raise TimeoutError
    if failed:
        raise failed[0]
    return done[0]
