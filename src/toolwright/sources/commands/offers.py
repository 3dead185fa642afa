"""The commands of a program as tools."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from ...errors import SchemaError
from ...options import ToolOptions
from ...tools.definition import PLAIN
from ..argv.words import lost
from ..program import Command, CommandParameter, Program
from ..rules import Rule, key_of, rule_for, spellings_of
from ..running.settings import RunSettings
from .target import (
    OUTPUT_SCHEMA,
    STDIN,
    TAKEN_KEYS,
    CommandTarget,
    OfferedParameter,
    exclusive_text,
    two_parts_schema,
)
from .values import outer_reference, without_references

if TYPE_CHECKING:
    from ...run.hooks import Hook

CommandStyle = Literal["typed", "flags_args"]
OWN_GROUP = "toolwright.mcp"
"""The annotation of the commands that serve the program itself: they are not offered as tools."""
_NOT_OFFERED = frozenset(("help", "completion"))
"""Commands about the command line itself."""
_WITHOUT_WORDS: Mapping[str, tuple[Any, ...]] = {
    "flag": (False,),
    "negative": (True,),
    "count": (0,),
}
"""Values that are said by writing nothing."""
_MOST_NAME = 128
_MOST_KEY = 60
"""Characters of a key: providers take 64."""
_HINTS = {
    "title": "title",
    "read_only": "read_only",
    "readOnlyHint": "read_only",
    "destructive": "destructive",
    "destructiveHint": "destructive",
    "idempotent": "idempotent",
    "idempotentHint": "idempotent",
    "open_world": "open_world",
    "openWorldHint": "open_world",
}
"""Annotations of commands, and the tool options that they set."""


class NeverRuns(SchemaError):
    """A command that no caller could run, for what its program asks for."""


class Offer(NamedTuple):
    """A command that becomes a tool."""

    name: str
    target: Any
    options: ToolOptions
    around: tuple[Hook, ...] = ()
    of_rule: ToolOptions = ToolOptions()
    """The options that its rule has, which are in `options` as well."""


def offered_commands(
    program: Program, rules: Sequence[Rule] | None
) -> Iterator[tuple[Command, Rule]]:
    """Yield the commands that rules offer.

    Commands that cannot run, are hidden or below a hidden one, or are about the command line itself
    are left out.
    """
    for command in _visible(program.root):
        if command.runs and (rule := rule_for(command, rules)) is not None:
            yield command, rule


def unused_rules(program: Program, rules: Sequence[Rule] | None) -> Iterator[str]:
    """Yield what is wrong with each rule that fits no command: a misspelt one offers nothing."""
    commands = [command for command in _visible(program.root) if command.runs] if rules else []
    for index, rule in enumerate(rules or ()):
        if any(rule.fits(command) for command in commands):
            continue
        globs = (rule.commands,) if isinstance(rule.commands, str) else rule.commands
        which = f"number {index + 1}" if callable(globs) else f"`{', '.join(globs)}`"
        yield f"has a rule that matches no command: {which}"


def _visible(command: Command) -> Iterator[Command]:
    if command.hidden or command.name in _NOT_OFFERED or OWN_GROUP in command.annotations:
        return
    yield command
    for child in command.commands:
        yield from _visible(child)


class Naming:
    """Gives each command a name of its own. Names are never split into words again."""

    def __init__(self, first: str) -> None:
        self.first = first
        self.taken: set[str] = set()

    def name_of(self, command: Command, *more: str) -> str:
        """Return the words of a command joined by `_`, with the program's name first."""
        words = "_".join((self.first, *command.path, *more))
        plain = re.sub(r"[^A-Za-z0-9_.:-]", "_", words)
        if len(plain) > _MOST_NAME:
            mark = hashlib.sha256(words.encode(errors="replace")).hexdigest()[:8]
            plain = f"{plain[: _MOST_NAME - 9]}_{mark}"
        name, number = plain, 2
        while name.translate(PLAIN) in self.taken:  # `get_all`, and `all` below `get`
            name, number = f"{plain[: _MOST_NAME - 4]}_{number}", number + 1
        self.taken.add(name.translate(PLAIN))
        return name

    def free(self, offers: Iterable[Offer]) -> None:
        """Release the names of commands: those in a group have none of their own."""
        self.taken -= {offer.name.translate(PLAIN) for offer in offers}


def offer_of(
    program: Program, command: Command, rule: Rule, name: str, style: CommandStyle = "typed"
) -> Offer:
    """Turn a command into an offer for a toolbox. Raises `SchemaError`."""
    chain = program.chain(command)
    refuse = _refuser(name)
    if not program.argv:
        hint = "pass argv=[...]: the words that start the program"
        raise refuse(f"cannot be run: it is not known how `{program.name}` is started", hint)
    try:
        settings = _settings(rule)
    except (TypeError, ValueError) as error:
        raise refuse(str(error)) from None
    target = CommandTarget(
        program,
        chain,
        rule,
        tuple(_parameters(program, chain, rule, refuse)),
        tuple(_fixed(chain, rule, refuse)),
        settings,
        name,
        in_two_parts=style == "flags_args",
    )
    options: dict[str, Any] = {
        **_hints_of(command),
        "description": _description(program, target),
        **rule.options,
    }
    confirms = any(parameter.confirms for level in chain for parameter in level.parameters)
    if confirms and "destructive" not in options and options.get("read_only") is not True:
        options["destructive"] = True
    if style == "flags_args":
        options["input_schema"] = two_parts_schema(target)
        if not rule.parse:
            options["output_schema"] = OUTPUT_SCHEMA
    return Offer(name, target, cast("ToolOptions", options), rule.around, rule.options)


def _refuser(name: str) -> Callable[..., SchemaError]:
    def refuse(
        what: str, hint: str = "", parameter: str = "", kind: type[SchemaError] = SchemaError
    ) -> SchemaError:
        return kind(what, tool=name, parameter=parameter, hint=hint)

    return refuse


def _settings(rule: Rule) -> RunSettings:
    settings: dict[str, Any] = {"cwd": rule.folder, "environment": rule.env}
    if rule.pass_env:
        settings["pass_environment"] = (*RunSettings().pass_environment, *rule.pass_env)
    if rule.max_output is not None:
        settings["max_output"] = rule.max_output
    return RunSettings(**settings)


def _hints_of(command: Command) -> dict[str, Any]:
    """Return the tool options that a command's author has left on it."""
    options: dict[str, Any] = {}
    for key, value in command.annotations.items():
        option = _HINTS.get(key)
        if option is not None and isinstance(value, str if option == "title" else bool):
            options[option] = value
    return options


def _description(program: Program, target: CommandTarget) -> str:
    command = target.command
    text = command.description.strip()
    summary = command.summary.strip()
    if summary and summary.rstrip(".") not in text:
        text = f"{summary}\n\n{text}".strip()
    if not text:
        text = f"Run `{' '.join((program.name, *command.path))}`."
    if command.deprecated:
        text = f"Deprecated. {text}"
    parts = [text, *exclusive_text(target)]
    if command.examples.strip():
        parts.append(f"Examples:\n{command.examples.strip()}")
    return "\n\n".join(parts)


def _parameters(
    program: Program, chain: Sequence[Command], rule: Rule, refuse: Callable[..., SchemaError]
) -> list[OfferedParameter]:
    """Return the parameters that callers may set, the command's own first. Raises `SchemaError`."""
    selected: list[tuple[int, CommandParameter]] = []
    for level in range(len(chain) - 1, -1, -1):
        command = chain[level]
        for parameter in command.parameters:
            if parameter.name in _fixed_here(command, rule):
                continue
            inherited = level < len(chain) - 1
            if inherited and not (parameter.inherited and command.passes_parameters):
                continue
            if parameter.hidden or not rule.offers(parameter, inherited=inherited):
                _check_left_out(parameter, refuse)
                continue
            _check_schema(parameter, refuse)
            selected.append((level, parameter))
    keys_taken = {*TAKEN_KEYS, *((STDIN,) if rule.stdin else ())}
    keys: dict[int, OfferedParameter] = {}
    # The command's own options come first, since callers may know them; positionals have no flag.
    order = sorted(enumerate(selected), key=lambda entry: (-entry[1][0], entry[1][1].is_positional))
    for position, (level, parameter) in order:
        key, opposite, _ = key_of(parameter)
        if parameter.is_positional and key in keys_taken:
            key = parameter.name
        key = _free_key(key, chain[level].name or program.name, keys_taken)
        keys[position] = OfferedParameter(key, level, parameter, opposite=opposite)
    return [keys[position] for position in range(len(selected))]


def _free_key(name: str, prefix: str, keys: set[str]) -> str:
    """Return a key that no other parameter has: commands above may have options of the same name.

    It has only characters that every provider accepts in keys.
    """
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:_MOST_KEY]
    key = name
    if key in keys:
        key = f"{re.sub(r'[^A-Za-z0-9_]', '_', prefix)}_{name}"
    number = 2
    while key in keys:
        key, number = f"{name}_{number}", number + 1
    keys.add(key)
    return key


def _check_schema(parameter: CommandParameter, refuse: Callable[..., SchemaError]) -> None:
    if parameter.emit == "json" and (
        reference := outer_reference(without_references(parameter.schema))
    ):
        what = f"has a schema that refers to {reference}, which is not in it: nothing is fetched"
        raise refuse(what, "", parameter.name, NeverRuns)


def _check_left_out(parameter: CommandParameter, refuse: Callable[..., SchemaError]) -> None:
    if parameter.required and not parameter.environment:
        spelled = parameter.flags[0] if parameter.flags else parameter.name
        why = "is a secret" if parameter.secret else "is not offered"
        key = key_of(parameter).key
        hint = f'give it a value with Rule(fixed={{"{key}": ...}}), or name it in `flags`'
        what = f"cannot be run without `{spelled}`, which {why}"
        raise refuse(what, hint, parameter.name, NeverRuns)


def _fixed_here(command: Command, rule: Rule) -> dict[str, Any]:
    """Return the values that a rule sets for the parameters of one command."""
    values: dict[str, Any] = {}
    for parameter in command.parameters:
        for name, spelling in spellings_of(parameter).items():
            if name in rule.fixed:
                value = rule.fixed[name]
                value = spelling.choice if spelling.choice and value is True else value
                values[parameter.name] = not value if spelling.opposite else value
    return values


def _fixed(
    chain: Sequence[Command], rule: Rule, refuse: Callable[..., SchemaError]
) -> list[Mapping[str, Any]]:
    names = {name for command in chain for p in command.parameters for name in spellings_of(p)}
    unknown = [name for name in rule.fixed if name not in names]
    if unknown:
        raise refuse(f"has no option `{unknown[0]}` that a rule could set")
    fixed: list[Mapping[str, Any]] = [_fixed_here(command, rule) for command in chain]
    for command, values in zip(chain, fixed, strict=True):
        for parameter in command.parameters:
            value = values.get(parameter.name)
            if value in _WITHOUT_WORDS.get(parameter.emit, ()) and (
                reason := lost(parameter, value)
            ):
                raise refuse(
                    f"`{parameter.name}` {reason}", "take it out of `fixed`", parameter.name
                )
    return fixed
