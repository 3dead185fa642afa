"""Python code as a tool, and in this process."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import io
import itertools
import shutil
import signal
import sys
import threading
import tomllib
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict, TypeVar, cast

from pydantic import Field

from .._door import public
from .._json_values import without_surrogates
from ..call import Call
from ..errors import ToolError
from ..limits import check_count, check_seconds
from ..run.threads import in_own_thread
from ..tools.definition import Tool
from .command_run import shown_text
from .python_sessions import ENDED, KILLED, START_SECONDS, PythonSessions, Ran, Stop
from .python_worker import FILE, run, sendable, trace_of
from .watched_process import PASSED_ENVIRONMENT, NotStarted, RunSettings

_OPENS, _CLOSES = "# /// script", "# ///"
_MOST_NEEDED = 100
MADE_SECONDS = 600.0
"""Seconds that an environment may take to be made."""


class Needs(NamedTuple):
    """What code needs: packages, and versions of Python."""

    dependencies: tuple[str, ...] = ()
    requires_python: str = ""


def needs_of(code: str) -> Needs | None:
    """Return what the block at the head of a script names; None if there is no block.

    Raises `ToolError` for one that cannot be read.
    """
    if _OPENS not in code:
        return None
    lines = [line.rstrip() for line in code.splitlines()]
    if _OPENS not in lines:
        return None
    start = lines.index(_OPENS) + 1
    block: list[str] = []
    for line in lines[start:]:
        if line == _CLOSES:
            return _read("\n".join(block))
        if not line.startswith("#"):
            break
        block.append(line[1:].removeprefix(" "))
    raise ToolError(f"the block `{_OPENS}` has no closing line `{_CLOSES}`", code="script")


def _read(text: str) -> Needs:
    try:
        block = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToolError(f"the block `{_OPENS}` is not TOML: {error}", code="script") from None
    needed, python = block.get("dependencies", []), block.get("requires-python", "")
    if not _are_texts(needed) or not isinstance(python, str):
        what = "`dependencies` is a list of texts, `requires-python` a text"
        raise ToolError(f"the block `{_OPENS}`: {what}", code="script")
    return Needs(tuple(needed), python)


def _are_texts(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    texts = cast("list[Any]", value)
    return len(texts) <= _MOST_NEEDED and all(
        # A word that begins with a dash would be an option of uv.
        isinstance(text, str) and bool(text) and text[0] != "-" and "\0" not in text
        for text in texts
    )


def command_for(needs: Needs, interpreter: str = "") -> Sequence[str]:
    """Return the words that start Python with what code needs. Raises `NotStarted`."""
    uv = _uv()
    if uv is None:
        reason = "code that names dependencies needs `uv` (pip install uv)"
        raise NotStarted("python", reason)
    version = needs.requires_python or interpreter or sys.executable
    words = [uv, "run", "--quiet", "--no-project", "--isolated", f"--python={version}"]
    return [*words, *(f"--with={package}" for package in needs.dependencies), "python"]


def _uv() -> str | None:
    """Return where uv is: on the path, or installed beside this package."""
    executable = shutil.which("uv")
    if executable is not None:
        return executable
    try:
        from uv import find_uv_bin
    except ImportError:
        return None
    try:
        return find_uv_bin()
    except OSError:
        return None


T = TypeVar("T")
_UV_VARIABLES = ("UV_CACHE_DIR", "UV_OFFLINE", "UV_LINK_MODE", "UV_PYTHON_INSTALL_DIR")
_MOST_CODE = 1_000_000
_LOST = "the names of this session are gone"


class PythonOutput(TypedDict):
    """What came of some code."""

    value: Annotated[
        Any, Field(description="Of the last expression: as JSON, or as text if it cannot be JSON.")
    ]
    stdout: str
    stderr: str


Code = Annotated[
    str,
    Field(
        description="Code to run. If it ends with an expression, its value is given back.",
        max_length=_MOST_CODE,
    ),
]
Restart = Annotated[bool, Field(description="Forget the names of earlier calls first.")]


@public
def python_tool(
    *,
    name: str = "python",
    timeout: float = 60,
    memory: int | None = 2 * 1024**3,
    max_output: int = 30_000,
    max_sessions: int = 8,
    idle: float = 900,
    cwd: str | None = None,
    environment: Mapping[str, str] | None = None,
    pass_environment: Sequence[str] = PASSED_ENVIRONMENT,
    python: str = "",
    dependencies: Sequence[str] = (),
    requires_python: str = "",
    inside: bool = False,
    glb: dict[str, Any] | None = None,
    loc: dict[str, Any] | None = None,
) -> Tool:
    """Return a tool that runs Python code, and keeps its names between the calls of a caller.

    Code runs in a process of its own, or with `inside=True` in this one, in `glb` and `loc`. The
    process can be killed, and is limited; it is not a sandbox: code can do what the user of this
    server can. Raises `ValueError` or `TypeError` for settings that cannot work.

    >>> tool = python_tool(inside=True)
    >>> tool.call({"code": "n = 6"}).is_error
    False
    >>> tool.call({"code": "n * 7"}).structured["value"]
    42
    """
    check_seconds("timeout", timeout)
    check_seconds("idle", idle)
    check_count("max_sessions", max_sessions)
    check_count("memory", memory)
    if inside:
        target: Any = _inside({"__name__": "__main__"} if glb is None else glb, loc, timeout)
    elif glb is not None or loc is not None:
        msg = "glb and loc go with inside=True: another process cannot share them"
        raise ValueError(msg)
    else:
        how = RunSettings(
            cwd=cwd,
            environment=environment or {},
            pass_environment=(*pass_environment, *_UV_VARIABLES),
            max_output=max_output,
        )
        sessions = PythonSessions(how, memory=memory, most=max_sessions, idle=idle)
        needs = Needs(tuple(dependencies), requires_python)
        target = _outside(sessions, needs, python or sys.executable, timeout)
    return Tool(target, name=name, destructive=True, open_world=True)


# -- in a process of its own


def _outside(sessions: PythonSessions, needs: Needs, interpreter: str, timeout: float) -> Any:
    async def python(code: Code, restart: Restart = False, *, call: Call) -> PythonOutput:  # noqa: FBT002
        """Run Python code; give the value of its last expression, and what it printed.

        Names are kept between calls. Code that takes too long is interrupted. Packages that it
        needs can be named in a block at its beginning, as in scripts (PEP 723).
        """
        code_needs = needs_of(code) or needs
        is_plain = not code_needs.dependencies and not code_needs.requires_python
        command = (interpreter,) if is_plain else tuple(command_for(code_needs, interpreter))
        who = _caller_of(call)
        stop = Stop()

        def work() -> Ran:
            return sessions.run(
                None if who is None else (who, command),
                command,
                code,
                timeout,
                stop,
                fresh=restart,
                start_seconds=START_SECONDS if is_plain else MADE_SECONDS,
            )

        return _given(await in_own_thread(work, stop.set))

    return python


def _caller_of(call: Call) -> Hashable:
    """Return the key of the session that a call uses; None for a new one that ends with the call.

    Over HTTP, callers who have not signed in are told apart by their session with the server. Those
    who have none cannot be told apart, and must not see each other's names.
    """
    session = call.headers.get("mcp-session-id", "")
    if call.caller is None and call.headers and not session:
        return None
    return call.caller, "" if call.caller is not None else session


def _given(ran: Ran) -> PythonOutput:
    output: PythonOutput = {
        "value": without_surrogates(ran.value),
        "stdout": shown_text(ran.stdout, ran.stdout_left_out),
        "stderr": shown_text(ran.stderr, ran.stderr_left_out),
    }
    if not ran.error:
        return output
    is_lost = ran.kind in (KILLED, ENDED)
    return _failed(f"{ran.error}; {_LOST}" if is_lost else ran.error, output)


def _failed(text: str, output: PythonOutput) -> PythonOutput:
    streams = [f"{name}:\n{output[name]}" for name in ("stdout", "stderr") if output[name]]
    blocks = [{"type": "text", "text": "\n\n".join([text, *streams])}]
    reply = {"content": blocks, "structuredContent": output, "isError": True}
    return cast("PythonOutput", reply)


# -- as a tool in this process


def _inside(names: dict[str, Any], local: dict[str, Any] | None, timeout: float) -> Any:
    def python(code: Code) -> PythonOutput:
        """Run Python code; give the value of its last expression, and what it printed.

        Names are kept between calls.
        """
        try:
            value, printed = evaluated(code, names, local, timeout)
        except TimeoutError as error:
            raise ToolError(f"it took longer than {timeout:g} s", code="timeout") from error
        except BaseException as error:  # noqa: BLE001 - whatever code raises is for its caller
            text = trace_of(error, _MOST_CODE)
            return _failed(text, {"value": None, "stdout": "", "stderr": ""})
        return {"value": sendable(value, _MOST_CODE), "stdout": printed, "stderr": ""}

    return python


# -- inside this process, in namespaces that the code shares

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
    return _until_deadline(work, seconds)


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


def _until_deadline(work: Callable[[], T], seconds: float) -> T:
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
