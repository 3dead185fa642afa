"""Tools for tests of the end of a server: calls that last until a file is there."""

import asyncio
import os
import time
from pathlib import Path

from toolwright import Call, Toolbox

FOLDER = Path(os.environ.get("HELD_TOOLS_FOLDER", "."))
box = Toolbox("held", version="1")


@box.resource("memo://one")
def memo_one() -> str:
    """Something to subscribe to."""
    return "one"


@box.prompt
def hello() -> str:
    """Say hello."""
    return "hello"


async def _held(label: str) -> str:
    (FOLDER / f"{label}.began").touch()
    while not (FOLDER / "go").exists():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    return label


@box.tool
async def held(label: str) -> str:
    """End when the gate opens."""
    return await _held(label)


@box.tool
def blocked(label: str) -> str:
    """End when the gate opens, in a thread."""
    (FOLDER / f"{label}.began").touch()
    while not (FOLDER / "go").exists():
        time.sleep(0.01)
    return label


@box.tool
async def frozen(label: str) -> str:
    """Block the event loop."""
    (FOLDER / f"{label}.began").touch()
    time.sleep(600)  # noqa: ASYNC251
    return label


@box.tool
async def seen(label: str, call: Call) -> str:
    """End when the gate opens; goes through the SDK."""
    return await _held(label)


@box.tool
async def asks(label: str, call: Call) -> str:
    """Ask the user."""
    (FOLDER / f"{label}.began").touch()
    form = await call.ask(
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}, "Who?"
    )
    return f"{label} {form['name']}"


@box.tool(task=True)
async def long(label: str) -> str:
    """End when the gate opens, as a task."""
    return await _held(label)


@box.tool(confirm=True)
def careful(label: str) -> str:
    """Do it once it was confirmed."""
    return f"did {label}"


@box.tool
def add_things() -> str:
    """Change every list, and a resource."""
    count = len(box)

    @box.tool(name=f"more_{count}")
    def more() -> int:
        return 1

    @box.prompt(name=f"prompt_{count}")
    def prompt() -> str:
        return "x"

    @box.resource(f"memo://{count}")
    def memo() -> str:
        return "x"

    box.changed("resource", "memo://one")
    return str(count)


@box.tool
def environment() -> str:
    """Show what a child process of a tool would see."""
    return str(dict(os.environ))
