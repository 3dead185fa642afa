"""The version, and public names shown where users import them from."""

from __future__ import annotations

from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")

__version__ = "0.1.0"

DOOR = "toolwright"


def public(target: T) -> T:
    """Name a class or function as a part of the package, in tracebacks and documentation.

    Annotations written as text are looked up in the module that `__module__` names, so those of a
    class (and of its fields, if it is a dataclass) are resolved while that is still their own.
    """
    shown: Any = target
    if isinstance(target, type) and vars(target).get("__annotations__"):
        hints = get_type_hints(target, include_extras=True)
        own = vars(target)["__annotations__"]
        shown.__annotations__ = {name: hints[name] for name in own}
        for name, field in getattr(target, "__dataclass_fields__", {}).items():
            field.type = hints[name]
    shown.__module__ = DOOR
    return target
