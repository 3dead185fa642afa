"""Many commands as few tools: groups, or a search."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from ..._words import did_you_mean
from ...call import Call
from ...errors import ArgumentError, Fault
from ...results import Result
from ...tools.definition import Tool
from .offers import Offer

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


class GroupTarget:
    """Runs one of the commands of a group."""

    def __init__(self, name: str, commands: CommandTable) -> None:
        self.name = name
        self.commands = commands
        kind = inspect.Parameter
        words = Annotated[Literal[tuple(commands.offers)], "Which command."]
        arguments = Annotated[dict[str, Any], "Its arguments by name."]
        parameters = [
            kind("command", kind.KEYWORD_ONLY, annotation=words),
            kind("arguments", kind.KEYWORD_ONLY, annotation=arguments, default={}),
            kind("call", kind.KEYWORD_ONLY, annotation=Call),
        ]
        self.__signature__ = inspect.Signature(parameters)
        self.__name__ = name

    async def __call__(self, /, *, command: str, arguments: dict[str, Any], call: Call) -> Any:
        """Run a command."""
        return await self.commands.run(command, arguments, call, self.name)


def group_offer(name: str, about: str, commands: Mapping[str, Offer]) -> Offer:
    """Make one tool from several commands."""
    table = CommandTable(commands)
    lines = [f"- {words}: {table.summary(words)}" for words in commands]
    description = "\n".join([about, "", "Commands:", *lines]).strip()
    options: Any = {"description": description, **_shared_hints(list(commands.values()))}
    return Offer(name, GroupTarget(name, table), options)


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
