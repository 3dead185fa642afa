"""Tools of one function, and what they publish and refuse."""

from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, Field

from tests.unit.probes.rules import dead_definitions, faults
from toolwright import ArgumentError, Tool


def made(target: Any, **options: Any) -> Tool:
    """Make a tool, and check what holds for all of them."""
    tool = Tool(target, **options)
    assert faults(tool.input_schema, is_input=True) == []
    assert dead_definitions(tool.input_schema) == set()
    if tool.output_schema is not None:
        assert faults(tool.output_schema, is_input=False) == []
        assert dead_definitions(tool.output_schema) == set()
    return tool


def properties(target: Any, **options: Any) -> dict[str, Any]:
    tool = made(target, **options)
    assert tool.problems == ()
    return tool.input_schema["properties"]


def refuses(tool: Tool, *each: dict[str, Any]) -> None:
    for arguments in each:
        with pytest.raises(ArgumentError):
            tool.bind(arguments)


class Address(BaseModel):
    """Where."""

    street: str
    zip_code: str = Field(alias="zipCode", description="Five digits.")
    country: str = "CH"


@dataclass
class Window:
    """A part of something.

    Attributes:
        start: Where it begins.
    """

    start: int
    end: int | None = None


def fetch(url: str, key: str, *, retries: int = 3, **headers: str) -> str:
    """Fetch a page.

    Args:
        url: Where it is.
        key: The secret key.
        retries: How often to try.
        headers: More headers.
    """


class Desk:
    def __init__(self, start: int = 0):
        self.start = start

    def add(self, x: int, y: int = 1) -> int:
        """Add to it.

        Args:
            x: A number.
            y: Another.
        """
        return self.start + x + y

    async def fetch(self, x: int) -> list[str]:
        """Fetch them."""

    def _add(self, x: int) -> int:
        return x

    def __call__(self, x: int) -> int:
        """Call it."""


class Kind(TypedDict):
    """A kind."""

    word: str
    """The word for it."""
    rank: NotRequired[int]


class Point(BaseModel):
    x: int
    y: int = 0


@dataclass
class Blob:
    data: bytes
    more: list[bytes] = field(default_factory=list)
