"""The project's target, for a command that names none."""

from __future__ import annotations

import argparse
import contextlib
import io

TAKE_TARGETS = frozenset(("serve", "list", "show", "call", "export", "install"))


def with_target(words: list[str], command: str, parser: argparse.ArgumentParser) -> list[str]:
    """Return the words with the project's file as TARGET, if one is missing and there is one.

    So `toolwright call search query=x` is known from `toolwright call shop.py search query=x`.
    """
    if {"-h", "--help"} & set(words) or _is_complete(words, parser):
        return words
    from .configuration import find_project

    file = find_project()
    if file is None:
        return words
    at = len(words) if command == "install" else words.index(command) + 1
    completed = [*words[:at], str(file), *words[at:]]
    return completed if _is_complete(completed, parser) else words


def _is_complete(words: list[str], parser: argparse.ArgumentParser) -> bool:
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            chosen, _ = parser.parse_known_args(words)
        except SystemExit:
            return False
    # `name=value` is the first argument of a tool; the URI of a resource may have a `=`, too.
    before, equals, _ = getattr(chosen, "tool", "").partition("=")
    return not equals or "://" in before
