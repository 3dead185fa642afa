"""The value of an argument that is not given."""

from __future__ import annotations

from typing import Final, Literal, final


@final
class Unset:
    """The type of `UNSET`, the default of arguments that are sent only if they are given."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False

    def __reduce__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()
