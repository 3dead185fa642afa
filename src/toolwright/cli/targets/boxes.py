"""The toolbox or the command-line program of a target."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

from ..._log.printable import say
from ..._words import did_you_mean
from ...errors import SchemaError
from ...read.target import framework_of, is_program
from ...toolbox.box import Toolbox, registry_of
from ...tools.catalog import matches
from ...tools.decorator import is_marked, refused_while_loading
from ...tools.members import is_mcp_server, passed_on, server_in
from ..usage import BadTarget, UsageError
from .modules import name_of

if TYPE_CHECKING:
    from ...sources.command_line import CommandLine

_FAVOURITE_BOXES = ("box", "toolbox", "app", "mcp", "server")


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
            f"{module.__name__} has no toolbox and no public functions with types{_reason(module)}"
        )
    return box


def _reason(module: ModuleType) -> str:
    """Return what to write if the class stands where a toolbox was meant, or why nothing is own."""
    names = [
        name for name, variable in vars(module).items() if variable is Toolbox and name != "Toolbox"
    ]
    if names:
        return f': `{names[0]}` is the class, write `{names[0]} = Toolbox("name")`'
    reason = passed_on(module)
    return f": {reason}" if reason else ""


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
    for name in _FAVOURITE_BOXES:
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


_FAVOURITE_APPS = ("cli", "app", "main", "parser")


def app_named(module: ModuleType, attribute: str) -> Any:
    """Return the command-line program that a target names; None if it names something else.

    A module without a toolbox may have one. Raises `BadTarget`.
    """
    if not attribute:
        has_tools = any(
            isinstance(variable, Toolbox) or is_marked(variable) or is_mcp_server(variable)
            for variable in vars(module).values()
        )
        return None if has_tools else _app_in(module)
    program: Any = module
    for part in attribute.split("."):
        program = getattr(program, part, None)
    return program if is_program(program) else None


def _app_in(module: ModuleType) -> Any:
    apps = {name: app for name, app in vars(module).items() if framework_of(app)}
    below = {id(app_below) for app in apps.values() for app_below in _below(app)}
    roots = {id(app): name for name, app in apps.items() if id(app) not in below}
    if len(roots) == 1:
        return apps[next(iter(roots.values()))]
    for name in _FAVOURITE_APPS:
        if name in apps:
            return apps[name]
    if roots:
        names = ", ".join(f"`{name}`" for name in roots.values())
        raise BadTarget(f"{module.__name__} has several command lines: say which of {names}")
    return None


def _below(app: Any) -> Iterator[Any]:
    """Yield the apps that an app holds, as far as they are known without running anything."""
    for name in ("commands", "_commands"):
        commands = _held(app, name)
        if isinstance(commands, dict):
            yield from cast("dict[str, Any]", commands).values()
    groups = _held(app, "registered_groups")
    if isinstance(groups, list):
        registered = cast("list[Any]", groups)
        yield from (getattr(group, "typer_instance", None) for group in registered)


def _held(app: Any, name: str) -> Any:
    """Return what an object holds, in its dictionary or in a slot; properties are not run."""
    attribute: Any = inspect.getattr_static(app, name, None)
    return getattr(app, name, None) if isinstance(attribute, MemberDescriptorType) else attribute


def scanned(file: Path, *, must_select: bool) -> CommandLine:
    """Return the program that a file of `toolwright scan` describes. Raises `UsageError`."""
    from ...sources.command_line import CommandLine
    from ...sources.program_file import is_stale, read

    try:
        line = CommandLine(read(file))
    except (OSError, ValueError) as error:
        # The message is all there is: no code of an author has run.
        raise BadTarget(f"{file} cannot be used: {error}") from None
    if must_select and line.needs_selection:
        raise UsageError(
            f"{line.name} was scanned: say which commands to offer, such as --select '{_example(line)}'; "
            f"`toolwright list {file}` shows them"
        )
    if stale := is_stale(line.program):
        say(f"note: {stale}")
    return line


def _example(line: CommandLine) -> str:
    first = next((command.path[0] for command in line.commands if len(command.path) > 1), "")
    return f"{first}.*" if first else "*"


def captured(script: str) -> CommandLine:
    """Return the program that a script is, from what it parses. Raises `BadTarget`."""
    from ...sources.command_line import CommandLine
    from ...sources.script_program import capture

    try:
        return CommandLine(capture(script, announce=lambda text: say(f"note: {text}")))
    except SchemaError as error:  # the script ran in another process
        raise BadTarget(str(error)) from None


def program_box(source: Any, select: Sequence[str] | None) -> Toolbox:
    """Return a toolbox with the commands of a program. Raises `UsageError`."""
    from ...sources.command_line import CommandLine
    from ...sources.rules import dotted

    try:
        line = source if isinstance(source, CommandLine) else CommandLine(source)
    except SchemaError as error:
        raise BadTarget(str(error)) from error
    names = [dotted(command) for command in line.commands]
    for pattern in select or ():
        bare = pattern.removeprefix("!")
        if not any(
            matches((command, f"{line.name}_{command.replace('.', '_')}"), bare)
            for command in names
        ):
            hint = did_you_mean(bare, names, " ({})")
            raise UsageError(f"--select: no command matches `{bare}`{hint}")
    box = Toolbox(line.name, version=line.program.version)
    box.include(line, select=list(select or ("*",)))
    return box
