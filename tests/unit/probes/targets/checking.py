"""Names that only a type checker sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from builtins import str as text

    from absent_money import Decimal as Money
    from absent_numbers import Fraction


def returns_it(x: int) -> Money:
    """Only the return type is unknown."""


def takes_it(x: Fraction) -> int:
    """A parameter's type is unknown."""


def takes_it_optionally(x: int, y: Fraction | None = None) -> int:
    """A parameter's type is unknown."""


def takes_what_there_is(x: text) -> int:
    """A type that exists."""
