"""Calls of one tool that are meant for another."""

from __future__ import annotations

from typing import Any


class Directing:
    """Tools of which one stands for others."""

    def directed(self, name: str, arguments: Any) -> tuple[str, Any]:
        """Return the tool that a call is for, and its arguments."""
        raise NotImplementedError


def directed(tools: object, name: str, arguments: Any) -> tuple[str, Any]:
    """Return the tool that a call is for, and its arguments; in most offerings, both as given."""
    if isinstance(tools, Directing):
        return tools.directed(name, arguments)
    return name, arguments
