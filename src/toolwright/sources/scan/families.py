"""What a program was written with; what Cobra and git list.

What may be asked depends on it. A script of a few lines may look at its first word only, and run
whatever that is: such a program is asked for `--help` and nothing else.
"""

from __future__ import annotations

import itertools
import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..._files import open_file
from .asking import HelpAnswer, HelpAsker
from .help_page import CommandText, Node, OptionText, Page, lines_of, read_page
from .notation import Spelling, option_texts, read_spelling

DESCENDED = frozenset(("cobra", "clap", "argparse", "click", "typer", "optparse", "git"))
"""Parsers that answer `command --help` without running the command."""
PROBED = frozenset(("cobra", "gnu", "clap"))
"""Parsers of which some versions look at every option before anything is run."""
_MOST_BYTES = 300_000_000
_COBRA_HELP = re.compile(r"help for [\w-]{1,60}$")
_CLAP_HELP = re.compile(r"Prints? (?:this )?help\b(?! message)")
_GNU_HELP = re.compile(
    r"(?:display|give|print|show|output) (?:this|a short) (?:help|usage)", re.IGNORECASE
)
_PIP_HELP = "Show help."


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the file of an executable shows."""

    is_cobra: bool = False
    is_clap: bool = False
    """Clap 3 or 4: earlier versions printed help whatever else was wrong."""
    is_getopt: bool = False
    name: str = ""
    """The name of the file: that of a launcher, if it starts the program of another name."""


def evidence_of(path: str) -> Evidence:
    """Look for the names of parsers in a file; it is read, not run."""
    try:
        with (
            open_file(path) as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            return Evidence(
                is_cobra=content.find(b"spf13/cobra", 0, _MOST_BYTES) >= 0,
                is_clap=any(content.find(name, 0, _MOST_BYTES) >= 0 for name in _CLAP_NAMES),
                is_getopt=any(content.find(name, 0, _MOST_BYTES) >= 0 for name in _GETOPT_NAMES),
                name=Path(path).resolve().stem,
            )
    except (OSError, ValueError):  # an empty file cannot be mapped
        return Evidence()


_CLAP_NAMES = (b"clap_builder", b"/clap-4", b"/clap-3")
_GETOPT_NAMES = (b"getopt_long", b"argp_parse")


def framework_of(page: Page, evidence: Evidence) -> str:
    """Return the framework that a program was written with; empty if it is not known."""
    about = _help_of(page)
    usage = page.usages[0] if page.usages else ""
    if page.starts_small and usage.startswith("git "):
        return "git"
    if evidence.is_cobra or _COBRA_HELP.match(about):
        return "cobra"
    if about == "show this help message and exit":
        return "argparse" if page.starts_small else "optparse"
    if about == "Show this message and exit.":
        return "typer" if page.is_framed else "click"
    if about == _PIP_HELP and "[options]" in usage:
        return "optparse"
    # The library alone proves little: a program may link clap for one of its tools.
    is_clap = evidence.is_clap and usage.startswith(f"{evidence.name} ") and "[OPTIONS]" in usage
    if _CLAP_HELP.match(about) or (is_clap and about):
        return "clap"
    if evidence.is_getopt and _GNU_HELP.match(about):
        return "gnu"
    return "go" if "Usage of" in page.text[:2000] else ""


def may_probe(framework: str, evidence: Evidence) -> bool:
    """Return whether `--flag=value --help` is known to run nothing."""
    return (
        framework == "cobra"
        or (framework == "gnu" and evidence.is_getopt)
        or (framework == "clap" and evidence.is_clap)
    )


def is_of_its_program(page: Page, root: Page, framework: str) -> bool:
    """Return whether the parser of a program reads a command itself, and not another program.

    `cargo` lists whatever is called `cargo-` on the PATH among its commands.
    """
    about = _help_of(page)
    return framework != "clap" or bool(_CLAP_HELP.match(about)) or about == _help_of(root)


def takes_equals(framework: str, page: Page) -> bool:
    """Return whether a value may follow its long option after `=`."""
    return bool(framework) or any(_shows_equals(option) for option in page.options)


def _shows_equals(option: OptionText) -> bool:
    return option.spelling.has_equals and option.spelling.flags[-1].startswith("--")


def _help_of(page: Page) -> str:
    """Return what a help text says about `--help`."""
    for option in page.options:
        if "--help" in option.spelling.flags:
            return option.text.strip()
    return ""


# -- Cobra's `__complete`: commands and flags as the program itself lists them
#
# It shows neither types nor defaults: those are in the help. A flag that only it names is typed by
# a probe, or left out.

_DIRECTIVE = re.compile(r":(\d{1,4})")
_ERROR = 1
"""Cobra's directive that completing has failed."""
_MOST_COMPLETED = 3_000
_GLOBAL = re.compile(r"global|inherited|persistent", re.IGNORECASE)


Completions = dict[str, str]
"""The words that could go in one place, each with its description."""


def read_completions(answer: HelpAnswer) -> Completions | None:
    """Return what was listed; None if this is not an answer from Cobra."""
    lines = answer.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")[-_MOST_COMPLETED:]
    directive = _DIRECTIVE.fullmatch(lines[-1])
    if answer.failure or directive is None or int(directive[1]) & _ERROR:
        return None
    words: Completions = {}
    for line in lines[:-1]:
        word, _, text = line.partition("\t")
        words[word.removesuffix("=")[:100]] = text[:1_000]
    return words


def long_flags(words: Iterable[str]) -> set[str]:
    """Return the long flags among words."""
    return {word for word in words if word.startswith("--")}


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
    shown_flags = _flags_shown(node.page)
    for option in listed.options:
        option.heading = "Global Flags"
        if not shown_flags & set(option.spelling.flags):
            node.page.options.append(option)
    shown_flags = _flags_shown(node.page)
    node.unshown = [
        option for option in node.unshown if not shown_flags & set(option.spelling.flags)
    ]


def _flags_shown(page: Page) -> set[str]:
    """Return the long flags that a help text shows."""
    return long_flags(flag for option in page.options for flag in option.spelling.flags)


def unshown_options(page: Page, completions: Completions) -> list[OptionText]:
    """Return the options that a help text does not show; only a probe can say what they take."""
    shown_flags = _flags_shown(page)
    return [
        OptionText(Spelling(flags=(flag,), is_certain=False), "", text=text)
        for flag, text in completions.items()
        if flag.startswith("--") and flag not in shown_flags
    ]


def required_flags(
    asker: HelpAsker, path: Sequence[str], page: Page, completions: Completions
) -> frozenset[str]:
    """Return the flags that a command cannot do without.

    While one of them is missing, Cobra lists nothing else. It does the same for a group of which
    one is enough, and then all are listed once one is given.
    """
    listed = long_flags(completions)
    shown_flags = _flags_shown(page) - {"--help"}
    if not listed or not listed < shown_flags:
        return frozenset()
    if len(listed) == 1:
        return frozenset(listed)
    first, *further = sorted(listed)
    then = read_completions(asker.complete(*path, f"{first}=1", "-"))
    is_group = then is not None and long_flags(then) == set(further)
    return frozenset(listed) if is_group else frozenset()


def listed_values(asker: HelpAsker, path: Sequence[str], flag: str) -> tuple[str, ...]:
    """Return the values that are listed for a flag; some are generated on demand, such as names."""
    return tuple(read_completions(asker.complete(*path, flag, "")) or ())


# -- git: its own lists of commands and options

_MOST_IN_GIT = 2_000
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


def git_commands(asker: HelpAsker) -> list[CommandText]:
    """Return git's commands, those of daily use first.

    Only built-in ones answer `-h` for sure: `git http-backend -h` answers a request.
    """
    names = _words(asker.git_commands(*_GROUPS))
    safe = _SCRIPTS | set(_words(asker.git_commands("builtins")))
    return [CommandText(name) for name in dict.fromkeys(names) if name in safe]


def git_completing(asker: HelpAsker) -> frozenset[str]:
    """Return the commands that list their options for completion; others would misread the flag."""
    return frozenset(_words(asker.git_commands("parseopt")))


def _words(answer: HelpAnswer) -> list[str]:
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST_IN_GIT]
    return words if answer.code == 0 else []


def read_git_command(
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
    manual = list(itertools.islice(in_manual(asker.help(path).stdout), _MOST_IN_GIT))
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
        description = " ".join(text_line.text for text_line in text)[:_MOST_IN_GIT]
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
    words = answer.stdout.decode("utf-8", "replace").split()[:_MOST_IN_GIT]
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
