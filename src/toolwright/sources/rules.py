"""Rules: which commands and options are offered, and how they run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from ..options import ToolOptions, options_from
from ..read.signature import OtherSpelling
from ..tools.catalog import matches
from .command_run import Parse
from .program import Command, CommandParameter

if TYPE_CHECKING:
    from ..run.hooks import Hook

Patterns = str | Sequence[str]
Commands = Patterns | Callable[[Command], bool]
_OF_ONE = ("name", "input_schema", "output_schema", "style", "run_on", "on_unsupported", "extra")
"""Options of tools that a rule for many commands cannot have."""
_OF_COMMANDS = (
    *("inherited", "env", "pass_env", "folder", "ok_codes", "parse", "stdin", "max_output"),
    "around",
)
"""What a rule says about the commands of a program alone."""
_METAVAR = re.compile(r"\A[\[<]*([A-Za-z][\w-]*)[\]>]*(?: ?\.\.\.)?[\]>]*", re.ASCII)
_PLAIN_NAME = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


class Rule:
    """What applies to some commands of a program; the first rule that matches counts.

    `commands` are globs on the words after the program's name, joined by dots (`get.*`; `!x`
    leaves out), or a function of the `Command`. Options of tools apply to each command.

    >>> rule = Rule("get.*", read_only=True, flags=["!raw"])
    >>> rule.fits(Command(path=("get", "pods")))
    True
    """

    def __init__(
        self,
        commands: Commands = "*",
        *,
        annotated: str | Mapping[str, Any] | None = None,
        offer: bool = True,
        flags: Patterns = "*",
        inherited: Patterns = "*",
        fixed: Mapping[str, Any] | None = None,
        env: Mapping[str, str] | None = None,
        pass_env: Sequence[str] = (),
        folder: str | None = None,
        ok_codes: Iterable[int] = (0,),
        parse: Literal["json", "json_lines"] | None = None,
        stdin: bool = False,
        max_output: int | None = None,
        around: Hook | Sequence[Hook] = (),
        **options: Unpack[ToolOptions],
    ) -> None:
        _check_commands(commands)
        _check_options(options)
        if parse not in (None, "json", "json_lines"):
            msg = f'parse must be None, "json" or "json_lines"; got {parse!r}'
            raise ValueError(msg)
        codes: Any = ok_codes
        codes = tuple(cast("Iterable[int]", codes)) if isinstance(codes, Iterable) else codes
        hooks = (around,) if callable(around) else cast("Any", around)
        annotations = {annotated: True} if isinstance(annotated, str) else annotated
        _check("ok_codes", codes, _is_list_of(codes, int), "numbers such as [0, 1]")
        _check("pass_env", pass_env, _is_list_of(pass_env, str), 'names such as ["AWS_*"]')
        _check("around", around, _is_list_of(hooks, Callable), "a function, or several")
        _check("annotated", annotated, _is_named(annotations), "a name, or names with values")
        self.commands = commands
        self.annotated = annotated
        """An annotation that a command must have, or several with their values."""
        self.offer = offer
        """False leaves the commands out."""
        self.flags = flags
        """Which parameters of the command itself are offered, by name or spelling."""
        self.inherited = inherited
        """Which options of the commands above it are offered."""
        self.fixed = _by_name("fixed", fixed, 'values by name, such as {"size": 1}')
        """Values that are always sent, and that no caller sees."""
        self.env = _by_name("env", env, 'texts by name, such as {"LANG": "C"}')
        """Variables to set; `install` also writes them into the client's entry."""
        self.pass_env = tuple(pass_env)
        """Further variables of the server that the program may see, by name or glob."""
        self.folder = folder
        """Where it runs; where the server runs by default."""
        self.ok_codes = frozenset(codes)
        """Exit codes that are not failures, such as 1 from `grep`."""
        self.parse: Parse = parse or ""
        """How standard output is read."""
        self.stdin = stdin
        """Offer an argument `stdin`, the text that the program reads."""
        self.max_output = max_output
        """Bytes of each stream that are kept."""
        self.around = tuple(cast("Sequence[Any]", hooks))
        """Hooks around each call, as `Toolbox.around` takes them."""
        self.options = options

    def fits(self, command: Command, *names: str) -> bool:
        """Return whether the rule is meant for a command, which may have other names as well."""
        if callable(self.commands):
            if not self.commands(command):
                return False
        elif not matches((dotted(command), *names), self.commands):
            return False
        annotations = self.annotated
        if isinstance(annotations, str):
            return annotations in command.annotations
        return all(
            command.annotations.get(key) == value for key, value in (annotations or {}).items()
        )

    def offers(self, parameter: CommandParameter, *, inherited: bool = False) -> bool:
        """Return whether callers may set a parameter.

        A secret must be named: no pattern with a wildcard selects it.
        """
        patterns = self.inherited if inherited else self.flags
        names = names_of(parameter)
        if parameter.secret:
            selected = (patterns,) if isinstance(patterns, str) else patterns
            return any(pattern in names for pattern in selected)
        return bool(patterns) and matches(names, patterns)


def rule_for(command: Command, rules: Sequence[Rule] | None, *names: str) -> Rule | None:
    """Return the first rule for a command, or for another name of it; None if it is not offered."""
    if rules is None:
        return EVERYTHING
    rule = next((rule for rule in rules if rule.fits(command, *names)), None)
    return rule if rule is not None and rule.offer else None


def unused(rules: Sequence[Rule] | None, is_used: Callable[[Rule], bool]) -> Iterator[str]:
    """Yield what each rule is called that fits nothing: a misspelt one offers or hides nothing."""
    for index, rule in enumerate(rules or ()):
        if not is_used(rule):
            globs = (rule.commands,) if isinstance(rule.commands, str) else rule.commands
            yield f"number {index + 1}" if callable(globs) else f"`{', '.join(globs)}`"


def checked_rules(rules: Any, *, of_server: bool = False) -> tuple[Rule, ...] | None:
    """Return rules as a tuple. Raises `TypeError` for anything else.

    What is about processes is refused for the tools of a server: it runs them itself.
    """
    if rules is None:
        return None
    listed = (rules,) if isinstance(rules, Rule) else tuple(rules)
    for rule in listed:
        if not isinstance(rule, Rule):
            msg = f"rules takes a list of Rule; got {rule!r}"
            raise TypeError(msg)
        for name in _OF_COMMANDS if of_server else ():
            if getattr(rule, name) != getattr(EVERYTHING, name):
                msg = f"a rule for a server cannot have `{name}`, which is for commands"
                raise TypeError(msg)
    return listed


def dotted(command: Command) -> str:
    """Return the words after the program's name, joined by dots."""
    return ".".join(command.path)


def key_of(parameter: CommandParameter) -> OtherSpelling:
    """Return what the help calls a parameter: by its long flag, or by the word for a positional.

    A flag that can only switch something off is the opposite of the program's own name for it.
    """
    name, is_negative = parameter.name, parameter.emit == "negative"
    flags = parameter.flags or parameter.negatives
    if is_negative:
        flags = parameter.negatives or parameter.flags
    long = [as_key(flag) for flag in flags if len(flag) > 2]
    if long:
        return (
            OtherSpelling(name)
            if as_key(name) in long
            else OtherSpelling(long[0], opposite=is_negative)
        )
    if parameter.is_positional:
        word = _METAVAR.fullmatch(parameter.metavar)
        return OtherSpelling(as_key(word[1]).lower() if word else name)
    if _PLAIN_NAME.fullmatch(name):
        return OtherSpelling(name)
    return OtherSpelling(as_key((*flags, *parameter.chosen_by.values())[0]), opposite=is_negative)


def as_key(word: str) -> str:
    """Return a flag as the name of an argument: `--no-deps` is `no_deps`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", word.lstrip("-+/"))


def spellings_of(parameter: CommandParameter) -> dict[str, OtherSpelling]:
    """Return every name of a parameter, and what each means for the program's own name."""
    own_name = parameter.name
    key = key_of(parameter)
    spellings = {
        own_name: OtherSpelling(own_name),
        key.key: OtherSpelling(own_name, opposite=key.opposite),
    }
    flags = ((flag, OtherSpelling(own_name, opposite=key.opposite)) for flag in parameter.flags)
    chosen = (
        (flag, OtherSpelling(own_name, choice=choice))
        for choice, flag in parameter.chosen_by.items()
    )
    negatives = parameter.negatives if parameter.emit in ("pair", "negative") else ()
    opposites = ((flag, OtherSpelling(own_name, opposite=True)) for flag in negatives)
    for flag, spelling in (*flags, *chosen, *opposites):
        for name in (flag, flag.lstrip("-"), as_key(flag)):
            spellings.setdefault(name, spelling)
    return spellings


def names_of(parameter: CommandParameter) -> tuple[str, ...]:
    """Return every name that a rule may use for a parameter: `no_deps`, `--no-deps`."""
    only_off = parameter.emit == "negative"
    return tuple(
        name
        for name, spelling in spellings_of(parameter).items()
        if only_off or not spelling.opposite  # `!no-color` does not leave out `--color`
    )


def _check_commands(commands: Any) -> None:
    if not callable(commands) and not _are_words(commands):
        msg = f"commands takes globs such as `get.*`, or a function; got {commands!r}"
        raise TypeError(msg)


def _check_options(options: ToolOptions) -> None:
    for name in _OF_ONE:
        if name in options:
            msg = f"`{name}` is not an option of a rule"
            raise TypeError(msg)
    options_from(cast("Mapping[str, Any]", options))  # a bad one is refused here


def _check(name: str, argument: Any, fits: bool, expected: str) -> None:  # noqa: FBT001 - it is checked
    if not fits:
        msg = f"{name} takes {expected}; got {argument!r}"
        raise TypeError(msg)


def _by_name(name: str, values: Mapping[str, Any] | None, expected: str) -> dict[str, Any]:
    _check(name, type(values).__name__, _is_named(values), expected)  # a value may be a secret
    return dict(values or {})


def _is_list_of(value: Any, kind: Any) -> bool:
    return (
        isinstance(value, Sequence | frozenset)
        and all(isinstance(member, kind) for member in cast("Sequence[Any]", value))
        and not isinstance(value, str | bytes)
    )


def _is_named(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _are_words(value: Any) -> bool:
    words = (value,) if isinstance(value, str) else value
    return isinstance(words, Sequence) and all(
        isinstance(word, str) for word in cast("Sequence[Any]", words)
    )


EVERYTHING = Rule()
"""What applies if no rules are given."""
