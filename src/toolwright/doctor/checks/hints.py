"""Hints on behaviour that a name contradicts, or suggests."""

from __future__ import annotations

import re

from ..findings import Severity
from ..registry import Found, check
from ..subjects import CheckedTool

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DESTROYS = frozenset(
    (
        *("delete", "remove", "archive", "drop", "purge", "clear", "wipe", "destroy", "truncate"),
        *("erase", "unlink", "uninstall"),
    )
)
_READS = frozenset(
    (
        *("get", "list", "search", "find", "fetch", "read", "show", "describe", "count"),
        *("lookup", "query", "view"),
    )
)


def words_of(name: str) -> list[str]:
    """Return the words of a name: `getUserById`, `get_user_by_id` and `get-user-by-id` alike."""
    return [part.lower() for part in _PARTS.findall(name[:200])]


@check(
    "missing_destructive_hint",
    fix="say `destructive=True`, or `destructive=False` if nothing is lost",
    group="hints",
)
def missing_destructive_hint(tool: CheckedTool) -> Found:
    """A tool's name says that it destroys something, and its hints do not say whether."""
    verb = next((word for word in words_of(tool.name) if word in _DESTROYS), "")
    if not verb or tool.options.destructive is not None:
        return
    if tool.options.read_only:
        fix = "remove `read_only`, or choose another name"
        yield tool.finding(f"says `{verb}` in its name, but also that it changes nothing", fix=fix)
    else:
        yield tool.finding(f"says `{verb}` in its name, but nothing about being destructive")


@check(
    "contradictory_hints",
    fix="a tool that changes nothing destroys nothing: keep one of them",
    group="hints",
)
def contradictory_hints(tool: CheckedTool) -> Found:
    """A tool says that it changes nothing, and that it is destructive."""
    if tool.options.read_only and tool.options.destructive:
        yield tool.finding("is both read-only and destructive")


@check(
    "read_only_suggestion",
    severity=Severity.INFO,
    fix="say `read_only=True` if that is so: clients ask less often before they call it",
    group="hints",
)
def read_only_suggestion(tool: CheckedTool) -> Found:
    """A tool's name says that it only reads, and its hints say nothing."""
    hints = (tool.options.read_only, tool.options.destructive, tool.options.idempotent)
    words = words_of(tool.name)
    reads = bool(words) and words[0] in _READS and _DESTROYS.isdisjoint(words)
    if reads and all(hint is None for hint in hints):
        yield tool.finding(f"begins with `{words[0]}`, but does not say that it changes nothing")
