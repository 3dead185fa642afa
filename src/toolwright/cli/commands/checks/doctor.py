"""`doctor`: check the tools of a target."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ...._files import replace_file
from ...._log.printable import printable, say
from ... import output
from ...load import add_target, open_quietly
from ...project.doctor import examined
from ...usage import UsageError

if TYPE_CHECKING:
    from ....doctor.findings import Finding
    from ....doctor.formats.text import ReportLine
    from ....doctor.report import Report

_FORMATS = ("text", "json", "sarif", "junit")
_LEVELS = ("error", "warning", "info")
_COLOURS = {"error": "bold red", "warning": "bold magenta", "info": "bold cyan"}


class _ListChecks(argparse.Action):
    """Prints every check, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from ....doctor.checks.all_checks import BUILT_IN

        width = max(len(each.id) for each in BUILT_IN)
        for each in BUILT_IN:
            sys.stdout.write(f"{each.id.ljust(width)}  {each.severity.ljust(7)}  {each.text}\n")
        parser.exit()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser, select="--tools", strict="warnings fail, too")
    group = parser.add_argument_group("which checks")
    group.add_argument(
        "--select",
        dest="checks",
        action="append",
        metavar="ID",
        help="only these checks: ids, groups, or patterns such as `short_*`",
    )
    group.add_argument("--ignore", action="append", metavar="ID", help="not these checks")
    group.add_argument(
        "--for",
        dest="dialects",
        action="append",
        metavar="CLIENT",
        help="clients and providers for which the tools must be portable",
    )
    group.add_argument("--config", metavar="FILE", help="settings: another pyproject.toml")
    group.add_argument("--list-checks", action=_ListChecks, nargs=0, help="name all checks")
    shown = parser.add_argument_group("output")
    shown.add_argument("--format", choices=_FORMATS, default=None, help="text, if not given")
    shown.add_argument("--json", action="store_true", help="the same as --format json")
    shown.add_argument("--level", choices=_LEVELS, help="leave out what is less severe")
    shown.add_argument("-o", "--output", metavar="FILE", help="write the report to a file")
    shown.add_argument("--fix", action="store_true", help="fix what a machine can")
    shown.add_argument(
        "--diff", "--dry-run", action="store_true", help="show what --fix would change"
    )


def run(chosen: argparse.Namespace) -> int:
    """Check the tools; return 1 if there is an error or, with `--strict`, a warning."""
    if chosen.json and chosen.format not in (None, "json"):
        raise UsageError(f"--json and --format {chosen.format} cannot be used together")
    chosen.format = "json" if chosen.json else chosen.format or "text"
    box, refused = open_quietly(chosen)
    report = examined(box, chosen, refused)
    if chosen.diff:
        return _show_diff(report)
    if chosen.fix:
        report = _fixed(report)
    _write(report, chosen)
    return 1 if report.fails(strict=chosen.strict) else 0


def _write(report: Report, chosen: argparse.Namespace) -> None:
    from ....doctor.findings import Severity

    level = chosen.level or ("warning" if chosen.format == "text" else "info")
    shown = report.at_least(Severity(level))
    hidden = len(report) - len(shown) if chosen.level is None else 0
    if chosen.format == "text":
        _write_text(shown, hidden, chosen)
        return
    text = shown.render(chosen.format, strict=chosen.strict) + "\n"
    if chosen.output in (None, "-"):
        output.write(text)
    else:
        _save(chosen.output, text)


def _write_text(report: Report, hidden: int, chosen: argparse.Namespace) -> None:
    from ....doctor.formats.text import lines_of, summary_of

    lines = list(lines_of(report))
    summary = summary_of(report, hidden)
    if chosen.output not in (None, "-"):
        _save(chosen.output, "\n".join([*map(str, lines), summary, ""]))
        return
    for line in lines:
        _print(line)
    output.print_hanging(summary, 2)


def _print(line: ReportLine) -> None:
    if not output.has_colours():
        output.print_hanging(str(line), 6)
        return
    from rich.text import Text

    style = _COLOURS.get(str(line.severity), "")
    if line.is_heading:
        output.print_styled(Text(printable(line.text), style=style))
        return
    parts = ((line.place, "dim"), (line.id, style), (line.text, ""))
    shown = Text.assemble(*((printable(text), how) for text, how in parts))
    output.print_finding(shown, indent=6)


def _save(file: str, text: str) -> None:
    try:
        replace_file(file, text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from error


def _show_diff(report: Report) -> int:
    from ....doctor.fixes.files import mended_files

    changed = 0
    for file in mended_files(report):
        if file.why_not:
            say(f"note: {file.file} is left as it is: {file.why_not}")
        elif file.mended:
            changed += 1
            output.write(printable_diff(file.diff()))
    if not changed:
        say("note: there is nothing that --fix can fix")
    return 1 if changed else 0


def printable_diff(text: str) -> str:
    """Return a diff as it can be shown: unchanged, unless a terminal would obey it."""
    return printable(text) if output.is_terminal() else text


def _fixed(report: Report) -> Report:
    """Mend what can be mended; return the report without it: the loaded tools are now outdated."""
    from dataclasses import replace

    from ....doctor.fixes.files import mended_files

    gone: set[Finding] = set()
    for file in mended_files(report):
        if file.why_not:
            say(f"note: {file.file} is left as it is: {file.why_not}")
        elif file.mended:
            try:
                file.write()
            except OSError as error:
                raise UsageError(f"{file.file} cannot be written: {error.strerror}") from error
            say(f"fixed: {file.file} ({len(file.mended)})")
            gone.update(file.mended)
    return replace(report, findings=tuple(each for each in report if each not in gone))
