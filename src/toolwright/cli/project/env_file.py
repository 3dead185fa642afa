"""Variables of the environment, from a file such as `.env`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..._files import read_file, read_named
from ..usage import UsageError

_MOST = 1024 * 1024


def load_env_file(path: Path, *, is_typed: bool = False) -> None:
    """Set the variables that a file names; those that are set already stay. Raises `UsageError`.

    What a user types may be the pipe of another program: `--env-file <(...)`.
    """
    try:
        text = (read_named if is_typed else read_file)(path, _MOST).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
    for name, value in _variables(text, path):
        os.environ.setdefault(name, value)


def _variables(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `NAME=value`; the value may be in quotes, and a comment may follow it."""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.removeprefix("export ").partition("=")
        name = name.strip()
        # The value is not shown: it may be a secret.
        if not equals or not name or any(character.isspace() for character in name):
            raise UsageError(f"line {number} of {path} is not NAME=value")
        value = _unquoted(value.strip())
        if value is None or "\0" in value + name:
            raise UsageError(f"line {number} of {path} has an unterminated quote")
        yield name, value


def _unquoted(value: str) -> str | None:
    """Return a value without its quotes, or without a comment; None if a quote does not end."""
    if value[:1] not in ("'", '"'):
        return value.split(" #", 1)[0].rstrip()
    quoted, end, comment = value[1:].partition(value[0])
    if not end or (comment.strip() and not comment.strip().startswith("#")):
        return None
    return quoted.replace("\\n", "\n") if value[0] == '"' else quoted
