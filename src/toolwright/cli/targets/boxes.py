"""Finds the toolbox of a target, or makes one."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any
from weakref import WeakValueDictionary

from ..._log.printable import say
from ...toolbox.box import Toolbox, registry_of
from ...tools.decorator import is_marked
from ...tools.loading import refused_while_loading
from ...tools.members import is_mcp_server, server_in
from ..usage import BadTarget
from .modules import name_of

_FAVOURITES = ("box", "toolbox", "app", "mcp", "server")


_boxes: WeakValueDictionary[int, Toolbox] = WeakValueDictionary()
"""The toolboxes of server objects, each of which keeps its server alive."""


class NoTools(BadTarget):
    """The target has nothing that can be a tool."""


def named_in(module: ModuleType, path: str, attribute: str) -> Toolbox:
    """Return the toolbox that an attribute of a module names. Raises `BadTarget`."""
    target: Any = module
    for part in filter(None, attribute.split(".")):
        target = getattr(target, part, None)
        if target is None:
            raise BadTarget(f"{path} has no `{attribute}`{_offer(module)}")
    if is_mcp_server(target):
        return server_box(target)
    if not _holds_functions(target):
        kind = type(target).__name__
        raise BadTarget(f"`{attribute}` is {kind}: not a toolbox, and it holds no functions")
    if isinstance(target, Toolbox):
        return target
    return box_of(target, module, is_function=callable(target) and bool(attribute))


def box_of(
    source: Any, module: ModuleType, *, is_function: bool = False, refused_before: int = 0
) -> Toolbox:
    """Return the toolbox of a module, or a new one with the functions of a source.

    It may be empty if all its functions were refused; the first `refused_before` refusals are not
    its own. Raises `BadTarget`, and `NoTools` if nothing is offered.
    """
    box = _found_in(source) if isinstance(source, ModuleType) else None
    if box is not None:
        _name_left_out(source, box)
        return box
    server = server_of(source) if isinstance(source, ModuleType) else None
    if server is not None:
        return server_box(server)
    box = Toolbox(name_of(module))
    if is_function and not isinstance(source, type):
        box.add(source)
    else:
        box.include(source)
    if not box and len(refused_while_loading() or ()) <= refused_before:
        raise NoTools(
            f"{module.__name__} has no toolbox and no public functions with types{_class_in(module)}"
        )
    return box


def _class_in(module: ModuleType) -> str:
    """Return what to write if the class stands where a toolbox was meant."""
    names = [
        name for name, variable in vars(module).items() if variable is Toolbox and name != "Toolbox"
    ]
    return f': `{names[0]}` is the class, write `{names[0]} = Toolbox("name")`' if names else ""


def server_of(module: ModuleType) -> Any:
    """Return the server object of FastMCP or the SDK that a module offers; None if it has tools.

    Raises `BadTarget` if it has several.
    """
    if any(
        isinstance(variable, Toolbox) or is_marked(variable) for variable in vars(module).values()
    ):
        return None
    try:
        return server_in(module)
    except TypeError as error:
        raise BadTarget(str(error)) from None


def server_box(server: Any) -> Toolbox:
    """Return a toolbox with all that a server object offers: always the same one.

    Raises `BadTarget` if the server cannot be started.
    """
    existing = _boxes.get(id(server))
    if existing is not None:
        return existing
    texts = {name: getattr(server, name, None) for name in ("version", "instructions", "title")}
    box = Toolbox(
        str(server.name),
        version=texts["version"] or "",
        instructions=texts["instructions"] or "",
        title=texts["title"],
    )
    box.include(server)
    if not registry_of(box).hosted:
        refused = refused_while_loading() or []
        raise BadTarget(str(refused.pop() if refused else f"{server.name} cannot be started"))
    _boxes[id(server)] = box
    return box


def _name_left_out(module: ModuleType, box: Toolbox) -> None:
    """Name the servers beside a toolbox that it does not include: their tools are not offered."""
    inside = [hosting.server for hosting in registry_of(box).hosted]
    for name, value in vars(module).items():
        if is_mcp_server(value) and not any(value is server for server in inside):
            say(
                f"note: the server `{name}` is not part of the toolbox: `{box.name}.include({name})` adds it"
            )


def _found_in(module: ModuleType) -> Toolbox | None:
    boxes = {name: box for name, box in vars(module).items() if isinstance(box, Toolbox)}
    distinct = list({id(box): box for box in boxes.values()}.values())
    if len(distinct) == 1:
        return distinct[0]
    for name in _FAVOURITES:
        if name in boxes:
            return boxes[name]
    if distinct:
        names = ", ".join(f"`{name}`" for name in boxes)
        raise BadTarget(f"{module.__name__} has several toolboxes: say which of {names}")
    return None


def _holds_functions(value: Any) -> bool:
    """Return whether a value can hold functions: not a number, a text or a list."""
    if isinstance(value, ModuleType | Mapping) or callable(value):
        return True
    return type(value).__module__ != "builtins"


def _offer(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if isinstance(value, Toolbox)]
    return f"; it has {', '.join(f'`{name}`' for name in names)}" if names else ""
