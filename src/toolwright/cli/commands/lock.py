"""`lock` and `diff`: what tools take and give, and its changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..._log.printable import say
from ..._words import count_of
from ...contract.changes import SEVERITIES, Change, Changes, gravest, text_lines
from ...contract.lock_file import FILE, Lock, read, read_at
from ...contract.sources import why_stale
from ...errors import LockError
from .. import output
from ..command import TargetCommand, option, optional, switch
from ..load import open_target
from ..locking import lock_path, locked, with_selection
from ..project import find_project
from ..target_words import check_writable
from ..targets.modules import split
from ..usage import UsageError

_MOST_LINES = 200


class LockCommand(TargetCommand):
    """Writes down what tools take and give, or checks it."""

    output: str | None = option(
        f"which file ({FILE}; - is standard output)", "-o", "--output", metavar="FILE"
    )
    check: bool = switch("write nothing: fail if the file is out of date")
    json: bool = switch("print JSON")

    def run(self) -> int:
        """Write the lock of a target, or check the one that is there."""
        check_writable(self.target, self.select)
        file = lock_path(self.target, None if self.output == "-" else self.output)
        try:
            return _check(self, file) if self.check else _write(self, file)
        except LockError as error:
            raise UsageError(str(error)) from error


def _write(chosen: LockCommand, file: Path) -> int:
    opened = open_target(chosen)
    if not opened.usable:
        return 1
    lock = locked(opened, chosen, file)
    if chosen.output == "-":
        output.write(lock.to_json())
        return 0
    lock.write(file)
    if chosen.json:
        output.print_json({"file": str(file), "tools": len(lock.tools)})
    else:
        output.say(f"{count_of(len(lock.tools), 'tool')} locked in {file}")
    return 0


def _check(chosen: LockCommand, file: Path) -> int:
    if chosen.output == "-":
        raise UsageError("--check compares with a file: standard output cannot be read")
    before = read(file)
    chosen = with_selection(chosen, before.made_of)
    from ...contract.compare import diff

    opened = open_target(chosen)
    now = locked(opened, chosen, file)
    changes = diff(before, now)
    if chosen.json:
        output.print_json({"file": str(file), **changes.to_json()})
    else:
        _say_changes(changes, file)
    if not changes:
        _say_stale(before, file)
    return 1 if changes or not opened.usable else 0


def _say_changes(changes: Changes, file: Path) -> None:
    """Print one line for each thing that differs."""
    if not changes:
        output.say(f"{file} is up to date")
        return
    grouped: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        grouped.setdefault((change.part, change.name), []).append(change)
    for (part, name), changes_of_part in list(grouped.items())[:_MOST_LINES]:
        severity = gravest([change.severity for change in changes_of_part])
        where = f"{changes_of_part[0].where} " if changes_of_part[0].where else ""
        more = f" (and {len(changes_of_part) - 1} more)" if len(changes_of_part) > 1 else ""
        output.say(f"{severity}: {part} {name}: {where}{changes_of_part[0].text}{more}")
    if len(grouped) > _MOST_LINES:
        output.say(f"and {len(grouped) - _MOST_LINES} more")
    output.say(f"{file} is out of date: `toolwright lock` writes it, `toolwright diff` says more")


def _say_stale(before: Lock, file: Path) -> None:
    why = why_stale(before.made_of, file.parent)
    if why:
        say(f"note: `serve --lock` would not start from it: {why}")


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
        from ...contract.compare import diff

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
