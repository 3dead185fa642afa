"""The doctor, with the settings of the project."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..usage import UsageError
from .configuration import find_project, project_at

if TYPE_CHECKING:
    from ...doctor.configuration import Settings
    from ...doctor.report import Report
    from ...errors import DefinitionError
    from ...toolbox.box import Toolbox


def doctor_settings(
    target: str,
    config: str | None = None,
    *,
    checks: Sequence[str] = (),
    ignore: Sequence[str] = (),
    dialects: Sequence[str] = (),
) -> Settings:
    """Return the settings of a file, of the target, or of the nearest project, and of flags.

    Raises `UsageError`.
    """
    from ...doctor.configuration import settings_from, with_given

    file = Path(config) if config is not None else _file_of(target)
    folder = "" if file is None else str(Path(os.path.realpath(file)).parent)
    if folder and folder not in sys.path:
        sys.path.append(folder)  # its own checks are beside it
    try:
        return with_given(
            settings_from(file),
            select=_words(checks),
            ignore=_words(ignore),
            severity=None,
            dialects=_words(dialects),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def examined(
    box: Toolbox,
    settings: Settings,
    refused: Sequence[DefinitionError] = (),
    *,
    errors_only: bool = False,
) -> Report:
    """Return what the doctor finds in a target; only errors with `errors_only`, which is faster.

    Raises `UsageError` for bad settings.
    """
    from ...doctor.examine import examine
    from ...toolbox.box import registry_of

    tools = [tool for name, tool in box.items() if box.is_enabled(name)]
    try:
        return examine(
            box.name,
            tools,
            settings,
            refused=refused,
            errors_only=errors_only,
            lifespans=registry_of(box).lifespans,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _file_of(target: str) -> Path | None:
    return Path(target) if project_at(target) is not None else find_project()


def _words(values: Sequence[str]) -> list[str] | None:
    """Return the values that were given once with commas, or several times; None if none were."""
    if not values:
        return None
    return [word.strip() for value in values for word in value.split(",") if word.strip()]
