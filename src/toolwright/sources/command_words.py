"""From validated values to the words of a command line.

No value may become an option, a file's content or a second value. If a program offers no way to
write a value so, it is refused. `test_argv_injection.py` checks this with real parsers.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, cast

from .._words import truncate
from .program import OWN_WORD, UNSET, Command, CommandParameter, Program
from .rules import key_of

# -- JSON values as words

MAX_COUNT = 100
"""How often a flag may be repeated: a caller sends one number and gets that many words."""

MAX_WORD = 131_071
"""The longest word in bytes: Linux takes 32 pages with the closing NUL (execve(2))."""

SAYS_OFF = frozenset(
    ("", "0", "f", "n", "false", "off", "no", "none", "null", "disabled", "unset", "not set")
)
"""How help texts and variables say that an option is not given."""


class RefusedValue(ValueError):
    """A value that the program could read as something else, or that no word can hold."""

    def __init__(self, parameter: CommandParameter, reason: str, index: int | None = None) -> None:
        place = parameter.name if index is None else f"{parameter.name}[{index}]"
        super().__init__(f"{place} {reason}")
        self.parameter = parameter
        self.reason = reason
        self.index = index


def lost(parameter: CommandParameter, value: Any) -> str:
    """Return why a value cannot be said by writing nothing; empty if that says it.

    Without any word, the program uses its own default.
    """
    default, text = parameter.default, parameter.default_text.strip("[]{}()'\". ").lower()
    if text in SAYS_OFF if default is UNSET else default == value:
        return ""
    if parameter.emit == "flag":
        return "cannot be false: the program has no flag that switches it off"
    if parameter.emit == "negative":
        return "cannot be true: the program has no flag that switches it on"
    return f"cannot be {shown(value)}: no word says that, and the program would use its default"


def settable(parameter: CommandParameter) -> Mapping[str, Any]:
    """Return the schema of the values that the words of a parameter can say."""
    schema = parameter.schema
    match parameter.emit:
        case "flag" if lost(parameter, False):
            return {**schema, "enum": [True]}
        case "negative" if lost(parameter, True):
            return {**schema, "enum": [False]}
        case "count" if lost(parameter, 0):
            return {**schema, "minimum": max(1, schema.get("minimum", 1))}
        case "choices" if schema.get("items", {}).get("type") == "boolean":
            values = [
                state for state in (True, False) if as_text(parameter, state) in parameter.chosen_by
            ]
            return {**schema, "items": {**schema["items"], "enum": values}}
        case _:
            return schema


def switch(parameter: CommandParameter, value: Any) -> Iterator[str]:
    """Yield the flag that means true or false, if one is needed."""
    if not isinstance(value, bool):
        raise RefusedValue(parameter, f"must be true or false, not {shown(value)}")
    if parameter.emit == "negative":
        yield from () if value else (parameter.negatives or parameter.flags)[:1]
    elif value:
        yield parameter.flags[0]
    elif parameter.emit == "pair":
        yield parameter.negatives[0]


def times(parameter: CommandParameter, value: Any) -> int:
    """Return how often to repeat a flag for a number."""
    # NaN and infinity do not equal what `//` makes of them.
    if not isinstance(value, int | float) or value != value // 1 or not 0 <= value <= MAX_COUNT:
        raise RefusedValue(parameter, f"must be a whole number from 0 to {MAX_COUNT}")
    return int(value)


def chosen(parameter: CommandParameter, value: Any, index: int | None) -> str:
    """Return the flag that stands for a value."""
    text = as_text(parameter, value, index)
    if text not in parameter.chosen_by:
        choices = ", ".join(parameter.chosen_by)
        raise RefusedValue(parameter, f"must be one of {choices}, not {shown(text)}", index)
    return parameter.chosen_by[text]


def as_word(parameter: CommandParameter, text: str, index: int | None = None) -> str:
    """Return a text if it can be a word, or the value in one."""
    # execve(2) ends a word at NUL: the program would see another value than was checked.
    if "\0" in text:
        raise RefusedValue(parameter, "must not contain NUL", index)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RefusedValue(parameter, "must not contain a lone surrogate", index) from None
    if size + 256 > MAX_WORD:  # leaves room for a flag before it
        raise RefusedValue(parameter, f"is {size} bytes long; a word has at most {MAX_WORD}", index)
    if text.lower() in parameter.refused_values:
        reason = f"must not be {shown(text)}: the program would read it as something else"
        raise RefusedValue(parameter, reason, index)
    if text and text[0] in parameter.refused_prefixes:
        reason = f"must not begin with `{text[0]}`: the program would read it as something else"
        raise RefusedValue(parameter, reason, index)
    return text


def as_text(parameter: CommandParameter, value: Any, index: int | None = None) -> str:
    """Return a JSON value as the text that programs read."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            try:
                return str(value)
            except ValueError:  # Python's own limit: more digits take quadratic time
                raise RefusedValue(parameter, "has too many digits", index) from None
        case float() if math.isfinite(value):
            is_whole = _type_at(parameter.schema, index) == "integer" and value.is_integer()
            return str(int(value)) if is_whole else repr(value)
        case _:
            raise RefusedValue(parameter, f"cannot be {shown(value)}", index)


def _type_at(schema: Mapping[str, Any], index: int | None) -> Any:
    """Return the type of a value, or of an item of an array of any depth."""
    if index is not None:
        prefix = schema.get("prefixItems", ())
        schema = prefix[index] if index < len(prefix) else schema.get("items", {})
        while schema.get("type") == "array" and "items" in schema:
            schema = schema["items"]
    return schema.get("type")


def shown(value: Any) -> str:
    """Return the beginning of a value, for a one-line message."""
    text = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    if value is None or isinstance(value, bool):
        text = json.dumps(value)
    elif isinstance(value, list | dict) and not value:
        text = "empty"
    return truncate(text, 60)


def as_list(parameter: CommandParameter, value: Any) -> Sequence[Any]:
    """Return a value that must be a list."""
    if not isinstance(value, list | tuple):
        raise RefusedValue(parameter, f"must be a list, not {shown(value)}")
    return cast("Sequence[Any]", value)


def pairs_of(parameter: CommandParameter, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a value that must be an object."""
    if not isinstance(value, Mapping):
        raise RefusedValue(parameter, f"must be an object, not {shown(value)}")
    for key, item in cast("Mapping[Any, Any]", value).items():
        yield str(key), item


def flattened(value: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield items, or the items of those that are lists, each with its outer index."""
    for index, item in enumerate(value):
        if isinstance(item, list | tuple):
            yield from ((index, part) for part in cast("Sequence[Any]", item))
        else:
            yield index, item


def as_json(parameter: CommandParameter, value: Any) -> str:
    """Return any value as compact JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise RefusedValue(parameter, "cannot be written as JSON") from None


def as_csv(parameter: CommandParameter, index: int, item: Any) -> str:
    """Return an item as a field of comma-separated values."""
    text = as_text(parameter, item, index)
    if "\r" in text:  # CSV readers drop it before a newline
        raise RefusedValue(parameter, "must not contain a carriage return", index)
    needs_quotes = not text or text != text.strip() or set(text) & set(',"\n')
    return quoted(text) if needs_quotes else text


def quoted(text: str) -> str:
    """Return a text as a quoted field of comma-separated values."""
    return '"' + text.replace('"', '""') + '"'


# -- the words of a chain of commands

_POINTER = 8
"""Bytes: execve(2) counts the pointer to each word, as well as the word."""
_FOR_ENVIRONMENT = 131_072
"""Bytes of the same limit that are left for the variables of the program."""
_NEGATIVE_NUMBER = re.compile(r"-\d+(\.\d+)?")
_PLAIN_START = frozenset("=_./~")
_LITERAL_NEGATIVES = frozenset(("click", "typer", "argparse", "cyclopts"))
"""Frameworks that take `-1` as a value where an option takes several words."""
_NEVER_TAKES_NEXT = frozenset(("cobra", "gnu", "git"))
"""Frameworks in which an optional value follows `=`, and is never the next word."""
_FIRST_WORD_IS_VALUE = frozenset(("click", "typer"))
"""Frameworks that fill a command's own positionals before they look for a command below it."""
_BEHIND_DASHES = re.compile(r"(?:\[[^\[\]]*\]\s*)*--\s")
"""A usage in which every positional stands behind `--`."""
_MEANS_MORE = re.compile(r"(?:^|\s)\[?--\s")
"""A usage in which `--` separates two parts: it is more than the end of the options."""
_FILL_LAST_FIRST = frozenset(("click", "typer"))
"""Frameworks that give an open-ended positional what those behind it do not need."""
_TAKE_ANY_WORDS = frozenset(("click", "typer", "optparse"))


def command_line(
    program: Program, chain: Sequence[Command], values: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the words that start a program's command with these values, the executable first.

    `values[i]` are the values of `chain[i]` by the names of its parameters; null means absent.
    Raises `RefusedValue`.
    """
    words = list(program.argv)
    parameters = (parameter for command in chain for parameter in command.parameters)
    flags = frozenset(flag for parameter in parameters for flag in parameter.all_flags)
    marks = frozenset(("-", *(flag[0] for flag in flags)))
    depth = 0
    for command, arguments in zip(chain, values, strict=True):
        # A command's path begins with its parent's, whose words are there already.
        words += command.path[depth:]
        depth = len(command.path)
        _check_names(command, arguments)
        level = _Level(program, command, arguments, flags, marks, is_last=command is chain[-1])
        words += level.words()
    _check_length(words, chain, values)
    return words


def _check_names(command: Command, arguments: Mapping[str, Any]) -> None:
    names = {parameter.name for parameter in command.parameters}
    for name in arguments:
        if name not in names:
            msg = f"{' '.join(command.path) or 'the program'} has no parameter {name!r}"
            raise ValueError(msg)


def longest_command_line() -> int:
    """Return how many bytes all words together may take, including their pointers."""
    try:
        limit = os.sysconf("SC_ARG_MAX")
    except (ValueError, OSError, AttributeError):  # no such limit known: Windows
        limit = 32_767
    # -1 means that the system has no such limit; Linux takes two megabytes by default.
    return max(limit - _FOR_ENVIRONMENT, 4096) if limit > 0 else 2_097_152


def _check_length(
    words: Sequence[str], chain: Sequence[Command], values: Sequence[Mapping[str, Any]]
) -> None:
    total = sum(len(os.fsencode(word)) + 1 + _POINTER for word in words)
    limit = longest_command_line()
    if total <= limit:
        return
    sizes = [
        (len(str(arguments.get(parameter.name))), parameter)
        for command, arguments in zip(chain, values, strict=True)
        for parameter in command.parameters
    ]
    reason = f"makes the command line {total} bytes long; the system takes at most {limit}"
    # The longest value is the one that a caller can shorten.
    raise RefusedValue(max(sizes, key=lambda pair: pair[0])[1], reason)


@dataclass(slots=True)
class _Level:
    """The words of one command: options, then positionals."""

    program: Program
    command: Command
    given: Mapping[str, Any]
    flags: frozenset[str]
    """Every flag of the commands in the chain."""
    marks: frozenset[str]
    """The characters that options begin with."""
    is_last: bool
    greedy: list[tuple[CommandParameter, list[str]]] = field(
        default_factory=list[tuple[CommandParameter, list[str]]]
    )
    """Options that would take further words: something that begins with a dash must follow."""
    plain: list[str] = field(default_factory=list[str])

    def words(self) -> list[str]:
        positionals: list[CommandParameter] = []
        for parameter in self.command.parameters:
            if parameter.is_positional and not parameter.negatives:
                positionals.append(parameter)
            else:
                self.add_option(parameter)
        placed = self.positionals(positionals)
        words = [word for _, word in placed]
        # A plain option behind a greedy one ends the words that it takes.
        options = [*(word for _, words in self.greedy for word in words), *self.plain]
        misread = self.misread(placed)
        swallows = bool(self.greedy) and not self.plain and bool(words or not self.is_last)
        # Without `--` wherever that is safe: some programs keep it as a word of their own.
        if misread is None and not swallows and not self.behind_dashes(words):
            return [*options, *words]
        if misread is None and swallows and self.takes_options_last(positionals):
            return [*words, *options]
        if words and self.understands_dashes(placed, misread):
            return [*options, "--", *words]
        if misread is not None:
            raise misread
        raise RefusedValue(
            self.greedy[-1][0],
            "cannot be given alone here: the program would read the next word as its value",
        )

    # -- `--`, which some programs split off themselves: it stands only where it must

    def misread(self, placed: Sequence[tuple[CommandParameter, str]]) -> RefusedValue | None:
        """Return the refusal of the first word that would not be read as a positional."""
        for index, (parameter, word) in enumerate(placed):
            if index and parameter.emit == "remainder" and self.program.framework == "argparse":
                break  # whatever follows the first word is taken as it is
            if word[:1] in self.marks:
                return RefusedValue(parameter, _reads_as_option(word))
        if placed and placed[0][1] in (self.own_word, *self.words_below()):
            parameter, word = placed[0]
            reason = f"must not begin with `{word}`: the program would read it as a command"
            return RefusedValue(parameter, reason)
        return None

    @property
    def own_word(self) -> str | None:
        """The word that the program takes for itself, before it parses anything."""
        return self.command.annotations.get(OWN_WORD)

    def words_below(self) -> Iterator[str]:
        """Yield the words that mean another command where this one's first positional stands."""
        if self.is_last and self.program.framework not in _FIRST_WORD_IS_VALUE:
            for command in self.command.commands:
                yield from (command.name, *command.aliases)

    def understands_dashes(
        self, placed: Sequence[tuple[CommandParameter, str]], misread: RefusedValue | None
    ) -> bool:
        """Return whether `--` surely makes positionals of the words behind it."""
        if not self.is_last or not self.program.takes_dashes or self.separates_parts():
            return False
        if self.program.framework != "argparse":
            return True
        # REMAINDER keeps a `--`, and a command is looked for behind it as well.
        starts_below = misread is not None and placed[0][1] in self.words_below()
        return placed[0][0].emit != "remainder" and not starts_below

    def behind_dashes(self, words: Sequence[str]) -> bool:
        """Return whether the usage says that the positionals of the command stand behind `--`."""
        says_so = _BEHIND_DASHES.match(self.command.usage) is not None
        return says_so and bool(words) and self.is_last and self.program.takes_dashes

    def separates_parts(self) -> bool:
        """Return whether the usage gives `--` a meaning that hangs on what stands before it."""
        usage = self.command.usage
        return not _BEHIND_DASHES.match(usage) and _MEANS_MORE.search(usage) is not None

    def takes_options_last(self, positionals: Sequence[CommandParameter]) -> bool:
        """Return whether options may surely follow all positionals."""
        is_open = any(parameter.emit == "remainder" for parameter in positionals)
        return self.is_last and self.program.framework == "argparse" and not is_open

    # -- options

    def add_option(self, parameter: CommandParameter) -> None:
        value = self.given.get(parameter.name)
        if value is None and not (parameter.emit == "json" and parameter.name in self.given):
            return
        words = list(self.option(parameter, value))
        if not words and (reason := lost(parameter, value)):
            raise RefusedValue(parameter, reason)
        if words and self.takes_more(parameter, value):
            self.greedy.append((parameter, words))
        else:
            self.plain += words

    def takes_more(self, parameter: CommandParameter, value: Any) -> bool:
        """Return whether the program would read the word behind an option as another value."""
        match parameter.emit:
            case "optional":
                return value is True and self.program.framework not in _NEVER_TAKES_NEXT
            case "words":
                return not _is_fixed(parameter.schema)
            case "repeat":
                items = parameter.schema.get("items", {})
                return items.get("type") == "array" and not _is_fixed(items)
            case _:
                return False

    def option(self, parameter: CommandParameter, value: Any) -> Iterator[str]:  # noqa: C901
        match parameter.emit:
            case "flag" | "pair" | "negative":
                yield from switch(parameter, value)
            case "count":
                yield from [parameter.flags[0]] * times(parameter, value)
            case "choice":
                yield chosen(parameter, value, None)
            case "choices":
                for index, item in enumerate(value):
                    yield chosen(parameter, item, index)
            case "optional" if isinstance(value, bool):
                if value:
                    yield _spelling(parameter)
            case "repeat":
                yield from self.repeated(parameter, value)
            case "words":
                yield from self.several(parameter, value)
            case "dotted":
                yield from self.dotted(parameter, _spelling(parameter), value)
            case _:
                for text in self.texts(parameter, value):
                    yield from self.valued(parameter, as_word(parameter, text))

    def texts(self, parameter: CommandParameter, value: Any) -> Iterator[str]:
        """Yield the texts of a value, each of which is one word or the value in one."""
        match parameter.emit:
            case "json":
                yield as_json(parameter, value)
            case "joined":
                yield ",".join(as_csv(parameter, *pair) for pair in enumerate(value))
            case "map":
                for key, item in pairs_of(parameter, value):
                    yield self.pair(parameter, key, as_text(parameter, item))
            case _:
                yield as_text(parameter, value)

    def repeated(self, parameter: CommandParameter, value: Any) -> Iterator[str]:
        items = as_list(parameter, value)
        if not items:
            yield from parameter.negatives[:1]
        for index, item in enumerate(items):
            if isinstance(item, list | tuple):
                yield _spelling(parameter)
                for word in cast("Sequence[Any]", item):
                    yield self.bare(parameter, word, index)
            else:
                text = as_word(parameter, as_text(parameter, item, index), index)
                yield from self.valued(parameter, text, index)

    def several(self, parameter: CommandParameter, value: Any) -> Iterator[str]:
        """Yield one flag and a word for each item."""
        items = as_list(parameter, value)
        if not items and parameter.negatives:
            yield parameter.negatives[0]
        elif items or self.program.framework == "argparse":
            yield _spelling(parameter)
            for index, item in enumerate(items):
                yield self.bare(parameter, item, index)

    def bare(self, parameter: CommandParameter, item: Any, index: int) -> str:
        """Return a separate word among options, where nothing can escape a leading dash."""
        text = as_word(parameter, as_text(parameter, item, index), index)
        if text[:1] not in self.marks or self.takes_any_word(parameter):
            return text
        is_number = isinstance(item, int | float) and not isinstance(item, bool)
        if is_number and self.program.framework in _LITERAL_NEGATIVES:
            # argparse accepts a negative number as a value only without an exponent.
            text = format(Decimal(text), "f")
            options = any(flag[1:2].isdigit() for flag in self.flags)
            if _NEGATIVE_NUMBER.fullmatch(text) and not options:
                return text
        raise RefusedValue(parameter, _reads_as_option(text), index)

    def takes_any_word(self, parameter: CommandParameter) -> bool:
        """Return whether an option takes the next words, as many as it says, whatever they are."""
        schema = (
            parameter.schema.get("items", {}) if parameter.emit == "repeat" else parameter.schema
        )
        return self.program.framework in _TAKE_ANY_WORDS and _is_fixed(schema)

    def dotted(self, parameter: CommandParameter, flag: str, value: Any) -> Iterator[str]:
        for key, item in pairs_of(parameter, value):
            if not key or set(key) & set("=.") or key.startswith("-") or key != key.strip():
                raise RefusedValue(parameter, f"has the key {shown(key)}, which cannot be written")
            path = f"{flag}.{key}"
            if isinstance(item, Mapping):
                yield from self.dotted(parameter, path, item)
                continue
            for part in cast("Sequence[Any]", item if isinstance(item, list) else [item]):
                text = as_word(parameter, as_text(parameter, part))
                yield from self.valued(parameter, text, flag=as_word(parameter, path))

    def pair(self, parameter: CommandParameter, key: str, text: str) -> str:
        if not key or "=" in key:
            raise RefusedValue(parameter, f"has the key {shown(key)}; a key must not contain `=`")
        pair = f"{key}={text}"
        if self.program.framework != "cobra":
            return pair
        # pflag reads such a pair as CSV if it has more than one `=`, else it trims quotes.
        if set(key) & set(',"') or pair.endswith('"'):
            raise RefusedValue(parameter, f"has the pair {shown(pair)}, which cannot be written")
        return quoted(pair) if "=" in text else pair

    def valued(
        self, parameter: CommandParameter, text: str, index: int | None = None, flag: str = ""
    ) -> Iterator[str]:
        """Yield an option with its value, in one word where the program allows it."""
        flag = flag or _spelling(parameter)
        self.check_dashes(parameter, text, index)
        if parameter.emit == "optional" and (not text or text[0] in self.marks):
            # Click puts such a value back among the words, and reads it as an option.
            reason = _reads_as_option(text) if text else "must not be empty"
            raise RefusedValue(parameter, reason, index)
        if len(flag) == 2:
            yield from self.short(parameter, flag, text, index)
        elif self.program.takes_equals:
            yield f"{flag}={text}"
        elif text[:1] in self.marks:
            raise RefusedValue(parameter, _reads_as_option(text), index)
        else:
            yield from (flag, text)

    def short(
        self, parameter: CommandParameter, flag: str, text: str, index: int | None
    ) -> Iterator[str]:
        """Yield `-oVALUE`, or two words where that could be another option.

        argparse reads `-o=x` as `x`, Click as `=x`; both prefer an option `-output` to `-o` with
        the value `utput`, and argparse also reads `-outp` as `-output`.
        """
        joined = flag + text
        head = joined.partition("=")[0]
        is_ambiguous = any(
            known_flag.startswith(head) for known_flag in self.flags if known_flag != flag
        )
        is_ambiguous = is_ambiguous or (
            not self.program.framework and self.has_long_names_behind_one_dash()
        )
        if text and not text.startswith("=") and not is_ambiguous:
            yield joined
        elif parameter.emit != "optional" and (
            not text or text[0].isalnum() or text[0] in _PLAIN_START
        ):
            yield from (flag, text)
        else:
            raise RefusedValue(parameter, f"cannot be {shown(text)}: it reads as another option")

    def has_long_names_behind_one_dash(self) -> bool:
        """Return whether `-f1` would be an option of that name, as in X11, Java and Poppler."""
        return any(len(flag) > 2 and not flag.startswith("--") for flag in self.flags)

    # -- positionals

    def positionals(
        self, parameters: Sequence[CommandParameter]
    ) -> list[tuple[CommandParameter, str]]:
        placed: list[tuple[CommandParameter, str]] = []
        missing: CommandParameter | None = None
        opened: CommandParameter | None = None
        for parameter in parameters:
            value = self.given.get(parameter.name)
            if value is None and opened is not None:
                value = self.filled_first(parameter, opened, placed)
            if value is None:
                # argparse gives no word to one that is not required behind an open-ended one
                is_passed_over = opened is not None and self.program.framework == "argparse"
                if not is_passed_over and not _takes_none(parameter):
                    missing = missing or parameter
                opened = opened or (parameter if _takes_none(parameter) else None)
                continue
            words = [(parameter, word) for word in self.placed(parameter, value)]
            if not words and (reason := lost(parameter, value)):
                raise RefusedValue(parameter, reason)
            if opened is not None:
                self.check_share(parameter, opened, words)
            # Only places tell words apart: what is left out before this one needs its default.
            if words and missing is not None:
                placed += self.left_out(parameters, missing, parameter)
                missing = None
            placed += words
            opened = opened or (parameter if _takes_none(parameter) else None)
        return placed

    # -- an open-ended positional, which shares the words with those behind it

    def filled_first(
        self,
        parameter: CommandParameter,
        opened: CommandParameter,
        placed: Sequence[tuple[CommandParameter, str]],
    ) -> Any:
        """Return the default of a positional that would get the last word in spite of being left
        out: Click fills those behind an open-ended one first."""
        if self.program.framework not in _FILL_LAST_FIRST or _takes_none(parameter):
            return None
        names = [sibling.name for sibling in self.command.parameters]
        last = placed[-1][0] if placed else None
        if last is None or names.index(last.name) < names.index(opened.name):
            return None
        if parameter.default is UNSET or parameter.default is None:
            reason = f"needs `{key_of(parameter).key}`, to which the program gives the last word"
            raise RefusedValue(last, reason)
        return parameter.default

    def check_share(
        self,
        parameter: CommandParameter,
        opened: CommandParameter,
        words: Sequence[tuple[CommandParameter, str]],
    ) -> None:
        """Refuse words that argparse would give to an open-ended positional before this one, which
        takes all but those that are required behind it."""
        if self.program.framework != "argparse" or _is_fixed(parameter.schema):
            return
        most = int(parameter.required)
        if len(words) > most:
            what = "may have only one item" if most else "cannot be given"
            name = key_of(opened).key
            raise RefusedValue(parameter, f"{what}: the program takes the words for `{name}`")

    def left_out(
        self,
        parameters: Sequence[CommandParameter],
        missing: CommandParameter,
        following: CommandParameter,
    ) -> Iterator[tuple[CommandParameter, str]]:
        """Yield the defaults of positionals before one that is given."""
        between = parameters[parameters.index(missing) : parameters.index(following)]
        for skipped in between:
            if _takes_none(skipped):
                continue
            if skipped.default is UNSET or skipped.default is None:
                raise RefusedValue(
                    following, f"needs `{key_of(skipped).key}`, which comes before it"
                )
            yield from ((skipped, word) for word in self.placed(skipped, skipped.default))

    def placed(self, parameter: CommandParameter, value: Any) -> Iterator[str]:
        if isinstance(value, list | tuple) and parameter.emit not in ("json", "joined"):
            for index, item in flattened(cast("Sequence[Any]", value)):
                yield self.place(parameter, as_text(parameter, item, index), index)
        else:
            for text in self.texts(parameter, value):
                yield self.place(parameter, text, None)

    def place(self, parameter: CommandParameter, text: str, index: int | None) -> str:
        self.check_dashes(parameter, text, index)
        return as_word(parameter, text, index)

    def check_dashes(self, parameter: CommandParameter, text: str, index: int | None) -> None:
        """Refuse `--`, which argparse drops anywhere: before 3.12.5 even in `--x=--`."""
        if text == "--" and self.program.framework == "argparse":
            raise RefusedValue(parameter, "must not be `--`: the program would drop it", index)


def _reads_as_option(text: str) -> str:
    return f"must not begin with `{text[0]}`: the program would read it as an option"


def _spelling(parameter: CommandParameter) -> str:
    """Return the flag that takes a value: a long one, if there is one."""
    return next((flag for flag in parameter.flags if len(flag) > 2), parameter.flags[0])


def _is_fixed(schema: Mapping[str, Any]) -> bool:
    return "minItems" in schema and schema.get("minItems") == schema.get("maxItems")


def _takes_none(parameter: CommandParameter) -> bool:
    """Return whether a positional may take any number of words, whatever follows it."""
    return parameter.emit in ("rest", "remainder") and not _is_fixed(parameter.schema)
