"""A command-line program as data: commands, options, positionals.

Every reader returns this, whatever it reads: objects of a framework, or the text of `--help`. Tools
are made from nothing else, and a scanned program is kept in a file of this form. So all of it can
be written as JSON, and nothing in it refers to a framework. Only the standard library is needed:
readers also run in the interpreter of another program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..read.target import ProgramSource

Emit = Literal[
    "value",  # `--size=3`; a positional: `3`
    "flag",  # `--force` if true, nothing if false
    "pair",  # `--color` or `--no-color`
    "negative",  # nothing if true, `--no-check` if false
    "truth",  # `--color=true` or `--color=false`
    "count",  # `--verbose --verbose` for 2
    "choice",  # the value chooses a flag of its own: `--upper`
    "choices",  # each item does
    "repeat",  # `--tag=a --tag=b`; `--at 1 2 --at 3 4` if an item is a list
    "words",  # `--at 1 2`: one flag, a word for each item
    "joined",  # `--tag=a,"b,c"`: one flag, comma-separated values
    "optional",  # `--color=red`, or `--color` alone for true
    "map",  # `--label=a=1 --label=b=2`
    "dotted",  # `--label.a=1 --label.b=2`
    "json",  # one word of JSON, whatever the value is
    "rest",  # positionals only: a word for each item
    "remainder",  # positionals only: a word for each item, and options are no longer looked for
]
"""How a value becomes words of a command line."""


OWN_WORD = "toolwright.word"
"""The annotation of a program that takes this first word for itself, before it parses anything."""


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""Stands for a missing default, since a default may be null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandParameter:
    """An option or a positional of a command."""

    name: str
    """Its key in the arguments: the name that the program's own code uses for it."""
    schema: Mapping[str, Any]
    """What a caller may send, as a JSON Schema without description and default.

    `type`, `enum`, `items`, `prefixItems`, `properties`, `additionalProperties`, `minItems`,
    `maxItems`, `minimum`, `maximum`, their exclusive forms, `pattern`, `format`; with `emit` "json"
    any schema.
    """
    emit: Emit = "value"
    flags: tuple[str, ...] = ()
    """Its spellings, the one to use first; empty for a positional."""
    negatives: tuple[str, ...] = ()
    """The spellings of its opposite, the one to use first."""
    chosen_by: Mapping[str, str] = field(default_factory=dict[str, str])
    """With `emit` "choice" and "choices": the flag that stands for each value."""
    required: bool = False
    default: Any = UNSET
    """Only a value that JSON can express and that holds for every call."""
    default_text: str = ""
    """What to say about a default that is worked out when the program runs."""
    description: str = ""
    metavar: str = ""
    """What the help calls a positional, if that is not its name."""
    type_name: str = ""
    """The name of a type that the schema cannot express, such as `semver`."""
    ignores_case: bool = False
    """Whether the values of `enum` may be written in any case."""
    inherited: bool = True
    """Whether it may also be given when a command below its own is run."""
    hidden: bool = False
    deprecated: bool = False
    secret: bool = False
    """Whether it takes a password or a token: left out unless a rule selects it."""
    confirms: bool = False
    """Whether it is the answer to a question, such as `--yes`."""
    environment: tuple[str, ...] = ()
    """The variables that set it where the command line does not."""
    refused_prefixes: str = ""
    """Characters that no value may begin with, since the program would read it as something else."""
    refused_values: tuple[str, ...] = ()
    """Lower-case texts that no value may equal, ignoring case, for the same reason."""

    @property
    def all_flags(self) -> tuple[str, ...]:
        """Everything that may stand for it, or for one of its values, on a command line."""
        return (*self.flags, *self.negatives, *self.chosen_by.values())

    @property
    def is_positional(self) -> bool:
        """Whether it is identified by its place."""
        return not self.all_flags


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusive:
    """Parameters of which at most one may be given, or exactly one."""

    names: tuple[str, ...]
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: the root of a program, a group, or one that runs."""

    path: tuple[str, ...] = ()
    """The words after the program's name; empty for the root."""
    summary: str = ""
    """One line."""
    description: str = ""
    """The long help, or the same line."""
    examples: str = ""
    """What follows the help: `epilog` of Click and argparse, `Example` of Cobra."""
    usage: str = ""
    """Its usage without the path, such as `[OPTIONS] NAME`."""
    parameters: tuple[CommandParameter, ...] = ()
    """Those declared for this very command: they go between its last word and the next one."""
    passes_parameters: bool = True
    """Whether its parameters may also be given before a command below it.

    In Cyclopts they may not: they belong to the function that runs without a further word.
    """
    commands: tuple[Command, ...] = ()
    runs: bool = True
    """Whether it does something without a further word."""
    hidden: bool = False
    deprecated: bool = False
    aliases: tuple[str, ...] = ()
    """Other names for its last word."""
    exclusive: tuple[Exclusive, ...] = ()
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its author has left on it for rules and tools: JSON values by name."""

    @property
    def name(self) -> str:
        """The last word; empty for the root."""
        return self.path[-1] if self.path else ""

    def walk(self) -> Iterator[Command]:
        """Yield this command and all below it, in the order of the program."""
        yield self
        for command in self.commands:
            yield from command.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The file of an executable when it was scanned."""

    path: str
    size: int
    modified: int
    """Nanoseconds, as in `os.stat`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program(ProgramSource):
    """A whole program."""

    name: str
    root: Command
    argv: tuple[str, ...] = ()
    """How it is started: an executable, and words in front of all others."""
    version: str = ""
    framework: str = ""
    """What it was written with: `click`, `typer`, `argparse`, `optparse`, `cyclopts`, `cobra`,
    `clap`, `gnu`, `git`; empty if that is not known."""
    fingerprint: Fingerprint | None = None
    takes_dashes: bool = True
    """Whether `--` ends its options."""
    takes_equals: bool = True
    """Whether a value may follow its long option after `=`; else it is a word of its own."""
    left_out: tuple[str, ...] = ()
    """The commands that could not be read, and why: one line each."""

    def chain(self, command: Command) -> tuple[Command, ...]:
        """Return the chain of commands from the root to a command, including both."""
        chain, current = [self.root], self.root
        for depth in range(len(command.path)):
            word = command.path[depth]
            current = next(child for child in current.commands if child.name == word)
            chain.append(current)
        return tuple(chain)
