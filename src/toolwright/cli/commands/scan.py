"""`scan`: write down what the help of a program says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._log.printable import say
from ..._words import count_of
from .. import output
from ..command import CliCommand, number_from, option, positional, repeated, switch
from ..terminal import ProgressBar, interruptible
from ..usage import UsageError

if TYPE_CHECKING:
    from ...sources.scan.crawl import Scanned

_MOST_NOTES = 10


_levels = number_from(int, 0, 30, "must be a number from 0 to 30, not {}")
_processes = number_from(int, 1, 64, "must be a number from 1 to 64, not {}")
_seconds = number_from(float, 0.001, 600, "must be a number of seconds up to 600, not {}")


class ScanCommand(CliCommand):
    """Writes down what the help of a program says."""

    program: str = positional("PROGRAM", "a program on the PATH, or its file")
    output: str | None = option(
        "where to, such as docker.tools.json (stdout)", "-o", "--output", metavar="FILE"
    )
    depth: int | None = option(
        "levels of commands; 0 is the program alone", kind=_levels, metavar="N"
    )
    only: list[str] = repeated(
        "commands to look at, by their dotted path: 'container.*'; may be repeated",
        metavar="GLOB",
    )
    jobs: int = option("processes at a time (%(default)s)", kind=_processes, default=8, metavar="N")
    timeout: float = option(
        "seconds for each of them (%(default)g)", kind=_seconds, default=10.0, metavar="S"
    )
    no_probe: bool = switch(
        "do not ask parsers about values that fit nothing: fewer options have a type"
    )

    def run(self) -> int:
        """Scan a program, and write the file that `serve` takes."""
        from ...sources.program_file import program_text
        from ...sources.scan.asking import Limits
        from ...sources.scan.crawl import NoSuchProgram, ScanError, ScanSettings, scan

        settings = ScanSettings(
            limits=Limits(seconds=self.timeout, jobs=self.jobs),
            depth=self.depth,
            only=tuple(self.only),
            probes=not self.no_probe,
        )
        try:
            with ProgressBar(self.program) as bar, interruptible():
                scanned = scan(self.program, settings, bar.update)
        except NoSuchProgram as error:
            raise UsageError(str(error)) from error
        except ScanError as error:
            say(f"toolwright: {error}")
            return 1
        if self.output is None:
            output.write(program_text(scanned.program))
        else:
            output.write_file(self.output, program_text(scanned.program))
        _summarise(scanned, self.output)
        return 0


def _summarise(scanned: Scanned, file: str | None) -> None:
    """Say on standard error what was found, and what was not."""
    program = scanned.program
    commands = [command for command in program.root.walk() if command.runs]
    reads = sum("suggest_read_only" in command.annotations for command in commands)
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
