"""`diff`: what has changed since the lock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...contract.changes import SEVERITIES, text_lines
from ...contract.compare import diff
from ...contract.lock_file import FILE, Lock, read, read_at
from ...errors import LockError
from .. import output
from ..command import TargetCommand, option, optional
from ..load import open_target
from ..project.configuration import find_project
from ..project.locking import lock_path, locked, with_selection
from ..targets.modules import split
from ..usage import UsageError


class DiffCommand(TargetCommand):
    """Says what has changed since the lock."""

    old: str | None = optional("OLD", f"a lock file, or a git ref that has one ({FILE})")
    file: str | None = option(f"the lock file that a git ref has ({FILE})", metavar="FILE")
    format: str = option("of the report", default="text", choices=("text", "json", "markdown"))
    fail_on: str = option(
        "exit with 1 if there are such changes, or worse ones (breaking)",
        default="breaking",
        choices=(*SEVERITIES, "never"),
    )

    def run(self) -> int:
        """Compare a target with its lock; return 1 if something grave has changed."""
        chosen = _with_target_of_project(self)
        try:
            before = _old(chosen)
        except LockError as error:
            raise UsageError(str(error)) from error
        chosen = with_selection(chosen, before.made_of)
        opened = open_target(chosen)
        changes = diff(before, locked(opened, chosen, lock_path(chosen.target, self.file)))
        if self.format == "json":
            output.print_json(changes.to_json())
        elif self.format == "markdown":
            output.write(changes.to_markdown())
        else:
            for line in text_lines(changes):
                output.say(line)
        if not opened.usable:
            return 1
        grave = (
            SEVERITIES[: SEVERITIES.index(self.fail_on) + 1] if self.fail_on in SEVERITIES else ()
        )
        return 1 if changes.severity in grave else 0


def _with_target_of_project(chosen: DiffCommand) -> DiffCommand:
    """Take a single word as `old` and the project as target, if the word cannot be a target."""
    if chosen.old is not None or _may_be_target(chosen.target):
        return chosen
    project = find_project()
    if project is None:
        return chosen
    return replace(chosen, old=chosen.target, target=str(project)).prepared()


def _may_be_target(word: str) -> bool:
    from importlib.util import find_spec

    path = split(word)[0]
    if Path(path).exists():
        return not path.endswith(".lock.json")
    try:
        return path.endswith(".py") or find_spec(path.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _old(chosen: DiffCommand) -> Lock:
    file = lock_path(chosen.target, chosen.file)
    if chosen.old is None:
        return read(file)
    return read(chosen.old) if Path(chosen.old).is_file() else read_at(chosen.old, file)
