"""git: its own list of commands, and the options that its completion is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .asking import HelpAsker
from .text.page import CommandText, OptionText, Page, read_page
from .text.spelling import Spelling

_MOST = 2_000


def list_commands(asker: HelpAsker) -> list[CommandText]:
    """Return git's commands, those of daily use first."""
    said = asker.git_commands().stdout.decode("utf-8", "replace")
    names = dict.fromkeys(said.split()[:_MOST])
    return [CommandText(name) for name in names if not name.startswith("-")]


def read_command(asker: HelpAsker, path: Sequence[str]) -> Page:
    """Return the help of a command, with the options and commands that only completion is told."""
    page = read_page(asker.short_help(path).said)
    answer = asker.git_options(path)
    if answer.code != 0 or answer.failure:
        return page
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST]
    flags = [word for word in words if word.startswith("--") and word != "--"]
    known = {flag.removesuffix("=") for flag in flags}
    for option in page.options:
        option.spelling = _with_negative(option.spelling, known)
    shown = {flag for each in page.options for flag in each.spelling.flags}
    shown |= {flag for each in page.options for flag in each.spelling.negatives}
    for word in flags:
        flag = word.removesuffix("=")
        opposite = f"--no-{flag[2:]}"
        if flag in shown or (flag.startswith("--no-") and f"--{flag[5:]}" in shown | known):
            continue
        values = ("value",) if word.endswith("=") else ()
        negatives = (opposite,) if opposite in known and not values else ()
        page.options.append(
            OptionText(Spelling(flags=(flag,), values=values, negatives=negatives), "")
        )
    page.commands = [CommandText(word) for word in words if not word.startswith("-")]
    return page


def _with_negative(spelling: Spelling, known: set[str]) -> Spelling:
    """Return a switch with the flag that is its opposite, where git has one."""
    if spelling.values or spelling.negatives:
        return spelling
    found = [f"--no-{flag[2:]}" for flag in spelling.flags if f"--no-{flag[2:]}" in known]
    return replace(spelling, negatives=tuple(found[:1]))
