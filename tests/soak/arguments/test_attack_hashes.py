"""Numbers of one hash, sent to tools that want sets and dicts: refused before they are slow."""

import json
import time
from decimal import Decimal
from uuid import UUID

import pytest

from toolwright import ArgumentError, Toolbox

MOST_SECONDS = 20
SAME = 2**61 - 1
COUNT = 50_000

box = Toolbox("sets")


@box.tool
def take(
    numbers: set[int] = frozenset(),
    exact: set[Decimal] = frozenset(),
    ids: frozenset[UUID] = frozenset(),
    named: dict[int, int] | None = None,
    pairs: set[tuple[int, int]] = frozenset(),
) -> int:
    return len(numbers) + len(exact) + len(ids) + len(named or {}) + len(pairs)


# Made where they are sent: whoever collects the tests makes none of them.
ATTACKS = {
    "integers": lambda: {"numbers": [at * SAME for at in range(1, COUNT)]},
    "decimals": lambda: {"exact": [f"-{at * SAME}" for at in range(1, COUNT)]},
    "padded": lambda: {"exact": ["0" * 70 + str(at * SAME) for at in range(1, 40_000)]},
    "ids": lambda: {"ids": [str(UUID(int=at * SAME)) for at in range(1, COUNT)]},
    "keys": lambda: {"named": {str(at * SAME): 1 for at in range(1, COUNT)}},
    "pairs": lambda: {"pairs": [[at * SAME, 1] for at in range(1, COUNT)]},
}
GOOD = {
    "small": lambda: {"numbers": [*range(50_000)]},
    "large": lambda: {"numbers": [2**70 + at for at in range(30_000)]},
    "same": lambda: {"exact": ["1.5"] * 50_000},
    "ids": lambda: {"ids": [str(UUID(int=(at * 7919) << 40)) for at in range(20_000)]},
}


@pytest.mark.parametrize("written", [True, False])
@pytest.mark.parametrize("name", ATTACKS)
def test_numbers_of_one_hash_are_refused(name, written):
    made = ATTACKS[name]()
    sent = json.dumps(made) if written else made
    begun = time.thread_time()
    result = box.call("take", sent)
    assert time.thread_time() - begun < MOST_SECONDS
    assert isinstance(result.error, ArgumentError)
    assert result.text == "take: too many of the numbers have the same hash"


@pytest.mark.parametrize("name", GOOD)
def test_other_numbers_are_taken(name):
    sent = GOOD[name]()
    (values,) = sent.values()
    assert box.call("take", sent).value == len(set(values))
