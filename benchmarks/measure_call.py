"""Time calls of one contestant, from arguments to finished bytes: contestant, and what to measure.

`calls` times calls of a two-int function and of one with a ten-item nested model, sync and async;
`thread` a sync function called from async code; `memory` what a million calls leave behind.
"""

import asyncio
import contextlib
import gc
import json
import os
import sys
import time
from pathlib import Path
from statistics import median

from pydantic import BaseModel, Field, TypeAdapter, validate_call


class Money(BaseModel):
    amount: float = Field(ge=0)
    currency: str = "EUR"


class Item(BaseModel):
    sku: str = Field(min_length=3)
    count: int = Field(default=1, ge=1, le=100)
    price: Money
    tags: list[str] = []


class Order(BaseModel):
    id: int
    customer: str
    items: list[Item]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def place_order(order: Order) -> Order:
    """Place an order."""
    return order


async def add_async(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def place_order_async(order: Order) -> Order:
    """Place an order."""
    return order


TWO = {"a": 1, "b": 2}
ITEM = {"sku": "BIKE-1", "count": 2, "price": {"amount": 9.5, "currency": "EUR"}, "tags": ["new"]}
ORDER = {"order": {"id": 7, "customer": "Ada", "items": [ITEM] * 10}}
CALLS = {
    "add": (add, TWO),
    "place_order": (place_order, ORDER),
    "add_async": (add_async, TWO),
    "place_order_async": (place_order_async, ORDER),
}

TIMED = CALLS.items()

# -- contestants: each returns, for a name of CALLS, a function or coroutine function from arguments
# to bytes


def toolwright():
    from toolwright import Toolbox

    box = Toolbox("bench", [function for function, _ in CALLS.values()])

    def caller(name):
        if not name.endswith("_async"):
            return lambda arguments: box.call(name, arguments).to_mcp_json()

        async def call(arguments):
            return (await box.call_async(name, arguments)).to_mcp_json()

        return call

    return caller


def floor():
    """pydantic alone: validate arguments and value, and write the value once."""

    def caller(name):
        function = CALLS[name][0]
        checked = validate_call(validate_return=True)(function)
        returns = function.__annotations__["return"]
        dump = TypeAdapter(returns).dump_json
        if returns is Order:
            dump = _dump_model
        if not name.endswith("_async"):
            return lambda arguments: dump(checked(**arguments))

        async def call(arguments):
            return dump(await checked(**arguments))

        return call

    return caller


def _dump_model(value):
    return value.model_dump_json().encode()


def fastmcp():
    from fastmcp import FastMCP

    server = FastMCP("bench")
    for function, _ in CALLS.values():
        server.tool(function)

    def caller(name):
        async def call(arguments):
            return _written((await server.call_tool(name, arguments)).to_mcp_result())

        return call

    return caller


def mcp():
    from mcp.server import MCPServer

    server = MCPServer("bench")
    for function, _ in CALLS.values():
        server.add_tool(function)

    def caller(name):
        async def call(arguments):
            return _written(await server.call_tool(name, arguments))

        return call

    return caller


def _written(result):
    """Write what the peer would send, as its servers do."""
    from mcp_types import CallToolResult

    if not isinstance(result, CallToolResult):
        content, structured = result if isinstance(result, tuple) else (result, None)
        result = CallToolResult(content=list(content), structured_content=structured)
    return result.model_dump_json(by_alias=True, exclude_none=True).encode()


CONTESTANTS = {each.__name__: each for each in (toolwright, floor, fastmcp, mcp)}

# -- rulers


def in_turn(rivals, number, repeats=15):
    """Return the median time of one call of each rival, over blocks of `number` in turn."""
    if asyncio.iscoroutinefunction(rivals[0]):
        return asyncio.run(_in_turn_awaited(rivals, number, repeats))
    taken = [[] for _ in rivals]
    for _ in range(repeats):
        for rival, times in zip(rivals, taken, strict=True):
            start = time.perf_counter()
            for _ in range(number):
                rival()
            times.append((time.perf_counter() - start) / number)
    return [median(times) for times in taken]


async def _in_turn_awaited(rivals, number, repeats):
    taken = [[] for _ in rivals]
    for _ in range(repeats):
        for rival, times in zip(rivals, taken, strict=True):
            start = time.perf_counter()
            for _ in range(number):
                await rival()
            times.append((time.perf_counter() - start) / number)
    return [median(times) for times in taken]


def calls(contestant):
    """Time every call; a contestant without a sync call is timed by its async one alone.

    We and the floor are timed in one process, in turn, block by block.
    """
    if contestant != "toolwright":
        caller = CONTESTANTS[contestant]()
        return {name: in_turn([_given(caller(name), sent)], 60)[0] for name, (_, sent) in TIMED}
    ours, bare = toolwright(), floor()
    figures = {}
    for name, (_, sent) in TIMED:
        pair = [_given(ours(name), sent), _given(bare(name), sent)]
        figures[name], figures[f"{name} floor"] = in_turn(pair, 1500 if sent is TWO else 300)
    return figures


def _given(call, arguments):
    if asyncio.iscoroutinefunction(call):

        async def later():
            return await call(arguments)

        check(asyncio.run(later()))
        return later
    check(call(arguments))
    return lambda: call(arguments)


def check(written):
    """Exit if a contestant answers with an error: that is not measured."""
    said = json.loads(written)
    if isinstance(said, dict) and said.get("isError"):
        sys.exit(f"an error instead of an answer: {written!r}")


def thread(_contestant):
    """Time a sync function from async code: ours, a bare hop, and ours with bad arguments.

    All run in turn on one core if the machine allows it: unpinned hops swing between two modes.
    """
    from toolwright import Toolbox

    if hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    box = Toolbox("bench", [add])

    async def ours():
        return (await box.call_async("add", {"a": 1, "b": 2})).to_mcp_json()

    async def hop():
        return await asyncio.to_thread(add, 1, 2)

    async def fails():
        return (await box.call_async("add", {"a": 1, "b": "x"})).to_mcp_json()

    async def fails_unknown():
        return (await box.call_async("add", {"a": 1, "c": 2})).to_mcp_json()

    rivals = {"ours": ours, "hop": hop, "fails": fails, "fails_unknown": fails_unknown}

    for each in rivals.values():
        asyncio.run(_warm(each))
    return dict(zip(rivals, in_turn(list(rivals.values()), 400), strict=True))


async def _warm(each):
    for _ in range(200):
        await each()


def memory(_contestant):
    """Return resident bytes after 100,000 and after 1,000,000 calls, good, repaired and bad."""
    from toolwright import Toolbox

    box = Toolbox("bench", [add, place_order])
    sent = [("add", {"a": at, "b": 2}) for at in range(18)]
    sent += [("add", {"a": "1", "b": 2}), ("add", {"a": 1, "c": 2}), ("place_order", ORDER)]
    figures = {}
    for at in range(1_000_000):
        name, arguments = sent[at % len(sent)]
        box.call(name, arguments).to_mcp_json()
        if at + 1 in (100_000, 1_000_000):
            gc.collect()
            figures[str(at + 1)] = resident()
    return figures


def resident():
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


RULERS = {"calls": calls, "thread": thread, "memory": memory}

if __name__ == "__main__":
    print(json.dumps(RULERS[sys.argv[2]](sys.argv[1])))
