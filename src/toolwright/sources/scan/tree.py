"""A command during a scan: what was learnt about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .text.page import CommandText, OptionText, Page


@dataclass(slots=True, eq=False)
class Node:
    """One command of a program that is being scanned."""

    path: tuple[str, ...]
    page: Page
    parent: Node | None = None
    listed: CommandText | None = None
    """How its parent lists it."""
    completed: frozenset[str] | None = None
    """The long flags that completion lists; None if it was not asked."""
    required: frozenset[str] = frozenset()
    unshown: list[OptionText] = field(default_factory=list[OptionText])
    """Options that only completion lists."""

    def above(self) -> Iterator[Node]:
        """Yield its parent, its parent's parent, and so on."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def repeats_an_ancestor(self) -> bool:
        """Return whether its help is that of a command above it, as when help lists itself."""
        shape = self._shape()
        return bool(shape[0]) and any(ancestor._shape() == shape for ancestor in self.above())  # noqa: SLF001

    def _shape(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        return (
            tuple(command.name for command in self.page.commands),
            tuple(option.spelling.flags for option in self.page.options),
        )
