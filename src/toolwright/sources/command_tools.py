"""The commands of a program as tools."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Unpack, cast

from .._words import path_text
from ..call import Call, reports_progress
from ..errors import ArgumentError, CallError, Fault, SchemaError, ToolError
from ..options import ToolOptions
from ..read.signature import OtherSpelling
from ..tools.definition import PLAIN
from .command_run import CommandOutput, ParsedOutput, run, tool_value
from .command_words import SAYS_OFF, RefusedValue, command_line, lost, settable
from .frameworks.parts import described
from .program import UNSET, Command, CommandParameter, Exclusive, Program
from .rules import Rule, as_key, dotted, key_of, rule_for, spellings_of, unused
from .value_types import (
    JsonSchemaValue,
    hint_of,
    outer_reference,
    typed_dict,
    with_field,
    without_references,
)
from .watched_process import RunSettings, environment_of, user_variables

if TYPE_CHECKING:
    from ..run.hooks import Hook

# -- one command as the target of a tool

OUTPUT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "stdout": {"type": "string"},
        "stderr": {"type": "string"},
        "exitCode": {"type": "integer"},
    },
}
"""The output schema that is published if arguments are in two parts."""
STDIN = "stdin"
"""The argument for a program's standard input."""
_CALL = "_toolwright_call"
_VALUES = "_toolwright_values"
_MOST_USAGE = 100
"""Characters of a usage that are repeated in a schema: argparse names every option in it."""
_MOST_SPELLED = 8
"""How many flags of one parameter are described."""
TAKEN_KEYS = frozenset((_CALL, _VALUES))
"""No argument can have these names."""


@dataclass(frozen=True, slots=True)
class OfferedParameter:
    """A parameter that callers may set."""

    key: str
    """Its name in the arguments."""
    level: int
    """The index in the chain of the command that has it."""
    parameter: CommandParameter
    opposite: bool = False
    """Its name means the opposite of the program's own, as `no_check` for `check`."""

    @property
    def published(self) -> CommandParameter:
        """The parameter as callers see it."""
        if not self.opposite:
            return self.parameter
        default: Any = self.parameter.default
        default = not default if isinstance(default, bool) else UNSET
        flags = self.parameter.negatives or self.parameter.flags
        return replace(self.parameter, emit="flag", flags=flags, negatives=(), default=default)


@dataclass(frozen=True, eq=False, repr=False)
class CommandTarget:
    """Runs a command with the arguments of a call."""

    program: Program
    chain: tuple[Command, ...]
    rule: Rule
    offered: tuple[OfferedParameter, ...]
    fixed: tuple[Mapping[str, Any], ...]
    """Values that a rule sets, for each command of the chain."""
    settings: RunSettings
    name: str
    in_two_parts: bool = False
    """Whether arguments are `flags` and `args`."""

    def __post_init__(self) -> None:
        set_own = object.__setattr__
        values = flags_and_args(self) if self.in_two_parts else values_of(self)
        kind = inspect.Parameter
        parameters = [
            kind(_CALL, kind.KEYWORD_ONLY, annotation=Call),
            kind(_VALUES, kind.VAR_KEYWORD, annotation=Unpack[values]),
        ]
        returns = ParsedOutput if self.rule.parse else CommandOutput
        # Read as any callable's: nothing after the sources knows that this is a command.
        set_own(self, "__signature__", inspect.Signature(parameters, return_annotation=returns))
        set_own(self, "__name__", self.name)

    def __toolwright_spellings__(self) -> Mapping[str, Mapping[str, OtherSpelling]]:
        """Return the other names of arguments: the program's own, and all its flags."""
        keys = {offered.key for offered in self.offered}
        flags = {
            name: parameter
            for command in self.chain
            for parameter in command.parameters
            for flag in (*parameter.flags, *parameter.negatives)
            for name in (flag, flag.lstrip("-"), as_key(flag))
        }
        spellings: dict[str, OtherSpelling] = {}
        for offered in self.offered:
            for name, (_, opposite, choice) in spellings_of(offered.parameter).items():
                # A flag that is not offered must not mean something else.
                is_own = flags.get(name, offered.parameter) is offered.parameter
                if name not in keys and is_own:
                    turned = opposite != offered.opposite
                    spellings.setdefault(
                        name, OtherSpelling(offered.key, opposite=turned, choice=choice)
                    )
        return {"flags" if self.in_two_parts else "": spellings}

    def __repr__(self) -> str:  # what a rule sets, such as a token, is for the program alone
        return f"<CommandTarget {self.name}>"

    @property
    def command(self) -> Command:
        """The command that runs."""
        return self.chain[-1]

    @property
    def dotted(self) -> str:
        """Its name in selections: the words after the program's name."""
        return dotted(self.command)

    async def __call__(self, /, _toolwright_call: Call, **values: Any) -> Any:
        """Run the command. Raises `ArgumentError` for a value that cannot be passed on safely."""
        stdin = self._input(values.pop(STDIN, None)) if self.rule.stdin else None
        words = self.words(values)
        finished = await run(
            words,
            replace(self.run_settings(), stdin=stdin),
            on_line=_teller(_toolwright_call),
        )
        return tool_value(self.name, finished, ok_codes=self.rule.ok_codes, parse=self.rule.parse)

    def run_settings(self) -> RunSettings:
        """Return how it runs now: what the user sets goes before what a rule sets."""
        # At each call: an entry may be edited, and `--reload` starts with its variables.
        environment = {**self.settings.environment, **user_variables()}
        return replace(self.settings, environment=environment)

    def _input(self, text: str | None) -> bytes | None:
        try:
            return None if text is None else text.encode()
        except UnicodeEncodeError:
            reason = f"`{STDIN}` must not contain a lone surrogate"
            raise ArgumentError(self.name, [Fault((STDIN,), "refused", reason)]) from None

    def words(self, values: Mapping[str, Any]) -> list[str]:
        """Return the command line for some values. Raises `ArgumentError`."""
        if self.in_two_parts:
            values = self._one_part(values)
        by_level: list[dict[str, Any]] = [dict(level_values) for level_values in self.fixed]
        for offered in self.offered:
            if offered.key in values:
                value = values[offered.key]
                value = not value if offered.opposite and isinstance(value, bool) else value
                by_level[offered.level][offered.parameter.name] = value
        self._check_exclusive(by_level)
        self._check_environment(values)
        try:
            return command_line(self.program, self.chain, by_level)
        except RefusedValue as error:
            raise self._refusal(error) from None

    def _check_environment(self, values: Mapping[str, Any]) -> None:
        """Refuse to switch off what a variable switches on: leaving out the flag would not do it."""
        # Only `false` is looked at: a value that is left out leaves the variable its say.
        off = [
            offered
            for offered in self.offered
            if offered.parameter.emit == "flag" and values.get(offered.key) is False
        ]
        if not any(offered.parameter.environment for offered in off):
            return
        present = environment_of(self.run_settings(), tells_lines=False)
        for offered in off:
            names = (
                n
                for n in offered.parameter.environment
                if present.get(n, "").lower() not in SAYS_OFF
            )
            if name := next(names, None):
                text = f"`{offered.key}` cannot be false: the variable {name} is set, and no flag undoes it"
                raise ArgumentError(self.name, [Fault((offered.key,), "refused", text)])

    def _refusal(self, error: RefusedValue) -> CallError:
        """Return the error for a value that the command line cannot hold."""
        keys = (offered.key for offered in self.offered if offered.parameter is error.parameter)
        key = next(keys, None)
        if key is None:  # the author's own value, from a rule
            # Without the reason, which may show the value: no caller may see it.
            what = error.parameter.name
            return ToolError(f"{self.name}: the fixed value of `{what}` cannot be passed on")
        path = (key,) if error.index is None else (key, error.index)
        text = f"{path_text(path)} {error.reason}"
        return ArgumentError(self.name, [Fault(path, "refused", text)])

    def _one_part(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of `flags`, and those of `args` for the positionals, in order."""
        arguments = dict(cast("Mapping[str, Any]", values.get("flags") or {}))
        words: list[str] = list(values.get("args") or ())
        places = [offered for offered in self.offered if offered.parameter.is_positional]
        for index, offered in enumerate(places):
            if offered.parameter.emit in ("rest", "remainder"):
                behind = sum(place.parameter.required for place in places[index + 1 :])
                count = max(len(words) - behind, 0)
                arguments[offered.key], words = words[:count], words[count:]
            elif words:
                arguments[offered.key] = words.pop(0)
        if words:
            text = f"`args` has {len(words)} more than the command takes"
            raise ArgumentError(self.name, [Fault(("args",), "too_many", text)])
        return arguments

    def _check_exclusive(self, by_level: Sequence[Mapping[str, Any]]) -> None:
        for level, group, keys in self.exclusive_groups():
            sent = [name for name in group.names if name in by_level[level]]
            if len(sent) > 1 or (group.required and not sent):
                path = (keys.get(sent[0], sent[0]),) if sent else ()
                text = f"send {_choice_of(group, keys)}"
                raise ArgumentError(self.name, [Fault(path, "exclusive", text)])

    def exclusive_groups(self) -> Iterator[tuple[int, Exclusive, dict[str, str]]]:
        """Yield each group with its level, and the keys of those parameters that are offered."""
        for level, command in enumerate(self.chain):
            for group in command.exclusive:
                keys = {
                    offered.parameter.name: offered.key
                    for offered in self.offered
                    if offered.level == level and offered.parameter.name in group.names
                }
                yield level, group, keys


def _teller(call: Call) -> Callable[[int, str], None] | None:
    """Return a function that reports each line of output as progress, if anybody listens."""
    if not reports_progress(call):
        return None

    def tell(number: int, line: str) -> None:
        call.progress(number, message=line)

    return tell


def _choice_of(group: Exclusive, keys: Mapping[str, str]) -> str:
    names = ", ".join(f"`{keys[name]}`" for name in group.names if name in keys)
    return f"{'exactly' if group.required else 'at most'} one of {names}"


def exclusive_text(target: CommandTarget) -> Iterator[str]:
    """Yield a sentence for each group of parameters that exclude each other."""
    for _, group, keys in target.exclusive_groups():
        if len(keys) > 1 or (keys and group.required):
            yield f"Send {_choice_of(group, keys)}."


def values_of(target: CommandTarget) -> Any:
    """Return the type of a command's arguments: one key for each parameter."""
    hints = {offered.key: _hint(offered) for offered in target.offered}
    required = {offered.key for offered in target.offered if offered.parameter.required}
    if target.rule.stdin:
        hints[STDIN] = Annotated[str, "What the program reads from standard input."]
    return typed_dict("Values", hints, required)


def flags_and_args(target: CommandTarget) -> Any:
    """Return the type of arguments in two parts: options by name, positionals in one list."""
    options = [offered for offered in target.offered if not offered.parameter.is_positional]
    hints = {offered.key: _hint(offered) for offered in options}
    required = {offered.key for offered in options if offered.parameter.required}
    parts: dict[str, Any] = {"flags": typed_dict("Flags", hints, required), "args": list[str]}
    if target.rule.stdin:
        parts[STDIN] = str
    return typed_dict("Values", parts, ("flags",) if required else ())


def two_parts_schema(target: CommandTarget) -> dict[str, Any]:
    """Return the schema of arguments in two parts, as it is published."""
    flags: dict[str, Any] = {}
    required: list[str] = []
    for offered in target.offered:
        if not offered.parameter.is_positional:
            flags[offered.key] = {
                **_published(offered.published),
                **_annotation_keywords(offered.published),
            }
            text = description_of(offered.published)
            if text:
                flags[offered.key]["description"] = text
            if offered.parameter.required:
                required.append(offered.key)
    usage = _usage_of(target)
    args = {
        "type": "array",
        "description": f"Positional arguments\nUsage: {usage}",
        "items": {"type": "string"},
    }
    part: dict[str, Any] = {"type": "object", "properties": flags}
    if required:
        part["required"] = required
    properties: dict[str, Any] = {"flags": part, "args": args}
    if target.rule.stdin:
        properties[STDIN] = {"type": "string"}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = ["flags"]
    return schema


def _usage_of(target: CommandTarget) -> str:
    """Return the usage of a command; of a long one only what stands in `args`."""
    usage = target.command.usage or "[flags]"
    if len(usage) <= _MOST_USAGE:
        return usage
    words = ["[flags]"]
    for offered in target.offered:
        if offered.parameter.is_positional:
            word = offered.key.upper()
            word += "..." if offered.parameter.emit in ("rest", "remainder") else ""
            words.append(word if offered.parameter.required else f"[{word}]")
    return " ".join(words)


def _published(parameter: CommandParameter) -> Mapping[str, Any]:
    """Return the schema that is published for a parameter, without description and default."""
    if parameter.emit == "json":
        return without_references(parameter.schema)
    return settable(parameter)


def _hint(offered: OfferedParameter) -> Any:
    parameter = offered.published
    text = _with_flags(parameter, offered.key)
    described = {"description": text} if text else {}
    if parameter.emit == "json":
        keywords = {**_annotation_keywords(parameter), **described}
        return Annotated[Any, JsonSchemaValue(parameter.schema, keywords)]
    return with_field(hint_of(settable(parameter)), _annotation_keywords(parameter), **described)


def _annotation_keywords(parameter: CommandParameter) -> dict[str, Any]:
    """Return the published keywords of a parameter that do not change what is accepted.

    The program applies its own defaults: one that is not sent is not put on its command line.
    """
    keywords: dict[str, Any] = {}
    if parameter.default is not UNSET and parameter.default not in ("", [], None):
        keywords["default"] = parameter.default
    if parameter.deprecated:
        keywords["deprecated"] = True
    return keywords


def description_of(parameter: CommandParameter) -> str:
    """Return what the help says about a parameter."""
    text = parameter.description.strip()
    if parameter.emit in ("flag", "negative") and "enum" in settable(parameter):
        state = "off" if parameter.emit == "flag" else "on"
        text = described(text, f"It cannot be switched {state}.")
    if parameter.type_name:
        text = f"{text} (type: {parameter.type_name})".strip()
    if parameter.default_text and f"default: {parameter.default_text}" not in text:
        text = f"{text} (default: {parameter.default_text})".strip()
    return text


def _with_flags(parameter: CommandParameter, key: str) -> str:
    """Return the description of a parameter with its flags, by which the help calls it."""
    text = description_of(parameter)
    spelled = (*parameter.flags[:1], *parameter.negatives[:1], *parameter.chosen_by.values())
    missing = [f"`{flag}`" for flag in spelled[:_MOST_SPELLED] if not _names(text, flag)]
    if not text and len(missing) == 1 and as_key(spelled[0]) == key:
        return ""  # the key says as much, and a text that is missing can be seen
    flags = ", ".join(missing)
    return f"{text} ({flags})" if text and flags else text or flags


def _names(text: str, flag: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text) is not None


# -- the commands that are offered

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
    """Yield what is wrong with each rule that fits no command."""
    commands = [command for command in _visible(program.root) if command.runs] if rules else []
    for which in unused(rules, lambda rule: any(rule.fits(command) for command in commands)):
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
            # Two long names may begin alike: the digest of all words keeps them apart.
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
    # A program that has a flag to answer its question in advance may do harm.
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
