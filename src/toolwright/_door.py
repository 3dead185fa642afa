"""The version; public names, loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")

__version__ = "0.1.0"

DOOR = "toolwright"


def public(target: T) -> T:
    """Name a class or function as a part of the package, in tracebacks and documentation.

    Annotations written as text are looked up in the module that `__module__` names, so those of a
    class (and of its fields, if it is a dataclass) are resolved while that is still their own.
    """
    documented: Any = target
    if isinstance(target, type) and vars(target).get("__annotations__"):
        hints = get_type_hints(target, include_extras=True)
        own_hints = vars(target)["__annotations__"]
        documented.__annotations__ = {name: hints[name] for name in own_hints}
        for name, field in getattr(target, "__dataclass_fields__", {}).items():
            field.type = hints[name]
    documented.__module__ = DOOR
    return target


def on_first_use(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are loaded on first use.

    `homes` has the names of each of its modules.
    """
    modules = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> object:
        if name in modules:
            return getattr(import_module(f".{modules[name]}", package), name)
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return load, lambda: sorted(modules)
