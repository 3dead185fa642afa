"""Large and hostile arguments: read off the event loop, and explained in bounded time."""

import json
import time

import pytest

from tests.unit.arguments.test_attack_arguments import ATTACKS, add, box
from toolwright import ArgumentError

MOST_SECONDS = 20


@pytest.mark.promise("errors.faults-counted")
@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("written", [True, False])
def test_hostile_arguments_are_explained_in_bounded_time(name, written):
    made = ATTACKS[name]()
    sent = json.dumps(made).encode() if written else made
    begun = time.thread_time()
    result = box.call("add", sent)
    assert time.thread_time() - begun < MOST_SECONDS
    assert result.is_error
    assert isinstance(result.error, ArgumentError)
    assert len(result.text) < 2000
    assert len(result.error.faults) <= 200
