"""Settings of `test` in `[tool.toolwright.test]`, and the files it reads."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ...contract.trials.example_files import FILES
from ..project.configuration import Project
from ..usage import UsageError

_SETTINGS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "file": ((str, list), "the name of a file, or a list of names"),
    "docstrings": (bool, "true or false"),
    "coverage": (bool, "true or false"),
    "fail_under": ((int, float), "a number"),
    "timeout": ((int, float), "seconds"),
    "generate": (int, "how many calls"),
    "seed": ((int, str), 'a number, or "random"'),
    "destructive": ((bool, list), "true, false, or a list of tools"),
    "state": (str, "the name of a tool"),
}
_SWITCHES = ("coverage", "destructive", "docstrings")


def whole_number(text: str) -> int:
    """Read a number of calls. Raises `argparse.ArgumentTypeError`."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        msg = f"takes a whole number; got `{text}`"
        raise argparse.ArgumentTypeError(msg)
    return number


def percent(text: str) -> float:
    """Read a share of parameters. Raises `argparse.ArgumentTypeError`."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 100:  # also for NaN
        msg = f"takes a number from 0 to 100; got `{text}`"
        raise argparse.ArgumentTypeError(msg)
    return number


def settings_of_project(project: Project) -> dict[str, Any]:
    """Return what `[tool.toolwright.test]` gives, as fields of the command. Raises `UsageError`."""
    keys = ", ".join(_SETTINGS)
    settings: dict[str, Any] = {}
    for key, value in project.test.items():
        if key not in _SETTINGS:
            raise UsageError(
                f"{project.file}: [tool.toolwright.test] has no `{key}`; it has {keys}"
            )
        kind, expected = _SETTINGS[key]
        is_bool = isinstance(value, bool)
        if not isinstance(value, kind) or (is_bool and key not in _SWITCHES):
            raise UsageError(f"{project.file}: `test.{key}` must be {expected}; got {value!r}")
        if key == "docstrings":
            settings["no_docstrings"] = not value
        elif key == "file":
            files = [value] if isinstance(value, str) else cast("list[str]", value)
            settings["file"] = [str(project.file.parent / name) for name in files]
        elif key == "seed":
            settings["seed"] = str(value)
        elif key == "destructive" and not is_bool:
            settings["destructive"] = frozenset(value)
        else:
            settings[key] = value
    return settings


def example_files(files: Sequence[str], target: str) -> list[Path]:
    """Return the files of examples: those that were named, or those beside the target."""
    if files:
        return [Path(name) for name in files]
    folders = [Path.cwd()]
    place = Path(target.partition(":")[0])
    if place.exists():
        folders.append(place if place.is_dir() else place.resolve().parent)
    # A file that is named after the target is about it alone: other targets may be beside it.
    own_names = [f"{place.stem}-tests{suffix}" for suffix in (".yaml", ".yml", ".json")]
    for names in (own_names, FILES):
        for folder in folders:
            paths = [folder / name for name in names if (folder / name).is_file()]
            if paths:
                return [_short(path) for path in paths]
    return []


def _short(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
