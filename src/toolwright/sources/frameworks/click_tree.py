"""Commands of Click and of Typer, whose commands are like them."""

from __future__ import annotations

import enum
import importlib.metadata
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..program import UNSET, Command, CommandParameter, Program
from .parts import (
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
    never_empty,
    only_informs,
    plain_text,
    rendered,
    switch,
    tuple_of,
    valued,
    with_default,
    with_nothing,
    without_clashes,
)
from .value_kinds import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Kind,
    choices,
    clamped,
    file_kind,
    forms_of_time,
    json_schema_of,
    kind_of_callable,
    kind_of_hint,
    limits,
    path_kind,
)

# -- parameter types, by their names

_OWN = ("click.", "typer.", "asyncclick.")


def class_names(value: Any) -> set[str]:
    """Return the names of a value's class and of its base classes."""
    return {base.__name__ for base in type(value).__mro__}


def kind_of_type(param_type: Any) -> Kind:
    """Return the kind of a `click.ParamType`."""
    carried = json_schema_of(param_type, getattr(param_type, "func", None))
    if carried is not None:
        return carried
    names = class_names(param_type)
    # Typer's copies have names of their own (`TyperChoice`), so attributes identify them.
    if hasattr(param_type, "choices") and hasattr(param_type, "case_sensitive"):
        spelled = [spelled_choice(choice) for choice in param_type.choices]
        ignores_case = not getattr(param_type, "case_sensitive", True)
        return replace(choices(spelled), ignores_case=ignores_case)
    if "FuncParamType" in names:
        return kind_of_callable(param_type.func)
    if "File" in names:
        return file_kind(getattr(param_type, "mode", "r"))
    if hasattr(param_type, "file_okay") and hasattr(param_type, "dir_okay"):
        return path_kind(param_type)
    if not type(param_type).__module__.startswith(_OWN):
        # A type of the program's own may accept other texts than the type that it derives from.
        return Kind(type_name=str(getattr(param_type, "name", type(param_type).__name__)))
    return _plain_kind(param_type, names)


def _plain_kind(param_type: Any, names: set[str]) -> Kind:
    if "IntParamType" in names or "FloatParamType" in names:
        number = INTEGER if "IntParamType" in names else Kind(schema={"type": "number"})
        return _ranged(number, param_type) if hasattr(param_type, "clamp") else number
    if "BoolParamType" in names:
        return BOOLEAN
    if "UUIDParameterType" in names:
        return Kind(schema={"type": "string", "format": "uuid"})
    if "DateTime" in names:
        return forms_of_time(param_type.formats)
    if names & {"StringParamType", "UnprocessedParamType"}:
        return TEXT
    return Kind(type_name=str(getattr(param_type, "name", type(param_type).__name__)))


def _ranged(number: Kind, param_type: Any) -> Kind:
    if param_type.clamp:
        return clamped(number, param_type.min, param_type.max)
    low_open, high_open = (
        getattr(param_type, "min_open", False),
        getattr(param_type, "max_open", False),
    )
    ends = limits(param_type.min, param_type.max, low_open=low_open, high_open=high_open)
    return replace(number, schema={**number.schema, **ends})


def spelled_choice(value: Any) -> Any:
    """Return how a choice is written: Click uses the name of an enum member (since 8.2)."""
    return value.name if isinstance(value, enum.Enum) else value


# -- commands

KindsOf = Callable[[Any], tuple[Kind, list[Kind] | None]]
"""Returns the kind of a parameter's word, and the kinds of its words if it takes a tuple."""

_COMPLETION = frozenset(("install_completion", "show_completion"))


def read_click(
    root: Any, name: str = "", *, kinds_of: KindsOf | None = None, framework: str = "click"
) -> Program:
    """Return the program of a Click command; `SchemaError` if it cannot be read."""
    name = name or plain_text(getattr(root, "name", "") or "")
    reader = _ClickReader(name, kinds_of or click_kinds)
    command = reader.walk.read((), lambda: reader.command(root, (), None))
    return Program(
        name=name,
        root=command,
        framework=framework,
        version=_version_of(root),
        left_out=tuple(reader.walk.left_out),
    )


def click_kinds(parameter: Any) -> tuple[Kind, list[Kind] | None]:
    """Return the kinds of a parameter that has a `type`."""
    param_type = parameter.type
    if "Tuple" in class_names(param_type):
        return TEXT, [kind_of_type(member_type) for member_type in param_type.types]
    return kind_of_type(param_type), None


class _ClickReader:
    def __init__(self, name: str, kinds_of: KindsOf) -> None:
        self.walk = Walk(name)
        self.name = name
        self.kinds_of = kinds_of

    def command(self, command: Any, path: tuple[str, ...], parent: Any) -> Command:
        info_name = path[-1] if path else self.name or None
        settings = dict(getattr(command, "context_settings", None) or {})
        # Not `make_context`: it parses words and runs the callbacks of parameters.
        context = command.context_class(command, info_name=info_name, parent=parent, **settings)
        parameters = without_clashes(self.parameters(command.params, context))
        self.walk.check_parameters(path, parameters)
        is_group = hasattr(command, "list_commands")
        is_markup = _is_markup(context)
        # Click shows nothing behind a form feed, and `\b` alone keeps the lines of a paragraph.
        text = rendered((getattr(command, "help", None) or "").split("\f")[0], is_markup=is_markup)
        text = text.replace("\b\n", "")
        summary = rendered(getattr(command, "short_help", None), is_markup=is_markup)
        return Command(
            path=path,
            summary=first_paragraph(summary or text),
            description=text,
            examples=rendered(getattr(command, "epilog", None), is_markup=is_markup),
            usage=_usage_of(command, context),
            parameters=parameters,
            commands=tuple(self.below(command, path, context)) if is_group else (),
            runs=not is_group or bool(getattr(command, "invoke_without_command", False)),
            hidden=bool(getattr(command, "hidden", False)),
            deprecated=bool(getattr(command, "deprecated", False)),
            annotations=annotations_of(getattr(command, "callback", None), command),
        )

    def below(self, group: Any, path: tuple[str, ...], context: Any) -> Iterator[Command]:
        for name in group.list_commands(context):
            child_path = (*path, name)
            command = self.walk.read(
                child_path, lambda path=child_path: self.child(group, path, context)
            )
            if command is not None:
                yield command

    def child(self, group: Any, path: tuple[str, ...], context: Any) -> Command:
        command = group.get_command(context, path[-1])
        if not hasattr(command, "params") or not hasattr(command, "context_class"):
            raise self.walk.refusal(path, "is listed, but there is no such command")
        ancestor = context
        while ancestor is not None:
            if ancestor.command is command:
                raise self.walk.refusal(path, "contains itself")
            ancestor = ancestor.parent
        return self.command(command, path, context)

    # -- parameters

    def parameters(self, params: Iterable[Any], context: Any) -> Iterator[CommandParameter]:
        groups: dict[str, list[Any]] = {}
        for param in params:
            is_flag = bool(getattr(param, "is_flag", False))
            informs = is_flag and (
                only_informs(param.opts) or (param.is_eager and param.name in ("help", "version"))
            )
            if not informs and param.name not in _COMPLETION:
                groups.setdefault(param.name or "", []).append(param)
        for name, namesakes in groups.items():
            flags = [param for param in namesakes if getattr(param, "is_flag", False)]
            if len(flags) == len(namesakes):
                yield from self.flags(name, namesakes, context)
                continue
            for param in namesakes:
                if param in flags:
                    yield from self.flags(_own_name(param), [param], context)
                else:
                    yield self.parameter(param, context)

    def parameter(self, p: Any, context: Any) -> CommandParameter:
        is_option = p.param_type_name == "option"
        kind, parts = self.kinds_of(p)
        flags = flags_in_order(p.opts) if is_option else ()
        common = self.common(p, context)
        if getattr(p, "count", False):
            most = kind.schema.get("maximum")
            parameter = counted(
                p.name,
                flags,
                most,
                description=_help(p, context),
                type_name=kind.type_name,
                **common,
            )
            return self.defaulted(parameter, p, context)
        several = p.nargs != 1 or getattr(p, "multiple", False)
        if kind.is_json and several:
            kind = replace(TEXT, note="JSON.")
        if not several:
            needs_value = is_option and bool(getattr(p, "_flag_needs_value", False))
            is_truth = kind.schema.get("type") == "boolean"
            emit = "optional" if needs_value else "truth" if is_truth else "value"
            schema = dict(kind.schema)
            if needs_value and _alone(p) is not UNSET:
                schema = with_nothing(schema)
            emit = emit if is_option else "value"
            parameter = valued(p.name, kind, flags, emit, schema, _help(p, context), **common)
            return self.defaulted(parameter, p, context)
        return self.defaulted(
            self.several(p, kind, parts, flags, {**common, "text": _help(p, context)}), p, context
        )

    def several(
        self, p: Any, kind: Kind, parts: list[Kind] | None, flags: tuple[str, ...], common: Any
    ) -> CommandParameter:
        multiple = bool(getattr(p, "multiple", False))
        text = common.pop("text")
        low = 1 if common.get("required") else None
        if parts is not None:
            schema = tuple_of(parts)
            kind = replace(TEXT, refused="".join(sorted({c for k in parts for c in k.refused})))
        elif p.nargs > 1:
            schema = array(kind.schema, p.nargs, p.nargs)
        else:
            schema = array(kind.schema, low)
        if multiple and p.nargs != 1:
            schema = array(schema, low)
        emit = "rest" if not flags else "repeat" if multiple else "words"
        return valued(p.name, kind, flags, emit, schema, text, **common)

    def flags(self, name: str, params: list[Any], context: Any) -> Iterator[CommandParameter]:
        """Yield the one parameter that flags of the same name make up: a boolean, or a choice."""
        if not all(getattr(param, "is_bool_flag", False) for param in params):
            is_single = len(params) == 1 and not getattr(params[0], "multiple", False)
            yield (self.constant if is_single else self.choice)(name, params, context)
            return
        if getattr(params[0], "multiple", False):
            yield self.many_booleans(name, params[0], context)
            return
        # What holds without a flag may be said at one that the help does not show.
        by_default = next((param for param in params if _has_default(param)), params[0])
        params = _as_shown(params)
        on: list[str] = []
        off: list[str] = []
        for param in params:
            says_no = getattr(param, "flag_value", None) is False and not param.secondary_opts
            (off if says_no else on).extend(param.opts)
            off.extend(param.secondary_opts)
        parameter = switch(name, on, off, **self.shared(params, context))
        yield self.defaulted(parameter, by_default, context)

    def constant(self, name: str, params: list[Any], context: Any) -> CommandParameter:
        """Return the boolean of a flag that stands for its value."""
        (p,) = params
        parameter = switch(name, p.opts, **self.shared(params, context))
        raw = _default_of(p, context)
        stands = raw is True or (raw is not None and raw == getattr(p, "flag_value", None))
        return replace(parameter, default=stands)

    def many_booleans(self, name: str, p: Any, context: Any) -> CommandParameter:
        chosen = {"true": flags_in_order(p.opts)[:1], "false": flags_in_order(p.secondary_opts)[:1]}
        chosen_by = {word: flags[0] for word, flags in chosen.items() if flags}
        common = self.shared([p], context)
        return choice(name, {"type": "boolean"}, chosen_by, several=True, **common)

    def choice(self, name: str, params: list[Any], context: Any) -> CommandParameter:
        default: Any = None
        params = [param for param in params if not getattr(param, "hidden", False)] or params
        schema, chosen = chosen_by_flags(
            (getattr(param, "flag_value", None), flags_in_order(param.opts)[0]) for param in params
        )
        for param, value in zip(params, schema["enum"], strict=True):
            raw = _default_of(param, context)
            if raw is True or (raw is not None and raw == getattr(param, "flag_value", None)):
                default = value
            elif isinstance(raw, str) and default is None:
                default = raw
        several = bool(getattr(params[0], "multiple", False))
        parameter = choice(name, schema, chosen, several=several, **self.shared(params, context))
        return with_default(parameter, default if not several else None)

    def shared(self, params: list[Any], context: Any) -> dict[str, Any]:
        """Return the fields of a parameter that several flags make up."""
        return self.common(params[0], context) | {
            "description": described(*dict.fromkeys(_help(param, context) for param in params)),
            "required": any(self.common(param, context)["required"] for param in params),
            "hidden": all(getattr(param, "hidden", False) for param in params),
        }

    def common(self, p: Any, context: Any) -> dict[str, Any]:
        """Return the fields that every parameter has."""
        prompts = getattr(p, "prompt", None) is not None and getattr(p, "prompt_required", True)
        is_flag = bool(getattr(p, "is_flag", False))
        fields: dict[str, Any] = {
            # Without a terminal a prompt fails, even if it has a default.
            "required": bool(p.required) or (prompts and not is_flag),
            "hidden": bool(getattr(p, "hidden", False)),
            "deprecated": bool(getattr(p, "deprecated", False)),
            "confirms": bool(is_flag and prompts),
            "environment": tuple(_variables_of(p, context)),
        }
        if getattr(p, "hide_input", False):
            fields["secret"] = True
        return fields if p.param_type_name == "option" else fields | metavar_of(p)

    def defaulted(self, parameter: CommandParameter, p: Any, context: Any) -> CommandParameter:
        shown_default = getattr(p, "show_default", None)
        value = _default_of(p, context)
        if isinstance(shown_default, str) and not (parameter.emit == "flag" and value is True):
            return replace(parameter, default_text=plain_text(shown_default))
        if p.required and parameter.schema.get("type") != "boolean":
            value = None
        spell = spelled_choice if not hasattr(p, "type_descriptor") else None
        with_it = with_default(parameter, value, spell)
        if parameter.required and with_it.default is not UNSET and not p.required:
            # The default that a prompt offers: the value must be sent all the same.
            return replace(parameter, default_text=first_paragraph(plain_text(str(value))))
        return never_empty(with_it)


def _as_shown(params: list[Any]) -> list[Any]:
    """Return the flags of one name; if the help only shows how to switch it off, only those."""
    visible = [param for param in params if not getattr(param, "hidden", False)]
    off = [
        getattr(param, "flag_value", None) is False and not param.secondary_opts
        for param in visible
    ]
    return visible if visible and all(off) else params


def _has_default(p: Any) -> bool:
    """Return whether an option has a default of its own."""
    return p.default is not None and not _is_unset(p.default)


def _is_markup(context: Any) -> bool:
    """Return whether the program's own help reads its texts as Rich's markup."""
    help_config: Any = getattr(context, "help_config", None)  # of rich-click
    if help_config is not None:
        return getattr(help_config, "text_markup", None) == "rich" or bool(
            getattr(help_config, "use_rich_markup", False)
        )
    return getattr(context.command, "rich_markup_mode", None) == "rich"  # of Typer


def _help(p: Any, context: Any) -> str:
    """Return a help text with wrapped lines joined again."""
    text = rendered(getattr(p, "help", None), is_markup=_is_markup(context))
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _own_name(p: Any) -> str:
    return re.sub(r"\W+", "_", flags_in_order(p.opts or p.secondary_opts)[0].lstrip("-+/"))


def _alone(p: Any) -> Any:
    """Return what an option means without its value; `UNSET` if it then prompts."""
    if getattr(p, "prompt", None) is not None:
        return UNSET
    value = getattr(p, "flag_value", None)
    return UNSET if value is None or "UNSET" in str(value) else value


def _default_of(p: Any, context: Any) -> Any:
    try:
        # Not called: what a default works out now need not hold for the next call.
        value = p.get_default(context, call=False)
    except (Exception, SystemExit):  # noqa: BLE001  # the author's code, or a map of defaults
        value = p.default
    return None if _is_unset(value) else value


def _is_unset(value: Any) -> bool:
    # Click 8.3 and later say "not given" with a member of their own enumeration.
    return type(value).__name__ == "Sentinel"


def _variables_of(p: Any, context: Any) -> Iterator[str]:
    variables = getattr(p, "envvar", None)
    if isinstance(variables, str):
        yield variables
    elif isinstance(variables, list | tuple):
        yield from (str(variable) for variable in variables)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    elif getattr(p, "allow_from_autoenv", False) and context.auto_envvar_prefix and p.name:
        yield f"{context.auto_envvar_prefix}_{p.name.upper()}"


def _usage_of(command: Any, context: Any) -> str:
    try:
        return " ".join(command.collect_usage_pieces(context))
    except (Exception, SystemExit):  # noqa: BLE001  # metavars are made by the author's types
        return ""


def _version_of(root: Any) -> str:
    """Return what `click.version_option` would print as the version."""
    for p in root.params:
        callback: Any = getattr(p, "callback", None)
        code = getattr(callback, "__code__", None)
        if not p.is_eager or code is None or "version" not in code.co_freevars:
            continue
        closure = dict(zip(code.co_freevars, callback.__closure__ or (), strict=True))
        version, package = (_content(closure.get(name)) for name in ("version", "package_name"))
        if isinstance(version, str):
            return version
        if isinstance(package, str):
            try:
                return importlib.metadata.version(package)
            except importlib.metadata.PackageNotFoundError:
                return ""
    return ""


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except (AttributeError, ValueError):
        return None


# -- Typer, in each of its three generations
#
# Up to 0.25 its commands are Click's. From 0.26 on they are copies of Click's classes. Since 0.29 a
# parameter has a `type_descriptor` instead of a `type`. So nothing here checks for a class.


def read_typer(app: Any, name: str = "") -> Program:
    """Return the program of a Typer app, or of a command made from one."""
    root = app
    if not hasattr(app, "params"):
        main: Any = sys.modules[
            next(base for base in type(app).__mro__ if base.__name__ == "Typer").__module__
        ]
        root = main.get_command(app)
        name = name or plain_text(getattr(getattr(app, "info", None), "name", None))
    program = read_click(root, name, kinds_of=_kinds_of, framework="typer")
    hints = {**annotations_of(app), **program.root.annotations}  # the app itself is no command
    return replace(program, root=replace(program.root, annotations=hints))


def _kinds_of(parameter: Any) -> tuple[Kind, list[Kind] | None]:
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None:
        return click_kinds(parameter)
    info = descriptor.parameter_info
    carried = json_schema_of(getattr(info, "parser", None), getattr(info, "click_type", None))
    if carried is not None:
        return carried, None
    if getattr(info, "parser", None) is not None:
        return kind_of_callable(info.parser), None
    hint = descriptor.annotation
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(origin, type) and issubclass(origin, tuple):
        return TEXT, [_kind_of(member, parameter) for member in members]
    if isinstance(origin, type) and issubclass(origin, list):
        hint = members[0]
    return _kind_of(hint, parameter), None


def _kind_of(hint: Any, parameter: Any) -> Kind:
    descriptor = parameter.type_descriptor
    info = descriptor.parameter_info
    if _is_file(hint):
        mode = getattr(info, "mode", None) or ("w" if "Write" in hint.__name__ else "r")
        return file_kind(mode)
    kind = kind_of_hint(hint, _spelled)
    if kind.schema.get("format") == "path":
        return path_kind(info)
    if "enum" in kind.schema:
        return replace(kind, ignores_case=not descriptor.case_sensitive)
    if getattr(hint, "__name__", "") == "datetime" and getattr(info, "formats", None):
        return forms_of_time(info.formats)
    if kind.schema.get("type") in ("integer", "number"):
        low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
        if getattr(info, "clamp", False):
            return clamped(kind, low, high)
        return replace(kind, schema={**kind.schema, **limits(low, high)})
    return kind


def _is_file(hint: Any) -> bool:
    return isinstance(hint, type) and any(
        base.__name__.startswith("File") and base.__module__.startswith("typer.")
        for base in hint.__mro__
    )


def _spelled(member: enum.Enum) -> str:
    return str(member.value)
