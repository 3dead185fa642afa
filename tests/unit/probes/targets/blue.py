"""Classes whose names `red` has too."""

from __future__ import annotations

from enum import Enum

from pydantic import BaseModel


class Item(BaseModel):
    """A blue item."""

    blue: int


class Node(BaseModel):
    blue: int
    next: Node | None = None


class Kind(Enum):
    A = "blue-a"
    B = "blue-b"


def use(item: Item) -> Item:
    """Use a blue one."""


def walk(node: Node) -> Node:
    """Walk a blue one."""


def pick(kind: Kind) -> Kind:
    """Pick a blue one."""
