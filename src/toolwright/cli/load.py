"""Loads the target of a command, and selects among its tools."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._log.printable import say
from .._words import did_you_mean
from ..errors import DefinitionError, SchemaError, ToolNotFound
from ..read.target import attribute
from ..toolbox.box import Toolbox, loading
from ..toolbox.remote import ServerNotRead
from ..tools.catalog import matches
from ..tools.definition import PLAIN
from .command import Targeted
from .project import dress, project_at, real_target
from .targets.boxes import app_named, captured, named_in, program_box, scanned
from .targets.folders import folder_module
from .targets.modules import import_target, split
from .targets.remote import check_local, is_remote, refuse_address, remote_box
from .usage import BadTarget, UsageError

if TYPE_CHECKING:
    from ..tools.catalog import Problem
    from ..tools.definition import Tool

_MOST_NOTES = 10
"""How many notes on tools are printed: they are not failures."""
_MOST_NAMES = 10
"""How many tool names are offered for one that is unknown."""


class OpenedTarget(NamedTuple):
    """A target that was loaded, with the tools not selected disabled."""

    box: Toolbox
    usable: bool
    """Whether it may be used: with `--strict` not if a tool was refused."""
    refusals: list[str]
    """What was refused, a line for each."""
    refused: dict[str, DefinitionError]
    """Why tools were refused, by name."""

    def tool(self, name: str) -> Tool:
        """Return a tool by its name.

        Raises `ToolNotFound` if it is not selected, or `DefinitionError` if it is refused.
        """
        try:
            is_selected = self.box.is_enabled(name)
        except ToolNotFound as error:
            raise self.refused.get(name, error) from None
        if not is_selected:
            raise self.refused.get(name, ToolNotFound(name))
        tool = self.box[name]
        _ = tool.input_schema  # made now: a tool that is refused cannot be counted or tested either
        return tool

    def keep_only(self, name: str) -> None:
        """Disable all tools but one. Raises what `tool` raises."""
        self.tool(name)
        for tool_name in self.box:
            if tool_name != name:
                self.box.disable(tool_name)


def open_target(chosen: Targeted) -> OpenedTarget:
    """Load the target, and say what was refused. Raises `BadTarget`."""
    box, refused = open_quietly(chosen)
    about = _one_tool(box, chosen)
    problems = [e for e in box.problems if e.tool not in box or box.is_enabled(e.tool)]
    lines = [str(error) for error in refused]
    lines += [str(problem) for problem in problems if problem.fatal]
    if about is None or chosen.strict:
        for error in refused:
            chosen.show_trace(error)
        for line in dict.fromkeys(lines):
            say(f"refused: {line}")
    _say_notes(
        [problem for problem in problems if not problem.fatal and about in (None, problem.tool)]
    )
    if chosen.strict and chosen.is_server:
        from .project import doctor_settings, examined

        report = examined(box, doctor_settings(chosen.target), errors_only=True)
        for error in report.errors:
            say(f"doctor: {error}")
            lines.append(str(error))
    by_name = {refusal.tool: refusal for refusal in refused if isinstance(refusal, SchemaError)}
    return OpenedTarget(box, not (lines and chosen.strict), lines, dict(by_name))


def _say_notes(notes: Sequence[Problem]) -> None:
    for note in notes[:_MOST_NOTES]:
        say(f"note: {note}")
    if len(notes) > _MOST_NOTES:
        more = len(notes) - _MOST_NOTES
        say(f"note: {more} more; `toolwright show` has those of one tool")


def _one_tool(box: Toolbox, chosen: Targeted) -> str | None:
    """Return the tool that a command is about, if it can be used; then no other is spoken of."""
    name = chosen.one_tool
    fatal = {problem.tool for problem in box.problems if problem.fatal}
    return name if name in box and name not in fatal and box.is_enabled(name) else None


def open_quietly(chosen: Targeted) -> tuple[Toolbox, list[DefinitionError]]:
    """Load the target and disable the tools not selected; return also what was refused.

    Raises `BadTarget`.
    """
    if is_remote(real_target(chosen.target)):
        loaded = _load_remote(chosen)
    else:
        check_local(chosen)
        loaded = load(
            chosen.target,
            chosen.select,
            script=chosen.script,
            must_select=chosen.starts_server,
        )
    chosen.show_logs()
    _check_read(loaded, chosen)
    return loaded.box, _select(loaded, chosen)


def _check_read(loaded: Loaded, chosen: Targeted) -> None:
    """Refuse to go on without the tools of a server that did not list them. Raises `BadTarget`.

    A server tries again, and whoever looks at other tools need not wait for this one's; but what
    is written, compared or judged would be taken for the whole.
    """
    unread = [refusal for refusal in loaded.refused if isinstance(refusal, ServerNotRead)]
    box = loaded.box
    shows_rest = chosen.shows_rest and (box or box.resources or box.prompts)
    if unread and not chosen.starts_server and not shows_rest:
        lines = [f"{refusal.tool} cannot be read: {refusal.reason}" for refusal in unread]
        raise BadTarget(" ".join("; ".join(lines).split()))  # a server may write several lines


def _load_remote(chosen: Targeted) -> Loaded:
    """Return a toolbox with what servers elsewhere offer. Raises `BadTarget`."""
    project = project_at(chosen.target)
    with loading() as refused:
        box = remote_box(chosen, real_target(chosen.target))
    if project is not None:
        dress(box, project, refused)
    return Loaded(box, refused)


def _select(loaded: Loaded, chosen: Targeted) -> list[DefinitionError]:
    """Disable the tools not selected; return the refusals of those that are.

    Raises `UsageError` for a pattern that matches nothing: a typo would serve too little, or with
    `!` too much.
    """
    box, refused = loaded.box, loaded.refused
    patterns: list[str] = [] if loaded.is_selected else chosen.select
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
    return [
        refusal
        for refusal in refused
        if not isinstance(refusal, SchemaError) or refusal.tool in selected
    ]


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
    listed = ", ".join(f"`{name}`" for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"--select: {what}: there are {listed}{more}" if names else f"--select: {what}"


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
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)  # last: a user's file must not shadow what we import
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
