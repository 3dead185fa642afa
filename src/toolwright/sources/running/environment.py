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
"""What tells a program that nobody sits in front of it."""


DEPTH = "TOOLWRIGHT_DEPTH"
"""The variable that says how many programs, each started by the one before, are running."""
MOST_DEPTH = 4


def depth() -> int:
    """Return how many programs there are around this one."""
    said = os.environ.get(DEPTH, "")
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 4 else 0


def environment_of(how: RunSettings, *, tells_lines: bool) -> dict[str, str]:
    """Return the whole environment of a program.

    What a pattern lets through gives way to `QUIET`; what is named in full, or set, does not.
    `tells_lines` asks Python programs to write each line at once. It costs them a tenth of their
    speed or more: two million lines took 11 s instead of 1.
    """
    patterns = [each for each in how.pass_environment if set(each) & set("*?[")]
    ours = os.environ
    made = {name: ours[name] for name in ours if any(fnmatchcase(name, each) for each in patterns)}
    made |= QUIET
    if tells_lines:
        made["PYTHONUNBUFFERED"] = "1"
    made |= {name: ours[name] for name in how.pass_environment if name in ours}
    return {**made, **how.environment, DEPTH: str(depth() + 1)}
