"""The environment of a program: an allow-list, and no questions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase

from .settings import RunSettings

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
