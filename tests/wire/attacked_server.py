"""A server that tests attack: callers with and without a role, and tools that wait to be told."""

import asyncio
import json
import sys

from pydantic import BaseModel

from toolwright import Call, Toolbox
from toolwright.serve.access.guard import Caller
from toolwright.serve.sdk import server as sdk

box = Toolbox("attacked", tasks="memory:", keep_tasks=60)
gates: dict[str, asyncio.Event] = {}

TOKENS = {
    "token-of-admin": Caller("admin", roles=("admin",)),
    "token-of-guest": Caller("guest"),
    "token-of-other": Caller("other"),
    # Two people of the same name, as two issuers know them.
    "token-of-one-ada": Caller("ada", claims={"iss": "https://one.example", "sub": "1"}),
    "token-of-two-ada": Caller("ada", claims={"iss": "https://two.example", "sub": "1"}),
}


class Answer(BaseModel):
    word: str


def gate(name):
    return gates.setdefault(name, asyncio.Event())


@box.tool
async def say(text: str, call: Call) -> str:
    """Say who asks, and what they said."""
    return f"{call.caller}: {text}"


@box.tool
async def tell(text: str, call: Call) -> str:
    """Log it and say it: the answer is a stream."""
    call.log("logged")
    return f"{call.caller}: {text}"


@box.tool
def plain(text: str) -> str:
    """Say it again; a call of this is a plain one."""
    return f"None: {text}"


@box.tool(roles=["admin"])
async def secret(call: Call) -> str:
    """Return what only admins may read."""
    call.log("secret log of the admin")
    return "the secret of the admin"


@box.tool
async def wait(name: str, call: Call) -> str:
    """Wait until the gate of this name is opened."""
    call.progress(1, 2, f"waiting for {name}")
    await gate(name).wait()
    return f"{call.caller} waited for {name}"


@box.tool
async def away(name: str, call: Call) -> str:
    """Hang up, wait until the gate of this name is opened, and answer whoever comes back."""
    await call.hang_up()
    await gate(name).wait()
    return f"{call.caller} came back for {name}"


@box.tool
async def hold(text: str = "") -> str:
    """Never end; a call of this is a plain one."""
    await asyncio.Event().wait()
    return text


@box.tool
async def open_gate(name: str) -> str:
    """Open a gate."""
    gate(name).set()
    return "open"


@box.tool
async def ask(call: Call) -> str:
    """Ask the user for a word."""
    return f"{call.caller} was told {(await call.ask(Answer, 'Which word?', key='word')).word}"


@box.tool(task=True)
async def long_task(name: str, call: Call) -> str:
    """Run as a task until the gate of this name is opened."""
    await gate(name).wait()
    return f"task of {call.caller}"


@box.tool(max_result=10_000_000)
async def big(size: int) -> str:
    """Return a text of so many characters."""
    return "x" * size


@box.tool
async def change(uri: str, times: int = 1) -> str:
    """Tell whoever subscribed that a resource has changed."""
    for _ in range(times):
        box.changed("resource", uri)
    return "changed"


@box.resource("note://{name}")
async def note(name: str) -> str:
    """Return a note."""
    return name


if __name__ == "__main__":
    settings = json.loads(sys.argv[2])
    if settings.pop("closed", False):
        settings["tokens"] = TOKENS
    if crowd := settings.pop("crowd", 0):
        settings["tokens"] = {f"token-of-{at}": Caller(f"caller {at}") for at in range(crowd)}
    if few := settings.pop("few_questions", 0):
        sdk.MOST_QUESTIONS_EACH = few  # a thousand streams would take a thousand connections
    box.serve("http", port=int(sys.argv[1]), **settings)
