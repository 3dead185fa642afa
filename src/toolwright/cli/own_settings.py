"""Settings that a file passes to its own `serve(...)`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ..serve.settings import SETTINGS, ServerConfig
from ..toolbox.box import Toolbox
from .project.configuration import real_target
from .server_settings import ServeArguments, dest_of, flag_of
from .targets.modules import split
from .usage import UsageError

_UNKNOWN: Any = object()
"""A value that is known only when the program runs."""
_SIGN_IN = ("tokens", "sign_in")


def check_own_settings(box: Toolbox, chosen: ServeArguments, config: ServerConfig) -> None:
    """Refuse to serve a file without the settings of its own `serve`, unless flags replace them.

    The call may be under `if __name__ == "__main__"`, so it is read, not run. Raises
    `UsageError`.
    """
    module = _module_of(split(real_target(chosen.target))[0])
    if module is None:
        return
    for call in _calls(module, box, chosen.place):
        settings = {
            keyword.arg: _value(keyword.value, module) for keyword in call.keywords if keyword.arg
        }
        dropped = {
            name: value
            for name, value in settings.items()
            if name in SETTINGS
            and chosen.place in SETTINGS[name].places
            and not _is_kept(name, value, chosen, config)
        }
        if dropped:
            where = f"{Path(str(module.__file__)).name}:{call.lineno}"
            raise UsageError(_refusal(where, dropped, chosen.target))


def has_own_settings(box: Toolbox, target: str) -> bool:
    """Return whether the file of a target serves it itself, with settings."""
    module = _module_of(split(real_target(target))[0])
    if module is None:
        return False
    return any(
        call.keywords for transport in ("stdio", "http") for call in _calls(module, box, transport)
    )


def _refusal(where: str, dropped: Mapping[str, Any], target: str) -> str:
    names = " and ".join(f"`{name}`" for name in dropped)
    instead = f"run `python {split(real_target(target))[0]}`"
    flags = [_flag(name, value) for name, value in dropped.items() if SETTINGS[name].flags]
    if len(flags) < len(dropped):
        return f"{where} gives its own serve() {names}, which no flag can give: {instead}"
    fix = f"give {' '.join(flags)}, or {instead}"
    if any(name in _SIGN_IN for name in dropped):
        fix += ", or say --no-auth if anyone may call these tools"
    return f"{where} gives its own serve() {names}, which this command would drop: {fix}"


def _flag(name: str, value: Any) -> str:
    flag = flag_of(name)
    if isinstance(value, bool):
        return flag
    text = value if not SETTINGS[name].is_secret and isinstance(value, str | int | float) else "..."
    return f"{flag} {text}"


def _is_kept(name: str, value: Any, chosen: ServeArguments, config: ServerConfig) -> bool:
    """Return whether a setting also holds here, or was given another value on purpose."""
    if name == "log_level":
        return True
    if name in _SIGN_IN and (config.tokens or config.sign_in or not config.auth):
        return True
    is_given = any(dest_of(name, flag) in chosen.settings for flag in SETTINGS[name].flags)
    return is_given or _same(value, getattr(config, name))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one.strip("/") == other.strip("/")
    if isinstance(one, list | tuple | set) and isinstance(other, list | tuple):
        return list(one) == list(other)  # pyright: ignore[reportUnknownArgumentType]
    return one is not _UNKNOWN and (one or None) == (other or None)


def _calls(module: ModuleType, box: Toolbox, transport: str) -> Iterator[ast.Call]:
    """Yield the calls in a module that serve a toolbox over a transport."""
    try:
        source = Path(str(module.__file__)).read_bytes()
        tree = ast.parse(source if b".serve" in source else b"")
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            serves = node.func.attr in ("serve", "serve_async")
            owner = node.func.value
            if serves and isinstance(owner, ast.Name) and vars(module).get(owner.id) is box:
                transports = [
                    keyword.value for keyword in node.keywords if keyword.arg == "transport"
                ]
                first = [*node.args, *transports][:1]
                if (_value(first[0], module) if first else "stdio") == transport:
                    yield node


def _value(node: ast.expr, module: ModuleType) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        variables = vars(module) if isinstance(node, ast.Name) else {}
        return variables.get(node.id, _UNKNOWN) if isinstance(node, ast.Name) else _UNKNOWN


def _module_of(path: str) -> ModuleType | None:
    """Return the module that was imported from a file, or by a name."""
    place = Path(path)
    if not place.is_file():
        return sys.modules.get(path)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        # Names first: resolving the paths of all modules takes a while.
        if file.endswith(place.name) and Path(file).resolve() == place.resolve():
            return module
    return None
