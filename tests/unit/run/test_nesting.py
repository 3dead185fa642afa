"""A tool that hands its call on to another one."""

import threading

import pytest

from toolwright import Call, Toolbox, ToolTimeout


@pytest.fixture
def box():
    box = Toolbox("nested")
    held = threading.Event()

    @box.tool(timeout=0.05)
    def stuck() -> int:
        """Wait forever."""
        held.wait()
        return 1

    @box.tool(timeout=30)
    def outer(call: Call) -> str:
        """Call another tool with its own call."""
        before = call.deadline
        late = box.call("stuck", call=call)
        assert isinstance(late.error, ToolTimeout)
        assert call.deadline == before
        return f"{call.cancelled} {call.tool}"

    @box.tool
    def inner(call: Call) -> str:
        """Say who asks."""
        call.progress(1, 2, "inside")
        return f"{call.tool} {call.caller} {call.headers['x-word']}"

    @box.tool(cache=60)
    def handing_on(call: Call) -> str:
        """Call another tool with its own call."""
        return box.call("inner", call=call).value

    yield box
    held.set()


def test_a_deadline_inside_is_none_outside(box):
    assert box.call("outer", call=Call()).value == "False outer"


def test_what_is_inside_knows_the_caller_and_tells_the_same_listener(box):
    seen = []
    call = Call(caller="ada", headers={"X-Word": "w"}, on_progress=lambda *step: seen.append(step))
    made = box.call("handing_on", call=call)
    assert made.value == "inner ada w"
    assert seen == [(1, 2, "inside")]
    assert made.meta["toolwright/cache"]["kept"] is False


def test_cancelling_the_whole_reaches_what_is_inside(box):
    call = Call()
    seen = []

    @box.tool
    def watched(call: Call) -> str:
        """Cancel the whole from inside."""
        whole.cancel()
        seen.append(call.cancelled)
        return ""

    @box.tool
    def begins(call: Call) -> str:
        """Hand on."""
        box.call("watched", call=call)
        return ""

    whole = call
    assert box.call("begins", call=call).error.code == "cancelled"
    assert seen == [True]


def test_a_call_can_be_used_again(box):
    call = Call(caller="ada", headers={"x-word": "w"})
    for _ in range(2):
        assert box.call("inner", call=call).value == "inner ada w"
    assert call.deadline is None


def test_a_kept_tool_that_calls_itself_ends(box):
    @box.tool(cache=60)
    def again(depth: int = 0) -> int:
        """Call itself with the same arguments, once."""
        if runs:
            return 1
        runs.append(depth)
        return box.call("again").value + 1

    runs = []
    assert box.call("again").value == 2
