"""Cobra's `__complete`: commands and flags as the program itself lists them.

It shows neither types nor defaults: those are in the help. A flag that only it names is typed by
a probe, or left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .asking import HelpAnswer, HelpAsker
from .help_page import Node, OptionText, Page
from .option_spelling import Spelling

_DIRECTIVE = re.compile(r":(\d{1,4})")
_ERROR = 1
"""Cobra's directive that completing has failed."""
_MOST = 3_000
_GLOBAL = re.compile(r"global|inherited|persistent", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Completions:
    """The words that could go in one place."""

    words: dict[str, str]
    """Each with its description."""

    @property
    def flags(self) -> dict[str, str]:
        """The long flags."""
        return {word: text for word, text in self.words.items() if word.startswith("--")}


def read_completions(answer: HelpAnswer) -> Completions | None:
    """Return what was listed; None if this is not an answer from Cobra."""
    lines = answer.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")[-_MOST:]
    directive = _DIRECTIVE.fullmatch(lines[-1])
    if answer.failure or directive is None or int(directive[1]) & _ERROR:
        return None
    words: dict[str, str] = {}
    for line in lines[:-1]:
        word, _, text = line.partition("\t")
        words[word.removesuffix("=")[:100]] = text[:1_000]
    return Completions(words)


def is_global(option: OptionText) -> bool:
    """Return whether an option is listed among those that every command takes."""
    return _GLOBAL.search(option.heading) is not None


def names_global_options(page: Page, name: str) -> bool:
    """Return whether a help text says that `BIN options` lists what every command takes."""
    return f'Use "{name} options" for a list of global' in page.text


def add_global_options(node: Node, listed: Page) -> None:
    """Add the options of `BIN options` to the program itself; completion may have them already.

    Then `options` itself is no command that anyone would miss.
    """
    node.page.commands = [command for command in node.page.commands if command.name != "options"]
    shown_flags = long_flags(node.page)
    for option in listed.options:
        option.heading = "Global Flags"
        if not shown_flags & set(option.spelling.flags):
            node.page.options.append(option)
    shown_flags = long_flags(node.page)
    node.unshown = [
        option for option in node.unshown if not shown_flags & set(option.spelling.flags)
    ]


def long_flags(page: Page) -> set[str]:
    """Return the long flags that a help text shows."""
    return {
        flag for option in page.options for flag in option.spelling.flags if flag.startswith("--")
    }


def unshown(page: Page, completions: Completions) -> list[OptionText]:
    """Return the options that a help text does not show; only a probe can say what they take."""
    shown_flags = long_flags(page)
    return [
        OptionText(Spelling(flags=(flag,), is_certain=False), "", text=text)
        for flag, text in completions.flags.items()
        if flag not in shown_flags
    ]


def required_flags(
    asker: HelpAsker, path: Sequence[str], page: Page, completions: Completions
) -> frozenset[str]:
    """Return the flags that a command cannot do without.

    While one of them is missing, Cobra lists nothing else. It does the same for a group of which
    one is enough, and then all are listed once one is given.
    """
    listed = set(completions.flags)
    shown_flags = long_flags(page) - {"--help"}
    if not listed or not listed < shown_flags:
        return frozenset()
    if len(listed) == 1:
        return frozenset(listed)
    first, *further = sorted(listed)
    then = read_completions(asker.complete(*path, f"{first}=1", "-"))
    return (
        frozenset(listed) if then is not None and set(then.flags) == set(further) else frozenset()
    )


def listed_values(asker: HelpAsker, path: Sequence[str], flag: str) -> tuple[str, ...]:
    """Return the values that are listed for a flag; some are generated on demand, such as names."""
    completions = read_completions(asker.complete(*path, flag, ""))
    return tuple(completions.words) if completions is not None else ()
