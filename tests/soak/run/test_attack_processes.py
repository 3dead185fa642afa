"""Tools in processes that misbehave: nobody hears another caller's call."""

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.wire.processes import gone, until
from tests.wire.run.attack_tools import box
from toolwright import Call, ToolTimeout, UnexpectedError
from toolwright.run import pipe as frames
from toolwright.run import pool as children

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc"),
    # processes that end, some for each test
]


@pytest.fixture(autouse=True)
def _fresh():
    """Begin and end without processes."""
    children.close_pools()
    yield
    children.close_pools()


def written(path):
    """Wait until a file has something in it."""
    return until(lambda: path.exists() and path.read_text(encoding="ascii"), f"{path} has a text")


def files(folder):
    return {"go": str(folder / "go"), "done": str(folder / "done")}


@pytest.mark.promise("limit.process-owner")
def test_a_thread_of_an_earlier_call_is_not_heard_by_the_next_caller(tmp_path):
    seen = []
    first = box.call("leaves_a_thread", files(tmp_path), call=Call(caller="ada")).value
    call = Call(
        caller="bob",
        on_progress=lambda *step: seen.append(step),
        on_log=lambda *said: seen.append(said),
    )
    assert box.call("listens", files(tmp_path), call=call).value == first
    assert seen == [(1, 1, "mine")]
    # One that speaks after its end has done so for the last time.
    assert box.call("pid").value != first
    gone(first)


def test_the_signs_of_life_of_an_earlier_call_are_not_those_of_the_next(tmp_path):
    go, end = str(tmp_path / "go"), str(tmp_path / "end")
    box.call("beats", {"go": go, "end": end})
    timer = threading.Timer(20, Path(end).touch)  # else it would never end without the mending
    timer.start()
    try:
        assert isinstance(box.call("silent", {"go": go}).error, ToolTimeout)
        assert not Path(end).exists()
    finally:
        timer.cancel()


def test_a_process_in_which_a_thread_is_left_works_for_nobody_else(tmp_path):
    sent = {**files(tmp_path), "daemon": False}
    first = box.call("leaves_a_thread", sent).value
    gone(first)
    assert box.call("pid").value != first


def test_the_processor_time_of_a_call_is_its_own():
    first = box.call("spends", {"daemon": False}).value
    later = box.call("naps")
    assert later.error is None
    assert later.value != first


@pytest.mark.promise("limit.fork")
def test_a_forked_copy_that_falls_through_answers_nobody(tmp_path):
    path = tmp_path / "copy"
    assert box.call("forks", {"path": str(path), "word": "first"}).value == "first"
    copy = int(written(path))
    words = [f"word {number}" for number in range(10)]
    assert [box.call("echo", {"word": word}).value for word in words] == words
    gone(copy)


def test_a_process_whose_copy_fell_through_is_replaced(tmp_path):
    before = box.call("pid").value
    path = tmp_path / "copy"
    box.call("forks", {"path": str(path), "word": "first"})
    gone(int(written(path)))
    box.call("echo", {"word": "x"})  # at the latest with this answer the process says so
    assert box.call("pid").value != before


def test_a_copy_that_ends_itself_is_nobodys_business():
    before = box.call("pid").value
    assert box.call("forks_properly", {"word": "hello"}).value == "hello"
    assert box.call("pid").value == before


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("noise", "writes: its process sent something that is not an answer"),
        ("huge", "writes: its process sent something that is not an answer"),
        ("list", "writes: its process sent something that is not an answer"),
        ("half", "writes: its process ended with code 3"),
    ],
)
def test_noise_in_the_pipe_ends_one_call_and_its_process(kind, said):
    before = box.call("pid").value
    made = box.call("writes", {"kind": kind})
    assert isinstance(made.error, UnexpectedError)
    assert made.text == said
    gone(before)
    assert box.call("echo", {"word": "next"}).value == "next"


def test_an_answer_without_an_owner_is_dropped():
    before = box.call("pid").value
    assert box.call("writes", {"kind": "forged"}).value == "real"
    gone(before)
    assert box.call("echo", {"word": "next"}).value == "next"


def test_what_is_too_large_to_cross_fails_one_call(monkeypatch):
    monkeypatch.setattr(frames, "MOST_FRAME", 10_000)
    made = box.call("large", {"size": 10})
    assert made.value == "x" * 10
    before = box.call("pid").value
    made = box.call("echo", {"word": "x" * 20_000})
    assert made.text == "echo: its arguments are too large for a process: the limit is 10000 bytes"
    assert box.call("pid").value == before


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_copy_of_the_parent_uses_processes_of_its_own():
    """A program that forks, as `multiprocessing` does, and calls tools in both."""
    mine = box.call("pid").value
    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        code = 1
        try:
            theirs = box.call("pid").value
            words = [box.call("echo", {"word": f"copy {n}"}).value for n in range(20)]
            good = theirs != mine and words == [f"copy {n}" for n in range(20)]
            os.write(writing, b"good" if good else repr((mine, theirs, words)).encode()[:500])
            children.close_pools()
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    words = [box.call("echo", {"word": f"mine {n}"}).value for n in range(20)]
    assert words == [f"mine {n}" for n in range(20)]
    assert os.read(reading, 1000) == b"good"
    os.close(reading)
    assert os.waitpid(copy, 0)[1] == 0
    assert box.call("pid").value == mine


def test_a_pipe_of_another_process_is_closed():
    pipe = frames.Pipe(*os.pipe())
    try:
        pipe.process += 1  # as in a copy that C code has made, which tells nobody
        with pytest.raises(frames.Closed):
            pipe.send({})
        with pytest.raises(frames.Closed):
            pipe.receive()
    finally:
        pipe.close()
