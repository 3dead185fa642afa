"""Findings about the checks themselves: failures and comments."""

from __future__ import annotations

from ..findings import Severity
from ..registry import Found, check
from ..subjects import CheckedToolbox

# The examination itself finds these, during and after the other checks.


@check(
    "failed_check",
    severity=Severity.ERROR,
    fix="correct the check, or the tool that it cannot examine",
    group="doctor",
    scope="toolbox",
)
def failed_check(box: CheckedToolbox) -> Found:
    """A check raises an exception."""


@check(
    "unused_suppression",
    fix="take the comment out",
    group="doctor",
    scope="toolbox",
)
def unused_suppression(box: CheckedToolbox) -> Found:
    """A comment keeps out what is not found there."""


@check(
    "unknown_suppression",
    fix="`toolwright doctor --list-checks` names all ids",
    group="doctor",
    scope="toolbox",
)
def unknown_suppression(box: CheckedToolbox) -> Found:
    """A comment names a check that does not exist."""
