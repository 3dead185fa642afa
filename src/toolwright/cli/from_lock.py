"""`serve --lock`: start from the lock."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._log.printable import say
from .._protocol import HANDSHAKE_VERSIONS, LATEST_PROTOCOL
from ..contract.lock_file import Lock, read
from ..contract.sources import own_modules, why_stale
from ..errors import LockError, SchemaError
from ..toolbox.box import Toolbox, served
from ..tools.catalog import matches
from .load import open_target
from .project.locking import lock_path, selection
from .project.target import shown_target
from .server_settings import ServeArguments
from .telemetry import add_hooks
from .usage import BadTarget

if TYPE_CHECKING:
    from ..serve.offering import Live, Offering
    from ..serve.reloadable import Reloadable


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
    from .logs import show_trace

    before = own_modules()
    try:
        return _opened(chosen)
    except BaseException as error:
        show_trace(error, chosen)
        say(f"toolwright: the tools cannot be loaded: {error or type(error).__name__}")
        for name in own_modules().keys() - before.keys():  # the next call tries again
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        raise


def _opened(chosen: ServeArguments) -> Offering:
    """Load the target as a server without a lock does. Raises `UsageError`."""
    from ..serve.tasks.opening import open_stores

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
