"""TypedDicts for `**kwargs: Unpack[...]`."""

from typing import Annotated

from pydantic import Field
from typing_extensions import NotRequired, Required, TypedDict


class Base(TypedDict):
    color: str
    """Which color."""


class Filters(Base, total=False):
    """What to leave out.

    Attributes:
        shape: Which shape.
    """

    shape: str
    size: Required[int]  # How large
    count: Annotated[int, Field(ge=1)]
    nothing: int | None


# Keys that no parameter can have.
Odd = TypedDict(
    "Odd", {"class": str, "from": NotRequired[int], "x-y": NotRequired[str], "plain": int}
)
