"""The lock of a target, and serving from it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .._log.printable import say
from .._protocol import HANDSHAKE_VERSIONS, LATEST_PROTOCOL
from ..contract.lock_file import FILE, Lock, lock_of, read
from ..contract.sources import own_modules, recorded, why_stale
from ..errors import LockError, SchemaError
from ..toolbox.box import Toolbox, served
from ..tools.catalog import matches
from .command import Targeted
from .load import OpenedTarget, open_target
from .project import project_at, real_target
from .server_settings import ServeArguments
from .target_words import shown_target
from .targets.folders import tool_folders
from .targets.modules import split
from .telemetry import add_hooks, shown_in_console
from .usage import BadTarget

if TYPE_CHECKING:
    from ..serve.offering import Live, Offering
    from ..serve.reloadable import Reloadable

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
    from ..options import Predicate
    from .server_settings import has_own_settings

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


def opened_from_lock(chosen: ServeArguments) -> tuple[Toolbox, Live] | None:
    """Open what a lock can serve at once; say why and return None if it cannot be used."""
    file = lock_path(chosen.target, chosen.lock)
    try:
        lock = read(file)
    except LockError as error:
        return _not_used(chosen, str(error))
    why = _why_not(lock, chosen, file)
    if why:
        return _not_used(chosen, f"{file} is not used: {why}")
    from ..contract.locked import CodeLoader, locked_offering
    from ..serve.reloadable import Reloadable

    front = Toolbox(str(lock.server.get("info", {}).get("name", "")))
    add_hooks(front, chosen)  # for what is refused before anything is loaded
    lives: list[Reloadable] = []

    def then(box: Offering) -> Callable[[], None]:
        lives[0].swap(box, ())
        return lambda: _tell(lives[0], locked, box)

    loader = CodeLoader(lambda: _loaded(chosen), then)
    try:
        refused = served(front).refused
        locked = locked_offering(lock, loader, names=_names(lock, chosen), refused=refused)
    except SchemaError as error:
        return _not_used(chosen, f"{file} is not used: {error}")
    if "console" in chosen.settings:
        locked = shown_in_console(locked, chosen, file, chosen.settings.get("console_role"))
    lives.append(Reloadable(locked))
    return front, lives[0]


def _not_used(chosen: ServeArguments, why: str) -> None:
    if chosen.listening is None:  # with several workers, only one process says it
        say(f"toolwright: {why}")


def _why_not(lock: Lock, chosen: ServeArguments, file: Path) -> str:
    """Return why a server cannot start from a lock; nothing if it can."""
    made_of = lock.made_of
    current = selection(chosen, file.parent)
    if made_of.get("target") != current["target"]:
        target = shown_target(str(made_of["target"])) if "target" in made_of else "another target"
        return f"it is for {target}, not for {shown_target(current['target'])}"
    stale = why_stale(made_of, file.parent)
    if stale:
        return f"{stale}; `toolwright lock` writes it"
    if made_of.get("needs_code"):
        return str(made_of["needs_code"][0])
    if chosen.strict and made_of.get("refused"):
        return f"{made_of['refused'][0]} is refused"
    return _why_not_selected(lock, made_of, current)


def _why_not_selected(lock: Lock, made_of: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Return why a lock does not have the selected tools; nothing if it has them."""
    keys = ("select", "read_only", "script")
    if all(made_of.get(key) == here.get(key) for key in keys):
        return ""
    if any(made_of.get(key) for key in keys) or here.get("script") or made_of.get("commands"):
        return "it was written for another selection of tools"
    for pattern in here.get("select", ()):
        bare = pattern.removeprefix("!")
        if not any(_is_selected(name, lock, [bare]) for name in lock.tools):
            return f"it has nothing that matches `{bare}`"
    return ""


def _names(lock: Lock, chosen: ServeArguments) -> list[str]:
    """Return the tools that are selected."""
    return [
        name
        for name, entry in lock.tools.items()
        if (lock.made_of.get("select") or _is_selected(name, lock, chosen.select))
        and (
            not chosen.read_only
            or entry["listed"].get("annotations", {}).get("readOnlyHint") is True
        )
    ]


def _is_selected(name: str, lock: Lock, patterns: list[str]) -> bool:
    return matches((name, lock.tools[name]["listed"]["name"]), patterns)


def _loaded(chosen: ServeArguments) -> Offering:
    """Load the target, and say why if that fails. Raises whatever its code does."""
    before = own_modules()
    try:
        return _opened(chosen)
    except BaseException as error:
        chosen.show_trace(error)
        say(f"toolwright: the tools cannot be loaded: {error or type(error).__name__}")
        for name in own_modules().keys() - before.keys():  # the next call tries again
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        raise


def _opened(chosen: ServeArguments) -> Offering:
    """Load the target as a server without a lock does. Raises `UsageError`."""
    from ..serve.lifecycle import open_stores

    opened = open_target(chosen)
    if not opened.usable:
        raise BadTarget("a tool is refused")
    box = opened.box
    open_stores(served(box))
    add_hooks(box, chosen)
    return served(box)


def _tell(live: Reloadable, locked: Offering, box: Offering) -> None:
    """Notify clients of lists that differ from the lock."""
    lists = list(_different(locked, box))
    if lists:
        say(f"toolwright: {' and '.join(lists)} are not those of the lock: clients are told")
        live.changed(lists)


def _different(locked: Offering, box: Offering) -> list[str]:
    versions = (LATEST_PROTOCOL, HANDSHAKE_VERSIONS[-1])
    parts: list[str] = []
    if any(
        locked.tools.to_mcp_json(version) != box.tools.to_mcp_json(version) for version in versions
    ):
        parts.append("tools")
    for name in ("resources", "prompts"):
        locked_items, live_items = (getattr(offering, name).values() for offering in (locked, box))
        if [entry.to_mcp() for entry in locked_items] != [entry.to_mcp() for entry in live_items]:
            parts.append(name)
    return parts
