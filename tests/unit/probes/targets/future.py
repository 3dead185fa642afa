"""Everything under `from __future__ import annotations`: all annotations are strings."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Optional, TypedDict

from pydantic import BaseModel, Field


class User(BaseModel):
    name: str
    friend: Optional[User] = None


@dataclass
class Place:
    city: str
    code: int = 0


class Movie(TypedDict):
    name: str
    year: int


def plain(a: int, b: Optional[str] = None, c: Literal["x", "y"] = "x") -> list[int]:
    """Only builtins and names of typing."""


def rich(
    path: Path,
    when: dt.datetime,
    n: Annotated[int, Field(ge=1, description="How many.")],
    place: Place,
    movie: Movie,
    user: User | None = None,
) -> dict[str, Place]:
    """Classes of this and other modules."""


def later(x: Later) -> Later:
    """A class that is defined further down."""


@dataclass
class Later:
    x: int


class Shelf:
    Key = int

    def find(self, key: Key, near: Shelf.Key = 0) -> Place:
        """A name of the class body."""


def local_class():
    class P(BaseModel):
        x: int
        near: Optional[P] = None

    class Kind(TypedDict):
        word: str

    @dataclass
    class Holder:
        kind: Kind
        kinds: list[Kind]

    def takes(p: P, holder: Holder) -> Kind:
        """Take what only this function knows."""

    return takes, P, Holder


def local_class_defined_after_the_function():
    def takes(p: P) -> int:
        """Take what is defined below."""

    class P(BaseModel):
        x: int

    return takes, P
