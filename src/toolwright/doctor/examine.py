"""Examines tools: every check, each finding once, whatever a check does."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice
from types import ModuleType
from typing import Any, cast

from .._words import did_you_mean
from ..arguments.sample import no_collection
from ..errors import DefinitionError, SchemaError
from ..read.target import unwrapped
from ..tools.definition import Tool, compile_tools
from .author_source import Sources
from .checks import BUILT_IN
from .checks.audience import dialect_names, unknown_dialect
from .checks.definitions import refused_tool
from .checks.suppressions import (
    Suppression,
    failed_check,
    suppressions_in,
    unknown_suppression,
    unused_suppression,
    without,
)
from .configuration import OFF, Settings
from .findings import Check, Finding, Severity, checks_in, cleaned, one_line
from .report import Report, sorted_findings
from .subjects import CheckedTool, CheckedToolbox

_OURS = frozenset(each.id for each in BUILT_IN)


def examine(
    name: str,
    tools: Sequence[Tool],
    settings: Settings,
    *,
    refused: Iterable[DefinitionError] = (),
    checks: Iterable[Check | ModuleType] = (),
    errors_only: bool = False,
    lifespans: Iterable[Any] = (),
) -> Report:
    """Make every check that is wanted, or only those that may find errors.

    Raises `ValueError` for settings that name no check.
    """
    known_checks = [*BUILT_IN, *_own_checks(settings, checks)]
    _refuse_unknown(settings, known_checks)
    if errors_only:
        known_checks = [check for check in known_checks if _may_be_error(check, settings)]
    examination = _Examination(name, settings, known_checks)
    examination.refuse(problem for error in refused for problem in _each(error))
    with no_collection():  # a third of the time would go into scanning objects that are kept
        return examination.report(tools, lifespans)


def _own_checks(settings: Settings, given: Iterable[Check | ModuleType]) -> list[Check]:
    modules = [module for module in given if isinstance(module, ModuleType)]
    for name in settings.checks:
        try:
            modules.append(importlib.import_module(name))
        except (Exception, SystemExit) as error:
            msg = f"the checks of `{name}` cannot be imported: {type(error).__name__}: {error}"
            raise ValueError(one_line(msg)) from error
    own_checks = [*checks_in(modules), *(check for check in given if isinstance(check, Check))]
    by_id = {check.id: check for check in own_checks}
    clashes = {check.id for check in BUILT_IN}.intersection(by_id)
    if clashes:
        msg = f"your own check cannot be called `{min(clashes)}`: a built-in one has that name"
        raise ValueError(msg)
    return list(by_id.values())


def _may_be_error(check: Check, settings: Settings) -> bool:
    """Return whether a check may find errors: by default, by the settings, or by its author."""
    severities = [settings.severity, *(table.severity for table in settings.tools.values())]
    raised = any(severity.get(check.id) == Severity.ERROR for severity in severities)
    return raised or check.severity is Severity.ERROR or check not in BUILT_IN


def _refuse_unknown(settings: Settings, checks: Sequence[Check]) -> None:
    """Refuse unknown ids and groups: a typo would check too little. Raises `ValueError`."""
    names = sorted({check.id for check in checks} | {check.group for check in checks})
    ids = [check.id for check in checks]
    for table in settings.tools.values():
        _refuse_names("tools", table.ignore, names)
        _refuse_names("tools", table.severity, ids)
    _refuse_names("select", settings.select, names)
    _refuse_names("ignore", settings.ignore, names)
    _refuse_names("severity", settings.severity, ids)
    for name in settings.dialects or ():
        if unknown_dialect(name):
            msg = f"for: there is no client or provider `{one_line(name)}`"
            raise ValueError(f"{msg}{did_you_mean(name, dialect_names(), '; {}')}")


def _refuse_names(key: str, given: Iterable[str], names: Sequence[str]) -> None:
    for pattern in given:
        if not any(fnmatchcase(name, pattern) for name in names):
            hint = did_you_mean(pattern, names, "; {}")
            msg = f"{key}: there is no check `{one_line(pattern)}`{hint}"
            raise ValueError(msg)


def _each(error: DefinitionError) -> Iterator[SchemaError]:
    yield from (problem for problem in error.problems if isinstance(problem, SchemaError))  # pyright: ignore[reportUnnecessaryIsInstance]


class _Examination:
    """One run over one toolbox."""

    def __init__(self, name: str, settings: Settings, checks: Sequence[Check]) -> None:
        self.name = name
        self.settings = settings
        self.checks = [check for check in checks if self._is_wanted(check)]
        self.known = {check.id for check in checks}
        self.by_id = {check.id: check for check in checks}
        self.found: list[Finding] = []
        self.suppressed = 0
        self.refused: set[str] = set()
        self.own = OwnChecks()

    def _is_wanted(self, check: Check) -> bool:
        names = (check.id, check.group)
        chosen = self.settings.select
        if chosen and not _matches(names, chosen):
            return False
        off = self.settings.severity.get(check.id) == OFF
        return not off and not _matches(names, self.settings.ignore)

    def refuse(self, errors: Iterable[SchemaError]) -> None:
        """Take refusals as findings."""
        for error in errors:
            text = str(error.message)
            if text in self.refused:
                continue
            self.refused.add(text)
            self.found.append(
                Finding(
                    id=refused_tool.id,
                    severity=refused_tool.severity,
                    message=one_line(text),
                    tool=str(error.tool),
                    parameter=str(error.parameter),
                    file=str(error.file),
                    line=int(error.line),
                    fix=one_line(error.hint) or refused_tool.fix,
                )
            )

    def report(self, tools: Sequence[Tool], lifespans: Iterable[Any]) -> Report:
        compile_tools(tools)
        sources = Sources()
        subjects: list[CheckedTool] = []
        for tool in tools:
            try:
                tool.compile()
            except SchemaError as error:
                self.refuse([error])
                continue
            subjects.append(CheckedTool(tool, sources, self.settings))
        lifespan_sources = [
            source for lifespan in lifespans if (source := sources.of_function(unwrapped(lifespan)))
        ]
        box = CheckedToolbox(self.name, subjects, self.settings, lifespan_sources)
        for check in self.checks:
            if check.scope == "toolbox":
                self.found += self._made(check, box)
                continue
            for subject in subjects:
                self.found += self._made(check, subject)
        findings = self._without_suppressed(subjects)
        return Report(
            findings=sorted_findings(findings),
            tools=tuple(tool.name for tool in tools),
            checks=tuple(self.checks),
            suppressed=self.suppressed,
        )

    def _made(self, check: Check, subject: CheckedTool | CheckedToolbox) -> Iterator[Finding]:
        """Make one check. Whatever it raises or yields, there are findings."""
        run = found_by if check.id in _OURS else self.own.found_by
        try:
            for result in run(check, subject.under(check)):
                yield self._finding(check, subject, result)
        except Exception as error:  # noqa: BLE001 - one bad check must not end it
            yield self._failed(check, subject, error.__cause__ or error)

    def _finding(self, check: Check, subject: Any, given: object) -> Finding:
        finding = given if isinstance(given, Finding) else subject.finding(str(given))
        return cleaned(replace(finding, id=check.id, fix=finding.fix or check.fix))

    def _failed(
        self, check: Check, subject: CheckedTool | CheckedToolbox, error: BaseException
    ) -> Finding:
        tool = subject if isinstance(subject, CheckedTool) else None
        about = tool.name if tool else f"toolbox {subject.name}"
        try:
            reason = one_line(error)
        except Exception:  # noqa: BLE001 - its own text may raise, too
            reason = ""
        kind = "" if isinstance(error, CheckFailed) else type(error).__name__
        why = ": ".join(part for part in (kind, reason) if part)
        return cleaned(
            Finding(
                id=failed_check.id,
                severity=failed_check.severity,
                message=f"{about} cannot be checked for `{check.id}`: {why}",
                tool=tool.name if tool else "",
                fix=failed_check.fix,
                **_place(tool),
            )
        )

    # -- what is kept out

    def _without_suppressed(self, subjects: Sequence[CheckedTool]) -> list[Finding]:
        comments = self._comments(subjects)
        findings: list[Finding] = []
        for finding in self.found:
            # Every comment that applies here counts as used, not only the first.
            applying = [
                comment for comment in comments.get(finding.tool, ()) if comment.keeps_out(finding)
            ]
            if applying or self._is_off(finding):
                self.suppressed += 1
            else:
                findings.append(self._with_severity(finding))
        of_comments = [
            finding for comment in _shared(comments) for finding in self._of_comment(comment)
        ]
        findings += [
            self._with_severity(finding) for finding in of_comments if not self._is_off(finding)
        ]
        return findings

    def _comments(self, subjects: Sequence[CheckedTool]) -> dict[str, list[Suppression]]:
        comments: dict[str, list[Suppression]] = {}
        for subject in subjects:
            try:
                if subject.source is not None:
                    comments[subject.name] = list(suppressions_in(subject.source))
            except Exception as error:  # noqa: BLE001 - an odd file must not end it
                self.found.append(self._failed(unused_suppression, subject, error))
        return comments

    def _of_comment(self, comment: Suppression) -> Iterator[Finding]:
        """Yield what is wrong with a comment itself: an unknown id, or one without effect."""
        unknown = [name for name in comment.ids if name not in self.known]
        check_ids = {check.id for check in self.checks}
        for name in unknown:
            if unknown_suppression.id in check_ids:
                hint = did_you_mean(name, self.known)
                message = f"a comment ignores `{name}`, but there is no such check"
                yield _of_line(unknown_suppression, comment, message, [name], hint)
        idle = [name for name in comment.ids if name in check_ids and name not in comment.used]
        if unused_suppression.id not in check_ids:
            return
        if idle:
            message = f"a comment ignores {', '.join(idle)}, but nothing of the kind is found here"
            yield _of_line(unused_suppression, comment, message, idle)
        elif not comment.ids and not comment.used and not self.settings.select:
            yield _of_line(
                unused_suppression,
                comment,
                "a comment ignores everything, but nothing is found",
                [],
            )

    def _is_off(self, finding: Finding) -> bool:
        tool_settings, _ = self.settings.of_tool(finding.tool)
        check = self.by_id.get(finding.id)
        names = (finding.id, check.group if check else "")
        is_selected = check is None or any(selected is check for selected in self.checks)
        return (
            not is_selected
            or _matches(names, tool_settings.ignore)
            or self._severity(finding) == OFF
        )

    def _severity(self, finding: Finding) -> str:
        tool_settings, _ = self.settings.of_tool(finding.tool)
        return tool_settings.severity.get(finding.id) or self.settings.severity.get(
            finding.id, finding.severity
        )

    def _with_severity(self, finding: Finding) -> Finding:
        severity = self._severity(finding)
        return (
            finding
            if severity == finding.severity
            else replace(finding, severity=Severity(severity))
        )


def _shared(comments: dict[str, list[Suppression]]) -> Iterable[Suppression]:
    """Return each comment once, with what it kept out for every tool that its function became."""
    once: dict[tuple[str, int], Suppression] = {}
    for comment in (comment for of_tool in comments.values() for comment in of_tool):
        once.setdefault((comment.file, comment.line), comment).used.update(comment.used)
    return once.values()


def _of_line(
    check: Check, comment: Suppression, message: str, gone: Sequence[str], fix: str = ""
) -> Finding:
    edit = without(comment, gone)
    return cleaned(
        Finding(
            id=check.id,
            severity=check.severity,
            message=message,
            file=comment.file,
            line=comment.line,
            fix=fix or check.fix,
            edits=(edit,) if edit is not None and check is unused_suppression else (),
        )
    )


def _place(tool: CheckedTool | None) -> dict[str, Any]:
    try:
        return {"file": tool.file, "line": tool.line} if tool else {}
    except Exception:  # noqa: BLE001 - the tool may be what raises
        return {}


def _matches(names: tuple[str, ...], patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


MOST_FINDINGS = 1_000
"""The most findings of one check about one tool or toolbox: it might never stop yielding."""
SECONDS = 30.0
"""How long a user's own check may look at one tool or toolbox."""


class CheckFailed(Exception):
    """A check raised an exception, or did not end."""


def found_by(check: Check, subject: Any) -> Iterator[object]:
    """Yield what a check yields. Raises what it raises."""
    result: Any = check(subject)
    if isinstance(result, str | Finding):
        yield result
    elif result is not None:
        yield from islice(cast("Iterable[object]", result), MOST_FINDINGS)


class OwnChecks:
    """Runs checks about which nothing is known, each in a thread that may be left behind."""

    def __init__(self) -> None:
        self._stuck: set[str] = set()

    def found_by(self, check: Check, subject: Any) -> Iterator[object]:
        """Yield what a check yields; nothing if it got stuck earlier. Raises `CheckFailed`."""
        if check.id in self._stuck:
            return
        results: list[object] = []
        raised: list[BaseException] = []

        def work() -> None:
            try:
                for result in found_by(check, subject):
                    results.append(result)  # noqa: PERF402 - what was found before it fails is kept
            except BaseException as error:  # noqa: BLE001 - also what would end the command
                raised.append(error)

        # A daemon: a check that never ends must not keep the command from ending.
        thread = threading.Thread(target=work, name=f"check {check.id}", daemon=True)
        thread.start()
        thread.join(SECONDS)
        yield from list(results)
        if thread.is_alive():
            self._stuck.add(check.id)
            raise CheckFailed(f"it did not end within {SECONDS:g} s, and is not run again")
        if raised and isinstance(raised[0], KeyboardInterrupt):
            raise raised[0]
        if raised:
            raise CheckFailed from raised[0]
