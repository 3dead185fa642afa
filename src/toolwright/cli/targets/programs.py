"""Makes a toolbox from a command-line program that a target names."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from ..._log.printable import say
from ..._words import did_you_mean
from ...errors import SchemaError
from ...read.target import framework_of, is_program
from ...toolbox.box import Toolbox
from ...tools.catalog import matches
from ...tools.decorator import is_marked
from ...tools.members import is_mcp_server
from ..usage import BadTarget, UsageError

if TYPE_CHECKING:
    from ...sources.command_line import CommandLine

_FAVOURITES = ("cli", "app", "main", "parser")


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
    for name in _FAVOURITES:
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
