"""The files of findings, as seen from the working folder."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def shown_file(file: str) -> str:
    """Return a file relative to the working folder, if it is inside."""
    try:
        inside = os.path.relpath(file)
    except (OSError, ValueError):  # another drive, or a folder that is gone
        return file
    return file if inside.startswith("..") else inside


def uri_of(file: str) -> str:
    """Return the URI of a file: relative to the working folder, if it is inside."""
    path = shown_file(file)
    if not Path(path).is_absolute():
        return quote(os.fsencode(path.replace(os.sep, "/")), safe="/")
    return f"file://{quote(os.fsencode(Path(path).as_posix()), safe='/:')}"
