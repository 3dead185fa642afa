"""References to objects that another process can resolve."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any, NamedTuple

_MAIN = "__mp_main__"
"""The name of the main script in a process that did not start it, as in `multiprocessing`."""


class Reference(NamedTuple):
    """Where an object is found."""

    module: str
    name: str
    file: str


def claimed(target: Any) -> Reference:
    """Return where a target should be found. Raises `ValueError` with the reason if nowhere."""
    module = getattr(target, "__module__", None)
    name = getattr(target, "__qualname__", None)
    if not module or not name:
        msg = "it has no name of its own"
        raise ValueError(msg)
    if "<" in name:
        msg = f"`{name}` is not at the top of a module"
        raise ValueError(msg)
    module_object = sys.modules.get(module)
    file = getattr(module_object, "__file__", None) or ""
    if module == "__main__" and not file:
        msg = "it was defined in an interactive session"
        raise ValueError(msg)
    return Reference(module, name, file)


def reference(target: Any) -> Reference:
    """Return where a target is found, now that its module is loaded. Raises `ValueError`."""
    where = claimed(target)
    referred = _walk(sys.modules.get(where.module), where.name)
    if referred is not target and referred != target:
        msg = f"`{where.module}.{where.name}` is something else"
        raise ValueError(msg)
    return where


def find(where: Reference) -> Any:
    """Return the object a reference names. Raises `LookupError`, or what importing it raises."""
    target = _walk(_module(where), where.name)
    if target is None:
        msg = f"`{where.module}.{where.name}` does not exist"
        raise LookupError(msg)
    return target


def _walk(module: Any, name: str) -> Any:
    value = module
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _module(where: Reference) -> Any:
    name = _MAIN if where.module == "__main__" else where.module
    if name in sys.modules:
        return sys.modules[name]
    if name != _MAIN:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name or not where.file:
                raise
    spec = importlib.util.spec_from_file_location(name, where.file)
    if spec is None or spec.loader is None:
        msg = f"`{where.file}` cannot be imported"
        raise LookupError(msg)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
