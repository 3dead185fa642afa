"""Measure what a call adds to the bare process of a program, and how many run side by side.

`python benchmarks/commands.py`; see benchmarks/README.md.
"""

import asyncio
import resource
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from toolwright import Toolbox
from toolwright.sources.command_run import CommandOutput, run, tool_value
from toolwright.sources.watched_process import RunSettings

ROUNDS = 200
PARALLEL = 400
WIDTH = 16
TARGET_MS = 10.0
PROGRAMS = {
    "true": ["true"],
    "python -S": [sys.executable, "-S", "-c", "pass"],
    "64 kB of output": ["head", "-c", "65536", "/dev/zero"],
}


def toolbox(words):
    box = Toolbox("commands")

    @box.tool
    async def program() -> CommandOutput:
        return tool_value("program", await run(words, RunSettings()))

    return box


def bare(words):
    subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def processor():
    """Return the processor time of this process, in seconds: not that of the programs."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def one_by_one(words):
    """Return times of bare processes and of calls, in turn: wall and processor."""
    box = toolbox(words)
    for _ in range(5):
        bare(words)
        await box.call_async("program")
    times = {"bare": [], "call": [], "bare cpu": [], "call cpu": []}
    for _ in range(ROUNDS):
        wall, used = time.perf_counter(), processor()
        bare(words)
        times["bare"].append(time.perf_counter() - wall)
        times["bare cpu"].append(processor() - used)
        wall, used = time.perf_counter(), processor()
        await box.call_async("program")
        times["call"].append(time.perf_counter() - wall)
        times["call cpu"].append(processor() - used)
    return {name: statistics.median(each) * 1000 for name, each in times.items()}


async def side_by_side(words):
    """Return how many run per second: bare ones in threads, and calls."""
    box = toolbox(words)
    await box.call_async("program")
    began = time.perf_counter()
    with ThreadPoolExecutor(WIDTH) as pool:
        list(pool.map(bare, [words] * PARALLEL))
    of_bare = PARALLEL / (time.perf_counter() - began)
    turns = asyncio.Semaphore(WIDTH)

    async def call():
        async with turns:
            await box.call_async("program")

    began = time.perf_counter()
    await asyncio.gather(*(call() for _ in range(PARALLEL)))
    return of_bare, PARALLEL / (time.perf_counter() - began)


def main():
    print(f"medians of {ROUNDS} in turn, in ms; target: a call adds under {TARGET_MS:.0f} ms")
    print(f"{'program':18}{'bare':>8}{'call':>8}{'added':>8}{'bare cpu':>10}{'call cpu':>10}")
    for name, words in PROGRAMS.items():
        took = asyncio.run(one_by_one(words))
        added = took["call"] - took["bare"]
        verdict = "" if added < TARGET_MS else "  MISSED"
        print(
            f"{name:18}{took['bare']:8.2f}{took['call']:8.2f}{added:8.2f}"
            f"{took['bare cpu']:10.2f}{took['call cpu']:10.2f}{verdict}"
        )
    of_bare, of_calls = asyncio.run(side_by_side(PROGRAMS["true"]))
    print(f"{WIDTH} at once: {of_bare:.0f} bare processes a second, {of_calls:.0f} calls a second")


if __name__ == "__main__":
    main()
