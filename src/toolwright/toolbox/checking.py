"""The method of a toolbox that checks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from ..doctor.findings import Check
    from ..doctor.report import Report
    from ..tools.definition import Tool
    from .registry import Registry


class Checkable(Protocol):
    """What the method needs of a `Toolbox`."""

    name: str

    def items(self) -> Iterable[tuple[str, Tool]]:
        """Return the tools by name."""
        ...

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is listed."""
        ...

    def __registry__(self) -> Registry:
        """Return what was put into it."""
        ...


def check(
    box: Checkable,
    *,
    select: Sequence[str] | str | None = None,
    ignore: Sequence[str] | str | None = None,
    severity: Mapping[str, str] | None = None,
    config: str | Path | Mapping[str, Any] | None = None,
    checks: Iterable[Check | ModuleType] = (),
) -> Report:
    """Look for what a model, a client or a provider would stumble over; `toolwright doctor` prints it.

    `select` and `ignore` take ids of checks, groups, and patterns of them; `severity` gives a check
    another severity, or `off`; `config` is a `pyproject.toml`, or its table for the doctor itself;
    `checks` are checks of your own. Raises `ValueError` for an unknown name.
    """
    from ..doctor.configuration import settings_from, with_given
    from ..doctor.examine import examine

    settings = with_given(settings_from(config), select=select, ignore=ignore, severity=severity)
    tools = [tool for name, tool in box.items() if box.is_enabled(name)]
    lifespans = box.__registry__().lifespans
    return examine(box.name, tools, settings, checks=checks, lifespans=lifespans)
