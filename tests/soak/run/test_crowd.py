"""Many calls at once, and calls that never end."""

import asyncio
import collections
import textwrap

import pytest

from tests.unit.run.test_crowd import crowded_box
from tests.wire.processes import run_script
from toolwright import Call

CROWD = 10_000


@pytest.mark.parametrize("count", [CROWD // 5, CROWD])
def test_no_answer_of_ten_thousand_is_lost_doubled_or_crossed(count):
    ran, told = [], []
    box = crowded_box(ran, told)
    names = list(box)
    # Calls of cached tools come in equal groups of ten; all others are unlike.
    asked = []
    for number in range(count):
        name = names[number % len(names)]
        n = number // len(names) % 100 if name.startswith("cached") else number
        caller = f"caller {n % 7}"
        asked.append((name, n, caller))

    async def one(name, n, caller):
        return await box.call_async(name, {"n": n}, call=Call(caller=caller))

    async def main():
        return await asyncio.gather(*(one(*each) for each in asked))

    answers = asyncio.run(main())
    assert [answer.value for answer in answers] == [f"{a} {b} {c}" for a, b, c in asked]
    # Nothing ran twice, nothing ran for nobody, and equal cached calls ran once.
    assert collections.Counter(ran) == collections.Counter(set(asked))
    times = collections.Counter(told)
    assert set(times.values()) == {1}
    assert len(told) == 2 * count // 5


# -- the end of the process

EXITS = {
    "sync tool, box.call": ("def probe(): block()", "box.call('probe')"),
    "sync tool, asyncio.run": (
        "def probe(): block()",
        "asyncio.run(box.call_async('probe'))",
    ),
    "generator, asyncio.run": (
        "def probe():\n    yield 1\n    block()\n    yield 2",
        "asyncio.run(box.call_async('probe'))",
    ),
    "sync provider, asyncio.run": (
        "def probe(it: Annotated[int, Inject(held)]): block()",
        "asyncio.run(box.call_async('probe'))",
    ),
    "async provider, box.call": (
        "def probe(it: Annotated[int, Inject(held_async)]): block()",
        "box.call('probe')",
    ),
    "async provider, asyncio.run": (
        "def probe(it: Annotated[int, Inject(held_async)]): block()",
        "asyncio.run(box.call_async('probe'))",
    ),
    "provider that is stuck, async tool, asyncio.run": (
        "async def probe(it: Annotated[int, Inject(block)]): pass",
        "asyncio.run(box.call_async('probe'))",
    ),
}
SCRIPT = """
import asyncio, threading
from typing import Annotated
from toolwright import Inject, Toolbox

def block() -> int:
    threading.Event().wait()

def held():
    yield 1

async def held_async():
    yield 1

{tool}

box = Toolbox("exits")
box.add(probe, timeout={seconds})
result = {call}
print(result.error.code, flush=True)
"""


@pytest.mark.parametrize("case", EXITS)
def test_the_end_of_the_process_waits_for_no_abandoned_thread(case, tmp_path):
    """The thread is blocked forever: that the process ends at all is the proof."""
    tool, call = EXITS[case]
    script = tmp_path / "exits.py"
    script.write_text(SCRIPT.format(tool=textwrap.dedent(tool), call=call, seconds=0.2))
    run = run_script(script)
    assert (run.returncode, run.stdout.strip()) == (0, "timeout")
    assert "Traceback" not in run.stderr
