"""How a program is run, as checked values, and its environment."""

from __future__ import annotations

import os
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast

PASSED_ENVIRONMENT = (
    # Where things are, and who asks.
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP"),
    *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
    # Language and time.
    *("LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR"),
    # What a program needs to start at all if this process needed it: its libraries and modules.
    # None of these holds a secret. Proxies are left out, since their addresses may hold passwords.
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8"),
    "PYTHONDONTWRITEBYTECODE",
)
"""The variables that programs get from this process by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a program is run. Raises `ValueError` or `TypeError` for settings that cannot work."""

    cwd: str | os.PathLike[str] | None = None
    """The working directory; None for that of this process."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Variables to set; one may be a secret."""
    pass_environment: tuple[str, ...] = PASSED_ENVIRONMENT
    """The variables of this process that the program gets, by name or with `*`; no others."""
    stdin: bytes | None = field(default=None, repr=False)
    """What it reads; None for nothing at all."""
    max_output: int = 65_536
    """How many bytes of each stream are kept, half from its beginning and half from its end."""
    end_seconds: float = 2.0
    """How long it may take to end when asked to, before it is killed."""

    def __post_init__(self) -> None:
        if self.cwd is not None:
            _path(self.cwd)
        variables = _environment(self.environment)
        object.__setattr__(self, "environment", types.MappingProxyType(variables))
        object.__setattr__(self, "pass_environment", _names(self.pass_environment))
        if self.stdin is not None and not isinstance(cast("Any", self.stdin), bytes):
            msg = f"stdin must be bytes, not {type(self.stdin).__name__}"
            raise TypeError(msg)
        _number("max_output", self.max_output, 2, 1 << 30)
        if not isinstance(cast("Any", self.max_output), int):
            msg = f"max_output must be a whole number of bytes, not {self.max_output!r}"
            raise TypeError(msg)
        _number("end_seconds", self.end_seconds, 0, 3600)


def _path(value: Any) -> None:
    try:
        path = cast("Any", os.fspath(cast("str", value)))
    except TypeError:
        path = None
    if not isinstance(path, str) or not path or "\0" in path:
        msg = f"cwd must be the path of a folder, not {value!r}"
        raise ValueError(msg)


def _environment(variables: Any) -> dict[str, str]:
    if not isinstance(variables, Mapping):
        msg = f"environment must be a mapping of names to text, not {type(variables).__name__}"
        raise TypeError(msg)
    checked: dict[str, str] = {}
    for name, value in cast("Mapping[Any, Any]", variables).items():
        if not isinstance(name, str) or not name or set(name) & set("=\0"):
            msg = f"environment: {name!r} is not a valid variable name"
            raise ValueError(msg)
        if not isinstance(value, str) or "\0" in value:  # the value itself may be a secret
            msg = f"environment: the value of {name} must be text without NUL"
            raise ValueError(msg)
        try:
            os.fsencode(name + value)
        except UnicodeEncodeError:
            msg = f"environment: {name!r} and its value must be text without lone surrogates"
            raise ValueError(msg) from None
        checked[name] = value
    return checked


def _names(patterns: Any) -> tuple[str, ...]:
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        msg = f"pass_environment must be a list of names such as `LC_*`, not {patterns!r}"
        raise TypeError(msg)
    names = tuple(cast("Iterable[Any]", patterns))
    for name in names:
        if not isinstance(name, str) or not name or "=" in name:
            msg = f"pass_environment: {name!r} is not a valid variable name"
            raise ValueError(msg)
    return names


def _number(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        msg = f"{name} must be a number from {least} to {most}, not {value!r}"
        raise ValueError(msg)


# -- the environment: an allow-list, and no questions

QUIET: Mapping[str, str] = {
    "CI": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INPUT": "1",
    "EDITOR": "false",
    "VISUAL": "false",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "COLUMNS": "200",
}
"""Variables that tell a program that nobody is there to answer."""


DEPTH = "TOOLWRIGHT_DEPTH"
"""The variable that says how many programs, each started by the one before, are running."""
MOST_DEPTH = 4
USER_VARIABLES = "TOOLWRIGHT_PASS_ENV"
"""The variable that names, with spaces between, those that the user gives to every command.

It stands in a client's entry beside them: whoever edits one there sees the other, and it reaches
whatever the entry starts, such as the processes of `--reload` and `--workers`.
"""


def depth() -> int:
    """Return how many such programs this process runs inside."""
    level = os.environ.get(DEPTH, "")
    return int(level) if level.isascii() and level.isdecimal() and len(level) < 4 else 0


def user_variables() -> dict[str, str]:
    """Return the variables of this process that its user gives to every command."""
    names = os.environ.get(USER_VARIABLES, "").split()
    return {name: os.environ[name] for name in names if name in os.environ}


def entry_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an entry that starts a server, such that they reach its commands."""
    return {**variables, USER_VARIABLES: " ".join(variables)} if variables else {}


def environment_of(how: RunSettings, *, tells_lines: bool) -> dict[str, str]:
    """Return the whole environment of a program.

    `QUIET` overrides variables that a pattern lets through, but not those named in full or set.
    `tells_lines` asks Python programs to write each line at once. It slows down those
    that print much: two million lines took 11 s instead of 1.
    """
    patterns = [pattern for pattern in how.pass_environment if set(pattern) & set("*?[")]
    ours = os.environ
    environment = {
        name: ours[name] for name in ours if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    environment |= QUIET
    if tells_lines:
        environment["PYTHONUNBUFFERED"] = "1"
    environment |= {name: ours[name] for name in how.pass_environment if name in ours}
    return {**environment, **how.environment, DEPTH: str(depth() + 1)}
