"""Time how long the doctor takes over 500 tools: processor time, compiling included."""

import sys
import tempfile
import time
from importlib import util
from pathlib import Path

COUNT = 500
NOUNS = ("order", "customer", "product", "parcel", "invoice", "refund", "review", "store")
TOOL = '''
@box.tool(read_only=True)
async def {verb}_{noun}_{number}(
    {noun}_id: str,
    filters: Filters{number},
    limit: Annotated[int, Field(ge=1, le=100)] = 10,
    tags: list[str] | None = None,
    kind: Literal["a", "b", "c"] = "a",
) -> list[Record{number}]:
    """{title} the {noun} number {number} of the shop, with what belongs to it.

    Args:
        {noun}_id: Which {noun} it is.
        filters: What must be true of it.
        limit: The most hits to return.
        tags: Only those with one of these.
        kind: Of which kind they are.
    """
    await asyncio.sleep(0)
    return []
'''
TYPES = '''
class Filters{number}(BaseModel):
    """What must be true."""

    since: datetime | None = None
    """Not before this."""
    status: Literal["open", "paid", "sent"] = "open"
    """How far it is."""


class Record{number}(BaseModel):
    """What is known of it."""

    {noun}_id: str
    name: str
    price: float
    lines: list[Filters{number}] = []
'''
HEAD = """
from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolwright import Toolbox

box = Toolbox("many")
"""


def write(file: Path, count: int) -> None:
    parts = [HEAD]
    for number in range(count):
        noun = NOUNS[number % len(NOUNS)]
        verb = ("get", "find", "show")[number % 3]
        parts.append(TYPES.format(number=number, noun=noun))
        parts.append(TOOL.format(number=number, noun=noun, verb=verb, title=verb.capitalize()))
    file.write_text("".join(parts))


def loaded(file: Path):
    spec = util.spec_from_file_location(file.stem, file)
    module = util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module.box


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "many_tools.py"
        write(file, COUNT)
        box = loaded(file)
        began = time.process_time()
        box.compile()
        compiled = time.process_time()
        report = box.check()
        ended = time.process_time()
    print(
        f"{COUNT} tools: compiled in {compiled - began:.2f} s, checked in {ended - compiled:.2f} s"
    )
    print(f"findings: {report.counts}")


if __name__ == "__main__":
    main()
