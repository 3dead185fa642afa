"""Hostile arguments for schemas that authors write themselves: linear time, and few words."""

import json
import time

import pytest

from tests.counting import again
from tests.unit.arguments import test_attack_explicit as daily
from tests.unit.arguments.test_attack_explicit import BAD, MOST_SECONDS, box, check

SAME_HASH = 2**61 - 1


# Made where they are sent: whoever collects the tests makes none of them.
GOOD = {
    "objects": lambda: {"unique": [{"a": at} for at in range(60_000)]},
    "one hash": lambda: {"unique": [at * SAME_HASH for at in range(1, 100_000)] + ["x"]},
    "mixed": lambda: {"unique": [*range(100_000), *map(str, range(100_000)), [], {}]},
    "seen items": lambda: {"strict": [*range(40_000)]},
    "seen properties": lambda: {"open": {f"k{at}": at for at in range(40_000)}},
}


@pytest.mark.parametrize("name", ["one hash", *sorted(GOOD.keys() - {"one hash"})])
def test_large_arguments_are_checked_in_linear_time(name):
    sent = json.dumps(GOOD[name]())
    begun = time.thread_time()
    assert box.call("check", sent).value == 1
    assert time.thread_time() - begun < MOST_SECONDS


test_hostile_arguments_are_refused_in_few_words = again(
    daily.test_hostile_arguments_are_refused_in_few_words,
    "name",
    [*sorted(BAD.keys() - {"one of", "long values"})],
)
