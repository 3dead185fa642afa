"""Comments that keep findings out, and findings about these."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...read.source import tokens_from
from ..author_source import AuthorSource
from ..findings import Edit, Finding, Found, Severity, check
from ..subjects import CheckedToolbox

# The examination itself finds these, during and after the other checks.


@check(
    "failed_check",
    severity=Severity.ERROR,
    fix="correct the check, or the tool that it cannot examine",
    group="doctor",
    scope="toolbox",
)
def failed_check(box: CheckedToolbox) -> Found:
    """A check raises an exception."""


@check(
    "unused_suppression",
    fix="take the comment out",
    group="doctor",
    scope="toolbox",
)
def unused_suppression(box: CheckedToolbox) -> Found:
    """A comment keeps out what is not found there."""


@check(
    "unknown_suppression",
    fix="`toolwright doctor --list-checks` names all ids",
    group="doctor",
    scope="toolbox",
)
def unknown_suppression(box: CheckedToolbox) -> Found:
    """A comment names a check that does not exist."""


_COMMENT = re.compile(r"#\s*+toolwright:\s*+ignore(?P<list>\[(?P<ids>[^\]\n]*+)\])?", re.IGNORECASE)
WORD = "toolwright:"


@dataclass(slots=True)
class Suppression:
    """One comment: what it names, where it holds, and what it has kept out so far."""

    file: str
    line: int
    text: str
    """The whole line of the file."""
    ids: tuple[str, ...]
    """What it names; nothing means everything."""
    parameters: frozenset[str] | None
    """The parameters on its line; None if it holds for the whole tool, or for its line alone."""
    whole: bool
    used: set[str] = field(default_factory=set[str])

    def keeps_out(self, finding: Finding) -> bool:
        """Return whether it keeps a finding out, and remember that it did."""
        if self.ids and finding.id not in self.ids:
            return False
        if not self.whole:
            on_line = finding.line == self.line
            is_named = self.parameters is not None and finding.parameter in self.parameters
            if not (is_named or (on_line and not self.parameters)):
                return False
        self.used.add(finding.id)
        return True


def suppressions_in(source: AuthorSource) -> Iterator[Suppression]:
    """Yield the comments of one function that keep findings out."""
    first, last = source.first_line, source.last_line
    if not any(WORD in line for line in source.lines[first - 1 : last]):
        return
    on_lines: dict[int, set[str]] = {}
    for name, line in source.parameter_lines().items():
        on_lines.setdefault(line, set()).add(name)
    for token in tokens_from(source.lines, first):
        line = token.start[0] + first - 1
        if line > last:
            return
        if token.type != tokenize.COMMENT:
            continue
        match = _COMMENT.search(token.string)
        if match is None:
            continue
        parameters_of_line = frozenset(on_lines.get(line, ()))
        in_body = line >= source.body_line and line != source.node.lineno
        is_whole = not in_body and (line <= source.node.lineno or not parameters_of_line)
        ids = tuple(name.strip() for name in (match["ids"] or "").split(",") if name.strip())
        text = source.lines[line - 1]
        parameters = parameters_of_line if parameters_of_line and not is_whole else None
        yield Suppression(source.file, line, text, ids, parameters, is_whole)


def without(suppression: Suppression, gone: Sequence[str]) -> Edit | None:
    """Return the edit that takes ids out of a comment, or all of it if nothing else is left."""
    text = suppression.text
    match = _COMMENT.search(text)
    if match is None:
        return None
    ids = [name for name in suppression.ids if name not in gone]
    if ids:
        start, end = match.span("ids")
        new = f"{text[:start]}{', '.join(ids)}{text[end:]}"
    else:
        before, after = text[: match.start()].rstrip(), text[match.end() :].strip()
        gap = "  " if before else text[: match.start()]
        comment = f"{gap}# {after.lstrip('# ')}" if after else ""
        new = f"{before}{comment}"
    if not new.strip():
        return Edit(suppression.file, suppression.line, text.rstrip("\r\n"), None)
    return Edit(suppression.file, suppression.line, text.rstrip("\r\n"), new.rstrip("\r\n"))
