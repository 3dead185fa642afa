"""Checks: one function each, with an id and a severity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, TypeAlias

from .findings import Finding, Severity

Found: TypeAlias = "Iterable[Finding | str] | Finding | str | None"
Scope = Literal["tool", "toolbox"]
_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Check:
    """A check: it looks at one tool, or at a whole toolbox, and yields what it finds."""

    id: str
    severity: Severity
    text: str
    """What it looks for, in one sentence."""
    fix: str
    """What to do about a finding that has no fix of its own."""
    group: str
    """The subject that the check belongs to: it can also be selected by this."""
    scope: Scope
    function: Callable[..., Found]

    def __call__(self, subject: Any) -> Found:
        """Look at a tool, or at a toolbox."""
        return self.function(subject)


def check(
    id: str,  # noqa: A002 - the word of the field
    *,
    severity: Severity | str = Severity.WARNING,
    fix: str = "",
    group: str = "own",
    scope: Scope = "tool",
) -> Callable[[Callable[..., Found]], Check]:
    """Make a check of a function that takes a `CheckedTool`, or a `CheckedToolbox`.

    It yields messages, or findings (`tool.finding(...)`). Raises `ValueError` for a bad id,
    severity or scope.
    """
    if not _ID.fullmatch(id):
        msg = f"the id of a check must be lowercase letters, digits and underscores; got {id!r}"
        raise ValueError(msg)
    if scope not in ("tool", "toolbox"):
        msg = f'the scope of check {id} must be "tool" or "toolbox"; got {scope!r}'
        raise ValueError(msg)
    level = severity_from(severity, f"the severity of check {id}")

    def decorate(function: Callable[..., Found]) -> Check:
        summary = (function.__doc__ or id.replace("_", " ")).strip().split("\n")[0]
        return Check(id, level, summary, fix, group, scope, function)

    return decorate


def severity_from(value: object, what: str) -> Severity:
    """Return a severity by its name. Raises `ValueError`."""
    names = [str(severity) for severity in Severity]
    if not isinstance(value, str) or value not in names:
        msg = f"{what} must be one of {', '.join(names)}; got {value!r}"
        raise ValueError(msg)
    return Severity(value)


def checks_in(modules: Iterable[ModuleType]) -> Iterator[Check]:
    """Yield the checks that modules define, in the order of their names there."""
    for module in modules:
        for value in list(vars(module).values()):
            if isinstance(value, Check):
                yield value
