"""One caller and the threads of all: whoever holds many leaves some to the others."""

import asyncio

import pytest

from tests.unit.run.driving import LONGEST
from tests.unit.run.test_attack_threads import MANY, box, gate
from toolwright import Call, Overloaded
from toolwright.run.threads import threads


@pytest.mark.promise("limit.thread-left")
def test_threads_that_one_caller_left_do_not_count_for_others(box):
    async def run():
        left = []
        for _ in range(MANY):
            left.append((await box.call_async("late", call=Call(caller="ada"))).error)
            if isinstance(left[-1], Overloaded):
                break
        assert isinstance(left[-1], Overloaded)
        assert threads.stuck < threads.most_stuck
        call = box.call_async("quick", {"word": "x"}, call=Call(caller="bob"))
        assert (await asyncio.wait_for(call, LONGEST)).value == "x"

    asyncio.run(run())
