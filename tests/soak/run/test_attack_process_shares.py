"""One caller's slow tools in processes leave a process for others."""

import asyncio
import os
import threading

import pytest

from tests.unit.run.test_attack_process_shares import _fresh, pool, taken, waits
from tests.wire.run.attack_tools import box
from toolwright import Call


@pytest.mark.promise("limit.process-shares")
def test_slow_processes_of_one_caller_do_not_stop_others(tmp_path):
    go = tmp_path / "go"
    cores = max(os.cpu_count() or 1, 2)

    async def main():
        def begin(tool, caller, **sent):
            call = Call(caller=caller)
            return asyncio.ensure_future(box.call_async(tool, sent, call=call))

        slow = [begin("waits", "greedy", go=str(go)) for _ in range(3 * cores)]
        first = await asyncio.wait_for(begin("quick", "modest"), 60)
        assert first.value not in {None, 0}
        assert not any(each.done() for each in slow)
        again = await asyncio.wait_for(
            asyncio.gather(*(begin("quick", "modest") for _ in "abc")), 60
        )
        assert {each.is_error for each in again} == {False}
        go.touch()
        results = await asyncio.gather(*slow)
        assert len({each.value for each in results}) <= 2 * cores
        assert not any(each.is_error for each in results)

    asyncio.run(main())


def test_callers_who_wait_are_served_in_turn(pool):
    first = [pool.take(Call(caller="a")), pool.take(Call(caller="a"))]
    got, threads = [], []
    for at in range(3):
        threads.append(taken(pool, "a", got))
        waits(pool, "a", at + 1)
    held = [pool.take(Call(caller="b")), pool.take(Call(caller="c"))]
    assert pool.busy == 4
    for name in "bcd":
        threads.append(taken(pool, name, got))
        waits(pool, name, 1)
    pool.give(first[0])  # for `a` it would be the second of one that is free
    while len(got) < 1:
        threading.Event().wait(0.01)
    assert got[0][0] == "d"
    for each in (first[1], *held):
        pool.give(each)
    for at in range(1, 7):
        while len(got) < min(at + 1, 6):
            threading.Event().wait(0.01)
        pool.give(got[at - 1][1])
    for each in threads:
        each.join(60)
    assert sorted(name for name, _ in got) == list("aaabcd")
    assert (pool.busy, pool.held, pool.waiting) == (0, {}, {})
