"""Apps of Cyclopts."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..program import Command, CommandParameter, Exclusive, Program
from .parts import (
    Walk,
    annotations_of,
    array,
    counted,
    first_paragraph,
    flags_in_order,
    plain_text,
    rendered,
    switch,
    tuple_of,
    valued,
    with_default,
    without_clashes,
)
from .value_kinds import Kind, bare, choices, json_schema_of, kind_of_hint, limits, path_kind

_DURATION = Kind(
    schema={"type": "string", "pattern": r"^-?([0-9]+(\.[0-9]+)?[smhdwMy])+$"},
    note="A duration such as 1h30m; units are s, m, h, d, w, M (30 days) and y.",
)


def read_cyclopts(app: Any, name: str = "") -> Program:
    """Return the program of a Cyclopts app; `SchemaError` if it cannot be read."""
    name = name or _app_name(app)
    reader = _CycloptsReader(name, app)
    root = reader.walk.read((), lambda: reader.command(app, ()), app)
    version = app.version if isinstance(app.version, str) else ""
    return Program(
        name=name,
        root=root,
        framework="cyclopts",
        version=plain_text(version),
        takes_dashes=app.end_of_options_delimiter in (None, "--"),
        left_out=tuple(reader.walk.left_out),
    )


def _app_name(app: Any) -> str:
    """Return the author's name for an app, or else the name of the file that runs.

    Cyclopts would use `python -m toolwright` or `shop.py`, as it was started.
    """
    if getattr(app, "_name", app.name) is None and app.default_command is None:
        return Path(sys.argv[0]).stem
    return plain_text(next(iter(app.name), ""))


class _CycloptsReader:
    def __init__(self, name: str, app: Any) -> None:
        self.walk = Walk(name)
        self.from_file = str(app.argfile_prefix or "")[:1]
        self.is_markup = False
        """Whether the texts of the command that is read are in Rich's markup."""

    def command(self, app: Any, path: tuple[str, ...], markup: Any = None) -> Command:
        markup = getattr(app, "help_format", None) or markup
        self.is_markup = markup == "rich"
        meta = getattr(app, "_meta", None)
        runner = app if meta is None or meta.default_command is None else meta
        arguments = [] if runner.default_command is None else self.arguments(runner)
        parameters = without_clashes(self.parameters(arguments))
        self.walk.check_parameters(path, parameters)
        summary, text = _texts_of(app, is_markup=self.is_markup)
        examples = self.text(getattr(app, "help_epilogue", None))
        commands = tuple(self.below(app, path, markup))
        return Command(
            path=path,
            summary=summary,
            description=text,
            examples=examples,
            usage=plain_text(app.usage),
            parameters=parameters,
            # A meta app takes its parameters whatever command follows.
            passes_parameters=runner is not app or not commands or not parameters,
            commands=commands,
            runs=app.default_command is not None,
            hidden=not app.show,
            exclusive=tuple(_exclusive(arguments, parameters)),
            annotations=annotations_of(app.default_command, app),
        )

    def arguments(self, app: Any) -> list[Any]:
        arguments = app.assemble_argument_collection(parse_docstring=True)
        return [argument for argument in arguments if argument.parse]

    def text(self, text: Any) -> str:
        return rendered(text, is_markup=self.is_markup)

    def below(self, app: Any, path: tuple[str, ...], markup: Any) -> Iterator[Command]:
        words: dict[int, list[str]] = {}
        apps: dict[int, Any] = {}
        for word in app:
            if not str(word).startswith("-"):  # `--help` and `--version` are also commands
                child = app[word]
                words.setdefault(id(child), []).append(word)
                apps[id(child)] = child
        for key, (word, *aliases) in words.items():
            child_path, child = (*path, word), apps[key]
            command = self.walk.read(
                child_path,
                lambda path=child_path, child=child: self.command(child, path, markup),
                child,
            )
            if command is not None:
                yield replace(command, aliases=tuple(aliases))

    def help(self, a: Any) -> str:
        return " ".join(self.text(a.parameter.help).split())

    def parameters(self, arguments: list[Any]) -> Iterator[CommandParameter]:
        carried: list[tuple[str, ...]] = []
        for argument in arguments:
            flags = _flags_of(argument)
            if any(
                flag.startswith(f"{head}.") for heads in carried for head in heads for flag in flags
            ):
                continue  # the fields of a value that is sent as JSON
            kind = json_schema_of(argument.parameter.converter, argument.hint)
            if kind is not None:
                carried.append(flags)
                text = self.help(argument)
                yield self.defaulted(
                    valued(
                        _name_of(argument),
                        kind,
                        flags,
                        "value",
                        kind.schema,
                        text,
                        **_common(argument),
                    ),
                    argument,
                )
            elif not argument.children and argument.field_info.kind.name != "VAR_KEYWORD":
                yield self.parameter(argument)

    def parameter(self, a: Any) -> CommandParameter:
        flags, name, common = _flags_of(a), _name_of(a), _common(a)
        hint = bare(a.hint)
        if a.parameter.count:
            return self.defaulted(counted(name, flags, description=self.help(a), **common), a)
        words, several = a.token_count()
        if flags and _is_mapping(a):
            members = typing.get_args(hint)
            kind = self.kind_of(a, members[1] if len(members) == 2 else str)
            schema = {"type": "object", "additionalProperties": dict(kind.schema)}
            parameter = valued(name, kind, flags, "dotted", schema, self.help(a), **common)
            return self.defaulted(parameter, a)
        if (words, several) == (0, False) and flags:
            parameter = switch(name, flags, a.negatives, description=self.help(a), **common)
            if not a.negatives:
                parameter = replace(parameter, emit="truth")
            return self.defaulted(parameter, a)
        return self.valued(a, words, several=several)

    def valued(self, a: Any, words: int, *, several: bool) -> CommandParameter:
        flags, name, common = _flags_of(a), _name_of(a), _common(a)
        hint = bare(a.hint)
        if not flags and a.field_info.kind.name == "VAR_POSITIONAL":
            several = True
            item = hint if typing.get_origin(hint) is not tuple else bare(typing.get_args(hint)[0])
            members = typing.get_args(item) if words > 1 else (item,)
        elif several:
            item = bare((typing.get_args(hint) or (str,))[0])
            members = typing.get_args(item) if words > 1 else (item,)
        else:
            members = typing.get_args(hint) if words > 1 else (hint,)
        kinds = [self.kind_of(a, member) for member in members]
        schema = dict(kinds[0].schema) if words <= 1 else tuple_of(kinds)
        emit = "value" if words <= 1 else "words"
        if several:
            low = 1 if common["required"] else None
            schema, emit = array(schema, low), "repeat"
        kind = self.guarded(a, kinds, emit)
        if not flags:
            emit = "value" if emit == "value" else "rest"
            negatives: tuple[str, ...] = ()
        else:
            emit = "truth" if emit == "value" and schema.get("type") == "boolean" else emit
            negatives = flags_in_order(a.negatives) if several else ()
        refused = _read_as_null(a, kinds, words)
        parameter = valued(name, kind, flags, emit, schema, self.help(a), **common)
        return self.defaulted(replace(parameter, negatives=negatives, refused_values=refused), a)

    def guarded(self, a: Any, kinds: list[Kind], emit: str) -> Kind:
        """Return a kind that refuses values that Cyclopts would read as JSON or as a file."""
        refused = "".join(dict.fromkeys(c for kind in kinds for c in kind.refused))
        texts = [kind for kind in kinds if kind.schema.get("type") == "string"]
        explicit = bool(a.parameter.json_list) or bool(a.parameter.json_dict)
        plain = str in typing.get_args(bare(a.hint)) and not explicit
        if emit == "repeat" and texts and not plain:
            refused += "[{ \t\r\n"  # Cyclopts strips the text first
        if emit == "words" or (emit == "repeat" and len(kinds) > 1):
            refused += self.from_file
        return replace(kinds[0], refused=refused)

    def kind_of(self, a: Any, hint: Any) -> Kind:
        hint = bare(hint)
        listed = a.get_choices(force=True)
        kind = kind_of_hint(hint, lambda member: a.parameter.name_transform(member.name), _DURATION)
        if listed and "enum" not in kind.schema:
            return choices(listed)
        is_enum = "enum" in kind.schema and typing.get_origin(hint) is not typing.Literal
        kind = replace(kind, ignores_case=is_enum)  # names are compared after a transformation
        for validator in a.parameter.validator:
            kind = _validated(kind, validator)
        return kind

    def defaulted(self, parameter: CommandParameter, a: Any) -> CommandParameter:
        value = a.field_info.default
        if value is inspect.Parameter.empty or parameter.required or isinstance(value, type):
            return parameter
        if isinstance(a.parameter.show_default, str):
            return replace(parameter, default_text=plain_text(a.parameter.show_default))
        return with_default(
            parameter, value, lambda member: a.parameter.name_transform(member.name)
        )


def _read_as_null(a: Any, kinds: list[Kind], words: int) -> tuple[str, ...]:
    """Return the texts that mean null: where null is tried first, or the rest does not fit."""
    members = typing.get_args(_without_metadata(a.field_info.annotation))
    takes_text = any(kind.schema.get("type") == "string" for kind in kinds)
    is_first = bool(members) and members[0] is type(None)
    if takes_text and type(None) in members and (words > 1 or is_first):
        return ("none", "null")
    return ()


def _without_metadata(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


def _is_mapping(a: Any) -> bool:
    origin = typing.get_origin(bare(a.hint)) or bare(a.hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _validated(kind: Kind, validator: Any) -> Kind:
    name = type(validator).__name__
    if name == "Number" and kind.schema.get("type") in ("integer", "number"):
        low = validator.gt if validator.gt is not None else validator.gte
        high = validator.lt if validator.lt is not None else validator.lte
        ends = limits(
            low, high, low_open=validator.gt is not None, high_open=validator.lt is not None
        )
        note = f"A multiple of {validator.modulo}." if validator.modulo is not None else kind.note
        return replace(kind, schema={**kind.schema, **ends}, note=note)
    if name == "Path" and kind.schema.get("format") == "path":
        return path_kind(validator)
    return kind


def _flags_of(a: Any) -> tuple[str, ...]:
    if a.field_info.kind.name in ("POSITIONAL_ONLY", "VAR_POSITIONAL"):
        return ()
    negatives = set(a.negatives)
    return flags_in_order(flag for flag in a.names if flag not in negatives)


def _name_of(a: Any) -> str:
    """Return the name of a parameter; that of a field begins with the parameter's."""
    first = str(next(iter(a.names), "")).lstrip("-")
    nested = "." in first
    return re.sub(r"\W+", "_", first) if nested else str(a.field_info.name)


def _common(a: Any) -> dict[str, Any]:
    return {
        "required": bool(a.required),
        "hidden": not a.show,
        "environment": tuple(a.parameter.env_var or ()),
    }


def _texts_of(app: Any, *, is_markup: bool) -> tuple[str, str]:
    """Return the short and the long help of an app, without what it says about parameters."""
    text = rendered(app.help, is_markup=is_markup)
    parser = sys.modules.get("docstring_parser")
    if parser is not None and text:
        try:
            parsed = parser.parse(text)
        except Exception:  # noqa: BLE001  # the author's text
            return first_paragraph(text), text
        short = first_paragraph(plain_text(parsed.short_description))
        parts = (short, plain_text(parsed.long_description))
        return short, "\n\n".join(part for part in parts if part)
    return first_paragraph(text), text


def _exclusive(
    arguments: list[Any], parameters: tuple[CommandParameter, ...]
) -> Iterator[Exclusive]:
    names_offered = {parameter.name for parameter in parameters}
    groups: dict[int, tuple[Any, list[str]]] = {}
    for argument in arguments:
        for group in argument.parameter.group or ():
            if not isinstance(group, str) and _name_of(argument) in names_offered:
                groups.setdefault(id(group), (group, []))[1].append(_name_of(argument))
    for group, names in groups.values():
        for validator in group.validator or ():
            is_choice = any(c.__name__ == "LimitedChoice" for c in type(validator).__mro__)
            if is_choice and validator.max == 1 and validator.min in (0, 1) and len(names) > 1:
                required = validator.min == 1 and not validator.allow_none
                yield Exclusive(names=tuple(names), required=required)
