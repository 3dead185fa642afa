"""The tools that the suite's scenarios of tasks want, and some of our own."""

import asyncio
import os
import sys
import time
from pathlib import Path

from pydantic import BaseModel

import toolwright.serve.sdk.task_records as records
import toolwright.serve.sdk.tasks as tasks
import toolwright.stores as stores
from toolwright import Call, Toolbox, ToolError
from toolwright.questions import Form

# A test that is not about these times need not wait for them in full.
tasks._HOLD = float(os.environ.get("TASKS_HOLD", tasks._HOLD))
records._BEAT = float(os.environ.get("TASKS_BEAT", records._BEAT))
stores._WAIT = float(os.environ.get("TASKS_WAIT", stores._WAIT))

box = Toolbox("tasks", tasks=os.environ.get("TASKS") or "memory:", keep_tasks=60)


class Confirmed(BaseModel):
    confirm: bool


class Named(BaseModel):
    name: str


@box.tool
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}!"


@box.tool(task=True)
async def slow_compute(seconds: float = 0, label: str = "", after: str = "") -> str:
    """Compute for a while, or until a file is there."""
    await asyncio.sleep(seconds)
    while after and not Path(after).exists():  # noqa: ASYNC110, ASYNC240 - of another process
        await asyncio.sleep(0.01)
    return f"computed {label}"


@box.tool(task="required")
async def failing_job() -> str:
    """Fail after a while."""
    await asyncio.sleep(0.5)
    raise ToolError("it failed")


@box.tool(task=True)
async def protocol_error_job(call: Call) -> str:
    """Ask for what the client does not have."""
    await asyncio.sleep(0.4)
    return str(await call.roots())


@box.tool(task=True)
async def confirm_delete(filename: str, call: Call) -> str:
    """Look at a file, and ask before deleting it."""
    await asyncio.sleep(0.4)
    answer = await call.ask(Confirmed, f"Delete {filename}?")
    return f"deleted {filename}" if answer.confirm else "kept"


@box.tool(task=True)
def multi_input(call: Call) -> str:
    """Ask two things at once, from a thread."""
    import time

    time.sleep(0.4)
    said = call.request(first=Form(Named, "Who?"), second=Form(Confirmed, "Sure?"))
    return f"{said['first'].name} {said['second'].confirm}"


@box.tool(task="required")
async def test_tool_with_task(call: Call) -> str:
    """Ask at once, then work."""
    user = await call.ask(Named, "Who are you?", key="user_name")
    await asyncio.sleep(0.5)
    return f"Hello, {user.name}"


@box.tool(task=True)
async def counted(call: Call, steps: int = 3) -> str:
    """Tell how far it is."""
    for at in range(steps):
        call.progress(at + 1, steps, "counting")
        await asyncio.sleep(0.6)
    return "counted"


@box.tool(task=True)
def told_once(call: Call, after: str) -> str:
    """Tell twice at once how far it is, then no more."""
    call.progress(1, 3, "begun")
    call.progress(2, 3, "nearly")
    appears(after)
    return "done"


@box.tool(task=True)
def tells_twice_late(call: Call, after: str) -> str:
    """Tell twice in a moment how far it is, once it is a task."""
    appears(after)
    call.progress(1, 2, "first")
    call.progress(2, 2, "last")
    appears(f"{after}.end")
    return "done"


def appears(path):
    while not Path(path).exists():
        time.sleep(0.02)


@box.tool(task=True, confirm=True)
async def confirmed(x: int) -> str:
    """Run only if the user confirms."""
    await asyncio.sleep(1)
    return f"done {x}"


@box.tool(task=True, timeout=1.5)
async def too_slow() -> str:
    """Take longer than allowed."""
    await asyncio.Event().wait()
    return "never"


@box.tool(task=True)
def asks_in_a_thread(after: str, call: Call) -> str:
    """Ask from a thread, once a file is there."""
    import time

    while not Path(after).exists():
        time.sleep(0.01)
    return call.ask(Named, "Who?").name


@box.tool(task=True)
async def asks_after(seconds: float, call: Call) -> str:
    """Ask after so many seconds."""
    await asyncio.sleep(seconds)
    return (await call.ask(Named, "Who?")).name


@box.tool(task=True)
def marks(file: str) -> str:
    """Write to a file as long as it runs: whether it was stopped is seen there."""
    import time

    while True:
        Path(file).write_text(str(time.monotonic()))
        time.sleep(0.05)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(box.asgi(), host="127.0.0.1", port=int(sys.argv[1]), access_log=False)
