"""Hooks: around every call, in order, whatever they do."""

import pytest

from tests.unit.returning import raising, returning
from tests.unit.ways import WAYS, box_of, compact, payload_by, text_of
from toolwright import Result, ToolError


@pytest.mark.promise("call.around")
def test_hooks_wrap_every_call_the_first_one_outermost():
    for way in WAYS:
        seen = []
        box = box_of(returning(5, int))

        @box.around
        async def outer(call, arguments, following):
            seen.append(("outer", call.tool, arguments))
            result = await following(arguments)
            seen.append(("outer", result.text))
            return result

        @box.around
        async def inner(call, arguments, following):
            seen.append("inner")
            return await following(arguments)

        assert text_of(payload_by(way, box, "probe", {})) == "5"
        assert seen == [("outer", "probe", {}), "inner", ("outer", "5")]


def test_a_hook_may_change_arguments_answer_itself_or_fail():
    def probe(n: int):
        return n

    def with_hook(hook):
        box = box_of(probe)
        box.around(hook)
        return box

    async def change(call, arguments, following):
        return await following({"n": 7})

    async def answer(call, arguments, following):
        return Result("mine")

    async def fail(call, arguments, following):
        raise RuntimeError("secret")

    async def speak(call, arguments, following):
        raise ToolError("not now")

    async def leave(call, arguments, following):
        raise SystemExit(1)

    async def nothing(call, arguments, following):
        return None

    async def twice(call, arguments, following):
        await following(arguments)
        return await following(arguments)

    for way in WAYS:
        said = {
            hook.__name__: payload_by(way, with_hook(hook), "probe", {"n": 1})
            for hook in (change, answer, fail, speak, leave, nothing, twice)
        }
        assert text_of(said["change"]) == "7"
        assert text_of(said["twice"]) == "1"
        assert said["speak"]["isError"]
        assert text_of(said["speak"]) == "not now"
        for name in ("fail", "leave", "nothing"):
            assert said[name]["isError"]
            assert "secret" not in compact(said[name])
        assert text_of(said["answer"]) == "mine"


def test_hooks_see_failures_as_results():
    seen = []

    def box_with(target):
        box = box_of(target)

        @box.around
        async def watch(call, arguments, following):
            result = await following(arguments)
            seen.append(result.is_error)
            return result

        return box

    for way in ("call", "call_async"):
        payload_by(way, box_with(raising(SystemExit(1))), "probe", {})
        payload_by(way, box_with(returning(1, int)), "probe", {"bad": 1})
        payload_by(way, box_with(returning(1, int)), "unknown", {})
    assert seen == [True] * 6
