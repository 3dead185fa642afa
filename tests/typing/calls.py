"""What a type checker must see of a call; checked by pyright and mypy, never run."""

from collections.abc import Awaitable
from typing import assert_type

from toolwright import Call, current_call


def reports(call: Call) -> None:
    call.info("plain")
    call.report_progress(1, 2, "half")
    assert_type(call.error("plain"), Awaitable[None])
    call.log("x", "loud")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def awaits(call: Call) -> None:
    await call.info("awaited")
    await call.report_progress(progress=1, total=None, message=None)
    await call.progress(1)


assert_type(current_call(), Call | None)
