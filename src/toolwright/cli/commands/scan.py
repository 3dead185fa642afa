"""`scan`: write down what the help of a program says."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from ..._log.printable import say
from ..._words import count_of
from .. import output
from ..terminal import ProgressBar, interruptible
from ..usage import UsageError

if TYPE_CHECKING:
    from ...sources.scan.crawl import Scanned

_MOST_NOTES = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("program", metavar="PROGRAM", help="a program on the PATH, or its file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to, such as docker.tools.json (stdout)"
    )
    parser.add_argument(
        "--depth", type=_levels, metavar="N", help="levels of commands; 0 is the program alone"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GLOB",
        help="commands to look at, by their dotted path: 'container.*'; may be repeated",
    )
    parser.add_argument(
        "--jobs", type=_processes, default=8, metavar="N", help="processes at a time (%(default)s)"
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=10.0,
        metavar="S",
        help="seconds for each of them (%(default)g)",
    )
    parser.add_argument(
        "--no-probe",
        action="store_true",
        help="do not ask parsers about values that fit nothing: fewer options have a type",
    )


def run(chosen: argparse.Namespace) -> int:
    """Scan a program, and write the file that `serve` takes."""
    from ...sources.program_file import program_text, write
    from ...sources.scan.asking import Limits
    from ...sources.scan.crawl import NoSuchProgram, ScanError, ScanSettings, scan

    settings = ScanSettings(
        limits=Limits(seconds=chosen.timeout, jobs=chosen.jobs),
        depth=chosen.depth,
        only=tuple(chosen.only),
        probes=not chosen.no_probe,
    )
    try:
        with ProgressBar(chosen.program) as bar, interruptible():
            scanned = scan(chosen.program, settings, bar.update)
    except NoSuchProgram as error:
        raise UsageError(str(error)) from error
    except ScanError as error:
        say(f"toolwright: {error}")
        return 1
    if chosen.output is None:
        output.write(program_text(scanned.program))
    else:
        try:
            write(scanned.program, chosen.output)
        except OSError as error:
            raise UsageError(f"{chosen.output} cannot be written: {error.strerror}") from error
    _summarise(scanned, chosen.output)
    return 0


def _summarise(scanned: Scanned, file: str | None) -> None:
    """Say on standard error what was found, and what was not."""
    program = scanned.program
    commands = [each for each in program.root.walk() if each.runs]
    reads = sum("suggest_read_only" in each.annotations for each in commands)
    say(
        f"{program.name}: {count_of(len(commands), 'command')}, {count_of(scanned.options, 'option')},"
        f" {scanned.typed} of them with a type; {count_of(scanned.questions, 'question')} asked"
    )
    if not program.framework:
        say("what it was written with is not known: less can be said about its options")
    if reads:
        say(f"{count_of(reads, 'command')} may only read: suggested in the file, not assumed")
    for note in scanned.notes[:_MOST_NOTES]:
        say(f"note: {note}")
    if len(scanned.notes) > _MOST_NOTES:
        say(f"note: {len(scanned.notes) - _MOST_NOTES} more notes are in the file")
    if file is not None:
        say(f"written to {file}: none of it is offered until it is selected")


def _levels(text: str) -> int:
    return _whole(text, 0, 30)


def _processes(text: str) -> int:
    return _whole(text, 1, 64)


def _whole(text: str, least: int, most: int) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"must be a number from {least} to {most}, not {text}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 600:  # also refuses NaN
        raise argparse.ArgumentTypeError(f"must be a number of seconds up to 600, not {text}")
    return seconds
