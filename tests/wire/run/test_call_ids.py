"""One id for a call: in the message, the log, the audit line, the span and `_meta`."""

import multiprocessing
import sys

import pytest

from toolwright import Call


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_process_makes_other_ids():
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    child = context.Process(target=lambda: there.send(Call().id))
    child.start()
    child.join()
    assert here.recv() != Call().id
