"""Time what limits cost: nothing when they are off, and how late an answer comes when they are on.

`off` times calls of tools without limits against the same steps without any code for limits;
`on` times one call under each limit; `late` how long after its deadline a stuck call is answered.
"""

import asyncio
import json
import os
import sys
import threading
import time
from statistics import median
from typing import Annotated

from measure_call import TWO, _warm, add, add_async, in_turn

from toolwright import Inject, Retry, Tool, Toolbox
from toolwright.call import current
from toolwright.run.threads import threads
from toolwright.tools.definition import runner_of


def spin() -> int:
    """Hold the processor forever."""
    while True:
        pass


def here() -> int:
    """Do nothing, in another process."""
    return 1


def bare(runner):
    """The steps of a call, as if there were no limits at all: sync, async, in a thread."""
    read, target, result_of = runner.read, runner.target, runner.result_of

    def call(arguments):
        validated, repairs = read(arguments)
        return run(validated, repairs)

    async def call_async(arguments):
        validated, repairs = read(arguments)
        value = await target(**validated)
        if value.__class__ not in PLAIN:
            raise TypeError
        return result_of(value, repairs)

    async def in_thread(arguments):
        validated, repairs = read(arguments)
        return await threads.run(lambda: run(validated, repairs))

    def run(validated, repairs):
        value = target(**validated)
        if value.__class__ not in PLAIN:
            raise TypeError
        return result_of(value, repairs)

    return call, call_async, in_thread


def named(runner):
    """The same steps, with the context variable that `current_call` looks at."""
    read, target, result_of = runner.read, runner.target, runner.result_of

    def call(arguments):
        validated, repairs = read(arguments)
        token = current.set(runner.outermost)
        try:
            value = target(**validated)
        finally:
            current.reset(token)
        return result_of(value, repairs)

    async def call_async(arguments):
        validated, repairs = read(arguments)
        before = current.get()
        current.set(runner.outermost)
        try:
            value = await target(**validated)
        finally:
            current.set(before)
        return result_of(value, repairs)

    return call, call_async


PLAIN = frozenset((int, str, float, bool, list, dict, tuple, bytes, type(None)))


def off():
    """Time tools without limits, and the same steps without any code for limits."""
    sync, later = runner_of(Tool(add)), runner_of(Tool(add_async))
    plain, with_name = bare(sync)[0], named(sync)[0]
    figures = {}
    figures["call"], figures["call bare"], figures["call named"] = in_turn(
        [lambda: sync.call(TWO), lambda: plain(TWO), lambda: with_name(TWO)], 3000, 31
    )
    plain_async, with_name_async = bare(later)[1], named(later)[1]

    async def ours():
        return await later.call_async(TWO)

    async def theirs():
        return await plain_async(TWO)

    async def theirs_named():
        return await with_name_async(TWO)

    figures["async"], figures["async bare"], figures["async named"] = in_turn(
        [ours, theirs, theirs_named], 3000, 31
    )
    pin()
    hop = bare(sync)[2]

    async def threaded():
        return await sync.call_async(TWO)

    async def hopped():
        return await hop(TWO)

    for each in (threaded, hopped):
        asyncio.run(_warm(each))
    figures["thread"], figures["thread bare"] = in_turn([threaded, hopped], 400, 31)
    return figures


def pin():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def on():
    """Time one call under each limit, sync, against the same call without."""

    def injected(a: int, b: Annotated[int, Inject(lambda: 2)]) -> int:
        return a + b

    tools = {
        "plain": Tool(add),
        "injected": Tool(injected),
        "retry": Tool(add, retry=Retry(3)),
        "max_concurrency": Tool(add, max_concurrency=8),
        "rate_limit": Tool(add, rate_limit="900000000/s"),
        "cache, hit": Tool(add, cache=60),
        "timeout": Tool(add, timeout=5),
    }
    sent = {name: {"a": 1} if name == "injected" else TWO for name in tools}
    for name, tool in tools.items():
        if tool.call(sent[name]).is_error:
            sys.exit(f"{name}: an error instead of an answer")
    rivals = [lambda tool=tool, args=sent[name]: tool.call(args) for name, tool in tools.items()]
    figures = dict(zip(tools, in_turn(rivals, 300), strict=True))
    process = Tool(here, run_on="process")
    process.call()
    figures["process"] = in_turn([process.call], 100)[0]
    return figures


def late(times=20, seconds=0.05):
    """Return how many seconds after the deadline the answer comes: median and worst."""
    held = threading.Event()

    def stuck() -> int:
        """Wait forever."""
        held.wait()
        return 1

    async def stuck_async() -> int:
        """Wait forever."""
        await asyncio.sleep(3600)
        return 1

    box = Toolbox("late", timeout=seconds)
    box.add(stuck)
    box.add(stuck_async)
    box.add(spin, run_on="process")
    box.call("spin")  # starts a process
    figures = {}
    for name in ("stuck", "stuck_async", "spin"):
        over = []
        for _ in range(times):
            began = time.perf_counter()
            if box.call(name).error.code != "timeout":
                sys.exit(f"{name} was not late")
            over.append(time.perf_counter() - began - seconds)
        figures[name] = [median(over), max(over)]
    held.set()
    return figures


RULERS = {"off": off, "on": on, "late": late}

if __name__ == "__main__":
    print(json.dumps(RULERS[sys.argv[1]]()))
