"""Which commands probably only read: a suggestion."""

from __future__ import annotations

from collections.abc import Sequence

from ..program import CommandParameter

_READS = frozenset(
    (
        *("list", "ls", "get", "show", "status", "info", "inspect", "describe", "version", "log"),
        *("logs", "diff", "search", "view", "cat", "stats", "top", "history", "ps", "images"),
        *("explain", "freeze", "whoami", "blame", "grep", "which"),
    )
)
_WRITES = frozenset(
    (
        *("rotate", "delete", "remove", "force", "write", "prune", "rm", "in-place"),
        *("fix", "set", "add", "unset", "edit", "apply", "save", "update", "replace", "purge"),
        *("output-file", "outfile"),
    )
)


def suggests_reading(name: str, summary: str, parameters: Sequence[CommandParameter]) -> bool:
    """Return whether a command is named like one that only reads.

    Its name is such a verb and nothing more, its summary does not begin with a verb of writing, and
    no option is named like one that writes. Of 151 commands of five programs that looser rules
    took for reading, six wrote; a hint is still not proof, so it is only suggested.
    """
    if name not in _READS:
        return False
    first = summary.split(" ", 1)[0].lower().rstrip("s.,")
    if first in _WRITES or f"{first}e" in _WRITES:
        return False
    return not any(_writes(parameter) for parameter in parameters)


def _writes(parameter: CommandParameter) -> bool:
    """Return whether an option is named like one that writes; `-o json` chooses a format."""
    names = {flag.lstrip("-") for flag in parameter.flags}
    if names & {"output", "o"}:
        text = parameter.description.lower()
        is_format = "format" in text or "json" in text or "enum" in parameter.schema
        return not is_format and parameter.schema.get("type") != "boolean"
    return bool(names & _WRITES)
