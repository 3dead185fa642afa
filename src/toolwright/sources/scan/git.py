"""git: its own lists of commands and options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .asking import HelpAsker
from .process import HelpAnswer
from .text.page import CommandText, OptionText, Page, read_page
from .text.spelling import Spelling

_MOST = 2_000
_GROUPS = (
    *("list-mainporcelain", "list-ancillarymanipulators", "list-ancillaryinterrogators"),
    *("list-plumbingmanipulators", "list-plumbinginterrogators"),
)
"""What people and scripts use; the rest is for git itself, for servers and for other systems."""
_SCRIPTS = frozenset(("bisect", "submodule", "mergetool", "request-pull"))
"""Commands that were shell scripts once: `git-sh-setup` answers `-h` before they begin."""


def list_commands(asker: HelpAsker) -> list[CommandText]:
    """Return git's commands, those of daily use first.

    Only built-in ones answer `-h` for sure: `git http-backend -h` answers a request.
    """
    names = _words(asker.git_commands(*_GROUPS))
    safe = _SCRIPTS | set(_words(asker.git_commands("builtins")))
    return [CommandText(name) for name in dict.fromkeys(names) if name in safe]


def list_told(asker: HelpAsker) -> frozenset[str]:
    """Return the commands that list their options for completion; others would misread the flag."""
    return frozenset(_words(asker.git_commands("parseopt")))


def _words(answer: HelpAnswer) -> list[str]:
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST]
    return words if answer.code == 0 else []


def read_command(asker: HelpAsker, path: Sequence[str], told: frozenset[str]) -> Page:
    """Return the help of a command, with the options and commands that only completion lists."""
    page = read_page(asker.short_help(path).said)
    if path[0] not in told:
        return page
    answer = asker.git_options(path)
    if answer.code != 0 or answer.failure:
        return page
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST]
    flags = [word for word in words if word.startswith("--") and word != "--"]
    known = {flag.removesuffix("=") for flag in flags}
    for option in page.options:
        option.spelling = _as_told(option.spelling, set(flags))
    shown = {flag for each in page.options for flag in each.spelling.flags}
    shown |= {flag for each in page.options for flag in each.spelling.negatives}
    for word in flags:
        flag = word.removesuffix("=")
        opposite = f"--no-{flag[2:]}"
        if flag in shown or (flag.startswith("--no-") and f"--{flag[5:]}" in shown | known):
            continue
        values = ("value",) if word.endswith("=") else ()
        has_opposite = opposite in known - shown and not values
        negatives = (opposite,) if has_opposite else ()
        page.options.append(
            OptionText(Spelling(flags=(flag,), values=values, negatives=negatives), "")
        )
    page.commands = [CommandText(word) for word in words if not word.startswith("-")]
    return page


def _as_told(spelling: Spelling, told: set[str]) -> Spelling:
    """Return how an option is spelled, with the value or opposite that only completion lists.

    A flag without `=` may still take a value that can be left out; its help shows that.
    """
    if spelling.values or spelling.negatives:
        return spelling
    if any(f"{flag}=" in told for flag in spelling.flags):
        return replace(spelling, values=("value",), is_certain=True)
    opposites = [f"--no-{flag[2:]}" for flag in spelling.flags if f"--no-{flag[2:]}" in told]
    is_told = any(flag in told for flag in spelling.flags)
    return replace(
        spelling, negatives=tuple(opposites[:1]), is_certain=spelling.is_certain or is_told
    )
