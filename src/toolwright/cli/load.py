"""Loads the target of a command, and selects among its tools."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._log.printable import say
from .._words import did_you_mean
from ..errors import DefinitionError, SchemaError, ToolNotFound
from ..read.wrappers import attribute
from ..toolbox.box import Toolbox, loading
from ..toolbox.remote import ServerNotRead
from ..tools.catalog import matches
from ..tools.definition import PLAIN
from . import logs
from .project.configuration import dress, project_at, real_target
from .targets.boxes import named_in
from .targets.folder_box import folder_module
from .targets.modules import import_target, split
from .targets.programs import app_named, captured, program_box, scanned
from .targets.remote import add_connection, check_local, is_remote, refuse_address, remote_box
from .usage import BadTarget, UsageError

if TYPE_CHECKING:
    from ..tools.definition import Tool

_MOST_NOTES = 10
"""How many notes on tools are printed: they are not failures."""
_MOST_NAMES = 10
"""How many tool names are offered for one that is unknown."""

_TRY_AGAIN = ("serve", "install")
"""The commands that start without a server, which is asked again."""
_SHOW_REST = ("list", "show", "call")
"""The commands for which the tools of other servers are enough."""


def add_target(
    parser: argparse.ArgumentParser,
    *,
    select: str = "--select",
    strict: str | None = "fail if a tool is refused",
    serves: bool = False,
) -> None:
    """Add TARGET, and the flags that select among its tools.

    With None for `strict`, the command has another use for that flag.
    """
    parser.add_argument("target", metavar="TARGET", help="where the tools are")
    parser.add_argument(
        "--env-file", metavar="FILE", help="set the variables of this file, such as .env"
    )
    add_selection(parser, select=select, strict=strict)
    add_connection(parser, serves=serves)
    logs.add_flags(parser)


def add_selection(
    parser: argparse.ArgumentParser,
    *,
    select: str = "--select",
    strict: str | None = "fail if a tool is refused",
) -> None:
    """Add the flags that select tools."""
    group = parser.add_argument_group("which tools")
    group.add_argument(
        select,
        dest="select",
        action="append",
        metavar="PATTERN",
        help="only these, such as `orders.*`; `!x` leaves out",
    )
    group.add_argument(
        "--read-only", action="store_true", help="only tools that say they change nothing"
    )
    group.add_argument(
        "--script",
        action="store_true",
        help="TARGET is a program: its commands are the tools, by what it parses",
    )
    if strict is None:
        parser.set_defaults(strict=False)
    else:
        group.add_argument("--strict", action="store_true", help=strict)


def open_target(chosen: argparse.Namespace) -> tuple[Toolbox, bool]:
    """Load the target and disable the tools not selected; return whether it may be used.

    With `--strict` it may not if a tool was refused. Raises `BadTarget`.
    """
    box, refused = open_quietly(chosen)
    about = _one_tool(box, chosen)
    problems = [e for e in box.problems if e.tool not in box or box.is_enabled(e.tool)]
    lines = [str(error) for error in refused]
    lines += [str(problem) for problem in problems if problem.fatal]
    chosen.refused = lines
    chosen.refused_names = {each.tool for each in refused if isinstance(each, SchemaError)}
    if about is None or chosen.strict:
        for error in refused:
            logs.show_trace(error, chosen)
        for line in dict.fromkeys(lines):
            say(f"refused: {line}")
    notes = [each for each in problems if not each.fatal and about in (None, each.tool)]
    for note in notes[:_MOST_NOTES]:
        say(f"note: {note}")
    if len(notes) > _MOST_NOTES:
        more = len(notes) - _MOST_NOTES
        say(f"note: {more} more; `toolwright show` has those of one tool")
    if chosen.strict and chosen.command == "serve":
        from .project.doctor import examined

        wrong = [str(each) for each in examined(box, chosen, errors_only=True).errors]
        for line in wrong:
            say(f"doctor: {line}")
        lines += wrong
    return box, not (lines and chosen.strict)


def _one_tool(box: Toolbox, chosen: argparse.Namespace) -> str | None:
    """Return the tool that a command is about, if it can be used; then no other is spoken of."""
    name = str(getattr(chosen, "tool", "")) if chosen.command in ("call", "show") else ""
    fatal = {each.tool for each in box.problems if each.fatal}
    return name if name in box and name not in fatal and box.is_enabled(name) else None


def open_quietly(chosen: argparse.Namespace) -> tuple[Toolbox, list[DefinitionError]]:
    """Load the target and disable the tools not selected; return also what was refused.

    Raises `BadTarget`.
    """
    must_select = chosen.command in ("serve", "install")
    if is_remote(real_target(chosen.target)):
        loaded = _load_remote(chosen)
    else:
        check_local(chosen)
        loaded = load(chosen.target, chosen.select, script=chosen.script, must_select=must_select)
    logs.set_up(chosen)
    _check_read(loaded, chosen)
    return loaded.box, _select(loaded, chosen)


def _check_read(loaded: Loaded, chosen: argparse.Namespace) -> None:
    """Refuse to go on without the tools of a server that did not list them. Raises `BadTarget`.

    A server tries again, and whoever looks at other tools need not wait for this one's; but what
    is written, compared or judged would be taken for the whole.
    """
    unread = [each for each in loaded.refused if isinstance(each, ServerNotRead)]
    box = loaded.box
    shows_rest = chosen.command in _SHOW_REST and (box or box.resources or box.prompts)
    if unread and chosen.command not in _TRY_AGAIN and not shows_rest:
        lines = [f"{each.tool} cannot be read: {each.reason}" for each in unread]
        raise BadTarget(" ".join("; ".join(lines).split()))  # a server may write several lines


def _load_remote(chosen: argparse.Namespace) -> Loaded:
    """Return a toolbox with what servers elsewhere offer. Raises `BadTarget`."""
    project = project_at(chosen.target)
    with loading() as refused:
        box = remote_box(chosen, real_target(chosen.target))
    if project is not None:
        dress(box, project, refused)
    return Loaded(box, refused)


def _select(loaded: Loaded, chosen: argparse.Namespace) -> list[DefinitionError]:
    """Disable the tools not selected; return the refusals of those that are.

    Raises `UsageError` for a pattern that matches nothing: a typo would serve too little, or with
    `!` too much.
    """
    box, refused = loaded.box, loaded.refused
    patterns: list[str] = [] if loaded.is_selected else chosen.select or []
    lost = [error.tool for error in refused if isinstance(error, SchemaError)]
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        if not any(_is_selected(box, name, [bare]) for name in (*box, *lost)):
            raise UsageError(_no_match(bare, list(box), lost))
    selected = {name for name in (*box, *lost) if _is_selected(box, name, patterns)}
    for name in set(box) - selected:
        box.disable(name)
    if chosen.read_only:
        changing = [name for name, tool in box.items() if tool.options.read_only is not True]
        for name in changing:
            box.disable(name)
        if selected and not any(box.is_enabled(name) for name in box):
            why = "since none of them is read-only: `read_only=True` makes it so"
            say(f"note: no tool is left, {why}")
    return [each for each in refused if not isinstance(each, SchemaError) or each.tool in selected]


def _is_selected(box: Toolbox, name: str, patterns: list[str]) -> bool:
    """Return whether a tool is selected by its name, its name for clients, or its command's."""
    target = box[name].target if name in box else None
    dotted = attribute(target, "dotted")  # any object may have any attribute
    command = dotted if isinstance(dotted, str) else name
    return matches((name, name.translate(PLAIN), command), patterns)


def _no_match(pattern: str, names: list[str], lost: list[str]) -> str:
    if any(sign in pattern for sign in "*?["):
        what, hint = f"no tool matches `{pattern}`", ""
    else:
        what = f"no tool is called `{pattern}`"
        hint = did_you_mean(pattern, [*names, *lost], " ({})")
    if hint:
        return f"--select: {what}{hint}"
    shown = ", ".join(f"`{name}`" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"--select: {what}: there are {shown}{more}" if names else f"--select: {what}"


def selected_tool(box: Toolbox, name: str) -> Tool:
    """Return a tool by its name. Raises `ToolNotFound` if it is not selected, or `SchemaError`."""
    if not box.is_enabled(name):
        raise ToolNotFound(name)
    tool = box[name]
    _ = tool.input_schema  # made now: a tool that is refused cannot be counted or tested either
    return tool


class Loaded(NamedTuple):
    """A toolbox that was loaded."""

    box: Toolbox
    refused: list[DefinitionError]
    is_selected: bool = False
    """Whether it has only selected tools: commands are selected before they become tools."""


def load(
    target: str,
    select: Sequence[str] | None = None,
    *,
    script: bool = False,
    must_select: bool = False,
) -> Loaded:
    """Return the toolbox that a target names, and what was refused on the way.

    With `script`, the target is run until it parses its command line. With `must_select`, nothing
    is taken from a scanned program without a selection. Raises `BadTarget`.
    """
    project = project_at(target)
    path, attribute = split(target if project is None else project.target)
    refuse_address(target)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: a user's file must not shadow what we import
    with loading() as refused:
        program: Any = None
        module: Any = None
        if script:
            program = captured(target if project is None else project.target)
        elif path.endswith(".json") and Path(path).is_file():
            program = scanned(Path(path), must_select=must_select and not select)
        else:
            module = folder_module(Path(path)) if Path(path).is_dir() else import_target(path)
            program = app_named(module, attribute)
        if program is not None:
            box = program_box(program, select)
        else:
            box = named_in(module, path, attribute)
    if project is not None:
        dress(box, project, refused)
    return Loaded(box, refused, program is not None)
