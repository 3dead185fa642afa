"""Wrappers around functions, and attributes of targets."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any


def attribute(obj: Any, name: str, default: Any = None) -> Any:
    """Return an attribute; the default if there is none, or if looking for it fails."""
    try:
        return getattr(obj, name, default)
    except Exception:  # noqa: BLE001 - the author's own `__getattr__`, which may even call itself
        return default


def shows_signature(obj: Any) -> bool:
    """Return whether an object itself says what its signature is."""
    if isinstance(obj, types.FunctionType):  # it has no `__dict__` until something asks for it
        return attribute(obj, "__signature__") is not None
    return "__signature__" in attribute(obj, "__dict__", ())


def innermost(obj: Any) -> Any:
    """Follow `__wrapped__` while the wrapper passes everything on.

    A wrapper with parameters of its own is the one that will be called, so its signature counts.
    """
    visited = {id(obj)}
    while True:
        if shows_signature(obj):
            return obj
        wrapped = attribute(obj, "__wrapped__")
        if wrapped is None or id(wrapped) in visited:
            return obj
        if isinstance(obj, types.FunctionType) and not passes_all(obj):
            return obj
        visited.add(id(wrapped))
        obj = wrapped


def unwrapped(obj: Any) -> Any:
    """Follow `__wrapped__` to the end."""
    return writers(obj)[0]


def writers(function: Any) -> tuple[Any, ...]:
    """Return a function and what it wraps, innermost first."""
    chain = [function]
    while (wrapped := attribute(chain[-1], "__wrapped__")) is not None:
        if any(wrapped is writer for writer in chain):
            break
        chain.append(wrapped)
    return tuple(reversed(chain))


def passes_all(function: types.FunctionType) -> bool:
    """Return whether a function takes any positional or any keyword arguments."""
    flags = function.__code__.co_flags
    return bool(flags & inspect.CO_VARARGS or flags & inspect.CO_VARKEYWORDS)


_FUNCTOOLS = functools.singledispatch.__code__.co_filename


def is_dispatcher(obj: Any) -> bool:
    """Return whether a target is `functools.singledispatch` or a bound `singledispatchmethod`."""
    code = code_of(obj)
    return (
        attribute(obj, "register") is not None
        and code is not None
        and code.co_filename == _FUNCTOOLS
    )


def name_of(obj: Any) -> str:
    """Return the name of a target, or that of its class."""
    name = attribute(obj, "__name__")
    return name if isinstance(name, str) else type(obj).__name__


def code_of(obj: Any) -> types.CodeType | None:
    """Return the code of a function, if it has any."""
    code = attribute(obj, "__code__")
    return code if isinstance(code, types.CodeType) else None


def is_async(target: Any) -> bool:
    """Return whether calling a target gives a coroutine or an async generator."""
    function = target
    while isinstance(function, functools.partial | types.MethodType):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if not inspect.isroutine(function) and not isinstance(function, type):
        function = type(function).__call__
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
