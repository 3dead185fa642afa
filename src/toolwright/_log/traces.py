"""Tracebacks that begin in the author's own code."""

from __future__ import annotations

import os
import traceback
from traceback import FrameSummary, StackSummary, TracebackException

_PYTHON = traceback.__file__.rpartition(os.sep)[0] + os.sep
_OURS = __file__.rpartition(f"_log{os.sep}")[0]
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def written(error: BaseException) -> str:
    """Return the traceback of an exception from the author's code on, and those of its causes.

    Frames of this package, and those of Python that lead to the author's, are left out. If there
    are no others, all are kept.
    """
    trace = TracebackException.from_exception(error)
    todo: list[TracebackException] = [trace]
    while todo:
        part = todo.pop()
        frames = _kept(part.stack)
        if frames or isinstance(error, SyntaxError):
            part.stack = StackSummary.from_list(frames)
        todo += [cause for cause in (part.__cause__, part.__context__) if cause is not None]
        todo += part.exceptions or ()
    return "".join(trace.format()).rstrip("\n")


def place_of(error: BaseException) -> str:
    """Return `file:line` of the author's code in which an exception was raised, or empty text."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno}"
    frames = _kept(traceback.extract_tb(error.__traceback__, limit=-100))
    own_frames = [frame for frame in frames if not _is_installed(frame.filename)]
    if not (own_frames or frames):
        return ""
    last = (own_frames or frames)[-1]
    return f"{_shown(last.filename)}:{last.lineno}"


def _kept(frames: StackSummary) -> list[FrameSummary]:
    visible = [frame for frame in frames if not _is_hidden(frame.filename)]
    first = next(
        (index for index, frame in enumerate(visible) if not _is_python(frame.filename)),
        len(visible),
    )
    return visible[first:]


def _is_hidden(file: str) -> bool:
    return file.startswith((_OURS, "<frozen "))


def _is_python(file: str) -> bool:
    return file.startswith(_PYTHON) and not any(part in file for part in _INSTALLED)


def _is_installed(file: str) -> bool:
    return file.startswith(_PYTHON) or any(part in file for part in _INSTALLED)


def _shown(file: str) -> str:
    """Return a path as a person in this folder would write it."""
    try:
        near = os.path.relpath(file)
    except (OSError, ValueError):  # the folder is gone, or on another drive
        return file
    return file if near.startswith("..") else near
