"""Changes a client's settings file, for `install` and `uninstall`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..command import CliCommand, option, switch
from ..output import print_json, say
from ..usage import UsageError
from .known import CLIENTS, KnownClient
from .settings_file import Changed, SettingsFile

CLIENT_HELP = f"{', '.join(CLIENTS)}, or generic (prints the entry)"
_ATTEMPTS = 50


class EditedFile(CliCommand):
    """Which file is changed, whether to change it, and how that is told."""

    project: bool = switch("in this folder's own file", excludes="place")
    config: str | None = option("in this file", metavar="FILE", excludes="place")
    dry_run: bool = switch("only show what would change")
    json: bool = switch("print JSON")


def settings_file(client: KnownClient, place: EditedFile) -> SettingsFile:
    """Return the file that was named, or the client's own. Raises `UsageError`."""
    if place.config is None:
        return SettingsFile(client.path(project=place.project))
    if not place.config:
        raise UsageError("--config needs the name of a file")
    return SettingsFile(Path(place.config))


def retry_if_changed(change: Callable[[], int]) -> int:
    """Change a file; start over if another program wrote it in the meantime."""
    for _ in range(_ATTEMPTS):
        try:
            return change()
        except Changed:
            continue
    raise UsageError("another program keeps writing to the file: it is left alone")


def save(
    file: SettingsFile,
    text: str,
    place: EditedFile,
    done: str,
    client: KnownClient | None = None,
) -> int:
    """Write the text, or show the difference with `--dry-run`; print what was done."""
    changes = text != file.text
    if place.dry_run:
        if place.json:
            print_json({"file": str(file.shown), "changes": changes, "diff": file.diff(text)})
        else:
            say(file.diff(text).rstrip("\n") or f"nothing to change in {file.shown}")
        return 0
    backup = file.write(text) if changes else None
    if place.json:
        copy = None if backup is None else str(backup)
        print_json({"file": str(file.shown), "changes": changes, "backup": copy})
        return 0
    if not changes:
        say(f"{done} already: nothing to change in {file.shown}")
        return 0
    say(f"{done}: {file.shown}" + (f" (as it was: {backup.name})" if backup else ""))
    if client is not None and client.afterwards:
        say(f"Next: {client.afterwards}.")
    return 0
