"""A program that no server would like to serve; it makes noise when it is imported."""

import asyncio
import os
import resource
import subprocess
import sys
import time
from typing import Any

from toolwright import Call, Toolbox

resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # the machine is not ours alone
print("noise at import")
sys.stdout.write("more noise\n")
sys.__stdout__.write("yet more noise\n")
os.write(1, b"noise by the descriptor\n")
subprocess.run(["echo", "noise of a child"], check=True)

box = Toolbox("nasty")


class Odd(BaseException):
    def __str__(self):
        raise KeyboardInterrupt


RAISED = {
    "exit": lambda: SystemExit(3),
    "interrupt": KeyboardInterrupt,
    "base": BaseException,
    "odd": Odd,
    "generator": GeneratorExit,
    "stop": StopIteration,
    "stop_async": StopAsyncIteration,
    "cancelled": asyncio.CancelledError,
    "group": lambda: BaseExceptionGroup("many", [SystemExit(1), ValueError("x")]),
    "memory": MemoryError,
    "pipe": BrokenPipeError,
    "surrogate": lambda: ValueError("a\ud800b"),
    "recursion": RecursionError,
}


@box.tool
def add(a: int, b: int) -> int:
    return a + b


@box.tool
def leave() -> None:
    sys.exit(3)


@box.tool(run_on="process")
def die() -> None:
    os._exit(7)


@box.tool
def raises(kind: str) -> None:
    raise RAISED[kind]()


@box.tool
async def raises_async(kind: str) -> None:
    raise RAISED[kind]()


@box.tool(timeout=0.3)
def spin() -> None:
    while True:
        pass


@box.tool(timeout=1.5, run_on="process")
def spin_apart() -> None:
    while True:
        pass


@box.tool
def loud() -> str:
    print("loud")
    sys.stdout.write("loud\n")
    sys.__stdout__.write("loud\n")
    sys.__stdout__.flush()
    os.write(1, b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    subprocess.run(["echo", "loud"], check=True)
    return "quiet"


@box.tool
def listen() -> str:
    return repr((sys.stdin.read(), os.read(0, 10), sys.stdin.readline()))


@box.tool
def close_all() -> str:
    sys.stdout.close()
    return "closed"


@box.tool
def odd_value(kind: str) -> Any:
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return {
        "surrogate": "a\ud800b",
        "key": {"\udfff": 1},
        "nan": float("nan"),
        "infinite": [float("inf")],
        "huge": 10**5000,
        "cycle": cycle,
        "deep": deep,
        "object": object(),
        "newline": "a\nb\r\n\u2028c\0",
    }[kind]


@box.tool
def big(kind: str) -> Any:
    size = 100_000_000
    if kind in {"text", "gigabyte"}:
        return "x" * (size if kind == "text" else 10 * size)
    if kind == "object":
        return {"a": [1] * (size // 4)}
    return bytes(size) if kind == "bytes" else [1] * (size // 8)


@box.tool
def typed(kind: str) -> list[int]:
    return [1] * 100_000_000


@box.tool
def told(call: Call) -> str:
    call.progress(float("nan"), float("inf"), "a\ud800b")
    call.log("a\ud800b")
    return "told"


@box.tool
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "waited"


@box.tool
def block(seconds: float, mark: str = "") -> str:
    time.sleep(seconds)
    return f"blocked {mark}"


@box.tool
def size_of(text: str) -> int:
    return len(text)
