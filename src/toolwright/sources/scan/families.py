"""What a program was written with, before anything is tried.

What may be asked depends on it. A script of a few lines may look at its first word only, and run
whatever that is: such a program is asked for `--help` and nothing else.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from pathlib import Path

from ..._files import open_file
from .help_page import OptionText, Page

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
