"""How a help text spells options and values; its usage lines.

One grammar for all families: `-o, --output FILE`, `--output=FILE`, `--color[=WHEN]`,
`--tag stringArray`, `--shout / --no-shout`, `-f FILE, --file=FILE`, `--[no-]verify`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..program import CommandParameter

# -- brackets

_CLOSES = {"<": ">", "[": "]", "{": "}", "(": ")"}
_LONGEST_GROUP = 300


def _group(text: str, start: int, most: int = _LONGEST_GROUP) -> str:
    """Return a text in brackets, including them; empty if they are not closed."""
    depth = 0
    for index in range(start, min(len(text), start + most)):
        if text[index] in _CLOSES:
            depth += 1
        elif text[index] in _CLOSES.values():
            depth -= 1
            if depth == 0:
                return text[start : index + 1]
    return ""


def _closes_at_end(text: str) -> bool:
    """Return whether the bracket that a text begins with is closed by the last one."""
    return text[:1] in _CLOSES and _group(text, 0, len(text)) == text


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators that are in no brackets."""
    parts, depth, begin = list[str](), 0, 0
    for index, character in enumerate(text):
        if character in _CLOSES:
            depth += 1
        elif character in _CLOSES.values():
            depth = max(depth - 1, 0)
        elif depth == 0 and text.startswith(separator, index):
            parts.append(text[begin:index].strip())
            begin = index + len(separator)
    return [*parts, text[begin:].strip()]


def _tokens(usage: str) -> list[str]:
    """Return the words of a usage; what is in brackets is one word."""
    return [word for word in _split(usage, " ") if word][:_MOST_TOKENS]


# -- an option and its value

_FLAG = re.compile(
    r"--(?P<can_no>\[no-?\])?[A-Za-z0-9](?:[A-Za-z0-9_+:-]|\.(?=[A-Za-z0-9_]))*"
    r"|-[A-Za-z][A-Za-z0-9_-]+"
    r"|-(?P<short>[^\s,=\[\]<>|/-])(?!(?P=short))"  # not `-###`
)
_BETWEEN = re.compile(r"(?:, ?| ?\| ?| or )(?=-)|,(?=-)")
_LONG_FOLLOWS = re.compile(r" (?=--[A-Za-z])")
_OPPOSITE = re.compile(r" ?/ ?(?=-)")
_CAPITALS = re.compile(r"[A-Z0-9%+][A-Z0-9_.:/|,=+@*?#-]*(?:\.\.\.)?")
_QUOTED_END = re.compile(r"':(?= |$)")
_DEFAULT_END = re.compile(r":(?= |$)")
_MOST_VALUES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The part of an option's line before its description."""

    flags: tuple[str, ...]
    negatives: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """The values that it takes, as written; empty for a switch."""
    is_optional: bool = False
    """Whether its value may be missing: `--color[=WHEN]`."""
    repeats: bool = False
    """Whether three dots follow it."""
    has_equals: bool = False
    shown_default: str | None = None
    """The value in `--replicas=1:`, which is how kubectl writes defaults."""
    is_certain: bool = True
    """Whether it is clear where the spelling ends and the description begins."""
    is_switch: bool = False
    """Whether it takes no value by how the whole text writes values."""
    rest: str = ""
    """The description, as far as it is on the same line."""


def read_spelling(text: str, *, framed: bool = False) -> Spelling | None:
    """Return how the option that a line begins with is spelled; None if there is none."""
    reader = _Reader(text)
    if framed:
        return reader.cells()
    return reader.line()


class _Reader:
    """Reads one line from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: list[str] = []
        self.negatives: list[str] = []
        self.values: tuple[str, ...] = ()
        self.is_optional = False
        self.repeats = False
        self.has_equals = False
        self.shown_default: str | None = None
        self.is_certain = True

    def line(self) -> Spelling | None:
        current = self.flags
        while self.flag(current):
            self.value()
            between = _BETWEEN.match(self.text, self.at) or self.long_behind_short(current)
            if between is None:
                between = _OPPOSITE.match(self.text, self.at)
                current = self.negatives if between is not None else current
            if between is None:
                break
            self.at = between.end()
        return self.spelling(self.text[self.at :].strip())

    def long_behind_short(self, flags: list[str]) -> re.Match[str] | None:
        """Return the blank in `-H --host`, as systemd writes it."""
        is_short = len(flags[-1]) == len("-H") and not self.values
        return _LONG_FOLLOWS.match(self.text, self.at) if is_short else None

    def cells(self) -> Spelling | None:
        """Read a row of a table: flags, more flags, what it takes, the description."""
        cells = [cell for cell in self.text.split("  ") if cell.strip()]
        index = 0
        while index < len(cells) and cells[index].strip().startswith("-"):
            for flag in re.split(r"[,\s]+", cells[index].strip()[:200]):
                if _FLAG.fullmatch(flag):
                    self.flags.append(flag)
            index += 1
        remaining = [cell.strip() for cell in cells[index:]]
        if remaining:
            kind, bracket, limits = remaining[0].partition(" [")  # `<int range> [1<=x<=3]`
            if is_type(kind if bracket else remaining[0]):
                self.values = (kind if bracket else remaining[0],)
                remaining[0] = bracket.strip() + limits
        return self.spelling("  ".join(filter(None, remaining)))

    def spelling(self, description: str) -> Spelling | None:
        if not self.flags:
            return None
        flags, negatives = list(dict.fromkeys(self.flags)), list(dict.fromkeys(self.negatives))
        for flag in list(flags):
            if f"--no-{flag[2:]}" in flags and flag.startswith("--"):
                flags.remove(f"--no-{flag[2:]}")
                negatives.append(f"--no-{flag[2:]}")
        return Spelling(
            flags=tuple(flags),
            negatives=tuple(dict.fromkeys(negatives)),
            values=self.values,
            is_optional=self.is_optional,
            repeats=self.repeats,
            has_equals=self.has_equals,
            shown_default=self.shown_default,
            is_certain=self.is_certain,
            rest=description.removeprefix(": "),  # `-q       : say nothing`
        )

    def flag(self, into: list[str]) -> bool:
        match = _FLAG.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        word = match[0]
        if match["can_no"]:
            word = word.replace(match["can_no"], "", 1)
            self.negatives.append(f"--no-{word[2:]}")
        into.append(word)
        return True

    def value(self) -> None:
        """Read what follows a flag, if it is something that the flag takes."""
        ahead = self.text[self.at : self.at + 2]
        if ahead.startswith("="):
            self.has_equals = True
            self.at += 1
            self.take_behind_equals()
        elif ahead[:1] in ("[", "<"):
            group = _group(self.text, self.at)
            if group:
                self.at += len(group)
                self.is_optional = ahead[0] == "["
                self.has_equals |= "=" in ahead
                self.values = (group[1:-1].removeprefix("=") if ahead[0] == "[" else group,)
        elif ahead[:1] == " " and ahead[1:] not in (" ", ""):
            self.take_behind_blank()
        if self.text.startswith("...", self.at):
            self.at += 3
            self.repeats = True

    def take_behind_equals(self) -> None:
        default = _shown_default(self.text, self.at)
        if default is not None:
            self.at += len(default) + len(":")
            self.shown_default = default
            self.values = (default,)
            return
        word = self.word(self.at)
        self.at += len(word)
        bare = word.rstrip(".:")
        self.repeats |= word != bare and word.endswith("...")
        self.values = (bare or word,)

    def take_behind_blank(self) -> None:
        end = self.text.find("  ", self.at + 1)
        segment = self.text[self.at + 1 : end if end >= 0 else None]
        words = _words(segment)
        if segment.startswith("-") or not words or words[0] in ("/", "|", "or"):
            return  # another flag
        # It is another flag of the same option only after a comma or a slash.
        upto = next((index for index, word in enumerate(words) if word.endswith(",")), len(words))
        if upto < len(words) and words[upto + 1 : upto + 2] and words[upto + 1].startswith("-"):
            words = [word for word in (*words[:upto], words[upto].rstrip(",")) if word]
            if not words:
                self.is_certain = False  # `-s , --shout`
                return
        count = 0
        while count < min(len(words), _MOST_VALUES) and _is_value(words[count]):
            count += 1
        if count == len(words):
            self.take(words)
        elif count and words[0][0] in _CLOSES:  # `--ciphers <list> SSL ciphers to use`
            literals = (
                index
                for index in range(count)
                if words[index][0] not in _CLOSES and words[index] != "..."
            )
            self.take(words[: next(literals, count)])
        elif count:
            self.take(words[:1])  # `--level N be as loud as N`: or is N the first word of the text?
            self.is_certain = False
        elif len(words) == 1:
            self.take(words)
        else:
            self.is_certain = False  # the description, one blank after the flag

    def take(self, words: list[str]) -> None:
        self.at += 1 + len(" ".join(words))
        joined = words[-1]
        self.repeats |= joined.endswith("...") and len(joined) > len("...")
        if joined.endswith("...") and len(joined) > len("..."):
            words = [*words[:-1], joined[: -len("...")]]
        marked = re.match(r"([^\[]{1,80})\[=(.{0,200})\]$", words[0]) if len(words) == 1 else None
        if marked is not None:  # pflag: `string[="all"]`
            self.is_optional = True
            self.values = (marked[1],)
            return
        # Not `[protocol://]host[:port]`, which only begins and ends with something optional.
        if len(words) == 1 and words[0][0] == "[" and _closes_at_end(words[0]):
            placeholder = words[0][1:-1]
            if (
                placeholder
                and "|" not in placeholder
                and "," not in placeholder
                and "%" not in placeholder
            ):
                self.is_optional = True
                words = [placeholder]
        self.values = tuple(words)

    def word(self, start: int) -> str:
        """Return a word; blanks and commas in brackets are part of it."""
        end = start
        while end < len(self.text) and self.text[end] not in " ,":
            group = _group(self.text, end) if self.text[end] in _CLOSES else ""
            end += len(group) or 1
        return self.text[start:end]


def _shown_default(text: str, start: int) -> str | None:
    """Return the default that kubectl writes in place of a value: `--replicas=1: How many.`.

    The description may be on the next line. A text is in quotes, which do not end where the text
    has one itself. A word in capitals before the colon is what the option takes: `--file=FILE:`.
    """
    quote = text[start : start + 1]
    if quote == "'":
        ends = _QUOTED_END.search(text, start + 1)
        end = ends.start() + 1 if ends is not None else -1
    elif quote == "[":
        end = text.find("]", start) + 1 or -1
    else:
        ends = _DEFAULT_END.search(text, start)
        end = ends.start() if ends is not None else -1
    if end < 0 or not _DEFAULT_END.match(text, end):
        return None
    default = text[start:end]
    is_literal = quote in ("'", "[")
    if not is_literal and (" " in default or quote in _CLOSES or default.isupper()):
        return None
    return default


def _words(segment: str) -> list[str]:
    """Return the words of a text; one in brackets is one word."""
    words: list[str] = []
    start = 0
    while start < len(segment) and len(words) <= _MOST_VALUES + 1:
        if segment[start] == " ":
            start += 1
            continue
        end = start
        while end < len(segment) and segment[end] != " ":
            group = _group(segment, end) if segment[end] in _CLOSES else ""
            end += len(group) or 1
        words.append(segment[start:end])
        start = end
    return words


def _is_value(word: str) -> bool:
    return (
        word.startswith(("<", "[", "{")) or word == "..." or _CAPITALS.fullmatch(word) is not None
    )


def is_type(cell: str) -> bool:
    """Return whether a cell of a table says what an option takes."""
    words = cell[:300].split(" ")
    if cell.startswith("["):
        return cell.endswith("]") and ":" not in cell.replace("%H:%M", "") and "|" in cell
    return cell.startswith("<") or all(_CAPITALS.fullmatch(word) for word in words)


# -- positionals and commands in a usage line

_OPTIONS = re.compile(
    r"\[?(?:OPTIONS?|options?|flags?|FLAGS?|Options?|global options|command options|opts)"
    r"(?:\.\.\.)?\]?(?:\.\.\.)?|\[?<(?:options?|flags?)>\]?"
)
_COMMAND = re.compile(r"(?P<open>\[?)<?(?:sub-?)?commands?>?\]?(?:\.\.\.)?", re.IGNORECASE)
_CHOICE = re.compile(r"\{([^{}\s]{1,2000})\}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .:/@#+-]{0,79}")
_ALTERNATIVE = re.compile(r"\|(?= ?-)")
_PLURALS = frozenset(("files", "paths", "directories", "dirs", "urls", "operands", "arguments"))
"""What a positional without dots is called that takes several words, as in `diff FILES`."""
_MOST_TOKENS = 1_000


@dataclass(slots=True)
class Usage:
    """What the usage of a command says."""

    positionals: tuple[CommandParameter, ...] = ()
    runs: bool = True
    """Whether there is a usage without a further command."""
    may_run: bool = False
    """Whether the further command is in brackets."""
    text: str = ""
    """The usage after the path."""
    required_flags: frozenset[str] = frozenset()
    """Flags that are in it without brackets."""
    exclusive: tuple[tuple[tuple[str, ...], bool], ...] = ()
    """Flags of which at most one is allowed, and whether one is needed."""


def has_path(usages: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether a usage has all words of a path, in order."""
    return any(_behind(_tokens(usage), path) is not None for usage in usages)


def read_usage(
    usages: Sequence[str],
    path: Sequence[str],
    described: Mapping[str, str],
    *,
    has_commands: bool,
    valued: Container[str] = (),
    plurals: bool = False,
) -> Usage:
    """Read what follows a path in the usages of its command.

    Without commands below it, a word such as `COMMAND` is a positional. Behind a flag that takes a
    value, a word is that value: `-f FILENAME`. With `plurals`, a last word such as `FILES` may be
    several.
    """
    rests: list[list[str]] = []
    for usage in usages:
        behind = _behind(_tokens(usage), path)
        if behind is not None:
            rests.append(behind)
    if not rests:
        return Usage(text="")
    commands = [tail for tail in rests if has_commands and _command_at(tail) is not None]
    without_command = [tail for tail in rests if tail not in commands]
    usage = Usage(
        runs=bool(without_command),
        may_run=any(_is_optional_command(tail) for tail in commands),
        text=" | ".join(" ".join(tail) for tail in rests)[:1_000],
        required_flags=frozenset(
            token for token in rests[0] if len(rests) == 1 and token.startswith("-")
        ),
        exclusive=tuple(_exclusive(rests[0])) if len(rests) == 1 else (),
    )
    positionals = [_positionals(tail, valued) for tail in without_command]
    _read_positionals(usage, positionals, described, plurals=plurals)
    return usage


def _positionals(tokens: Sequence[str], valued: Container[str]) -> list[str]:
    before = ("", *tokens)
    return [
        token
        for flag, token in zip(before, tokens, strict=False)
        if _is_positional(token) and flag not in valued
    ]


def option_texts(usages: Sequence[str]) -> Iterator[str]:
    """Yield what stands for an option in usages: `--cached`, `-b <branch>` of `[-b <branch>]`.

    Of `[-f | --force]` the long one is taken. Outside brackets, `-m <text>` could be an option with
    its value, or an option and a positional.
    """
    for usage in usages:
        tokens = _tokens(usage)
        for index, token in enumerate(tokens):
            is_bracketed = token[:1] in ("[", "(") and _closes_at_end(token)
            inside = token[1:-1] if is_bracketed else token
            parts = [part.strip() for part in _ALTERNATIVE.split(inside)]
            if not all(part.startswith("-") and part.strip("-") for part in parts):
                continue
            if is_bracketed or not tokens[index + 1 : index + 2] or tokens[index + 1][0] != "<":
                yield from [part for part in parts if part.startswith("--")] or parts


def _exclusive(tokens: Sequence[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield what argparse writes as `[--a A | --b]`, or as `(--a A | --b)` if one is needed."""
    for token in tokens:
        if token[:2] in ("[-", "(-") and _closes_at_end(token) and " | " in token:
            flags = [option.split(" ", 1)[0] for option in token[1:-1].split(" | ")]
            if all(flag.startswith("-") for flag in flags):
                yield tuple(flags), token.startswith("(")


def _behind(tokens: list[str], path: Sequence[str]) -> list[str] | None:
    """Return the words after a path; None if it is not all there.

    Options and positionals of groups may come between its words.
    """
    index = 1 if tokens else 0
    for word in path:
        # `git stash [push [-p] ...]`: what may be left out is in brackets.
        while (
            index < len(tokens)
            and tokens[index] != word
            and not tokens[index].startswith(f"[{word} ")
        ):
            index += 1
        if index >= len(tokens):
            return None
        index += 1
    return tokens[index:]


def _command_at(tokens: Sequence[str]) -> int | None:
    for index, token in enumerate(tokens):
        if _COMMAND.fullmatch(token):
            # `docker run IMAGE [COMMAND] [ARG...]` has a positional of that name.
            return None if any(_is_positional(previous) for previous in tokens[:index]) else index
        if _CHOICE.fullmatch(token) and tokens[index + 1 : index + 2] == ["..."]:
            return index
        if index + 1 == len(tokens) - 1 and tokens[index + 1] == "..." and _is_positional(token):
            return index
    return None


def _is_optional_command(tokens: Sequence[str]) -> bool:
    index = _command_at(tokens)
    return index is not None and tokens[index].startswith("[")


def _is_positional(token: str) -> bool:
    """Return whether a word is a positional, or may be one: `(-f FILENAME | TYPE NAME)`."""
    if token.startswith(("[-", "(-")):
        ways = _split(token[1:-1], " | ") if _closes_at_end(token) else []
        return any(not way.startswith(("[-", "(-")) and _is_positional(way) for way in ways)
    return not token.startswith("-") and not _OPTIONS.fullmatch(token)


def _read_positionals(
    usage: Usage, words: Sequence[Sequence[str]], described: Mapping[str, str], *, plurals: bool
) -> None:
    """Read the positionals one by one, or all as one list of words."""
    nonempty = [tokens for tokens in words if tokens]
    if not nonempty:
        return
    is_alone = len(nonempty) == 1 and not any("(" in part or part == "|" for part in nonempty[0])
    understood = _each(nonempty[0], described, plurals=plurals) if is_alone else None
    if understood is not None:
        if len(words) > 1:  # another usage does without them
            understood = tuple(replace(parameter, required=False) for parameter in understood)
        usage.positionals = understood
        return
    usage_text = usage.text.replace(" | ", "\n") if len(words) > 1 else usage.text
    usage.positionals = (
        CommandParameter(
            name="args",
            schema={"type": "array", "items": {"type": "string"}},
            emit="rest",
            description=f"Positional arguments. Usage: {usage_text}",
        ),
    )


def _each(
    words: Sequence[str], described: Mapping[str, str], *, plurals: bool
) -> tuple[CommandParameter, ...] | None:
    positionals: list[_Word] = []
    for word in words:
        positional = _word(word)
        if positional is None:
            return None
        last = positionals[-1] if positionals else None
        if last is not None and positional.name == last.name and positional.repeats:
            last.repeats = True  # `NAME [NAME...]`
        elif positional.name:
            positionals.append(positional)
        elif last is not None:
            last.repeats = True  # `NAME ...`
        else:
            return None
    if plurals and positionals and positionals[-1].name in _PLURALS:
        positionals[-1].repeats = True
    names = [positional.name for positional in positionals]
    several = [index for index, positional in enumerate(positionals) if positional.repeats]
    optional = [positional.is_optional for positional in positionals]
    if len(set(names)) < len(names) or several not in ([], [len(positionals) - 1]):
        return None
    if optional != sorted(optional):
        return None  # one that may be missing comes before one that may not
    texts = {_key(name): text for name, text in described.items()}
    return tuple(positional.parameter(texts) for positional in positionals)


@dataclass(slots=True)
class _Word:
    name: str
    is_optional: bool = False
    repeats: bool = False
    choices: tuple[str, ...] = ()

    def parameter(self, texts: Mapping[str, str]) -> CommandParameter:
        item: dict[str, Any] = {"type": "string"}
        if self.choices:
            item["enum"] = list(self.choices)
        schema = item
        if self.repeats:
            schema = dict[str, Any](type="array", items=item)
            if not self.is_optional:
                schema["minItems"] = 1
        return CommandParameter(
            name=self.name,
            schema=schema,
            emit="rest" if self.repeats else "value",
            required=not self.is_optional,
            description=texts.get(_key(self.name), ""),
        )


def _word(text: str) -> _Word | None:
    """Read `NAME`, `<name>`, `[NAME]`, `NAME...`, `[NAME...]`, `{a,b}`; None for anything else."""
    if text in ("...", "[...]"):
        return _Word("")
    text, is_optional, repeats = _unwrapped(text)
    choice = _CHOICE.fullmatch(text)
    if choice is not None:
        values = tuple(re.split(r"[|,]", choice[1]))
        if len(values) > 1:
            return _Word("choice", is_optional, repeats, values)
        text = choice[1]  # Typer, since 0.29
    parts = [part for part in text.split("|") if part != "-"]
    if len(parts) != 1 or _NAME.fullmatch(parts[0]) is None:
        return None
    return _Word(_key(parts[0]), is_optional, repeats)


def _unwrapped(text: str) -> tuple[str, bool, bool]:
    """Return a name without brackets and dots, whether it is optional, and whether it repeats."""
    is_optional = repeats = False
    for _ in range(4):  # `[<name>...]...` has four layers; a hostile text must not have more
        if text.endswith("..."):
            text, repeats = text[:-3].rstrip(), True
        elif text.startswith("[") and text.endswith("]") and _closes_at_end(text):
            text, is_optional = text[1:-1].strip(), True
            tokens = _tokens(text)
            if len(tokens) == 2 and tokens[1].strip("[]") in ("...", f"{tokens[0]}..."):
                text, repeats = tokens[0], True  # argparse: `[FILE ...]`
        elif text.startswith("<") and text.endswith(">") and _closes_at_end(text):
            text = text[1:-1].strip()
        else:
            break
    return text, is_optional, repeats


def _key(name: str) -> str:
    """Return the name of a positional as a key."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()[:200]).strip("_") or "arg"
