"""Compare calls of two source trees: `python benchmarks/before_after.py OLD/src NEW/src [words]`.

Each tree has one process that stays; they are measured in turn, in short rounds, so that other work
on the machine affects both. It prints microseconds of processor time, including that of the
tool's own process where there is one: the median, and the least in brackets. The floor is
pydantic alone, and should be the same for both.
"""

import argparse
import asyncio
import gc
import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Annotated

import measure_call
from measure_call import TWO, add

HERE = Path(__file__).parent
START = "import before_after; before_after.worker()"


def here() -> int:
    """Do nothing, in another process."""
    return 1


def fails(a: int) -> int:
    """Raise what a model may read."""
    raise ValueError(a)


def count(n: int) -> list[int]:
    """Count."""
    return list(range(n))


def rows(n: int) -> dict:
    """Return what no type describes."""
    return {"rows": [{"id": at, "name": "row"} for at in range(n)]}


def untyped(n: int):
    """Return what has no hint."""
    return {"id": n, "tags": ["a", "b"]}


def calls():
    """Return what is measured, by name: a function or coroutine function, and how often it runs."""
    from toolwright import Inject, Retry, Tool, Toolbox

    def injected(a: int, b: Annotated[int, Inject(lambda: 2)]) -> int:
        return a + b

    ours, floor = measure_call.toolwright(), measure_call.floor()
    found = {}
    for name, (_, sent) in measure_call.TIMED:
        often = 2000 if sent is TWO else 400
        found[name] = measure_call._given(ours(name), sent), often
        found[f"{name}, floor"] = measure_call._given(floor(name), sent), often
    box = Toolbox("before_after", [add, fails, count, rows, untyped])
    plain = {
        "bad argument": ("add", {"a": 1, "b": "x"}, 300),
        "unknown argument": ("add", {"a": 1, "c": 2}, 300),
        "repaired argument": ("add", {"a": "1", "b": 2}, 300),
        "raises": ("fails", {"a": 1}, 300),
        "list of 100 integers": ("count", {"n": 100}, 500),
        "dict of 20 rows": ("rows", {"n": 20}, 500),
        "no hint": ("untyped", {"n": 1}, 1000),
    }
    for name, (tool, sent, often) in plain.items():
        found[name] = (lambda tool=tool, sent=sent: box.call(tool, sent).to_mcp_json()), often

    async def in_thread(sent=TWO):
        return (await box.call_async("add", sent)).to_mcp_json()

    async def bad_in_thread():
        return await in_thread({"a": 1, "b": "x"})

    found["sync function, call_async"] = in_thread, 500
    found["the same, bad argument"] = bad_in_thread, 300
    limited = {
        "injected": (Tool(injected), {"a": 1}, 500),
        "retry": (Tool(add, retry=Retry(3)), TWO, 500),
        "max_concurrency": (Tool(add, max_concurrency=8), TWO, 500),
        "rate_limit": (Tool(add, rate_limit="900000000/s"), TWO, 500),
        "cache, hit": (Tool(add, cache=60), TWO, 500),
        "timeout": (Tool(add, timeout=5), TWO, 100),
        "process": (Tool(here, run_on="process"), {}, 100),
    }
    for name, (tool, sent, often) in limited.items():

        async def later(tool=tool, sent=sent):
            return (await tool.call_async(sent)).to_mcp_json()

        if tool.call(sent).is_error:
            sys.exit(f"{name}: an error instead of an answer")
        found[name] = (lambda tool=tool, sent=sent: tool.call(sent).to_mcp_json()), often
        found[f"{name}, call_async"] = later, often
    return found


def worker():
    """Measure one row for each line that is read, in the tree that the path names."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # for processes of tools as well
    logging.disable(logging.CRITICAL)
    found = calls()
    print(json.dumps(list(found)), flush=True)
    loop = asyncio.new_event_loop()
    for line in sys.stdin:
        call, often = found[line.strip()]
        gc.collect()
        print(loop.run_until_complete(timed(call, often)), flush=True)


async def timed(call, often):
    if asyncio.iscoroutinefunction(call):
        start = used()
        for _ in range(often):
            await call()
    else:
        start = used()
        for _ in range(often):
            call()
    return (used() - start) / often


def used():
    """Return the seconds of processor time of this process and of those that it has started."""
    own = f"/proc/self/task/{os.getpid()}/children"
    children = Path(own).read_text(encoding="ascii").split() if Path(own).exists() else ()
    times = [
        int(each.read_text(encoding="ascii").split()[0])
        for child in children
        for each in Path(f"/proc/{child}/task").glob("*/schedstat")
    ]
    return time.process_time() + sum(times) / 1e9


def started(tree):
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environ["PYTHONPATH"] = os.pathsep.join([str(Path(tree).resolve()), str(HERE)])
    command = [sys.executable, "-c", START]
    return subprocess.Popen(
        command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def asked(process, row):
    process.stdin.write(f"{row}\n")
    process.stdin.flush()
    return float(process.stdout.readline()) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("words", nargs="*", help="only rows that have one of these in their name")
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args()
    pair = [started(chosen.before), started(chosen.after)]
    names, _ = (json.loads(each.stdout.readline()) for each in pair)
    print("| call | before | after | ratio of medians | of the least |\n|---|---|---|---|---|")
    for name in names:
        if chosen.words and not any(word in name for word in chosen.words):
            continue
        taken = [[], []]
        for at in range(chosen.rounds + 1):
            for side in (0, 1) if at % 2 else (1, 0):
                taken[side].append(asked(pair[side], name))
        before, after = taken[0][1:], taken[1][1:]  # without the first, which warms up
        cells = [f"{median(each):.2f} us ({min(each):.2f})" for each in (before, after)]
        ratios = [f"{median(after) / median(before):.2f}", f"{min(after) / min(before):.2f}"]
        print("| " + " | ".join([name, *cells, *ratios]) + " |", flush=True)
    for each in pair:
        each.stdin.close()
        each.wait()


if __name__ == "__main__":
    main()
