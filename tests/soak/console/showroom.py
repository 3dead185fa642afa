"""Tools that show what the console draws: each is about one thing."""

import math
import os
import struct
import time
import zlib
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from toolwright import Audio, Call, Image, Toolbox

box = Toolbox("showroom", version="3.1", instructions="Look *around*, and try things.")


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Address(BaseModel):
    """Where it goes."""

    street: str
    zip: str = Field(pattern=r"^\d{5}$", description="Five digits.")


class Line(BaseModel):
    sku: str
    count: int = Field(default=1, ge=1, le=9)


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: str


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"
    note: str | None = None


class Folder(BaseModel):
    name: str
    inside: list["Folder"] = []


class Name(BaseModel):
    name: str = Field(description="What to call you.")
    often: int = 2


@box.tool(destructive=False, tags=["orders"])
def order(
    address: Address,
    lines: Annotated[list[Line], Field(min_length=1)],
    payment: Card | Cash | None = None,
    size: Size = Size.SMALL,
    due: date | None = None,
    at: datetime | None = None,
    note: str | None = "none",
    express: bool = False,
    weights: dict[str, float] | None = None,
) -> dict:
    """Place an order.

    It is **checked** first; see [the terms](https://example.com/terms).

    Args:
        address: Where to deliver.
        note: For the courier.
    """
    return {
        "street": address.street,
        "count": sum(line.count for line in lines),
        "payment": type(payment).__name__,
        "size": size.value,
        "due": due and due.isoformat(),
        "note": note,
        "express": express,
        "weights": weights,
    }


@box.tool(read_only=True, tags=["shapes"])
def tree(root: Folder) -> int:
    """Count the folders of a tree."""
    return 1 + sum(tree(each) for each in root.inside)


@box.tool(read_only=True)
def upload(content: bytes) -> int:
    """Tell how large a file is."""
    return len(content)


@box.tool(read_only=True)
def odd(value: Any) -> Any:
    """Take what no form can draw."""
    return value


@box.tool(read_only=True, tags=["results"])
def table(rows: int = 30) -> list[dict]:
    """Give a table."""
    names = ("bike", "chain", "saddle")
    return [
        {"name": names[at % 3], "price": round(500 / (at + 1), 2), "count": at}
        for at in range(rows)
    ]


@box.tool(read_only=True, tags=["results"])
def picture() -> Image:
    """Give a picture."""
    return Image(_png(), mime_type="image/png")


@box.tool(read_only=True, tags=["results"])
def sound() -> Audio:
    """Give a sound."""
    tone = b"".join(struct.pack("<h", int(9000 * math.sin(at / 8))) for at in range(8000))
    head = (
        b"RIFF"
        + struct.pack("<I", 36 + len(tone))
        + b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    )
    return Audio(head + b"data" + struct.pack("<I", len(tone)) + tone, mime_type="audio/wav")


@box.tool(read_only=True, timeout=60)
def slow(call: Call, seconds: float = 30) -> str:
    """Take a while, and say how it goes."""
    end = time.monotonic() + seconds
    for at in range(1000):
        call.progress(at, 1000, f"step {at}")
        if at == 0:
            call.info("it has begun")
            call.warning("it is slow")
        while time.monotonic() < end and time.monotonic() < end - seconds + at * 0.05:
            call.heartbeat()
            time.sleep(0.01)
        if time.monotonic() >= end:
            break
    return "done"


@box.tool
def greet(call: Call) -> str:
    """Ask for a name, and greet."""
    said = call.ask(Name, "Who are you?")
    return ", ".join([f"hello {said.name}"] * said.often)


@box.tool(destructive=True, tags=["orders"])
def wipe(what: str) -> str:
    """Delete everything of a kind."""
    return f"{what} is gone"


@box.tool(confirm=True, destructive=False)
def transfer(amount: float) -> str:
    """Move money."""
    return f"{amount} moved"


@box.tool(read_only=True)
def fail() -> str:
    """Fail."""
    raise ValueError("the shelf is empty")


@box.tool(read_only=True, repair=True)
def count(upto: int) -> list[int]:
    """Count."""
    return list(range(upto))


@box.tool(read_only=True, cache=60)
def who() -> int:
    """Tell which process this is."""
    return os.getpid()


@box.tool(roles=["admin"], read_only=True)
def secret() -> str:
    """Only for admins."""
    return "secret"


@box.resource("show://about", mime_type="text/markdown")
def about() -> str:
    """What this is."""
    return "# A *showroom*"


@box.resource("show://rooms/{name}")
def room(name: str) -> str:
    """One room."""
    return f"room {name}"


@box.prompt
def explain(what: str, tone: str = "plain") -> str:
    """Have something explained."""
    return f"Explain {what} in a {tone} tone."


def _png(width: int = 240, height: int = 120) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(
        b"\0" + b"".join(bytes((x, y * 2, 255 - x)) for x in range(width)) for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
