"""Tools with something to look at: a table, a picture, progress, a question, a slow answer."""

from __future__ import annotations

import asyncio
import math
import struct
import zlib
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolwright import Call, Image, Toolbox

showroom = Toolbox("showroom", version="1.0", instructions="Look behind the counter of the shop.")

COLOURS = {"red": (193, 59, 49), "green": (62, 134, 86), "blue": (52, 101, 190)}
SHELVES = ("bikes", "parts", "clothing", "window")


@dataclass
class Month:
    """What was sold in a month."""

    month: int
    bikes: int
    parts: int
    takings: float  # In euros


class Order(BaseModel):
    """What to do about empty shelves."""

    order: bool = Field(description="Order what is missing?")
    note: str = Field("", description="A word for the supplier.")


@showroom.tool(read_only=True, tags=["figures"])
def sales(months: Annotated[int, Field(ge=1, le=120)] = 12) -> list[Month]:
    """Show what was sold, month by month.

    Args:
        months: How many months, counted from the first.
    """
    rows: list[Month] = []
    for month in range(1, months + 1):
        season = 1 + math.sin((month - 3) / 12 * 2 * math.pi)
        bikes, parts = round(3 + 14 * season), round(30 + 25 * season + month % 3)
        rows.append(Month(month, bikes, parts, bikes * 499 + parts * 24.5))
    return rows


@showroom.tool(read_only=True, tags=["figures"])
def portrait(
    colour: Literal["red", "green", "blue"] = "blue",
    size: Annotated[int, Field(ge=16, le=512)] = 256,
) -> Image:
    """Draw the bike of the week.

    Args:
        colour: The colour of the frame.
        size: Width in pixels.
    """
    return Image(_picture(COLOURS[colour], size), mime_type="image/png")


@showroom.tool(read_only=True)
async def stocktaking(  # noqa: D417 - no caller gives a `call`
    call: Call, seconds: Annotated[float, Field(ge=0, le=10)] = 0.5
) -> str:
    """Count what is on the shelves, and ask what to do about empty ones.

    Args:
        seconds: How long one shelf takes.
    """
    for done, shelf in enumerate(SHELVES):
        call.progress(done, len(SHELVES), f"counting {shelf}")
        call.info(f"{shelf}: {7 * (done + 1) % 9} pieces")
        await asyncio.sleep(seconds)
    call.progress(len(SHELVES), len(SHELVES), "done")
    answer = await call.ask(Order, "The window is empty.")
    if not answer.order:
        return "Counted. Nothing is ordered."
    return f"Counted, and ordered. {answer.note}".strip()


@showroom.tool(read_only=True, open_world=True, timeout=60)
async def ask_supplier(
    sku: str, seconds: Annotated[float, Field(ge=0, le=50)] = 20
) -> dict[str, str]:
    """Ask the supplier when a product comes, who takes a while to answer.

    Args:
        sku: Stock number, such as B-1.
        seconds: How long the supplier thinks about it.
    """
    await asyncio.sleep(seconds)
    return {"sku": sku, "comes": "on Thursday"}


def _picture(colour: tuple[int, int, int], width: int) -> bytes:
    """Return a bike as PNG, drawn without another package."""
    height = width * 5 // 8
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(_pixel(x / width, y / width, colour))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, data)
        for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def _pixel(x: float, y: float, colour: tuple[int, int, int]) -> tuple[int, int, int]:
    if any(abs(math.hypot(x - hub, y - 0.4) - 0.16) < 0.012 for hub in (0.22, 0.78)):
        return (40, 44, 52)
    frame = ((0.22, 0.4, 0.42, 0.2), (0.42, 0.2, 0.68, 0.2), (0.68, 0.2, 0.5, 0.4))
    frame += ((0.5, 0.4, 0.22, 0.4), (0.42, 0.2, 0.5, 0.4), (0.66, 0.12, 0.78, 0.4))
    if any(_distance(x, y, *tube) < 0.012 for tube in frame):
        return colour
    handles = ((0.66, 0.12, 0.74, 0.1), (0.36, 0.13, 0.46, 0.13), (0.41, 0.13, 0.42, 0.2))
    if any(_distance(x, y, *tube) < 0.014 for tube in handles):
        return (40, 44, 52)
    return (244, 242, 236)


def _distance(x: float, y: float, x1: float, y1: float, x2: float, y2: float) -> float:
    """Return how far a point is from a line."""
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(max(along, 0.0), 1.0)
    return math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1))


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
