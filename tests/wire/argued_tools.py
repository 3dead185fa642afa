"""Tools whose arguments are attacked, and one that others call meanwhile."""

from typing import Any

from toolwright import Toolbox

box = Toolbox("argued")


@box.tool
async def echo(n: int) -> int:
    """Return a number."""
    return n


@box.tool
def add(a: int = 0, items: list[int] = (), tree: Any = None) -> int:
    """Return a number, whatever else comes."""
    return a


@box.tool
async def add_async(a: int = 0, items: list[int] = (), tree: Any = None) -> int:
    """Return a number, whatever else comes."""
    return a
