"""Calls of one tool that are meant for another."""

from __future__ import annotations

from typing import Any


class Directing:
    """A served toolbox with a tool that stands for others."""

    def directed(self, name: str, arguments: Any) -> tuple[str, Any]:
        """Return the tool that a call is for, and its arguments."""
        raise NotImplementedError


def directed(box: object, name: str, arguments: Any) -> tuple[str, Any]:
    """Return the tool that a call is for, and its arguments; in most toolboxes, both as given."""
    if isinstance(box, Directing):
        return box.directed(name, arguments)
    return name, arguments
