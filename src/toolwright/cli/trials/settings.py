"""Settings of `test` in `[tool.toolwright.test]`, and the files it reads."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...contract.examples.files import FILES
from ..project.configuration import project_at
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
_FLAGS = ("coverage", "destructive")


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


def apply_settings(chosen: argparse.Namespace) -> None:
    """Complete the command line from the project, without overriding it. Raises `UsageError`."""
    project = project_at(chosen.target)
    if project is None:
        return
    known = ", ".join(_SETTINGS)
    for key, value in project.test.items():
        if key not in _SETTINGS:
            raise UsageError(
                f"{project.file}: [tool.toolwright.test] has no `{key}`; it has {known}"
            )
        kind, wanted = _SETTINGS[key]
        is_bool = isinstance(value, bool)
        if not isinstance(value, kind) or (is_bool and key not in (*_FLAGS, "docstrings")):
            raise UsageError(f"{project.file}: `test.{key}` must be {wanted}; got {value!r}")
        _apply(chosen, key, value, project.file.parent)


def _apply(chosen: argparse.Namespace, key: str, value: Any, folder: Path) -> None:
    if key == "docstrings":
        chosen.no_docstrings = chosen.no_docstrings or not value
    elif key == "file":
        names: list[str] = [value] if isinstance(value, str) else value
        chosen.file = chosen.file or [str(folder / name) for name in names]
    elif key == "destructive" and not chosen.destructive:
        chosen.destructive = value if isinstance(value, bool) else frozenset(value)
    elif key in _FLAGS:
        setattr(chosen, key, getattr(chosen, key) or value)
    elif getattr(chosen, key) is None:
        setattr(chosen, key, value)


def example_files(chosen: argparse.Namespace) -> list[Path]:
    """Return the files of examples: those that were named, or those beside the target."""
    if chosen.file:
        return [Path(name) for name in chosen.file]
    folders = [Path.cwd()]
    place = Path(chosen.target.partition(":")[0])
    if place.exists():
        folders.append(place if place.is_dir() else place.resolve().parent)
    # A file that is named after the target is about it alone: other targets may be beside it.
    own = [f"{place.stem}-tests{suffix}" for suffix in (".yaml", ".yml", ".json")]
    for names in (own, FILES):
        for folder in folders:
            found = [folder / name for name in names if (folder / name).is_file()]
            if found:
                return [_short(each) for each in found]
    return []


def _short(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
