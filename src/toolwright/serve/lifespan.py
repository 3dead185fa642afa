"""The lifespan of a served toolbox: entered first, left last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._words import first_line

if TYPE_CHECKING:
    from .offering import Live

_LOOK = 0.1


class LifespanFailed(Exception):
    """The lifespan raised; the message is one line, and `__cause__` is what was raised."""

    def __init__(self, box: Live, doing: str, error: BaseException) -> None:
        reason = first_line(str(error))
        what = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
        super().__init__(f"the lifespan of {box.now.about.name} failed to {doing}: {what}")
        self.__cause__ = error


async def opened(box: Live, is_told: Callable[[], bool] = lambda: False) -> bool:
    """Enter the lifespan; return False if the server is told to end meanwhile.

    Raises `LifespanFailed`.
    """
    opening = asyncio.ensure_future(_entered(box))
    try:
        while not opening.done():
            await asyncio.wait((opening,), timeout=_LOOK)
            if is_told():
                return False
        failure = opening.result()
    finally:
        opening.cancel()
    if failure is not None:
        raise LifespanFailed(box, "open", failure)
    return True


async def _entered(box: Live) -> BaseException | None:
    """Enter the lifespan; return what it raised, since SystemExit would end the loop at once."""
    try:
        await box.enter()
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001
        return error
    return None


async def closed(box: Live) -> None:
    """Leave the lifespan. Raises `LifespanFailed`."""
    try:
        await box.aclose()
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        raise LifespanFailed(box, "close", error) from error
