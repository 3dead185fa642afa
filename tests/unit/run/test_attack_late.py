"""Threads that outlive their call, in this process: a call that has ended is deaf and mute."""

import asyncio
import os
import threading

import pytest

from tests.unit.run.driving import WAYS, wait_for
from toolwright import Call, Result, Toolbox, ToolTimeout
from toolwright.serve.short_path import ClientProfile, PlainCall, PlainRequest
from toolwright.serve.stdio.calls import StdioCall
from toolwright.serve.settings import server_config
from toolwright.serve.stdio.conversation import Conversation
from toolwright.toolbox.box import served
from toolwright.tools.definition import runner_of

LATE = "late"


class Left:
    """Tools that leave a thread behind, which speaks when it is told to."""

    def __init__(self):
        self.go, self.begun, self.spoken = (threading.Event() for _ in range(3))
        self.asked = []
        self.box = Toolbox("late")
        self.box.tool(self.leaves)
        self.box.tool(timeout=0.05)(self.hangs)
        self.box.tool(self.hands_on)

    def speak(self, call):
        wait_for(self.go)
        call.progress(9, 9, LATE)
        call.log(LATE, "error")
        call.heartbeat()
        try:
            call.roots()
        except Exception as error:
            self.asked.append(error)
        self.spoken.set()

    def leaves(self, call: Call) -> str:
        """Leave a thread behind."""
        call.progress(1, 1, "in time")
        threading.Thread(target=self.speak, args=(call,), daemon=True).start()
        return "answered"

    def hangs(self, call: Call) -> str:
        """Give no answer in time."""
        self.begun.set()
        self.speak(call)
        return "too late"

    def hands_on(self, call: Call) -> str:
        """Call another tool with its own call."""
        made = self.box.call("leaves", call=call).value
        self.go.set()
        wait_for(self.spoken)
        call.log("still heard", "info")
        return made


@pytest.fixture
def left():
    made = Left()
    yield made
    made.go.set()


def listener(seen):
    return Call(on_progress=lambda *step: seen.append(step), on_log=lambda *said: seen.append(said))


def called(way, box, name, call):
    if way == "call":
        return box.call(name, call=call)
    return asyncio.run(box.call_async(name, call=call))


@pytest.mark.parametrize("way", WAYS)
def test_what_a_thread_says_after_the_answer_is_not_heard(left, way):
    seen = []
    call = listener(seen)
    assert called(way, left.box, "leaves", call).value == "answered"
    left.go.set()
    wait_for(left.spoken)
    assert seen == [(1, 1, "in time")]
    assert len(left.asked) == 1  # and nobody could be asked


@pytest.mark.parametrize("way", WAYS)
def test_what_a_thread_says_after_its_deadline_is_not_heard(left, way):
    seen = []
    assert isinstance(called(way, left.box, "hangs", listener(seen)).error, ToolTimeout)
    left.go.set()
    wait_for(left.begun)
    wait_for(left.spoken)
    assert seen == []


def test_a_tool_inside_ends_before_the_one_around_it(left):
    seen = []
    assert left.box.call("hands_on", call=listener(seen)).value == "answered"
    assert seen == [(1, 1, "in time"), ("info", "still heard")]


def test_a_call_that_is_made_twice_is_heard_twice(left):
    seen = []
    call = listener(seen)
    left.go.set()
    for _ in range(2):
        seen.clear()
        left.box.call("leaves", call=call)
        assert (1, 1, "in time") in seen


def test_a_hook_around_a_call_is_heard_after_it(left):
    seen = []

    @left.box.around
    async def hook(call, arguments, next) -> Result:
        made = await next(arguments)
        call.log("behind it", "info")
        return made

    assert left.box.call("leaves", call=listener(seen)).value == "answered"
    assert seen[-1] == ("info", "behind it")


class Held:
    """A conversation over pipes that nobody reads lines from."""

    def __init__(self, box):
        self.reading, writing = os.pipe()
        self.pipe = (self.reading, writing)
        self.box = box
        self.loop = asyncio.new_event_loop()
        self.calls = Conversation(served(box), *self.pipe, server_config("stdio", {})).calls

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.loop.close()
        for each in self.pipe:
            os.close(each)

    def run(self, token=None):
        asked = PlainRequest(1, "tools/call", {"name": "one"}, {})
        task = PlainCall(runner_of(self.box["one"]), {}, asked.id, asked, token, "2025-11-25")
        return StdioCall(task, self.calls, ClientProfile({}, "debug"), self.loop)


def test_the_end_of_a_call_forgets_no_other_with_its_id():
    """An answer is written before all is tidied up; its client may use the id again at once."""
    box = Toolbox("ids")
    box.add(one)
    with Held(box) as talk:
        old, new = talk.run(), talk.run()
        talk.calls.running[1] = new
        talk.calls.done(old, box.call("one"))
        assert talk.calls.running == {1: new}


def one(call: Call) -> int:
    """Return one."""
    return 1


def test_neither_progress_nor_messages_are_written_behind_an_answer():
    box = Toolbox("order")
    box.add(one)
    with Held(box) as talk:
        run = talk.calls.running[1] = talk.run("token")
        call = run.made()
        call.progress(1, 2, "in time")
        call.info("in time, too")
        talk.calls.done(run, box.call("one"))
        call.progress(2, 2, LATE)
        call.info(LATE)
        written = os.read(talk.reading, 10_000)
        assert written.count(b"in time") == 2
        assert LATE.encode() not in written
