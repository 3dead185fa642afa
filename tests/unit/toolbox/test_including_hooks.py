"""Including a toolbox: its hooks and its lifespan come along, for what came from it."""

import asyncio
import contextlib

import pytest

from tests.wire.era_client import Client
from toolwright import Call, Tool, Toolbox
from toolwright.toolbox.box import served


def add(a: int, b: int = 1) -> int:
    return a + b


def opened(name, log):
    @contextlib.asynccontextmanager
    async def lifespan():
        log.append(f"{name} opens")
        yield f"{name}'s database"
        log.append(f"{name} closes")

    return lifespan


def seeing(box, log):
    @box.around
    async def hook(call, arguments, next):
        log.append((box.name, call.kind, call.tool, call.lifespan))
        result = await next(arguments)
        log.append((box.name, "done", call.tool, call.lifespan))
        return result


def shop(log, **more):
    """A toolbox with one of each, which tell what lifespan they see."""
    box = Toolbox("shop", **more)

    @box.tool
    def search(call: Call) -> str:
        log.append(("runs", call.tool))
        return str(call.lifespan)

    @box.resource("shop://here")
    def here(call: Call) -> str:
        return str(call.lifespan)

    @box.prompt
    def ask(call: Call) -> str:
        return str(call.lifespan)

    return box


@pytest.mark.promise("targets.hooks-come-along")
def test_hooks_of_both_run_and_each_knows_its_own_name():
    log = []
    inner, outer = shop(log), Toolbox("outer", [add])
    seeing(inner, log)
    seeing(outer, log)
    outer.include(inner, prefix="far_")
    assert outer.call("far_search").value == "None"
    assert log == [
        ("outer", "tool", "far_search", None),
        ("shop", "tool", "search", None),
        ("runs", "far_search"),
        ("shop", "done", "search", None),
        ("outer", "done", "far_search", None),
    ]
    log.clear()
    outer.call("add", {"a": 1})
    assert [each[0] for each in log] == ["outer", "outer"]


def test_hooks_run_for_resources_and_prompts():
    log = []
    inner, outer = shop(log), Toolbox("outer")
    seeing(inner, log)
    outer.include(inner, prefix="far_")

    async def go():
        offered = served(outer)
        resource, values = offered.find_resource("shop://here", None)
        await offered.get(resource, values)
        await offered.get(offered.find_prompt("far_ask", None), {})

    asyncio.run(go())
    assert [each[1:3] for each in log[::2]] == [("resource", "shop://here"), ("prompt", "ask")]


def test_a_hook_that_comes_later_counts_and_so_does_one_tool_alone():
    log = []
    inner, outer = shop(log), Toolbox("outer")
    outer.add(inner["search"], name="one")
    outer.add(inner["search"].replace(name="two"))
    assert outer.call("one").value == "None"
    assert log == [("runs", "one")]
    seeing(inner, log)
    log.clear()
    outer.call("one")
    outer.call("two")
    assert [each[2] for each in log if each[0] == "shop"] == ["search", "search", "two", "two"]


def test_a_hook_of_an_included_toolbox_may_refuse():
    inner, outer = Toolbox("inner", [add]), Toolbox("outer")
    errors = [ValueError("not today"), RuntimeError("never")]

    @inner.around
    async def refuse(call, arguments, next):
        if call.tool == "add" and errors:
            raise errors.pop(0)
        return None

    outer.include(inner, prefix="far_")
    said = [outer.call("far_add", {"a": 1}).text for _ in range(3)]
    assert said[0] == "ValueError: not today"
    assert said[1].startswith("far_add failed unexpectedly")
    assert said[2] == "far_add: a hook gave NoneType, not a Result"


@pytest.mark.parametrize("how", ["call", "call_async", "short", "sdk"])
def test_they_run_on_every_path(how):
    log = []
    inner, outer = shop([], lifespan=opened("shop", log)), Toolbox("outer")
    seeing(inner, log)
    outer.include(inner)

    async def posted():
        app = outer.asgi(short=how == "short")
        said = await Client(app).ask("tools/call", name="search", arguments={})
        await app.close()
        return said["content"][0]["text"]

    if how == "call":
        text = outer.call("search").text
        outer.close()
    elif how == "call_async":
        text = asyncio.run(outer.call_async("search")).text
    else:
        text = asyncio.run(posted())
    assert text == "shop's database"
    assert log[:2] == ["shop opens", ("shop", "tool", "search", "shop's database")]


# -- lifespans


@pytest.mark.promise("targets.lifespan-comes-along")
def test_each_has_its_own_lifespan_and_the_outer_one_closes_both():
    log = []
    inner = shop([], lifespan=opened("shop", log))
    outer = Toolbox("outer", lifespan=opened("outer", log))
    outer.include(inner)

    @outer.tool
    def mine(call: Call) -> str:
        return str(call.lifespan)

    assert outer.call("mine").value == "outer's database"
    assert log == ["outer opens"]
    call = Call()
    assert outer.call("search", call=call).value == "shop's database"
    assert (inner.state, outer.state) == ("shop's database", "outer's database")
    outer.close()
    assert sorted(log) == ["outer closes", "outer opens", "shop closes", "shop opens"]
    assert (inner.state, outer.state) == (None, None)
    assert outer.call("search").value == "shop's database"
    outer.close()


def test_outer_hooks_see_the_outer_lifespan_before_and_after():
    log = []
    inner = shop([], lifespan=opened("shop", []))
    outer = Toolbox("outer", lifespan=opened("outer", []))
    outer.include(inner)
    seeing(outer, log)
    with outer:
        outer.call("search")
    assert [each[3] for each in log] == ["outer's database"] * 2


def test_without_a_lifespan_of_its_own_it_has_that_of_the_outer_one():
    log = []
    inner = shop([])
    seeing(inner, log)
    outer = Toolbox("outer", lifespan=opened("outer", []))
    outer.include(inner)
    with outer:
        assert outer.call("search").value == "outer's database"
    assert [each[3] for each in log] == ["outer's database"] * 2


@pytest.mark.parametrize("how", ["sync", "async"])
def test_to_enter_the_outer_one_enters_all(how):
    log = []
    inner, outer = shop([], lifespan=opened("shop", log)), Toolbox("outer")
    outer.include(inner)

    async def entered():
        async with outer:
            assert inner.state == "shop's database"

    if how == "sync":
        with outer:
            assert inner.state == "shop's database"
    else:
        asyncio.run(entered())
    assert log == ["shop opens", "shop closes"]


def test_it_stays_open_while_somebody_needs_it():
    log = []
    inner = shop([], lifespan=opened("shop", log))
    first, second = Toolbox("first"), Toolbox("second")
    for box in (first, second):
        box.include(inner)
        box.call("search")
    inner.call("search")
    first.close()
    inner.close()
    assert log == ["shop opens"]
    second.close()
    assert log == ["shop opens", "shop closes"]


def test_one_that_does_not_open_fails_the_calls_of_its_own_tools_only():
    @contextlib.asynccontextmanager
    async def broken():
        raise ValueError("no database")
        yield

    inner, outer = shop([], lifespan=broken), Toolbox("outer", [add])
    outer.include(inner)
    assert outer.call("search").is_error
    assert outer.call("add", {"a": 1}).value == 2
    log = []
    third = Toolbox("third", lifespan=opened("third", log))
    third.include(inner)
    with pytest.raises(ValueError, match="no database"), third:
        pass
    assert log == ["third opens", "third closes"]
    outer.close()


# -- toolboxes in toolboxes


def test_a_toolbox_in_a_toolbox_in_a_toolbox():
    log = []
    boxes = [shop([], lifespan=opened("shop", log)), Toolbox("middle"), Toolbox("outer")]
    for box in boxes:
        seeing(box, log)
    boxes[1].include(boxes[0], prefix="m_")
    boxes[2].include(boxes[1], prefix="o_")
    assert boxes[2].call("o_m_search").value == "shop's database"
    boxes[2].close()
    assert [each[::2] for each in log if each[1] == "tool"] == [
        ("outer", "o_m_search"),
        ("middle", "m_search"),
        ("shop", "search"),
    ]
    assert log[-1] == "shop closes"


def test_toolboxes_that_include_each_other_run_each_hook_once():
    log = []
    first, second = Toolbox("first", [add]), Toolbox("second", [Tool(add, name="plus")])
    seeing(first, log)
    seeing(second, log)
    first.include(first, prefix="again_")
    first.include(second, prefix="s_")
    second.include(first, prefix="f_")
    first.include(second, select="f_s_*", prefix="round_")
    assert first.call("again_add", {"a": 1}).value == 2
    assert [each[0] for each in log if each[1] == "tool"] == ["first"]
    log.clear()
    assert first.call("round_f_s_plus", {"a": 1}).value == 2
    assert [each[0] for each in log if each[1] == "tool"] == ["first", "second"]


def test_nothing_is_wrapped_where_nothing_wraps():
    outer = Toolbox("outer")
    outer.include(Toolbox("inner", [add]))
    assert not served(outer).is_wrapped()
