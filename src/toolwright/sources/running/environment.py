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


def depth() -> int:
    """Return how many such programs this process runs inside."""
    said = os.environ.get(DEPTH, "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 4 else 0


def environment_of(how: RunSettings, *, tells_lines: bool) -> dict[str, str]:
    """Return the whole environment of a program.

    `QUIET` overrides variables that a pattern lets through, but not those named in full or set.
    `tells_lines` asks Python programs to write each line at once. It slows down those
    that print much: two million lines took 11 s instead of 1.
    """
    patterns = [each for each in how.pass_environment if set(each) & set("*?[")]
    ours = os.environ
    made = {name: ours[name] for name in ours if any(fnmatchcase(name, each) for each in patterns)}
    made |= QUIET
    if tells_lines:
        made["PYTHONUNBUFFERED"] = "1"
    made |= {name: ours[name] for name in how.pass_environment if name in ours}
    return {**made, **how.environment, DEPTH: str(depth() + 1)}
