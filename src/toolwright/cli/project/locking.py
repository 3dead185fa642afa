"""The lock of a target, and what it was made from."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...contract.lock_file import FILE, Lock, lock_of
from ...contract.sources import own_modules, recorded
from ...toolbox.box import Toolbox, served
from ..targets.folders import tool_folders
from ..targets.modules import split
from .configuration import project_at, real_target


def lock_path(chosen: argparse.Namespace, given: str | None) -> Path:
    """Return the lock file of a target: the one that was named, or the project's, or one here."""
    if given:
        return Path(given)
    project = project_at(chosen.target)
    return Path(FILE) if project is None else project.file.parent / FILE


def locked(box: Toolbox, chosen: argparse.Namespace, file: Path) -> Lock:
    """Return what a toolbox that was just loaded offers, and what it was made from."""
    made_of = {**selection(chosen, file.parent), **_sources(chosen, file.parent)}
    if chosen.refused:
        made_of["refused"] = sorted(set(chosen.refused))
    if any(hasattr(tool.target, "dotted") for tool in box.values()):
        made_of["commands"] = True
    notes = _not_served_from(box, chosen)
    if notes:
        made_of["needs_code"] = notes
    return replace(lock_of(served(box)), made_of=made_of)


def selection(chosen: argparse.Namespace, beside: Path) -> dict[str, Any]:
    """Return which tools of which target were chosen, as seen from the folder of a lock."""
    made: dict[str, Any] = {"target": _target(chosen.target, beside)}
    if chosen.select:
        made["select"] = list(chosen.select)
    if chosen.read_only:
        made["read_only"] = True
    if chosen.script:
        made["script"] = True
    return made


def use_selection(chosen: argparse.Namespace, made_of: Any) -> None:
    """Choose the tools that a lock has, unless some were chosen here."""
    if not chosen.select and not chosen.read_only:
        chosen.select = made_of.get("select") or None
        chosen.read_only = bool(made_of.get("read_only"))


def _target(target: str, beside: Path) -> str:
    path, attribute = split(target)
    if not Path(path).exists():
        return target
    relative = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(beside))).as_posix()
    return f"{relative}:{attribute}" if attribute else relative


def _sources(chosen: argparse.Namespace, beside: Path) -> dict[str, Any]:
    files = [Path(str(module.__file__)) for module in own_modules().values()]
    files += [file for each in (chosen.target, real_target(chosen.target)) for file in _file(each)]
    place = Path(split(real_target(chosen.target))[0])
    folders = list(tool_folders(place)) if place.is_dir() else []
    files += [file for folder in folders for file in folder.glob("*.py")]
    return recorded(files, folders, beside)


def _file(target: str) -> Iterator[Path]:
    path = Path(split(target)[0])
    if path.is_file():
        yield path


def _not_served_from(box: Toolbox, chosen: argparse.Namespace) -> list[str]:
    """Return why a server cannot start from the lock alone, one line each."""
    from ...options import Predicate
    from ..serving.own_settings import has_own_settings

    live = served(box)
    offered = [*live.values(), *(each.tool for each in live.resources.values())]
    offered += [each.tool for each in live.prompts.values()]
    reasons: list[str] = []
    asking = [tool.name for tool in offered if isinstance(tool.options.enabled, Predicate)]
    if asking:
        reasons.append(f"`enabled` of {asking[0]} is a function, which must be called")
    if live.has_tasks:
        tasks = [tool.name for tool in live.values() if tool.options.task]
        reasons.append(f"{tasks[0]} runs as a task, whose records must be opened")
    if live.routes:
        reasons.append(f"{live.routes[0].path} is answered by a function of its own")
    if has_own_settings(box, chosen):
        reasons.append("the file gives its own serve() settings, which must be compared")
    return reasons
