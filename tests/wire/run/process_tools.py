"""Tools for processes: a child finds them by the name of this module."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel

from toolwright import Call, Image, Inject, Process, Retry, Toolbox, ToolError


class Settings:
    greeting = "hello"

    def greet(self) -> str:
        """Say hello."""
        return self.greeting


class Day(BaseModel):
    on: date
    word: str = ""


box = Toolbox("apart", version="1")
box.provide(Settings)


def pid_of_maker(call: Call) -> Iterator[str]:
    yield f"{call.caller}:{os.getpid()}"


async def later() -> str:
    await asyncio.sleep(0)
    return "later"


def attempts(path: str) -> int:
    """Count the runs in a file, which all processes see."""
    with Path(path).open("a+", encoding="ascii") as file:
        file.write("x")
        file.seek(0)
        return len(file.read())


@box.tool(run_on="process")
def where() -> int:
    """Return the process that runs it."""
    return os.getpid()


@box.tool(run_on="process")
async def where_async() -> int:
    """Return the process that runs it."""
    await asyncio.sleep(0)
    return os.getpid()


@box.tool(run_on="process")
def injected(
    day: Day,
    settings: Settings,
    maker: Annotated[str, Inject(pid_of_maker)],
    word: Annotated[str, Inject(later)],
) -> Day:
    """Return a day with what was injected."""
    return Day(on=day.on, word=f"{settings.greeting} {maker} {word} {os.getpid()}")


@box.tool(run_on="process")
def fails(how: str) -> int:
    """Fail in some way."""
    match how:
        case "tool":
            raise ToolError("closed", code="shut", retryable=True, hint="come at nine")
        case "value":
            raise ValueError("too small")
        case "secret":
            raise RuntimeError("the password is tiger")
        case "exit":
            raise SystemExit(3)
        case "interrupt":
            raise KeyboardInterrupt
        case "type":
            return "text"
        case "os._exit":
            os._exit(7)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "deep":
            return fails(how)
    return 0


@box.tool(run_on="process")
def returns(what: str) -> Any:
    """Return some value."""
    return {
        "none": None,
        "bytes": b"\x89PNG\r\n\x1a\n" + b"x" * 10,
        "image": Image(b"\x89PNG\r\n\x1a\n" + b"x" * 10),
        "nested": {"picture": Image(b"\x89PNG\r\n\x1a\n" + b"x" * 10), "n": 1},
        "set": {3},
        "big": 2**70,
        "text": "\u20ac \U0001f600",
        "canonical": {"content": [{"type": "text", "text": "x"}], "isError": False},
        "nan": float("nan"),
        "object": object(),
    }[what]


@box.tool(run_on="process", max_result=1000)
def rows(count: int) -> list[int]:
    """Return many numbers."""
    return list(range(count))


@box.tool(run_on="process")
def letters(count: int) -> Iterator[str]:
    """Yield letters, with progress of their own."""
    yield from "abcdefgh"[:count]


@box.tool(run_on="process")
def reports(call: Call) -> str:
    """Say how far it is."""
    print("this must not reach the messages")
    call.progress(1, 2, "half")
    call.log("a word", "warning")
    call.info("found", logger_name="shop", extra={"rows": 3})
    return f"{call.id} {call.caller} {list(call.roles)} {call.remaining is not None}"


@box.tool(run_on="process")
def reads_header(call: Call) -> str:
    """Return a header."""
    return call.headers.get("x-word", "")


@box.tool(run_on="process", cache=60)
def cached_header(call: Call, path: str) -> str:
    """Return a header, and how often it ran."""
    return f"{call.headers.get('x-word')} {attempts(path)}"


@box.tool(run_on="process", cache=60)
def cached(path: str) -> Day:
    """Count the runs."""
    return Day(on=date(2024, 1, attempts(path)))


@box.tool(run_on="process", retry=Retry(3, on=(ConnectionError,), wait_initial=0.001))
def retried(path: str, needed: int) -> int:
    """Fail until it has run often enough."""
    if attempts(path) < needed:
        raise ConnectionRefusedError("not yet")
    return needed


def write_whole(path: str, text: str) -> None:
    """Write a file that is whole as soon as it is there: the process may be killed meanwhile."""
    other = Path(f"{path}.new")
    other.write_text(text, encoding="ascii")
    other.replace(path)


@box.tool(run_on="process", timeout=0.2)
def spins(path: str) -> int:
    """Hold the processor and the GIL forever."""
    write_whole(path, str(os.getpid()))
    while True:
        pass


@box.tool(run_on="process")
def waits(path: str) -> int:
    """Wait forever, with a process of its own that does, too."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    write_whole(path, f"{os.getpid()} {child.pid}")
    return child.wait()


@box.tool(run_on=Process(memory=1_000_000_000, cpu=0.2))
def hungry(kind: str) -> int:
    """Use too much of something."""
    if kind == "memory":
        return len(bytearray(4_000_000_000))
    while kind == "cpu":
        pass
    return 1


@box.tool(run_on="process")
def reads_input() -> str:
    """Read all of standard input."""
    return sys.stdin.read() + input_or("nothing")


def input_or(other: str) -> str:
    try:
        return input()
    except EOFError:
        return other
