"""Parsers of optparse: options, and the words after them."""

from __future__ import annotations

import optparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..program import Command, CommandParameter, Program
from .parts import (
    MAX_USAGE,
    Walk,
    annotations_of,
    array,
    chosen_by_flags,
    described,
    first_paragraph,
    flags_in_order,
    only_informs,
    plain_text,
    plain_version,
    valued,
    with_default,
    without_clashes,
)
from .value_kinds import INTEGER, TEXT, Kind, choices

_KINDS = {
    "string": TEXT,
    "str": TEXT,
    "int": INTEGER,
    "long": INTEGER,
    "float": Kind(schema={"type": "number"}),
}


def read_optparse(parser: optparse.OptionParser, name: str = "") -> Program:
    """Return the program of an `OptionParser`; `SchemaError` if it cannot be read."""
    name = name or plain_text(parser.get_prog_name())
    walk = Walk(name)
    root = walk.read((), lambda: _command(parser, walk), parser)
    version = plain_text(parser.get_version() if parser.version else "")
    return Program(
        name=name,
        root=root,
        framework="optparse",
        version=plain_version(first_paragraph(version)),
    )


def _command(parser: optparse.OptionParser, walk: Walk) -> Command:
    options = without_clashes(_options(parser))
    names_taken = {option.name for option in options}
    usage = _usage_of(parser)
    words = CommandParameter(
        name=next(name for name in ("args", "arguments", "words", "") if name not in names_taken),
        schema=array({"type": "string"}),
        emit="rest",
        description=f"What stands behind the options: `{usage}`." if usage else "",
    )
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


def _options(parser: optparse.OptionParser) -> Iterator[CommandParameter]:
    groups: dict[str, list[Any]] = {}
    every = [*parser.option_list, *(o for group in parser.option_groups for o in group.option_list)]
    for option in every:
        informs = option.action in ("help", "version") or (
            not option.takes_value() and only_informs(_strings(option))
        )
        if not informs:
            groups.setdefault(option.dest or option.get_opt_string(), []).append(option)
    for options in groups.values():
        yield from _group(parser, options)


def _group(parser: optparse.OptionParser, options: list[Any]) -> Iterator[CommandParameter]:
    """Yield the parameters of options that share a destination."""
    constants = [option for option in options if option.action in ("store_const", "append_const")]
    switches = [option for option in options if option.action in ("store_true", "store_false")]
    if len(switches) == len(options):
        visible = [option for option in options if not _is_hidden(option)]
        only_off = visible and all(option.action == "store_false" for option in visible)
        yield _switch(parser, visible if only_off else options)
        return
    if [option.action for option in options] == ["store_const"]:
        yield replace(_flag(parser, options[0]), default=False)
        return
    if len(constants) == len(options):
        yield _choice(parser, options)
        return
    for option in options:
        if option in constants or option in switches:
            yield replace(_flag(parser, option), name=_name_of(option, by_flag=True))
        else:
            yield _option(parser, option)


def _switch(parser: optparse.OptionParser, options: list[Any]) -> CommandParameter:
    on = [flag for option in options if option.action == "store_true" for flag in _strings(option)]
    off = [
        flag for option in options if option.action == "store_false" for flag in _strings(option)
    ]
    parameter = CommandParameter(
        name=_name_of(options[0]),
        schema={"type": "boolean"},
        emit="pair" if on and off else "flag" if on else "negative",
        flags=flags_in_order(on),
        negatives=flags_in_order(off),
        description=described(*dict.fromkeys(_help(parser, option) for option in options)),
        hidden=all(_is_hidden(option) for option in options),
    )
    return with_default(parameter, _default_of(parser, options[0]))


def _choice(parser: optparse.OptionParser, options: list[Any]) -> CommandParameter:
    flags = [flags_in_order(_strings(option))[0] for option in options]
    schema, chosen = chosen_by_flags(zip((option.const for option in options), flags, strict=True))
    default: Any = None
    for option, value in zip(options, schema["enum"], strict=True):
        if option.const is not None and _default_of(parser, option) == option.const:
            default = value
    several = any(option.action == "append_const" for option in options)
    parameter = CommandParameter(
        name=_name_of(options[0]),
        schema=array(schema) if several else schema,
        emit="choices" if several else "choice",
        chosen_by=chosen,
        description=described(*dict.fromkeys(_help(parser, option) for option in options)),
        hidden=all(_is_hidden(option) for option in options),
    )
    return with_default(parameter, None if several else default)


def _flag(parser: optparse.OptionParser, option: Any) -> CommandParameter:
    return CommandParameter(
        name=_name_of(option),
        schema={"type": "boolean"},
        emit="flag",
        flags=flags_in_order(_strings(option)),
        description=_help(parser, option),
        hidden=_is_hidden(option),
    )


def _option(parser: optparse.OptionParser, option: Any) -> CommandParameter:
    flags = flags_in_order(_strings(option))
    more: dict[str, Any] = {"hidden": _is_hidden(option)}
    text = _help(parser, option)
    if option.action == "count":
        schema = {"type": "integer", "minimum": 0}
        parameter = valued(_name_of(option), INTEGER, flags, "count", schema, text, **more)
        return with_default(parameter, _default_of(parser, option))
    if not option.takes_value():
        return _flag(parser, option)
    kind = choices(option.choices) if option.choices else _KINDS.get(option.type)
    kind = kind or Kind(type_name=str(option.type))
    several = (option.nargs or 1) > 1
    schema = array(kind.schema, option.nargs, option.nargs) if several else dict(kind.schema)
    emit = "words" if several else "value"
    if option.action == "append":
        emit, schema = "repeat", array(schema)
    parameter = valued(_name_of(option), kind, flags, emit, schema, text, **more)
    return with_default(parameter, _default_of(parser, option))


def _strings(option: Any) -> list[str]:
    return [*option._long_opts, *option._short_opts]


def _name_of(option: Any, *, by_flag: bool = False) -> str:
    name = flags_in_order(_strings(option))[0].lstrip("-").replace("-", "_")
    return name if by_flag else option.dest or name


def _is_hidden(option: Any) -> bool:
    return option.help is optparse.SUPPRESS_HELP or option.help == optparse.SUPPRESS_HELP


def _help(parser: optparse.OptionParser, option: Any) -> str:
    if not option.help or _is_hidden(option):
        return ""
    try:
        text = parser.formatter.expand_default(option)
    except Exception:  # noqa: BLE001  # the author's text and defaults
        text = option.help
    return " ".join(plain_text(text).split())


def _default_of(parser: optparse.OptionParser, option: Any) -> Any:
    value = parser.defaults.get(option.dest) if option.dest else None
    # A value is text until its type has converted it; `choices` are compared as text.
    return None if value is optparse.NO_DEFAULT else value


def _usage_of(parser: optparse.OptionParser) -> str:
    try:
        text = " ".join(parser.get_usage().split())
    except Exception:  # noqa: BLE001  # the author's text
        return ""
    text = plain_text(text).removeprefix("Usage:").strip()
    return text.removeprefix(parser.get_prog_name()).strip()[:MAX_USAGE]
