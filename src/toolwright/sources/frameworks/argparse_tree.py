"""Parsers of argparse and optparse, read through their private names."""

from __future__ import annotations

import argparse
import enum
import itertools
import optparse
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..._words import one_line
from ..program import Command, CommandParameter, Exclusive, Program
from .parts import (
    MAX_USAGE,
    Walk,
    annotations_of,
    array,
    choice,
    chosen_by_flags,
    counted,
    described,
    first_paragraph,
    flags_in_order,
    metavar_of,
    only_informs,
    plain_text,
    plain_version,
    switch,
    valued,
    with_default,
    with_nothing,
    without_clashes,
    words_behind,
)
from .value_kinds import TEXT, Kind, choices, file_kind, kind_of_callable, limits

# -- types and choices

_LONGEST_ENUM = 1000
_LONGEST_RANGE = 20


def kind_of_action(action: argparse.Action) -> Kind:
    """Return the kind of the values that an action takes."""
    kind = _kind_of_type(action.type)
    if action.choices is None:
        return kind
    if isinstance(action.choices, range) and len(action.choices) > _LONGEST_RANGE:
        numbers = action.choices
        if numbers.step == 1:
            return Kind(schema={"type": "integer", **limits(numbers.start, numbers.stop - 1)})
    try:
        listed = list(itertools.islice(iter(action.choices), _LONGEST_ENUM + 1))
    except Exception:  # noqa: BLE001  # argparse only needs `in`
        return kind
    if not listed or len(listed) > _LONGEST_ENUM:
        return kind
    values = [choice.value if isinstance(choice, enum.Enum) else choice for choice in listed]
    return replace(choices(values), note=kind.note, refused=kind.refused)


def _kind_of_type(converter: Any) -> Kind:
    if converter is None:
        return TEXT
    if isinstance(converter, str):
        return replace(TEXT, type_name=converter)
    if type(converter).__name__ == "FileType":  # deprecated since 3.14
        return file_kind(converter._mode)
    return kind_of_callable(converter)


# -- parsers

_argparse: Any = argparse  # including its private names
_OPTIONS = frozenset(("option", "options", "flag", "flags"))
"""Words of a usage that stand for options."""
_MANY = (argparse.ZERO_OR_MORE, argparse.ONE_OR_MORE)


def read_argparse(parser: argparse.ArgumentParser, name: str = "") -> Program:
    """Return the program of an `ArgumentParser`; `SchemaError` if it cannot be read."""
    name = name or plain_text(parser.prog)
    reader = _ArgparseReader(name)
    root = reader.walk.read((), lambda: reader.command(parser, (), ""), parser)
    return Program(
        name=name,
        root=root,
        framework="argparse",
        version=_version_of(parser),
        left_out=tuple(reader.walk.left_out),
    )


class _ArgparseReader:
    def __init__(self, name: str) -> None:
        self.walk = Walk(name)

    def command(
        self, parser: argparse.ArgumentParser, path: tuple[str, ...], from_file: str
    ) -> Command:
        from_file += parser.fromfile_prefix_chars or ""
        branches = [a for a in parser._actions if isinstance(a, _argparse._SubParsersAction)]
        reader = _Parameters(parser, from_file)
        parameters = without_clashes(reader.read())
        if _leaves_words(parser):
            names_taken = {parameter.name for parameter in parameters}
            parameters = (*parameters, words_behind(_usage_of(parser), names_taken))
        self.walk.check_parameters(path, parameters)
        text = _expanded(parser, parser.description)
        runs = any(callable(default) for default in parser._defaults.values())
        return Command(
            path=path,
            summary=first_paragraph(text),
            description=text,
            examples=_expanded(parser, parser.epilog),
            usage=_usage_of(parser),
            parameters=reader.with_required(parameters),
            commands=tuple(
                command for branch in branches for command in self.below(branch, path, from_file)
            ),
            # Without a further word most programs print their help, unless a function is set.
            runs=not branches or (runs and not any(branch.required for branch in branches)),
            exclusive=tuple(reader.exclusive(parameters)),
            annotations=annotations_of(parser._defaults.get("func"), parser),
        )

    def below(self, action: Any, path: tuple[str, ...], from_file: str) -> Iterator[Command]:
        texts = {choice.dest: choice.help for choice in action._choices_actions}
        names: dict[int, list[Any]] = {}
        for word, parser in action.choices.items():
            names.setdefault(id(parser), []).append(word)
        for word, *aliases in names.values():
            child_path, parser = (*path, word), action.choices[word]
            command = self.walk.read(
                child_path,
                lambda path=child_path, parser=parser: self.command(parser, path, from_file),
                parser,
            )
            if command is None:
                continue
            hidden = texts.get(word, "") is argparse.SUPPRESS
            summary = "" if hidden else one_line(_expanded(parser, texts.get(word)))
            yield replace(
                command,
                summary=summary or command.summary,
                description=command.description or summary,
                aliases=tuple(map(str, aliases)),
                hidden=hidden,
                deprecated=word in getattr(action, "_deprecated", ()),
            )


class _Parameters:
    """The parameters of one parser."""

    def __init__(self, parser: argparse.ArgumentParser, from_file: str) -> None:
        self.parser = parser
        self.from_file = from_file
        self.formatter = parser._get_formatter()
        self.words_in_usage = _hidden_places(parser)

    def read(self) -> Iterator[CommandParameter]:
        groups: dict[str, list[argparse.Action]] = {}
        information = _argparse._HelpAction | _argparse._VersionAction | _argparse._SubParsersAction
        for action in self.parser._actions:
            skipped = isinstance(action, information) or action.nargs == argparse.SUPPRESS
            if not skipped and not (action.nargs == 0 and only_informs(action.option_strings)):
                groups.setdefault(str(action.dest), []).append(action)
        for dest, actions in groups.items():
            yield from self.group(dest, actions)

    def group(self, dest: str, actions: list[argparse.Action]) -> Iterator[CommandParameter]:
        """Yield the parameters of actions that share a destination."""
        constants = [action for action in actions if _is_constant(action)]
        switches = [action for action in constants if isinstance(action.const, bool)]
        if len(switches) == len(actions):
            yield self.switch(dest, _as_shown(actions))
        elif len(actions) == 1 and constants and _stores(actions[0]):
            yield self.constant(dest, actions[0])
        elif len(constants) == len(actions):
            yield self.choice(dest, actions)
        else:
            for action in sorted(actions, key=lambda action: action in constants):
                if action in constants:
                    name = re.sub(
                        r"\W+", "_", flags_in_order(action.option_strings)[0].lstrip("-+")
                    )
                    yield self.switch(name, [action], is_set=True)
                else:
                    yield self.parameter(dest, action)

    def switch(
        self, name: str, actions: list[argparse.Action], *, is_set: bool = False
    ) -> CommandParameter:
        """Return the boolean of `store_true`, `store_false`, or both."""
        on = [action for action in actions if is_set or action.const is not False]
        off = [action for action in actions if action not in on]
        parameter = switch(name, _flags_of(on), _flags_of(off), **self.shared(actions))
        return parameter if is_set else with_default(parameter, self.default_of(actions[0]))

    def constant(self, dest: str, action: argparse.Action) -> CommandParameter:
        """Return the boolean of a flag that stands for its constant."""
        parameter = self.switch(dest, [action], is_set=True)
        stands = action.const is not None and self.default_of(action) == action.const
        return replace(parameter, default=stands)

    def choice(self, dest: str, actions: list[argparse.Action]) -> CommandParameter:
        """Return the choice that `store_const` or `append_const` actions offer."""
        flags = [flags_in_order(action.option_strings)[0] for action in actions]
        pairs = zip((action.const for action in actions), flags, strict=True)
        schema, chosen = chosen_by_flags(pairs)
        values = zip(actions, schema["enum"], strict=True)
        is_default = (
            action.const is not None and self.default_of(action) == action.const
            for action in actions
        )
        default = next((v for (_, v), holds in zip(values, is_default, strict=True) if holds), None)
        several = any(isinstance(action, _argparse._AppendConstAction) for action in actions)
        parameter = choice(dest, schema, chosen, several=several, **self.shared(actions))
        return with_default(parameter, None if several else default)

    def parameter(self, dest: str, action: argparse.Action) -> CommandParameter:
        flags = flags_in_order(action.option_strings)
        if isinstance(action, argparse.BooleanOptionalAction):
            return self.pair(dest, action)
        if isinstance(action, _argparse._CountAction):
            return self.counted(dest, action, flags)
        kind = kind_of_action(action)
        if action.nargs == 0:
            return self.own_switch(dest, action, flags)
        common = self.common(action)
        if action.nargs in (None, argparse.OPTIONAL) and not _is_append(action):
            return self.single(dest, action, kind, common)
        return self.several(dest, action, kind, common)

    def single(
        self, dest: str, action: argparse.Action, kind: Kind, common: dict[str, Any]
    ) -> CommandParameter:
        flags = flags_in_order(action.option_strings)
        is_optional = bool(flags) and action.nargs == argparse.OPTIONAL
        schema = with_nothing(kind.schema) if is_optional else dict(kind.schema)
        text = common.pop("description")
        if not flags:
            kind = self.guarded(kind)
        emit = "optional" if is_optional else "value"
        parameter = valued(dest, kind, flags, emit, schema, text, **common)
        return with_default(parameter, None if parameter.required else self.default_of(action))

    def several(
        self, dest: str, action: argparse.Action, kind: Kind, common: dict[str, Any]
    ) -> CommandParameter:
        flags, nargs = flags_in_order(action.option_strings), action.nargs
        if kind.is_json:
            kind = replace(TEXT, note="JSON.")
        low = 1 if nargs == argparse.ONE_OR_MORE or (common["required"] and not flags) else None
        schema = (
            array(kind.schema, nargs, nargs) if isinstance(nargs, int) else array(kind.schema, low)
        )
        emit = "rest" if not flags else "words"
        if isinstance(action, _argparse._ExtendAction) and nargs in _MANY:
            # Each occurrence extends the list, so each value can follow its own `=`.
            emit = "repeat"
        elif flags and _is_append(action):
            emit = "repeat"
            schema = array(kind.schema) if nargs in (None, argparse.OPTIONAL) else array(schema)
        elif nargs == argparse.REMAINDER:
            emit = "remainder" if not flags else "words"
        text = common.pop("description")
        default = self.default_of(action)
        if emit == "repeat" and isinstance(default, list) and default:
            text = described(text, "What is given is added to the default.")
        if emit != "repeat" or "items" in schema["items"]:
            kind = self.guarded(kind)
        if common["required"] and flags and emit == "repeat":
            schema = {**schema, "minItems": 1}
        parameter = valued(dest, kind, flags, emit, schema, text, **common)
        return with_default(parameter, None if parameter.required else default)

    def guarded(self, kind: Kind) -> Kind:
        """Return a kind for separate words, which a prefix would turn into a file to read."""
        return replace(kind, refused=kind.refused + self.from_file)

    def pair(self, dest: str, action: argparse.Action) -> CommandParameter:
        strings = action.option_strings
        negatives = {f"--no-{flag[2:]}" for flag in strings if flag.startswith("--")} & set(strings)
        flags = [flag for flag in strings if flag not in negatives]
        parameter = switch(dest, flags, negatives, **self.common(action))
        return with_default(parameter, self.default_of(action))

    def own_switch(
        self, dest: str, action: argparse.Action, flags: tuple[str, ...]
    ) -> CommandParameter:
        """Return the boolean of an action of the program's own.

        If `--no-x` stands beside `--x`, the action goes by how it is spelled: `--intransitive`
        beside them may mean either, so nothing but these two is offered.
        """
        pair = next(((f, n) for f in flags if (n := f"--no-{f[2:]}") in flags), None)
        on, off = (flags, ()) if pair is None else (pair[:1], pair[1:])
        parameter = switch(dest, on, off, **self.common(action))
        return parameter if pair is None else with_default(parameter, self.default_of(action))

    def counted(
        self, dest: str, action: argparse.Action, flags: tuple[str, ...]
    ) -> CommandParameter:
        parameter = counted(dest, flags, **self.common(action))
        default = self.default_of(action)
        if isinstance(default, int) and default:
            text = described(parameter.description, "What is given is added to the default.")
            parameter = replace(parameter, description=text)
        return with_default(parameter, default)

    # -- what every parameter has

    def common(self, action: argparse.Action) -> dict[str, Any]:
        word = self.words_in_usage.get(id(action))
        loose = (argparse.OPTIONAL, argparse.ZERO_OR_MORE, argparse.REMAINDER)
        is_option = bool(action.option_strings)
        return {
            "description": self.text(action),
            "required": action.required if is_option else action.nargs not in loose,
            "hidden": action.help is argparse.SUPPRESS and not word,
            "deprecated": bool(getattr(action, "deprecated", False)),
            **({} if is_option else {"metavar": word} if word else metavar_of(action)),
        }

    def shared(self, actions: list[argparse.Action]) -> dict[str, Any]:
        """Return the fields of a parameter that several actions make up."""
        texts = dict.fromkeys(text for action in actions if (text := self.text(action)))
        return self.common(actions[0]) | {
            "description": described(*texts),
            "required": any(action.required for action in actions),
            "hidden": all(action.help is argparse.SUPPRESS for action in actions),
        }

    def text(self, action: argparse.Action) -> str:
        if not action.help or action.help is argparse.SUPPRESS:
            return ""
        try:
            text = self.formatter._expand_help(action)
        except Exception:  # noqa: BLE001  # a wrong `%` in the author's text
            text = action.help
        return one_line(plain_text(text))

    def default_of(self, action: argparse.Action) -> Any:
        value = self.parser._defaults.get(str(action.dest), action.default)
        return None if value is argparse.SUPPRESS else value

    def exclusive(self, parameters: tuple[CommandParameter, ...]) -> Iterator[Exclusive]:
        for names, required in self._exclusive(parameters):
            if len(names) > 1:
                yield Exclusive(names=names, required=required)

    def with_required(
        self, parameters: tuple[CommandParameter, ...]
    ) -> tuple[CommandParameter, ...]:
        """Return parameters; one that makes up a required group alone is itself required."""
        alone = {
            names[0]
            for names, required in self._exclusive(parameters)
            if required and len(names) == 1
        }
        return tuple(
            replace(parameter, required=True) if parameter.name in alone else parameter
            for parameter in parameters
        )

    def _exclusive(
        self, parameters: tuple[CommandParameter, ...]
    ) -> Iterator[tuple[tuple[str, ...], bool]]:
        by_flag = {flag: parameter.name for parameter in parameters for flag in parameter.all_flags}
        names_offered = {parameter.name for parameter in parameters}
        for group in self.parser._mutually_exclusive_groups:
            names: dict[str, None] = {}
            for action in group._group_actions:
                members = [by_flag[flag] for flag in action.option_strings if flag in by_flag]
                names.update(
                    dict.fromkeys(members or [d for d in (str(action.dest),) if d in names_offered])
                )
            yield tuple(names), group.required


def _flags_of(actions: list[argparse.Action]) -> list[str]:
    return [flag for action in actions for flag in action.option_strings]


def _as_shown(actions: list[argparse.Action]) -> list[argparse.Action]:
    """Return the switches of one name; if the help only shows how to switch it off, only those."""
    visible = [action for action in actions if action.help is not argparse.SUPPRESS]
    return visible if visible and all(action.const is False for action in visible) else actions


def _hidden_places(parser: argparse.ArgumentParser) -> dict[int, str]:
    """Return what a usage of the author's own calls positionals that have no help, by action."""
    places = [action for action in parser._actions if not action.option_strings]
    hidden = [action for action in places if action.help is argparse.SUPPRESS]
    if not hidden or not parser.usage:
        return {}
    documented = {str(word).lower() for action in places for word in (action.dest, action.metavar)}
    every = re.findall(r"[A-Za-z][\w-]*", _words_in_usage(parser))
    words = [word for word in every if word.lower() not in _OPTIONS]
    undocumented = [word for word in words if word.lower() not in documented]
    if len(hidden) == 1:
        return {id(hidden[0]): undocumented[0]} if undocumented else _named(hidden, words)
    return _named(hidden, words)


def _leaves_words(parser: argparse.ArgumentParser) -> bool:
    """Return whether a usage of the author's own shows words that the program reads by itself.

    That is what `parse_known_args` leaves to it.
    """
    if not parser.usage or any(not action.option_strings for action in parser._actions):
        return False
    names = re.findall(r"(?<!\S)(?:[\[<({]+[A-Za-z]|[A-Z])[\w-]*", _words_in_usage(parser))
    return any(name.lstrip("[<({").lower() not in _OPTIONS for name in names)


def _words_in_usage(parser: argparse.ArgumentParser) -> str:
    """Return a usage without its options."""
    option = r"(?<!\S)[\[<(]*-[^\s\]>)]+([ =](\[?[A-Z]\w*|\[?<[^>\s]*>))?[\]>)]*"
    return re.sub(option, " ", _usage_of(parser))


def _named(places: list[argparse.Action], words: list[str]) -> dict[int, str]:
    by_name = {word.lower(): word for word in words}
    return {
        id(action): by_name[action.dest.lower()]
        for action in places
        if action.dest.lower() in by_name
    }


def _is_constant(action: argparse.Action) -> bool:
    stores = _argparse._StoreConstAction | _argparse._AppendConstAction
    return isinstance(action, stores) and bool(action.option_strings)


def _stores(action: argparse.Action) -> bool:
    return isinstance(action, _argparse._StoreConstAction)


def _is_append(action: argparse.Action) -> bool:
    return isinstance(action, _argparse._AppendAction)


def _expanded(parser: argparse.ArgumentParser, text: str | None) -> str:
    if not text or text is argparse.SUPPRESS:
        return ""
    try:
        text = text % {"prog": parser.prog}
    except Exception:  # noqa: BLE001  # a wrong `%` in the author's text
        return plain_text(text)
    return plain_text(text)


def _usage_of(parser: argparse.ArgumentParser) -> str:
    return _usage(parser.format_usage, parser.prog)


def _usage(write: Callable[[], str], program: str) -> str:
    """Return a usage as its parser writes it, without the name of the program."""
    try:
        text = " ".join(write().split())
    except Exception:  # noqa: BLE001  # the author's text, or metavars that cannot be formatted
        return ""
    if program and program in text:  # a formatter of the author's own may put a heading above it
        text = text.partition(program)[2]
    return plain_text(text.removeprefix("usage:").removeprefix("Usage:").strip())[:MAX_USAGE]


def _version_of(parser: argparse.ArgumentParser) -> str:
    for action in parser._actions:
        if isinstance(action, _argparse._VersionAction):
            return plain_version(first_paragraph(_expanded(parser, getattr(action, "version", ""))))
    return ""


# -- optparse, whose options are argparse's under the same names

_TYPES: dict[str, Any] = {"string": None, "str": None, "int": int, "long": int, "float": float}
_FLAGS = ("store_true", "store_false", "count")
_CONSTANTS = ("store_const", "append_const")


def read_optparse(parser: optparse.OptionParser, name: str = "") -> Program:
    """Return the program of an `OptionParser`; `SchemaError` if it cannot be read."""
    name = name or plain_text(parser.get_prog_name())
    walk = Walk(name)
    root = walk.read((), lambda: _optparse_command(parser, walk), parser)
    version = plain_text(parser.get_version() if parser.version else "")
    return Program(
        name=name,
        root=root,
        framework="optparse",
        version=plain_version(first_paragraph(version)),
    )


def _optparse_command(parser: optparse.OptionParser, walk: Walk) -> Command:
    options = without_clashes(_Parameters(_as_argparse(parser), from_file="").read())
    usage = _usage(parser.get_usage, parser.get_prog_name())
    words = words_behind(usage, {option.name for option in options})
    walk.check_parameters((), options)
    text = plain_text(parser.get_description() if parser.description else "")
    return Command(
        summary=first_paragraph(text),
        description=text,
        examples=plain_text(parser.epilog),
        usage=usage,
        parameters=(*options, words),
        annotations=annotations_of(parser),
    )


def _as_argparse(parser: optparse.OptionParser) -> argparse.ArgumentParser:
    """Return a parser of argparse with the same options."""
    same = argparse.ArgumentParser(prog="", add_help=False)
    groups: list[Any] = [parser, *parser.option_groups]
    for option in (option for group in groups for option in group.option_list):
        if option.action in ("help", "version"):
            continue
        default = parser.defaults.get(option.dest) if option.dest else None
        strings = [*option._long_opts, *option._short_opts]
        name = flags_in_order(strings)[0].lstrip("-").replace("-", "_")
        settings: dict[str, Any] = {
            "dest": option.dest or name,
            "default": None if default is optparse.NO_DEFAULT else default,
            "help": _optparse_help(parser, option),
        }
        if option.action in _FLAGS:
            settings["action"] = option.action
        elif option.action in _CONSTANTS:
            settings |= {"action": option.action, "const": option.const}
        elif not option.takes_value():
            settings |= {"action": argparse.Action, "nargs": 0}
        else:
            kind = _TYPES.get(option.type, option.type) if not option.choices else None
            if isinstance(kind, str):
                same.register("type", kind, str)
            several = (option.nargs or 1) > 1
            settings |= {"action": "append" if option.action == "append" else "store", "type": kind}
            settings |= {"nargs": option.nargs if several else None, "choices": option.choices}
        same.add_argument(*strings, **settings)
    return same


def _optparse_help(parser: optparse.OptionParser, option: Any) -> str:
    if not option.help:
        return ""
    if option.help == optparse.SUPPRESS_HELP:
        return argparse.SUPPRESS
    try:
        text = parser.formatter.expand_default(option)
    except Exception:  # noqa: BLE001  # the author's text and defaults
        text = option.help
    return str(text).replace("%", "%%")
