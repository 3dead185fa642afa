"""Environments for code that names its packages (PEP 723)."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from ...errors import ToolError
from ..running.start import NotStarted

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
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToolError(f"the block `{_OPENS}` is not TOML: {error}", code="script") from None
    needed, python = said.get("dependencies", []), said.get("requires-python", "")
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
        isinstance(each, str) and bool(each) and each[0] != "-" and "\0" not in each
        for each in texts
    )


def command_for(needs: Needs, interpreter: str = "") -> Sequence[str]:
    """Return the words that start Python with what code needs. Raises `NotStarted`."""
    found = _uv()
    if found is None:
        reason = "code that names dependencies needs `uv` (pip install uv)"
        raise NotStarted("python", reason)
    version = needs.requires_python or interpreter or sys.executable
    words = [found, "run", "--quiet", "--no-project", "--isolated", f"--python={version}"]
    return [*words, *(f"--with={each}" for each in needs.dependencies), "python"]


def _uv() -> str | None:
    """Return where uv is: on the path, or installed beside this package."""
    found = shutil.which("uv")
    if found is not None:
        return found
    try:
        from uv import find_uv_bin
    except ImportError:
        return None
    try:
        return find_uv_bin()
    except OSError:
        return None
