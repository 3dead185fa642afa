"""What a check finds, and how bad it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

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
