"""A command-line program that a toolbox includes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, cast

from .._words import did_you_mean
from ..call import Call
from ..errors import ArgumentError, Fault, SchemaError
from ..options import ToolOptions
from ..read.target import ProgramSource, framework_of
from ..results import Result
from ..tools.catalog import matches
from ..tools.definition import Tool
from .command_tools import (
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

# -- many commands as few tools: groups, or a search

_MOST_SUMMARY = 120
"""Characters of a command's summary in lists."""
_MOST_FOUND = 50
_MOST_QUERY = 1000
_ALONE = ("roles", "enabled", "confirm", "task")
"""Options that only a server can apply, to a whole tool: commands with one stay separate tools."""


class FoundCommand(TypedDict):
    """A command that a search has found."""

    command: str
    summary: str


class DescribedCommand(TypedDict):
    """What a command does and takes."""

    command: str
    description: str
    arguments: dict[str, Any]


def stays_alone(offer: Offer) -> bool:
    """Return whether a command must be a tool of its own."""
    return bool(offer.around) or any(name in offer.options for name in _ALONE)


class CommandTable:
    """Commands by the words after their group, each compiled when first needed."""

    def __init__(self, offers: Mapping[str, Offer]) -> None:
        self.offers = offers
        self._tools: dict[str, Tool] = {}

    def tool(self, words: str, name: str) -> Tool:
        """Return the tool of a command. Raises `ArgumentError` if there is none."""
        offer = self.offers.get(words)
        if offer is None:
            hint = did_you_mean(words, self.offers, " ({})")
            text = f"`command`: there is no `{words[:100]}`{hint}"
            raise ArgumentError(name, [Fault(("command",), "unknown", text)])
        tool = self._tools.get(words)
        if tool is None:
            options: Any = {**offer.options, "name": offer.name}
            tool = self._tools[words] = Tool(offer.target, **options)
        return tool

    def summary(self, words: str) -> str:
        """Return one line about a command."""
        text = str(self.offers[words].options.get("description") or "")
        line = text.strip().partition("\n")[0]
        return line if len(line) <= _MOST_SUMMARY else f"{line[: _MOST_SUMMARY - 3]}..."

    async def run(
        self, words: str, arguments: Mapping[str, Any], call: Call, name: str
    ) -> Result | dict[str, Any]:
        """Run a command; if its arguments are wrong, the answer says what it takes."""
        tool = self.tool(words, name)
        result = await tool.call_async(arguments, call=call)
        if not isinstance(result.error, ArgumentError):
            return result
        takes = json.dumps(tool.input_schema, ensure_ascii=False)
        text = f"{result.error}\n`{words}` takes arguments of this schema: {takes}"
        return {"content": [{"type": "text", "text": text}], "isError": True}


def group_offer(name: str, about: str, commands: Mapping[str, Offer]) -> Offer:
    """Make one tool from several commands."""
    table = CommandTable(commands)

    async def group(command: Any, call: Call, arguments: Any = {}) -> Any:  # noqa: B006 - never changed
        return await table.run(command, arguments, call, name)

    group.__name__ = name
    # In place of the texts of its annotations, which could not name these commands.
    group.__annotations__ |= {
        "command": Annotated[Literal[tuple(commands)], "Which command."],
        "arguments": Annotated[dict[str, Any], "Its arguments by name."],
    }
    lines = [f"- {words}: {table.summary(words)}" for words in commands]
    description = "\n".join([about, "", "Commands:", *lines]).strip()
    options: Any = {"description": description, **_shared_hints(list(commands.values()))}
    return Offer(name, group, options)


def search_offers(name: str, about: str, commands: Mapping[str, Offer]) -> list[Offer]:
    """Make three tools from any number of commands: to find, describe and run one."""
    table = CommandTable(commands)

    def search(
        query: Annotated[str, "Words that say what is to be done."],
        limit: Annotated[int, "How many to return at most."] = 10,
    ) -> list[FoundCommand]:
        return [
            FoundCommand(command=words, summary=table.summary(words))
            for words in _ranked(table, query)
        ][: max(1, min(limit, _MOST_FOUND))]

    def describe(
        command: Annotated[str, "A command that the search has found."],
    ) -> DescribedCommand:
        tool = table.tool(command, f"{name}_describe")
        return DescribedCommand(
            command=command, description=tool.description, arguments=tool.input_schema
        )

    async def run(
        command: Annotated[str, "A command that the search has found."],
        call: Call,
        arguments: Annotated[dict[str, Any], "Its arguments by name."] = {},  # noqa: B006 - never changed
    ) -> Any:
        return await table.run(command, arguments, call, f"{name}_run")

    count = len(commands)
    hints = _shared_hints(list(commands.values()))
    options: Any = {"description": f"Run a command of {name}.", **hints}
    return [
        Offer(
            f"{name}_search",
            search,
            {"description": f"Find commands of {name}: {count} in all. {about}", "read_only": True},
        ),
        Offer(
            f"{name}_describe",
            describe,
            {"description": f"Say what a command of {name} does and takes.", "read_only": True},
        ),
        Offer(f"{name}_run", run, options),
    ]


def _shared_hints(offers: Sequence[Offer]) -> dict[str, Any]:
    """Return the hints that hold whichever command runs."""
    hints: dict[str, Any] = {}
    for hint in ("read_only", "idempotent"):
        if all(offer.options.get(hint) is True for offer in offers):
            hints[hint] = True
    if any(offer.options.get("destructive") for offer in offers):
        hints["destructive"] = True
    return hints


def _ranked(commands: CommandTable, query: str) -> list[str]:
    """Return the commands that match a query, best first: their own words count more than texts."""
    terms = set(re.findall(r"\w+", query[:_MOST_QUERY].casefold()))
    scored: list[tuple[int, int, str]] = []
    for position, words in enumerate(commands.offers):
        command_terms = set(re.findall(r"\w+", words.casefold()))
        text = str(commands.offers[words].options.get("description") or "").casefold()
        score = 3 * len(terms & command_terms) + sum(term in text for term in terms)
        if score:
            scored.append((-score, position, words))
    return [words for _, _, words in sorted(scored)]


# -- what a toolbox includes

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
