"""Commands: dataclasses whose fields `argparse` fills."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform, overload

from .._log.printable import LEVELS, level_from, say, show_logs
from .._log.redact import written
from .project import Project, load_env_file, project_at

T = TypeVar("T")
N = TypeVar("N", int, float)
_KEY = "argument"


class _Argument(NamedTuple):
    """How a field is added to a parser."""

    flags: tuple[str, ...] | None
    """None for a positional argument; empty for a flag that is called like the field."""
    options: Mapping[str, Any]
    group: str = ""
    excludes: str = ""
    """Of the flags with the same word here, only one may be given."""


def positional(metavar: str | None, about: str, **more: Any) -> str:
    """Return a field for a word that is needed."""
    options = {"metavar": metavar, "help": about, **more}
    return field(default="", metadata={_KEY: _Argument(None, options)})


def optional(metavar: str, about: str) -> str | None:
    """Return a field for a word that may be left out."""
    options = {"metavar": metavar, "help": about, "nargs": "?"}
    return field(default=None, metadata={_KEY: _Argument(None, options)})


def words(metavar: str, about: str) -> list[str]:
    """Return a field for all words that follow."""
    options = {"metavar": metavar, "help": about, "nargs": "*"}
    return field(default_factory=list[str], metadata={_KEY: _Argument(None, options)})


def switch(
    about: str, *flags: str, group: str = "", excludes: str = "", action: Any = "store_true"
) -> bool:
    """Return a field for a flag without a value."""
    options = {"help": about, "action": action}
    if not isinstance(action, str):
        options["nargs"] = 0
    return field(default=False, metadata={_KEY: _Argument(flags, options, group, excludes)})


def repeated(about: str, *flags: str, metavar: str, group: str = "") -> list[str]:
    """Return a field for a flag that may be given several times."""
    options = {"help": about, "metavar": metavar, "action": "append"}
    argument = _Argument(flags, {**options, "default": list[str]()}, group)
    return field(default_factory=list[str], metadata={_KEY: argument})


# fmt: off
@overload
def option(about: str, *flags: str, metavar: str | None = ..., group: str = ..., excludes: str = ..., choices: Sequence[str] | None = ..., const: str | None = ...) -> str | None: ...
@overload
def option(about: str, *flags: str, kind: Callable[[str], T], metavar: str | None = ..., group: str = ..., choices: Sequence[T] | None = ..., const: T | None = ...) -> T | None: ...
@overload
def option(about: str, *flags: str, default: T, kind: Callable[[str], T] = ..., metavar: str | None = ..., group: str = ..., choices: Sequence[T] | None = ...) -> T: ...
# fmt: on
def option(
    about: str,
    *flags: str,
    default: Any = None,
    kind: Any = None,
    group: str = "",
    excludes: str = "",
    **more: Any,
) -> Any:
    """Return a field for a flag with a value; with `const` the value may be left out."""
    options = {"help": about, "type": kind, "default": default, **more}
    if more.get("const") is not None:
        options["nargs"] = "?"
    options = {name: value for name, value in options.items() if value is not None}
    return field(default=default, metadata={_KEY: _Argument(flags, options, group, excludes)})


def number_from(
    kind: Callable[[str], N], least: float, most: float, refusal: str
) -> Callable[[str], N]:
    """Return what reads a number for `option`; `refusal` has a place for what was typed."""

    def read(text: str) -> N:
        try:
            number = kind(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= most:  # also for NaN
            raise argparse.ArgumentTypeError(refusal.format(text))
        return number

    return read


class Adder:
    """Adds arguments to a parser, each to the group that it names."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser
        self._groups: dict[str, Any] = {"": parser}
        self._exclusive: dict[str, Any] = {}

    def add(self, *flags: str, group: str = "", excludes: str = "", **options: Any) -> None:
        """Add an argument, as `ArgumentParser.add_argument` does."""
        if group not in self._groups:
            self._groups[group] = self.parser.add_argument_group(group)
        place = self._groups[group]
        if excludes:
            if excludes not in self._exclusive:
                self._exclusive[excludes] = place.add_mutually_exclusive_group()
            place = self._exclusive[excludes]
        place.add_argument(*flags, **options)


class TypedWords(NamedTuple):
    """The words that a command was made from."""

    words: Sequence[str] = ()
    target: str = ""
    """The target with a blank before it, as hints repeat it; empty if the project gave it."""
    is_own_process: bool = False
    """Whether the process was started for this command."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class CliCommand:
    """A command: what was typed, and what it does.

    A field that `positional`, `switch`, `option` and their like return is an argument of the
    command line; a subclass may declare it again, with other words or as a plain default.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    shows_traces: ClassVar[bool] = False
    """Whether the traceback of an author's exception is shown unasked."""

    typed: TypedWords = TypedWords()
    log_level: str | None = None
    debug: bool = False

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    @classmethod
    def rewritten(cls, typed: list[str]) -> list[str]:
        """Return the words as argparse can read them."""
        return typed

    @classmethod
    def add_arguments(cls, adder: Adder) -> None:
        """Add the arguments to a parser."""
        arguments = {declared.name: declared.metadata.get(_KEY) for declared in fields(cls)}
        order: dict[str, None] = {}
        for base in reversed(cls.__mro__):
            for name in vars(base).get("__annotations__", ()):
                order.pop(name, None)  # the last one who declares it says where it stands
                order[name] = None
        for name in order:
            argument = arguments.get(name)
            if argument is None:
                continue
            more = {"group": argument.group, "excludes": argument.excludes, **argument.options}
            if argument.flags is None:
                adder.add(name, **more)
            else:
                flags = argument.flags or (f"--{name.replace('_', '-')}",)
                adder.add(*flags, dest=name, **more)

    @classmethod
    def parsed(cls, values: Mapping[str, Any], typed: TypedWords) -> Self:
        """Return the command that a parser has read."""
        names = [declared.name for declared in fields(cls) if _KEY in declared.metadata]
        return cls(typed=typed, **{name: values[name] for name in names})

    def prepared(self) -> Self:
        """Return it completed from the project, and set its variables. Raises `UsageError`."""
        return self

    def run(self) -> int:
        """Do it; return the exit code."""
        raise NotImplementedError

    # -- what is shown of logs and exceptions

    def show_logs(self) -> None:
        """Show what is logged.

        This comes after the target is imported: handlers that it has set up stay.
        """
        level = None if self.log_level is None else level_from(self.log_level)
        usual = logging.ERROR if self.shows_traces else logging.WARNING
        # Whoever calls a tool by hand is its author: what models are told of is also shown.
        own_level = logging.INFO if self.shows_all_traces and level is None else level
        own_level = logging.DEBUG if self.debug else own_level
        show_logs(level or usual, own_level or usual)
        if level is not None:
            logging.getLogger().setLevel(level)

    @property
    def shows_all_traces(self) -> bool:
        """Whether whole tracebacks are shown, not only their last lines."""
        return self.debug or self.shows_traces

    def show_trace(self, error: BaseException) -> None:
        """Show where the author's code raised the cause of an error."""
        if error.__cause__ is not None and self.shows_all_traces:
            say(written(error.__cause__))


_SHOWN = "what is shown"
_WHICH = "which tools"
_SERVER = "if TARGET is another server"


class Targeted(CliCommand):
    """A command about the tools of a target, or a selection of them."""

    starts_server: ClassVar[bool] = False
    """Whether a server is started later: one that cannot be read now is asked again then."""
    is_server: ClassVar[bool] = False
    """Whether it is itself the server."""
    shows_rest: ClassVar[bool] = False
    """Whether the tools of other servers are enough, if one cannot be read."""
    times_calls: ClassVar[bool] = False
    """Whether `--timeout` is for calls of any tool, not only of a server's."""

    target: str = positional("TARGET", "where the tools are")
    env_file: str | None = None
    select: list[str] = repeated(
        "only these, such as `orders.*`; `!x` leaves out", metavar="PATTERN", group=_WHICH
    )
    read_only: bool = switch("only tools that say they change nothing", group=_WHICH)
    script: bool = switch(
        "TARGET is a program: its commands are the tools, by what it parses", group=_WHICH
    )
    strict: bool = switch("fail if a tool is refused", group=_WHICH)
    header: Sequence[str] = ()
    token: str | None = None
    timeout: float | None = None

    @property
    def one_tool(self) -> str:
        """The only tool that it is about; empty if it is about all."""
        return ""

    def prepared(self) -> Self:
        """Return it completed from the project; what was typed takes precedence."""
        project = project_at(self.target)
        if self.env_file is not None:
            load_env_file(Path(self.env_file), is_typed=True)
        if project is None:
            return self
        if project.env_file is not None:
            load_env_file(project.env_file)
        return self.completed(project)

    def completed(self, project: Project) -> Self:
        """Return it with the settings of the project. Raises `UsageError`."""
        return replace(
            self,
            select=self.select or project.select,
            read_only=self.read_only or project.read_only,
            strict=self.strict or project.strict,
        )


class TargetCommand(Targeted):
    """A command that loads a target, or connects to it."""

    env_file: str | None = option("set the variables of this file, such as .env", metavar="FILE")
    server_command: str | None = option(
        "instead of TARGET: the command that starts it", "--command", metavar="WORDS", group=_SERVER
    )
    header: Sequence[str] = repeated(
        "send this header; ${NAME} in it is a variable of the environment",
        metavar="NAME=value",
        group=_SERVER,
    )
    token: str | None = option("sign in with this token, or with ${NAME}", group=_SERVER)
    timeout: float | None = option(
        "how long a call may take", kind=float, metavar="SECONDS", group=_SERVER
    )
    log_level: str | None = option(
        f"what is logged on standard error: {', '.join(LEVELS)}",
        kind=str.lower,
        choices=LEVELS,
        metavar="LEVEL",
        group=_SHOWN,
    )
    debug: bool = switch("show the traceback of every exception", group=_SHOWN)
