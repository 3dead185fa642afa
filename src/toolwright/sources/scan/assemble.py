"""From pages to a `Program`, with suggestions which commands only read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..program import Command, CommandParameter, Exclusive, Fingerprint, Program
from .families import is_global, takes_equals
from .help_page import Node, OptionText
from .notation import Usage, read_usage
from .parameters import is_left_out, parameter_of, shortened
from .probing import Prober

_READS = frozenset(
    (
        *("list", "ls", "get", "show", "status", "info", "inspect", "describe", "version", "log"),
        *("logs", "diff", "search", "view", "cat", "stats", "top", "history", "ps", "images"),
        *("explain", "freeze", "whoami", "blame", "grep", "which"),
    )
)
_WRITES = frozenset(
    (
        *("rotate", "delete", "remove", "force", "write", "prune", "rm", "in-place"),
        *("fix", "set", "add", "unset", "edit", "apply", "save", "update", "replace", "purge"),
        *("output-file", "outfile"),
    )
)


def suggests_reading(name: str, summary: str, parameters: Sequence[CommandParameter]) -> bool:
    """Return whether a command is named like one that only reads.

    Its name is such a verb and nothing more, its summary does not begin with a verb of writing, and
    no option is named like one that writes. Of 151 commands of five programs that looser rules
    took for reading, six wrote; a hint is still not proof, so it is only suggested.
    """
    if name not in _READS:
        return False
    first = summary.split(" ", 1)[0].lower().rstrip("s.,")
    if first in _WRITES or f"{first}e" in _WRITES:
        return False
    return not any(_writes(parameter) for parameter in parameters)


def _writes(parameter: CommandParameter) -> bool:
    """Return whether an option is named like one that writes; `-o json` chooses a format."""
    names = {flag.lstrip("-") for flag in parameter.flags}
    if names & {"output", "o"}:
        text = parameter.description.lower()
        is_format = "format" in text or "json" in text or "enum" in parameter.schema
        return not is_format and parameter.schema.get("type") != "boolean"
    return bool(names & _WRITES)


_NO_DASHES = frozenset(("", "git", "argparse", "optparse"))
"""Where `--` means something else, or nobody knows what it means.

A program may split its words at `--` before argparse or optparse sees them, as tox does, and a help
text does not say so.
"""
_LONGEST_DESCRIPTION = 4_000


class Assembler:
    """Builds the tree of commands."""

    def __init__(
        self, nodes: Mapping[tuple[str, ...], Node], framework: str, prober: Prober
    ) -> None:
        self.nodes = nodes
        self.framework = framework
        self.prober = prober
        self.notes: list[str] = []
        self.typed = 0
        """How many options have a known type, beyond taking a text."""
        self.name = ""
        self.with_equals = takes_equals(framework, nodes[()].page)

    def program(
        self,
        name: str,
        argv: str,
        version: str,
        fingerprint: Fingerprint,
        left_out: Sequence[str],
    ) -> tuple[Program, list[str]]:
        """Return the program, and which options were left out."""
        self.name = name
        root = self.nodes[()]
        program = Program(
            name=name,
            root=self.command(root, frozenset()),
            argv=(argv,),
            version=version,
            # Programs with Go's `flag` write words as those of no known parser do.
            framework="" if self.framework == "go" else self.framework,
            fingerprint=fingerprint,
            takes_dashes=self.framework not in _NO_DASHES,
            takes_equals=self.with_equals,
            left_out=tuple(left_out),
        )
        return program, self.notes

    def command(self, node: Node, flags_above: frozenset[str]) -> Command:
        """Return a command with those below it."""
        page = node.page
        children = [child for child in self._below(node) if not self._is_alias(child)]
        usage = read_usage(
            page.usages,
            node.path,
            page.arguments,
            has_commands=bool(page.commands),
            valued={
                flag
                for option in page.options
                if _has_value(option)
                for flag in option.spelling.flags
            },
            plurals=self.framework in ("", "gnu"),  # other parsers write dots themselves
        )
        positionals = [self._checked(positional) for positional in usage.positionals]
        names_taken = [positional.name for positional in positionals]
        if self.framework == "argparse":
            node.required |= usage.required_flags
        options, notes = self._options(node, flags_above, names_taken)
        parameters = (*options, *positionals)
        # Only now: the options of a command itself are not those of a group above it.
        flags_above |= {flag for option in options for flag in option.flags}
        description = "\n".join(page.description).strip()[:_LONGEST_DESCRIPTION]
        listed = node.listed.text if node.listed is not None else ""
        summary = shortened(listed or description.partition("\n")[0])
        annotations: dict[str, Any] = {"notes": notes} if notes else {}
        # Cobra writes `[command]` where there must be one.
        runs = usage.runs or not page.commands or (usage.may_run and self.framework != "cobra")
        if runs and suggests_reading(node.path[-1] if node.path else "", summary, parameters):
            annotations["suggest_read_only"] = True
        where = " ".join(node.path) or self.name
        self.notes += [f"{where}: {note}" for note in notes]
        return Command(
            path=node.path,
            summary=summary,
            description=description or summary,
            examples="\n".join(page.examples).strip()[:_LONGEST_DESCRIPTION],
            usage=usage.text,
            parameters=parameters,
            commands=tuple(self.command(child, flags_above) for child in children),
            runs=runs,
            aliases=self._aliases(node),
            exclusive=tuple(_exclusive(usage, options)) if self.framework == "argparse" else (),
            annotations=annotations,
        )

    def _below(self, node: Node) -> list[Node]:
        """Return the commands below one, in the order of its help."""
        names = dict.fromkeys(command.name for command in node.page.commands)
        paths = [(*node.path, name) for name in names]
        return [self.nodes[path] for path in paths if path in self.nodes]

    # -- aliases

    def _alias_paths(self, node: Node) -> list[tuple[str, ...]]:
        """Return the names that a help text gives to its command, the first of them its own."""
        paths: list[tuple[str, ...]] = []
        for alias in node.page.aliases:
            words = alias.split()
            if words[:1] == [self.name]:
                paths.append(tuple(words[1:]))
            elif len(words) == 1 and node.path:
                paths.append((*node.path[:-1], words[0]))
        return paths

    def _is_alias(self, node: Node) -> bool:
        paths = self._alias_paths(node)
        return bool(paths) and paths[0] != node.path and paths[0] in self.nodes

    def _aliases(self, node: Node) -> tuple[str, ...]:
        listed = node.listed.aliases if node.listed is not None else ()
        paths = [path for path in self._alias_paths(node) if path[:-1] == node.path[:-1]]
        names = [*listed, *(path[-1] for path in paths if path != node.path and path)]
        return tuple(dict.fromkeys(names))

    # -- parameters

    def _checked(self, positional: CommandParameter) -> CommandParameter:
        # `fromfile_prefix_chars` of argparse cannot be seen from outside.
        refused = "@" if self.framework == "argparse" else ""
        return replace(positional, refused_prefixes=refused)

    def _options(
        self, node: Node, flags_above: frozenset[str], names_taken: Sequence[str]
    ) -> tuple[list[CommandParameter], list[str]]:
        parameters: list[CommandParameter] = []
        notes: list[str] = []
        for option in self._own(node, flags_above):
            names = [*names_taken, *(parameter.name for parameter in parameters)]
            outcome = parameter_of(
                option,
                self.framework,
                self.prober.known_of(option),
                names,
                with_equals=self.with_equals,
            )
            if isinstance(outcome, str):
                notes.append(f"{option.spelling.flags[-1]} is left out: {outcome}")
                continue
            outcome, is_typed = outcome
            self.typed += is_typed
            if set(outcome.flags) & node.required:
                outcome = replace(outcome, required=True)
            if not self._is_inherited(node, option):
                outcome = replace(outcome, inherited=False)
            parameters.append(outcome)
        return [_without_twins(parameter, parameters) for parameter in parameters], notes

    def _own(self, node: Node, flags_above: frozenset[str]) -> Iterable[OptionText]:
        flags_seen: set[str] = set()
        for option in (*node.page.options, *node.unshown):
            flags = option.spelling.flags
            if is_left_out(option) or flags_seen & set(flags):
                continue
            # Cobra shows the flags of groups with every command below them.
            is_above = self.framework == "cobra" and bool(set(flags) & flags_above)
            if is_above and (is_global(option) or not option.spelling.is_certain):
                continue
            flags_seen |= set(flags)
            yield option

    def _is_inherited(self, node: Node, option: OptionText) -> bool:
        if self.framework != "cobra" or not self._below(node):
            return True
        flag = option.spelling.flags[-1]
        return self.prober.inherited.get((node.path, flag), is_global(option))


def _has_value(option: OptionText) -> bool:
    """Return whether the next word is an option's value: not behind kubectl's `--all=false`."""
    spelling = option.spelling
    return bool(spelling.values) and spelling.shown_default not in ("true", "false")


def _without_twins(
    parameter: CommandParameter, siblings: Sequence[CommandParameter]
) -> CommandParameter:
    """Return a pair without the opposite that is an option of its own: `-N, --no-numbered`."""
    flags = {flag for twin in siblings for flag in twin.flags}
    negatives = tuple(flag for flag in parameter.negatives if flag not in flags)
    if negatives == parameter.negatives:
        return parameter
    return replace(parameter, negatives=negatives, emit="pair" if negatives else "flag")


def _exclusive(usage: Usage, options: Sequence[CommandParameter]) -> Iterator[Exclusive]:
    """Yield the groups from which at most one option is allowed."""
    owners = {
        flag: option.name for option in options for flag in (*option.flags, *option.negatives)
    }
    for flags, required in usage.exclusive:
        names = dict.fromkeys(owners[flag] for flag in flags if flag in owners)
        if len(names) > 1:
            yield Exclusive(names=tuple(names), required=required)
