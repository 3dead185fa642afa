"""What logs leave out: secrets, and frames of this package."""

from __future__ import annotations

import functools
import os
import re
import time
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


HIDDEN = "***"
_NAMES = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[-_ ]?key|access[-_ ]?key|credential|cookie)s?"
)
# In names of environment variables: whole words between underscores, so not COMPASS.
_SECRET_NAME = re.compile(
    r"(?:^|_)(?:PASS(?:WORD|WD|PHRASE)?|SECRET|TOKEN|(?:API|ACCESS|PRIVATE)_?KEY)S?(?:_|$)",
    re.IGNORECASE,
)
# Secrets that can be recognised by their form. Each arm takes the whole run of characters that it
# begins with, and `_hidden` decides whether that is a secret: so no run is searched from each place
# in it.
_SURE = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}+://[^\s/:@]{0,100}+:)(?!\d{1,5}@)[^\s/@]{1,200}+(?=@)"
    r"|(?P<token>\beyJ[\w-]{8,}+(?P<signed>\.[\w-]{8,}+\.[\w-]*+)?)"
    r"|(?P<key>\b(?:sk-|(?:sk|pk|rk)_(?:live|test)_)[\w-]{16,}+)"
    r"|\bgh[pousr]_\w{20,}+|\bgithub_pat_\w{20,}+|\bxox[abprs]-[\w-]{10,}+|\bAKIA[A-Z0-9]{16}\b"
    r"|\bsbp_[0-9a-f]{40,}+|\bglpat-[\w-]{20,}+|\bAIza[\w-]{35,}+|\bhf_[A-Za-z0-9]{30,}+"
    r"|\bnpm_[A-Za-z0-9]{36,}+|\bxapp-[\w-]{20,}+|\bpypi-[\w-]{50,}+|\bshpat_\w{32,}+"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*+(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    re.ASCII,
)
# Probable secrets, judged by the name before them: a log loses nothing without them.
_NAMED = re.compile(
    rf"(?P<name>{_NAMES}[\"']?\s*+[=:]\s*+[\"']?)[^\s\"',;&]{{4,}}+"
    r"|(?P<bearer>\b(?:bearer|basic)\s++)[\w.~+/=-]{4,}+",
    re.IGNORECASE,
)
_known: set[str] = set()
_FRESH = 10.0
"""Seconds for which the secrets in the environment are remembered."""


def hide(secret: str) -> None:
    """Redact this text from now on."""
    _known.add(secret)


def without_known_secrets(text: str) -> str:
    """Hide what is certainly a secret, and nothing else."""
    for secret in _secrets(int(time.monotonic() / _FRESH), len(_known)):
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return _SURE.sub(_hidden, text)


def _hidden(match: re.Match[str]) -> str:
    """Return the replacement for a match: the match itself, if it only begins like a secret."""
    if match["token"] and not match["signed"]:
        return match[0]
    if match["key"] and not any(character.isdecimal() for character in match["key"]):
        return match[0]
    return (match["scheme"] or "") + HIDDEN


def without_likely_secrets(text: str) -> str:
    """Also hide what may be a secret, judged by the name before it."""
    return _NAMED.sub(
        lambda match: (match["name"] or match["bearer"]) + HIDDEN, without_known_secrets(text)
    )


@functools.lru_cache(maxsize=1)
def _secrets(_now: int, _count: int) -> list[str]:
    """Return the known secrets: those we were told, and those in the environment."""
    candidates = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    return [*_known, *(value for value in candidates if _is_no_word(value))]


def _is_no_word(value: str) -> bool:
    """Return whether a value may be a secret: not a path, and not an everyday word."""
    if len(value) < 8 or value[0] in "/~." or any(character.isspace() for character in value):
        return False
    return len(value) >= 16 or not value.isalpha()
