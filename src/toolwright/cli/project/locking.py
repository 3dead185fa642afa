"""The lock of a target, and what it was made from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ...contract.lock_file import FILE, Lock, lock_of
from ...contract.sources import own_modules, recorded
from ...toolbox.box import Toolbox, served
from ..command import Targeted
from ..load import OpenedTarget
from ..targets.folders import tool_folders
from ..targets.modules import split
from .configuration import project_at, real_target

T = TypeVar("T", bound=Targeted)


def lock_path(target: str, file: str | None) -> Path:
    """Return the lock file of a target: the one that was named, or the project's, or one here."""
    if file:
        return Path(file)
    project = project_at(target)
    return Path(FILE) if project is None else project.file.parent / FILE


def locked(opened: OpenedTarget, chosen: Targeted, file: Path) -> Lock:
    """Return what a toolbox that was just loaded offers, and what it was made from."""
    box = opened.box
    made_of = {**selection(chosen, file.parent), **_sources(chosen.target, file.parent)}
    if opened.refusals:
        made_of["refused"] = sorted(set(opened.refusals))
    if any(hasattr(tool.target, "dotted") for tool in box.values()):
        made_of["commands"] = True
    notes = _not_served_from(box, chosen.target)
    if notes:
        made_of["needs_code"] = notes
    return replace(lock_of(served(box)), made_of=made_of)


def selection(chosen: Targeted, beside: Path) -> dict[str, Any]:
    """Return which tools of which target were chosen, as seen from the folder of a lock."""
    choices: dict[str, Any] = {"target": _target(chosen.target, beside)}
    if chosen.select:
        choices["select"] = list(chosen.select)
    if chosen.read_only:
        choices["read_only"] = True
    if chosen.script:
        choices["script"] = True
    return choices


def with_selection(chosen: T, made_of: Mapping[str, Any]) -> T:
    """Return the command with the tools that a lock has, unless it chooses some itself."""
    if chosen.select or chosen.read_only:
        return chosen
    select: list[str] = made_of.get("select") or []
    return replace(chosen, select=select, read_only=bool(made_of.get("read_only")))


def _target(target: str, beside: Path) -> str:
    path, attribute = split(target)
    if not Path(path).exists():
        return target
    relative = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(beside))).as_posix()
    return f"{relative}:{attribute}" if attribute else relative


def _sources(target: str, beside: Path) -> dict[str, Any]:
    files = [Path(str(module.__file__)) for module in own_modules().values()]
    files += [file for path in (target, real_target(target)) for file in _file(path)]
    place = Path(split(real_target(target))[0])
    folders = list(tool_folders(place)) if place.is_dir() else []
    files += [file for folder in folders for file in folder.glob("*.py")]
    return recorded(files, folders, beside)


def _file(target: str) -> Iterator[Path]:
    path = Path(split(target)[0])
    if path.is_file():
        yield path


def _not_served_from(box: Toolbox, target: str) -> list[str]:
    """Return why a server cannot start from the lock alone, one line each."""
    from ...options import Predicate
    from ..own_settings import has_own_settings

    live = served(box)
    offered = [*live.tools.values(), *(resource.tool for resource in live.resources.values())]
    offered += [prompt.tool for prompt in live.prompts.values()]
    reasons: list[str] = []
    asking = [tool.name for tool in offered if isinstance(tool.options.enabled, Predicate)]
    if asking:
        reasons.append(f"`enabled` of {asking[0]} is a function, which must be called")
    if live.has_tasks:
        tasks = [tool.name for tool in live.tools.values() if tool.options.task]
        reasons.append(f"{tasks[0]} runs as a task, whose records must be opened")
    if live.routes:
        reasons.append(f"{live.routes[0].path} is answered by a function of its own")
    if has_own_settings(box, target):
        reasons.append("the file gives its own serve() settings, which must be compared")
    return reasons
