"""`diff`: what has changed since the lock."""

from __future__ import annotations

import argparse
from pathlib import Path

from ....contract.changes import SEVERITIES, text_lines
from ....contract.compare import diff
from ....contract.git_ref import read_at
from ....contract.lock_file import FILE, Lock, read
from ....errors import LockError
from ... import output
from ...load import add_target, open_target
from ...project.configuration import find_project, prepare
from ...project.locking import lock_path, locked, use_selection
from ...targets.modules import split
from ...usage import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    parser.add_argument(
        "old", nargs="?", metavar="OLD", help=f"a lock file, or a git ref that has one ({FILE})"
    )
    parser.add_argument("--file", metavar="FILE", help=f"the lock file that a git ref has ({FILE})")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="of the report"
    )
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, "never"),
        default="breaking",
        help="exit with 1 if there are such changes, or worse ones (breaking)",
    )


def run(chosen: argparse.Namespace) -> int:
    """Compare a target with its lock; return 1 if something grave has changed."""
    _take_target_of_project(chosen)
    try:
        before = _old(chosen)
    except LockError as error:
        raise UsageError(str(error)) from error
    use_selection(chosen, before.made_of)
    box, usable = open_target(chosen)
    changes = diff(before, locked(box, chosen, lock_path(chosen, chosen.file)))
    if chosen.format == "json":
        output.print_json(changes.to_json())
    elif chosen.format == "markdown":
        output.write(changes.to_markdown())
    else:
        for line in text_lines(changes):
            output.say(line)
    if not usable:
        return 1
    grave = (
        SEVERITIES[: SEVERITIES.index(chosen.fail_on) + 1] if chosen.fail_on in SEVERITIES else ()
    )
    return 1 if changes.severity in grave else 0


def _take_target_of_project(chosen: argparse.Namespace) -> None:
    """Take a single word as `old` and the project as target, if the word cannot be a target."""
    if chosen.old is not None or _may_be_target(chosen.target):
        return
    project = find_project()
    if project is not None:
        chosen.old, chosen.target = chosen.target, str(project)
        prepare(chosen)


def _may_be_target(word: str) -> bool:
    from importlib.util import find_spec

    path = split(word)[0]
    if Path(path).exists():
        return not path.endswith(".lock.json")
    try:
        return path.endswith(".py") or find_spec(path.partition(".")[0]) is not None
    except (ImportError, ValueError):
        return False


def _old(chosen: argparse.Namespace) -> Lock:
    file = lock_path(chosen, chosen.file)
    if chosen.old is None:
        return read(file)
    return read(chosen.old) if Path(chosen.old).is_file() else read_at(chosen.old, file)
