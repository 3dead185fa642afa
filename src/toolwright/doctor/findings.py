"""Checks, and what they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import ModuleType
from typing import Any, Literal, TypeAlias

from .._json_values import without_surrogates
from .._log.printable import printable
from .._log.redact import without_known_secrets
from .._words import truncate

_LONGEST = 600
"""Characters of a message: a tool's own text may be of any length."""


class Severity(StrEnum):
    """How bad a finding is: errors end the command with exit code 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Return 0 for the worst."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of a file as it is, and as it should be; None takes it out."""

    file: str
    line: int
    old: str
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a check has found: where, what is wrong, and what to do about it."""

    id: str
    """The check that found it."""
    severity: Severity
    message: str
    """What is wrong, in one line, with the tool and the parameter."""
    tool: str = ""
    parameter: str = ""
    file: str = ""
    line: int = 0
    fix: str = ""
    """What to do about it."""
    edits: tuple[Edit, ...] = ()
    """What `--fix` changes."""

    @property
    def fixable(self) -> bool:
        """Return whether `--fix` can mend it."""
        return bool(self.edits)

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " * bool(self.file)
        return f"{place}{self.severity} {self.id}: {self.text}"

    @property
    def text(self) -> str:
        """The message and the fix, in one line."""
        return f"{self.message} - {self.fix}" if self.fix else self.message

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return {
            "id": self.id,
            "severity": str(self.severity),
            "message": self.message,
            "tool": self.tool or None,
            "parameter": self.parameter or None,
            "file": self.file or None,
            "line": self.line or None,
            "fix": self.fix or None,
            "fixable": self.fixable,
        }


def first_of(names: Sequence[str], most: int = 5) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def one_line(text: object) -> str:
    """Return any text on one line: bounded, without secrets, and unable to control a terminal."""
    clean = str(without_surrogates(str(text)[: 4 * _LONGEST]))
    return truncate(printable(" ".join(without_known_secrets(clean).split())), _LONGEST)


def cleaned(finding: Finding) -> Finding:
    """Return a finding whose texts are fit to be shown: authors and models wrote parts of them."""
    return replace(
        finding,
        id=printable(finding.id),  # a name given by us, or by the author of the check
        severity=Severity(finding.severity),
        message=one_line(finding.message),
        tool=one_line(finding.tool),
        parameter=one_line(finding.parameter),
        file=str(finding.file),
        line=int(finding.line),
        fix=one_line(finding.fix),
    )


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
