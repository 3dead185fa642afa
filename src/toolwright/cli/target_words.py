"""The words of a command line that name its target."""

from __future__ import annotations

import argparse
import contextlib
import io
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ..sources.secret_names import has_secrets, without_secrets
from .usage import UsageError

_TOOL_MAY_FOLLOW = ("test", "tokens")
"""Commands whose target may be followed by the name of a tool, or by nothing."""


COMMAND = "command:"
"""The beginning of a target that is the words of a command; `--command` makes one."""


def command_as_target(words: list[str], command: str) -> list[str]:
    """Return the words with the target that `--command` makes in place of TARGET."""
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag != "--command":
            continue
        behind = index + 1 if equals else index + 2
        if not equals and index + 1 >= len(words):
            return words
        value = value if equals else words[index + 1]
        remaining = [*words[:index], *words[behind:]]
        place = remaining.index(command) + 1
        return [*remaining[:place], f"{COMMAND}{value}", *remaining[place:]]
    return words


def shown_target(target: str) -> str:
    """Return a target as it is typed, without the secrets in it."""
    words = _words(target)
    public_words = without_secrets(words)
    if not target.startswith(COMMAND):
        return shlex.quote(public_words[0])
    line = target.removeprefix(COMMAND) if public_words == words else shlex.join(public_words)
    return f"--command {shlex.quote(line)}"


def check_writable(target: str, select: Sequence[str]) -> None:
    """Refuse to write down a target, or a selection, with a secret in it. Raises `UsageError`."""
    if has_secrets([*_words(target), *select]):
        raise UsageError(
            "the target has a secret in it, which no file should hold: "
            "put the server into an mcp.json, with ${NAME} in place of the secret"
        )


def _words(target: str) -> list[str]:
    if not target.startswith(COMMAND):
        return [target]
    try:
        return shlex.split(target.removeprefix(COMMAND))
    except ValueError:  # unterminated quotes: it will be refused
        return target.removeprefix(COMMAND).split()


def with_target(words: list[str], command: str, parser: argparse.ArgumentParser) -> list[str]:
    """Return the words with the project's file, if there is one, for a missing TARGET.

    This tells `toolwright call search query=x` from `toolwright call shop.py search query=x`.
    """
    if {"-h", "--help", "--list-checks"} & set(words):
        return words
    if _is_complete(words, parser) and not _names_a_tool(words, command, parser):
        return words
    from .project import find_project

    file = find_project()
    if file is None:
        return words
    index = len(words) if command == "install" else words.index(command) + 1
    completed = [*words[:index], str(file), *words[index:]]
    return completed if _is_complete(completed, parser) else words


def _names_a_tool(words: list[str], command: str, parser: argparse.ArgumentParser) -> bool:
    """Return whether the only name that was given is that of a tool, where it may be left out."""
    if command not in _TOOL_MAY_FOLLOW:
        return False
    with contextlib.redirect_stderr(io.StringIO()):
        chosen, _ = parser.parse_known_args(words)
    name = str(chosen.target)
    if chosen.tool is not None or any(sign in name for sign in "/\\:") or name.endswith(".py"):
        return False
    if Path(name).exists() or Path(f"{name.replace('.', '/')}.py").exists():
        return False
    package = name.partition(".")[0]
    return bool(package) and find_spec(package) is None


def _is_complete(words: list[str], parser: argparse.ArgumentParser) -> bool:
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            chosen, _ = parser.parse_known_args(words)
        except SystemExit:
            return False
    # `name=value` is the first argument of a tool; the URI of a resource may also have a `=`.
    before, equals, _ = (getattr(chosen, "tool", None) or "").partition("=")
    return not equals or "://" in before
