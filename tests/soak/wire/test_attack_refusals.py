"""Refusals leave a trace: a line and a count each, of what nobody can forge or flood."""

import logging
import threading

import pytest

from tests.wire.processes import until
from tests.wire.test_attack_refusals import box
from toolwright.refusals import Refused
from toolwright.telemetry import audit
from toolwright.toolbox.box import served


@pytest.mark.promise("everyday.sink")
def test_a_sink_that_blocks_or_fails_takes_no_call_down(box, caplog):
    release, lines = threading.Event(), []

    def slow(line):
        assert release.wait(60)
        lines.append(line)

    def failing(line):
        raise ValueError("no more room")

    box.around(audit(slow))
    box.around(audit(failing))
    with caplog.at_level(logging.ERROR, logger="toolwright"):
        for number in range(2000):
            assert box.call("add", {"a": number}).value == number
        served(box).refused(Refused("sign-in", "401"))
    assert not lines
    said = [record.getMessage() for record in caplog.records]
    assert said.count("calls cannot be recorded: no more room") == 1
    assert sum("as fast as they come" in each for each in said) == 1
    release.set()
    until(lambda: len(lines) > 1000, "what waited is written")
    until(
        lambda: any("were not recorded" in each.getMessage() for each in caplog.records), "a count"
    )
