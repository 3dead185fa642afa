"""Positionals and commands in a usage line."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..program import CommandParameter

_OPTIONS = re.compile(
    r"\[?(?:OPTIONS?|options?|flags?|FLAGS?|Options?|global options|command options|opts)"
    r"(?:\.\.\.)?\]?(?:\.\.\.)?|\[?<(?:options?|flags?)>\]?"
)
_COMMAND = re.compile(r"(?P<open>\[?)<?(?:sub-?)?commands?>?\]?(?:\.\.\.)?", re.IGNORECASE)
_CHOICE = re.compile(r"\{([^{}\s]{1,2000})\}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ .:/@#+-]{0,79}")
_CLOSES = {"[": "]", "<": ">", "{": "}", "(": ")"}
_ALTERNATIVE = re.compile(r"\|(?= ?-)")
_PLURALS = frozenset(("files", "paths", "directories", "dirs", "urls", "operands", "arguments"))
"""What a positional without dots is called that takes several words, as in `diff FILES`."""
_MOST_TOKENS = 1_000
_ARGUMENTS_OF_COMMAND = re.compile(r"\[?<?args?>?\]?(?:\.\.\.)?\]?|\.\.\.", re.IGNORECASE)


@dataclass(slots=True)
class Usage:
    """What the usage of a command says."""

    positionals: tuple[CommandParameter, ...] = ()
    takes_command: bool = False
    runs: bool = True
    """Whether there is a usage without a further command."""
    may_run: bool = False
    """Whether the further command is in brackets."""
    text: str = ""
    """The usage after the path."""
    is_clear: bool = True
    """Whether positionals were understood one by one."""
    choices: tuple[str, ...] = ()
    """The commands that argparse lists in the usage itself."""
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
        takes_command=bool(commands),
        runs=bool(without_command),
        may_run=any(_is_optional_command(tail) for tail in commands),
        text=" | ".join(" ".join(tail) for tail in rests)[:1_000],
        choices=_subparsers(commands),
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


def _tokens(usage: str) -> list[str]:
    """Return the words of a usage; what is in brackets is one word."""
    tokens: list[str] = []
    depth, word = 0, ""
    for character in usage:
        if character in _CLOSES:
            depth += 1
        elif character in _CLOSES.values():
            depth = max(depth - 1, 0)
        if character == " " and depth == 0:
            if word:
                tokens.append(word)
            word = ""
        else:
            word += character
        if len(tokens) >= _MOST_TOKENS:  # what a program prints has no limit of its own
            return tokens
    return [*tokens, word] if word else tokens


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


def _subparsers(rests: Sequence[Sequence[str]]) -> tuple[str, ...]:
    for tokens in rests:
        index = _command_at(tokens)
        match = _CHOICE.fullmatch(tokens[index]) if index is not None else None
        if match is not None:
            return tuple(match[1].split(",")[:1000])
    return ()


def _is_positional(token: str) -> bool:
    """Return whether a word is a positional, or may be one: `(-f FILENAME | TYPE NAME)`."""
    if token.startswith(("[-", "(-")):
        ways = _split(token[1:-1], " | ") if _closes_at_end(token) else []
        return any(not way.startswith(("[-", "(-")) and _is_positional(way) for way in ways)
    return not token.startswith("-") and not _OPTIONS.fullmatch(token)


def _split(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators that are in no brackets."""
    parts, depth, begin = list[str](), 0, 0
    for index, character in enumerate(text):
        if character in _CLOSES:
            depth += 1
        elif character in _CLOSES.values():
            depth -= 1
        elif depth == 0 and text.startswith(separator, index):
            parts.append(text[begin:index].strip())
            begin = index + len(separator)
    return [*parts, text[begin:].strip()]


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
    usage.is_clear = False
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


def _closes_at_end(text: str) -> bool:
    """Return whether the first bracket is closed by the last one."""
    depth = 0
    for index, character in enumerate(text):
        if character in _CLOSES:
            depth += 1
        elif character in _CLOSES.values():
            depth -= 1
            if depth == 0:
                return index == len(text) - 1
    return False


def _key(name: str) -> str:
    """Return the name of a positional as a key."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()[:200]).strip("_") or "arg"
