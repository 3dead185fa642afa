"""git: its own lists of commands and options."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .asking import HelpAnswer, HelpAsker
from .help_page import CommandText, OptionText, Page, lines_of, read_page
from .option_spelling import Spelling, read_spelling
from .usage_line import option_texts

_MOST = 2_000
_GROUPS = (
    *("list-mainporcelain", "list-ancillarymanipulators", "list-ancillaryinterrogators"),
    *("list-plumbingmanipulators", "list-plumbinginterrogators"),
)
"""What people and scripts use; the rest is for git itself, for servers and for other systems."""
_SCRIPTS = frozenset(("bisect", "submodule", "mergetool", "request-pull"))
"""Commands that were shell scripts once: `git-sh-setup` answers `-h` before they begin."""

_WALKERS = frozenset(
    (
        *("log", "show", "shortlog", "format-patch", "rev-list", "rev-parse"),
        *("diff", "diff-tree", "diff-index", "diff-files"),
    )
)
"""Commands whose options of walking over and comparing commits are in the manual alone.

Other manuals say less than `-h`: that of `submodule` shows no value for `--name`.
"""
_BETWEEN_FLAGS = re.compile(r", (?=-)")
_MOST_FLAGS = 20
_MOST_LINES = 10
"""Lines of a paragraph that are read."""


def list_commands(asker: HelpAsker) -> list[CommandText]:
    """Return git's commands, those of daily use first.

    Only built-in ones answer `-h` for sure: `git http-backend -h` answers a request.
    """
    names = _words(asker.git_commands(*_GROUPS))
    safe = _SCRIPTS | set(_words(asker.git_commands("builtins")))
    return [CommandText(name) for name in dict.fromkeys(names) if name in safe]


def list_completing(asker: HelpAsker) -> frozenset[str]:
    """Return the commands that list their options for completion; others would misread the flag."""
    return frozenset(_words(asker.git_commands("parseopt")))


def _words(answer: HelpAnswer) -> list[str]:
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST]
    return words if answer.code == 0 else []


def read_command(
    asker: HelpAsker, path: Sequence[str], completing: frozenset[str]
) -> tuple[Page, bool]:
    """Return the help of a command, and whether that is all it has.

    Options and commands that only completion lists are added, and options that are only in the
    manual, as those of `git log` are. A manual need not be installed.
    """
    page = read_page(asker.short_help(path).said)
    if path[0] in completing:
        _add_completed(page, asker.git_options(path))
    if len(path) > 1 or path[0] not in _WALKERS:
        return page, True
    manual = list(itertools.islice(in_manual(asker.help(path).stdout), _MOST))
    certain = [option for option in page.options if option.spelling.is_certain]
    unsure = [option for option in page.options if not option.spelling.is_certain]
    # Of what is there twice, the first counts. What completes its options writes its `-h` exactly.
    first = (*certain, *manual) if path[0] in completing else (*manual, *certain)
    page.options = [*first, *unsure, *_in_usages(page.usages)]
    return page, bool(manual)


def _in_usages(usages: Sequence[str]) -> Iterator[OptionText]:
    """Yield the options that are only in a usage: `git diff --cached`."""
    for text in option_texts(usages):
        spelling = read_spelling(text)
        if spelling is not None and not spelling.rest and len(spelling.flags) == 1:
            yield OptionText(spelling, "")


def _flags(option: OptionText) -> tuple[str, ...]:
    return option.spelling.flags + option.spelling.negatives


def in_manual(manual: bytes) -> Iterator[OptionText]:
    """Yield the options of a manual: `--author=<pattern>, --committer=<pattern>` are two of them.

    A line of options has nothing behind them, and a description below it, further in.
    """
    flags_seen: set[str] = set()
    lines = lines_of(manual)
    for index, line in enumerate(lines):
        spellings = _spelled(line.text) if line.text.startswith("-") else []
        below = itertools.islice(lines, index + 1, index + 1 + _MOST_LINES) if spellings else ()
        text = itertools.takewhile(
            lambda text_line, line=line: text_line.indent > line.indent, below
        )
        description = " ".join(text_line.text for text_line in text)[:_MOST]
        for spelling in spellings if description else ():
            if not flags_seen & set(spelling.flags):
                flags_seen |= {*spelling.flags, *spelling.negatives}
                yield OptionText(spelling, "", text=description)


def _spelled(line: str) -> list[Spelling]:
    """Return the options that a line of the manual names; a short name belongs to the first."""
    short: list[str] = []
    long: list[Spelling] = []
    only: Spelling | None = None
    for part in _BETWEEN_FLAGS.split(line)[:_MOST_FLAGS]:
        spelling = read_spelling(part)
        if spelling is None or spelling.rest or spelling.flags[1:]:
            continue  # `-<number>`, `-L<start>,<end>:<file>`
        if "".join(spelling.values).startswith("{"):
            spelling = replace(spelling, values=("value",))  # not all of them, as it turned out
        if long and long[-1].flags == spelling.flags:  # `--expand-tabs=<n>, --expand-tabs`
            values = long[-1].values or spelling.values
            long[-1] = replace(long[-1], values=values, is_optional=True)
        elif spelling.flags[0].startswith("--"):
            long.append(spelling)
        else:
            only = only or spelling
            short.append(spelling.flags[0])
    if not long:
        return [replace(only, flags=tuple(short))] if only is not None else []
    long[0] = replace(long[0], flags=(*short, *long[0].flags))
    return long


def _add_completed(page: Page, answer: HelpAnswer) -> None:
    """Add what completion is told to a help text."""
    if answer.code != 0 or answer.failure:
        return
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST]
    flags = [word for word in words if word.startswith("--") and word != "--"]
    completed = {flag.removesuffix("=") for flag in flags}
    for option in page.options:
        option.spelling = _with_completed(option.spelling, set(flags))
    shown_flags = {flag for option in page.options for flag in _flags(option)}
    for word in flags:
        flag = word.removesuffix("=")
        opposite = f"--no-{flag[2:]}"
        if flag in shown_flags or (
            flag.startswith("--no-") and f"--{flag[5:]}" in shown_flags | completed
        ):
            continue
        values = ("value",) if word.endswith("=") else ()
        has_opposite = opposite in completed - shown_flags and not values
        negatives = (opposite,) if has_opposite else ()
        page.options.append(
            OptionText(Spelling(flags=(flag,), values=values, negatives=negatives), "")
        )
    page.commands = [CommandText(word) for word in words if not word.startswith("-")]


def _with_completed(spelling: Spelling, completed: set[str]) -> Spelling:
    """Return how an option is spelled, with the value or opposite that only completion lists.

    A flag without `=` may still take a value that can be left out; its help shows that.
    """
    if spelling.values or spelling.negatives:
        return spelling
    if any(f"{flag}=" in completed for flag in spelling.flags):
        return replace(spelling, values=("value",), is_certain=True)
    opposites = [f"--no-{flag[2:]}" for flag in spelling.flags if f"--no-{flag[2:]}" in completed]
    is_completed = any(flag in completed for flag in spelling.flags)
    return replace(
        spelling, negatives=tuple(opposites[:1]), is_certain=spelling.is_certain or is_completed
    )
