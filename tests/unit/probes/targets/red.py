"""Classes whose names `blue` has too."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel


class Item(BaseModel):
    """A red item."""

    red: int


class Node(BaseModel):
    red: int
    next: Node | None = None


class Kind(Enum):
    A = "red-a"
    B = "red-b"


def use(item: Item) -> Item:
    """Use a red one."""


def walk(node: Node) -> Node:
    """Walk a red one."""


def pick(kind: Kind) -> Kind:
    """Pick a red one."""
