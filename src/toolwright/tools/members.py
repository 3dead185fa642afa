"""Finds the tools of a module, object, class or mapping."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from .decorator import is_marked, marks
from .definition import Tool

_SERVERS = (
    ("fastmcp.server.server", "FastMCP"),
    ("mcp.server.mcpserver.server", "MCPServer"),
    ("mcp.server.lowlevel.server", "Server"),
)
_USUAL = ("mcp", "server", "app")


def is_mcp_server(value: Any) -> bool:
    """Return whether a value is a server object of FastMCP or the SDK; imports neither."""
    kinds = (getattr(sys.modules.get(module), name, None) for module, name in _SERVERS)
    return any(isinstance(kind, type) and issubclass(type(value), kind) for kind in kinds)


def server_in(module: types.ModuleType) -> Any:
    """Return the server object of FastMCP or the SDK that a module has; None without one.

    Of several, the one with the usual name is meant. Raises `TypeError` if none has it.
    """
    servers = {name: member for name, member in vars(module).items() if is_mcp_server(member)}
    if len({id(server) for server in servers.values()}) <= 1:
        return next(iter(servers.values()), None)
    for name in _USUAL:
        if name in servers:
            return servers[name]
    names = ", ".join(f"`{name}`" for name in servers)
    msg = f"{module.__name__} has several servers: say which of {names}"
    raise TypeError(msg)


def members(source: Any) -> list[tuple[str, Any]]:
    """List what a source offers: public callables, or only the marked ones if there are any."""
    if isinstance(source, Mapping):
        return [(str(name), target) for name, target in cast("Any", source).items()]
    if isinstance(source, list | tuple | set | frozenset):
        return [(Tool(target).name, target) for target in cast("list[Any]", source)]
    if isinstance(source, Tool) or inspect.isroutine(source):
        msg = "include takes a module, an object, a class, a mapping, a list or a toolbox; use add"
        raise TypeError(msg)
    targets = dict(_public(source))
    marked = {
        str(marks(target).get("name") or name): target
        for name, target in targets.items()
        if is_marked(target)
    }
    return list((marked or targets).items())


def listed(name: str, tools: Any) -> Iterable[Any]:
    """Return the tools a toolbox was made with. Raises `TypeError` if they are not a collection."""
    what = f'Toolbox("{name}", tools) takes a list of tools, or a mapping of names to tools; got '
    if isinstance(tools, Tool) or (callable(tools) and not isinstance(tools, Iterable)):
        raise TypeError(what + "one tool: write it inside a list")
    if isinstance(tools, str | bytes) or not isinstance(tools, Iterable):
        raise TypeError(f"{what}a value of type `{type(tools).__name__}`")
    return cast("Iterable[Any]", tools)


def _public(source: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(source, types.ModuleType):
        yield from _of_module(source)
        return
    cls = source if isinstance(source, type) else type(source)
    attributes: dict[str, Any] = {} if isinstance(source, type) else getattr(source, "__dict__", {})
    for name in {**_names_in_order(cls), **attributes}:
        if name.startswith("_"):
            continue
        static = inspect.getattr_static(source, name, None)
        if isinstance(source, type) and not isinstance(static, classmethod | staticmethod):
            continue
        if isinstance(static, property | type):
            continue  # reading a property would run it
        value = getattr(source, name, None)
        if callable(value):
            yield name, value


def _of_module(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    listed = getattr(module, "__all__", None)
    for name in listed if listed is not None else _names_of(module):
        value = getattr(module, name, None)
        if listed is None:
            is_own = getattr(value, "__module__", None) == module.__name__
            is_public = is_own and not name.startswith("_") and not isinstance(value, type)
            if not (is_public or is_marked(value)):
                continue
        if callable(value) and not isinstance(value, types.ModuleType) and not _is_alias(value):
            yield name, value


def _names_of(module: types.ModuleType) -> list[str]:
    """Return the names of a module in the order written, and those that it loads when asked."""
    names = list(vars(module))
    if "__getattr__" in vars(module) and "__dir__" in vars(module):
        names += [name for name in dir(module) if name not in names and not name.startswith("_")]
    return names


def passed_on(module: types.ModuleType) -> str:
    """Return why a module without tools has none, if it passes on functions of other modules."""
    if hasattr(module, "__all__") or any(True for _ in _of_module(module)):
        return ""
    names = [
        name
        for name in _names_of(module)
        if not name.startswith("_") and inspect.isroutine(getattr(module, name, None))
    ]
    if not names:
        return ""
    return (
        f"it has no `__all__`, and its functions (such as `{names[0]}`) are defined elsewhere: "
        f"name one, as in `{module.__name__}:{names[0]}`, or the module that defines it"
    )


def _is_alias(value: Any) -> bool:
    """Return whether a value is the name of a type that has no constructor, such as a union."""
    origin = typing.get_origin(value)
    return origin is not None and (not isinstance(origin, type) or inspect.isabstract(origin))


def _names_in_order(cls: type) -> dict[str, None]:
    """Return the names of a class and its bases, base classes first, in the order written."""
    return {
        name: None for base in reversed(cls.__mro__) for name in vars(base) if base is not object
    }
