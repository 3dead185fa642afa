"""A command-line program that a toolbox includes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

from ..errors import SchemaError
from ..options import ToolOptions
from ..read.command_trees import ProgramSource, framework_of
from ..tools.catalog import matches
from .commands.grouped import group_offer, search_offers, stays_alone
from .commands.offers import (
    CommandStyle,
    Naming,
    NeverRuns,
    Offer,
    offer_of,
    offered_commands,
    unused_rules,
)
from .program import Command, Program
from .rules import Rule, checked_rules, dotted

Mode = Literal["auto", "command", "group", "search"]
MOST_SINGLE = 30
"""Up to this number of commands, `auto` makes a tool of each."""
MOST_GROUPED = 150
"""Above this number of commands, `auto` offers a search."""


class OfferedCommands(NamedTuple):
    """What a program offers, and what it does not."""

    offers: list[Offer]
    refused: list[SchemaError]
    """Mistakes of the author."""
    left_out: list[SchemaError]
    """Commands that no caller could run: their program needs more than may be sent."""
    notes: list[str]
    """What else is to be said about the program."""


class CommandLine(ProgramSource):
    """A program of Click, Typer, argparse, optparse or Cyclopts, or one that was scanned.

    `Toolbox.include` takes it, or the framework's own object if nothing more is to be said.

    - `rules`: which commands and options are offered, and how they run; the first rule that matches
      a command counts, and one that none matches is not offered.
    - `mode`: `"command"` makes a tool of each command, `"group"` one of each group, `"search"` three
      of all; `"auto"` chooses by their number.
    - `style`: `"flags_args"` takes options in `flags`, and positionals as texts in `args`.
    - `name`: what the names of its tools begin with; the program's name by default.
    - `argv`: the words that start the program, where that cannot be found out.
    """

    def __init__(
        self,
        target: Any,
        *,
        rules: Sequence[Rule] | None = None,
        mode: Mode = "auto",
        style: CommandStyle = "typed",
        name: str | None = None,
        argv: Sequence[str] | None = None,
    ) -> None:
        if mode not in ("auto", "command", "group", "search"):
            msg = f'mode must be "auto", "command", "group" or "search"; got {mode!r}'
            raise ValueError(msg)
        if style not in ("typed", "flags_args"):
            msg = f'style must be "typed" or "flags_args"; got {style!r}'
            raise ValueError(msg)
        if isinstance(argv, str):
            msg = f"argv takes a list of words: no shell reads it; got {argv!r}"
            raise TypeError(msg)
        program = target if isinstance(target, Program) else _read(target)
        self.program = program if argv is None else replace(program, argv=tuple(argv))
        self.rules = checked_rules(rules)
        self.mode: Mode = mode
        self.style: CommandStyle = style
        self.name = name or program.name

    def __repr__(self) -> str:
        return f"<CommandLine {self.name}>"

    @property
    def needs_selection(self) -> bool:
        """Whether only chosen commands are offered: help texts are not the author's word."""
        return self.program.fingerprint is not None and self.rules is None

    @property
    def commands(self) -> list[Command]:
        """The commands that may be offered."""
        return [command for command, _ in offered_commands(self.program, self.rules)]

    def environment(self) -> dict[str, str]:
        """Return the variables that rules set for every command: an installed server needs them."""
        rules = self.rules or ()
        variables = dict(rules[0].env) if rules else {}
        return {
            key: value
            for key, value in variables.items()
            if all(r.env.get(key) == value for r in rules)
        }


def offered_by(
    line: CommandLine, select: str | Sequence[str] = "*", prefix: str = ""
) -> OfferedCommands:
    """Return the tools to make from the commands whose path or name matches."""
    naming = Naming(prefix + line.name)
    refused: list[SchemaError] = []
    left_out: list[SchemaError] = []
    single: list[tuple[Command, Offer]] = []
    for command, rule in offered_commands(line.program, line.rules):
        name = naming.name_of(command)
        if not matches((dotted(command), name), select):
            continue
        try:
            single.append((command, offer_of(line.program, command, rule, name, line.style)))
        except NeverRuns as error:
            left_out.append(error)
        except SchemaError as error:
            refused.append(error)
    notes = [f"leaves a command out: {command}" for command in line.program.left_out]
    notes += unused_rules(line.program, line.rules)
    return OfferedCommands(_gathered(line, single, naming), refused, left_out, notes)


def _gathered(
    line: CommandLine, single: list[tuple[Command, Offer]], naming: Naming
) -> list[Offer]:
    mode = line.mode
    if mode == "auto":
        many = "group" if len(single) <= MOST_GROUPED else "search"
        mode = "command" if len(single) <= MOST_SINGLE else many
    if mode == "command":
        return [offer for _, offer in single]
    alone = [offer for _, offer in single if stays_alone(offer)]
    grouped = [(command, offer) for command, offer in single if not stays_alone(offer)]
    about = line.program.root.summary or line.program.root.description.partition("\n")[0]
    if mode == "search":
        table = {" ".join(command.path) or line.name: offer for command, offer in grouped}
        return [*(search_offers(naming.first, about, table) if table else ()), *alone]
    return [*_groups(line, grouped, naming), *alone]


def _groups(
    line: CommandLine, offers_by_command: list[tuple[Command, Offer]], naming: Naming
) -> list[Offer]:
    groups: dict[str, dict[str, Offer]] = {}
    tops = {command.name: command for command in line.program.root.commands}
    for command, offer in offers_by_command:
        first = command.path[0] if command.path and tops[command.path[0]].commands else ""
        words = command.path[1:] if first else command.path
        groups.setdefault(first, {})[" ".join(words) or first or line.name] = offer
    offers: list[Offer] = []
    for first, members in groups.items():
        if len(members) == 1:
            offers += members.values()
            continue
        top = tops[first] if first else line.program.root
        naming.free(members.values())
        about = top.summary or top.description.partition("\n")[0]
        offers.append(group_offer(naming.name_of(Command(path=top.path)), about, members))
    return offers


def command_line_of(
    source: Any, rules: Sequence[Rule] | None, options: ToolOptions
) -> tuple[CommandLine, ToolOptions]:
    """Return a program, and the options of its tools. Raises `TypeError` for anything else."""
    tool_options = cast("ToolOptions", dict(options))
    style: CommandStyle = "typed"
    if tool_options.get("style") == "flags_args":
        style = "flags_args"
        del tool_options["style"]
    if isinstance(source, CommandLine):
        if rules is not None or style != "typed":
            what = "rules" if rules is not None else "style"
            msg = f"the CommandLine has its own {what}: pass {what} there"
            raise TypeError(msg)
        return source, tool_options
    if not isinstance(source, Program) and not framework_of(source):
        msg = "rules are for command-line programs (Click, Typer, argparse, Cyclopts, a scan) and servers"
        raise TypeError(msg)
    return CommandLine(source, rules=rules, style=style), tool_options


def _read(target: Any) -> Program:
    from .frameworks.recognise import program_of  # not needed for a scanned program

    return program_of(target)
