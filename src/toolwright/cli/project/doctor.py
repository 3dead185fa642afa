"""The doctor, with the settings of the project."""

from __future__ import annotations

import argparse
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


def examined(
    box: Toolbox,
    chosen: argparse.Namespace,
    refused: Sequence[DefinitionError] = (),
    *,
    errors_only: bool = False,
) -> Report:
    """Return what the doctor finds in a target; only errors with `errors_only`, which is faster.

    Raises `UsageError` for bad settings.
    """
    from ...doctor.configuration import with_given
    from ...doctor.examine import examine
    from ...toolbox.box import served

    tools = [tool for name, tool in box.items() if box.is_enabled(name)]
    try:
        settings = with_given(
            settings_of(chosen),
            select=_words(getattr(chosen, "checks", None)),
            ignore=_words(getattr(chosen, "ignore", None)),
            severity=None,
            dialects=_words(getattr(chosen, "dialects", None)),
        )
        chosen.strict = chosen.strict or settings.strict
        return examine(
            box.name,
            tools,
            settings,
            refused=refused,
            errors_only=errors_only,
            lifespans=served(box).lifespans,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def settings_of(chosen: argparse.Namespace) -> Settings:
    """Return the settings of `--config`, of the target, or of the nearest project.

    Raises `ValueError`.
    """
    from ...doctor.configuration import settings_from

    given = getattr(chosen, "config", None)
    file = Path(given) if given is not None else _file_of(chosen.target)
    folder = "" if file is None else str(Path(os.path.realpath(file)).parent)
    if folder and folder not in sys.path:
        sys.path.append(folder)  # its own checks are beside it
    return settings_from(file)


def _file_of(target: str) -> Path | None:
    return Path(target) if project_at(target) is not None else find_project()


def _words(given: list[str] | None) -> list[str] | None:
    """Return the values that were given once with commas, or several times."""
    if given is None:
        return None
    return [word.strip() for each in given for word in each.split(",") if word.strip()]
