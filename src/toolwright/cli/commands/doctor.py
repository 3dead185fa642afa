"""`doctor`: check the tools of a target."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..._log.printable import printable, say
from .. import output
from ..command import TargetCommand, option, repeated, switch
from ..load import open_quietly
from ..project import doctor_settings, examined
from ..usage import UsageError

if TYPE_CHECKING:
    from ...doctor.author_source import Mended
    from ...doctor.findings import Finding
    from ...doctor.report import Format, Report, ReportLine

_FORMATS = ("text", "json", "sarif", "junit")
_LEVELS = ("error", "warning", "info")
_COLOURS = {"error": "bold red", "warning": "bold magenta", "info": "bold cyan"}


_CHECKS = "which checks"
_OUTPUT = "output"


class _ListChecks(argparse.Action):
    """Prints every check, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from ...doctor.checks import BUILT_IN

        width = max(len(check.id) for check in BUILT_IN)
        for check in BUILT_IN:
            sys.stdout.write(f"{check.id.ljust(width)}  {check.severity.ljust(7)}  {check.text}\n")
        parser.exit()


class DoctorCommand(TargetCommand):
    """Checks the tools of a target."""

    select: list[str] = repeated(
        "only these, such as `orders.*`; `!x` leaves out",
        "--tools",
        metavar="PATTERN",
        group="which tools",
    )
    strict: bool = switch("warnings fail, too", group="which tools")
    checks: list[str] = repeated(
        "only these checks: ids, groups, or patterns such as `short_*`",
        "--select",
        metavar="ID",
        group=_CHECKS,
    )
    ignore: list[str] = repeated("not these checks", metavar="ID", group=_CHECKS)
    dialects: list[str] = repeated(
        "clients and providers for which the tools must be portable",
        "--for",
        metavar="CLIENT",
        group=_CHECKS,
    )
    config: str | None = option("settings: another pyproject.toml", metavar="FILE", group=_CHECKS)
    list_checks: bool = switch("name all checks", group=_CHECKS, action=_ListChecks)
    format: str | None = option("text, if not given", choices=_FORMATS, group=_OUTPUT)
    json: bool = switch("the same as --format json", group=_OUTPUT)
    level: str | None = option("leave out what is less severe", choices=_LEVELS, group=_OUTPUT)
    output: str | None = option(
        "write the report to a file", "-o", "--output", metavar="FILE", group=_OUTPUT
    )
    fix: bool = switch("fix what a machine can", group=_OUTPUT)
    diff: bool = switch("show what --fix would change", "--diff", "--dry-run", group=_OUTPUT)

    def run(self) -> int:
        """Check the tools; return 1 if there is an error or, with `--strict`, a warning."""
        if self.json and self.format not in (None, "json"):
            raise UsageError(f"--json and --format {self.format} cannot be used together")
        box, refused = open_quietly(self)
        settings = doctor_settings(
            self.target,
            self.config,
            checks=self.checks,
            ignore=self.ignore,
            dialects=self.dialects,
        )
        report = examined(box, settings, refused)
        if self.diff:
            return _show_diff(report)
        if self.fix:
            report = _fixed(report)
        strict = self.strict or settings.strict
        _write(report, self, strict=strict)
        return 1 if report.fails(strict=strict) else 0


def _write(report: Report, chosen: DoctorCommand, *, strict: bool) -> None:
    from ...doctor.findings import Severity

    form = "json" if chosen.json else chosen.format or "text"
    level = chosen.level or ("warning" if form == "text" else "info")
    visible = report.at_least(Severity(level))
    hidden = len(report) - len(visible) if chosen.level is None else 0
    if form == "text":
        _write_text(visible, hidden, chosen.output)
        return
    text = visible.render(cast("Format", form), strict=strict) + "\n"
    if chosen.output in (None, "-"):
        output.write(text)
    else:
        output.write_file(chosen.output, text)


def _write_text(report: Report, hidden: int, file: str | None) -> None:
    from ...doctor.report import lines_of, summary_of

    lines = list(lines_of(report))
    summary = summary_of(report, hidden)
    if file not in (None, "-"):
        output.write_file(file, "\n".join([*map(str, lines), summary, ""]))
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
    finding = Text.assemble(*((printable(text), how) for text, how in parts))
    output.print_finding(finding, indent=6)


def _show_diff(report: Report) -> int:
    changed = _mended(report)
    for file in changed:
        diff = file.diff()
        output.write(printable(diff) if output.is_terminal() else diff)
    if not changed:
        say("note: there is nothing that --fix can fix")
    return 1 if changed else 0


def _mended(report: Report) -> list[Mended]:
    """Return the files in which something can be mended; say which are left as they are."""
    from ...doctor.author_source import mended_files

    files = mended_files(report)
    for file in files:
        if file.why_not:
            say(f"note: {file.file} is left as it is: {file.why_not}")
    return [file for file in files if file.mended and not file.why_not]


def _fixed(report: Report) -> Report:
    """Mend what can be mended; return the report without it: the loaded tools are now outdated."""
    gone: set[Finding] = set()
    for file in _mended(report):
        try:
            file.write()
        except OSError as error:
            raise UsageError(f"{file.file} cannot be written: {error.strerror}") from error
        say(f"fixed: {file.file} ({len(file.mended)})")
        gone.update(file.mended)
    return replace(report, findings=tuple(finding for finding in report if finding not in gone))
