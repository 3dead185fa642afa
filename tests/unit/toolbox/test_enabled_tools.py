"""`enabled=` in a toolbox: definitions, lists, and calls without a server."""

import asyncio
import functools
import json
import pickle

import pytest

from toolwright import Call, SchemaError, Tool, Toolbox, tool
from toolwright.toolbox.box import served
from toolwright.tools.resource import Resource


def add(a: int, b: int = 1) -> int:
    return a + b


def is_ada(call: Call) -> bool:
    return call.caller == "ada"


def names(box, **who):
    call = Call(**who) if who else None
    return [each["name"] for each in box.to_mcp(call=call)["tools"]]


ADA = Call(caller="ada")


# -- definitions


class Asks:
    async def __call__(self, call):
        return True


async def later(call):
    return True


def many(call):
    yield True


@pytest.mark.promise("serve.enabled-plain")
@pytest.mark.parametrize(
    "given",
    [later, Asks(), functools.partial(later), many],
    ids=["def", "object", "partial", "yield"],
)
@pytest.mark.parametrize("how", ["add", "tool", "mark", "defaults", "resource", "prompt"])
def test_what_must_be_awaited_is_refused(given, how):
    ways = {
        "add": lambda: Toolbox("box").add(add, enabled=given),
        "tool": lambda: Tool(add, enabled=given),
        "mark": lambda: tool(enabled=given)(lambda: 1),
        "defaults": lambda: Toolbox("box", defaults={"enabled": given}),
        "resource": lambda: Toolbox("box").resource("x://y", enabled=given)(add),
        "prompt": lambda: Toolbox("box").prompt(enabled=given)(add),
    }
    with pytest.raises((SchemaError, TypeError)) as caught:
        ways[how]()
    told = str(caught.value)
    assert "enabled takes True, False, or a plain function of the Call; `" in told
    assert "is async or a generator, and nothing awaits it there" in told


class Plain:
    def __call__(self, call):
        return True


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (lambda: True, "` cannot be called with the Call alone"),
        (lambda call, more: True, "` cannot be called with the Call alone"),
        ("yes", "got 'yes'"),
        (None, "got None"),
        (Plain, "got the class Plain"),
        (object(), "got an object of the type object"),
    ],
    ids=["none", "two", "text", "nothing", "class", "object"],
)
def test_what_is_no_function_of_the_call_is_refused(given, told):
    with pytest.raises(SchemaError) as caught:
        Tool(add, enabled=given)
    assert "enabled takes True, False, or a plain function of the Call; " in str(caught.value)
    assert told in str(caught.value)
    assert "0x" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [Plain(), functools.partial(lambda call, who: call.caller == who, who="ada"), bool, is_ada],
    ids=["object", "partial", "builtin", "def"],
)
def test_anything_that_takes_the_call_will_do(given):
    if given is bool:  # a class: its instances would all be true
        with pytest.raises(SchemaError):
            Tool(add, enabled=given)
    else:
        assert names(Toolbox("box", [Tool(add, enabled=given)]), caller="ada") == ["add"]


def test_what_is_true_counts_as_yes_and_what_waits_as_no(caplog):
    box = Toolbox("box")
    box.add(add, name="who", enabled=lambda call: call.caller)
    box.add(add, name="waits", enabled=lambda call: later(call))
    box.add(add, name="ends", enabled=lambda call: exit(1))
    assert names(box) == []
    assert names(box, caller="ada") == ["who"]
    assert "waits: `enabled` failed" in caplog.text
    assert "it returned something to await, and nothing awaits it here" in caplog.text
    assert "ends: `enabled` failed, so nobody sees it while it does: SystemExit: 1" in caplog.text


def test_a_tool_with_a_function_is_copied_whole():
    made = Tool(add, enabled=is_ada)
    assert made.options == Tool(add, enabled=is_ada).options
    assert made.replace(title="Sum").options.enabled == made.options.enabled
    again = pickle.loads(pickle.dumps(made))
    assert names(Toolbox("box", [again]), caller="ada") == ["add"]
    assert names(Toolbox("box", [again])) == []


# -- lists


def test_without_a_function_there_is_one_list():
    box = Toolbox("box", [add, Tool(add, name="off", enabled=False)])
    assert box.to_mcp_json(call=ADA) is box.to_mcp_json()
    assert names(box) == ["add"]


@pytest.mark.promise("serve.enabled-lists")
def test_callers_who_see_the_same_get_the_same_list():
    box = Toolbox("box", [add, Tool(add, name="hers", enabled=is_ada)])
    listed = box.to_mcp_json(call=ADA)
    assert box.to_mcp_json(call=Call(caller="ada")) is listed
    assert box.to_mcp_json(call=Call(caller="eve")) is box.to_mcp_json()
    assert [each["name"] for each in json.loads(listed)["tools"]] == ["add", "hers"]
    box.add(add, name="more", enabled=is_ada)
    assert names(box, caller="ada") == ["add", "hers", "more"]
    box.remove("hers")
    box.disable("more")
    assert names(box, caller="ada") == ["add"]


def test_a_list_is_right_however_many_sets_callers_see():
    box = Toolbox("box")
    for at in range(8):
        box.add(add, name=f"t{at}", enabled=lambda call, at=at: int(call.headers["x"]) >> at & 1)
    for mask in range(256):
        wanted = [f"t{at}" for at in range(8) if mask >> at & 1]
        assert names(box, headers={"x": str(mask)}) == wanted


def test_what_does_not_compile_is_left_out_of_every_list():
    def bad(x: "Nowhere") -> int:  # noqa: F821
        return 1

    box = Toolbox("box", [Tool(add, enabled=is_ada), Tool(bad, enabled=is_ada)])
    assert names(box, caller="ada") == ["add"]
    assert names(box) == []


def test_one_function_for_all_knows_what_it_is_asked_about():
    seen = []

    def asked(call):
        seen.append((call.kind, call.tool))
        return call.tool != "add"

    box = Toolbox("box", [add], defaults={"enabled": asked})
    box.add(add, name="other")
    box.add(add, name="always", enabled=True)

    @box.resource("box://here")
    def here() -> str:
        return "x"

    @box.prompt
    def ask() -> str:
        return "x"

    assert names(box) == ["other", "always"]
    assert len(served(box).resources_for(None, Call())) == 1
    assert len(served(box).prompts_for(None, Call())) == 1
    assert seen == [
        ("tool", "add"),
        ("tool", "other"),
        ("resource", "box://here"),
        ("prompt", "ask"),
    ]


# -- calls


@pytest.mark.promise("serve.enabled-in-process")
@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "hooks"])
@pytest.mark.parametrize("how", ["call", "call_async"])
def test_a_call_in_this_process_is_asked_about_too(how, wrapped):
    box = Toolbox("box", [Tool(add, name="add_one"), Tool(add, name="add_ones", enabled=is_ada)])
    if wrapped:

        @box.around
        async def hook(call, arguments, next):
            return await next(arguments)

    def call(name, call=None):
        if how == "call":
            return box.call(name, {"a": 1}, call=call)
        return asyncio.run(box.call_async(name, {"a": 1}, call=call))

    assert call("add_ones", Call(caller="ada")).value == 2
    for who in (None, Call(caller="eve")):
        result = call("add_ones", who)
        assert result.text == "unknown tool `add_ones` - did you mean `add_one`?"
        assert result.error.code == "not_found"
    assert call("add_oness", Call(caller="ada")).error.hint == "did you mean `add_ones`?"
    assert call("add_oness").error.hint == "did you mean `add_one`?"


def test_a_tool_that_calls_another_asks_for_its_own_caller():
    box = Toolbox("box", [Tool(add, name="hers", enabled=is_ada)])

    @box.tool(cache=60)
    def outer() -> str:
        return box.call("hers", {"a": 1}).text

    assert box.call("outer", call=Call(caller="ada")).value == "2"
    assert box.call("outer", call=Call(caller="eve")).value == "unknown tool `hers`"


def test_the_function_has_no_part_in_what_is_cached():
    ran = []

    def count(n: int = 0) -> int:
        ran.append(n)
        return n

    box = Toolbox("box")
    box.add(count, cache=60, enabled=lambda call: call.headers.get("x-team") == "blue")
    for _ in range(2):
        assert box.call("count", call=Call(headers={"x-team": "blue"})).value == 0
    assert ran == [0]
    assert box.call("count", call=Call(headers={"x-team": "red"})).is_error


def test_what_the_function_does_with_the_call_does_not_reach_the_caller():
    said = []

    def noisy(call):
        call.progress(1, 2, "x")
        call.info("x")
        return call.lifespan is None

    box = Toolbox("box", [Tool(add, enabled=noisy)])
    call = Call(
        caller="ada", on_progress=lambda *_: said.append(1), on_log=lambda *_: said.append(2)
    )
    assert box.call("add", {"a": 1}, call=call).value == 2
    assert said == []


# -- with other ways to choose


def test_off_from_the_start_can_be_enabled():
    box = Toolbox("box", [Tool(add, enabled=False)])
    assert (names(box), box.is_enabled("add")) == ([], False)
    assert box.call("add", {"a": 1}).error.hint == "it is disabled"
    box.enable("add")
    assert (names(box), box.call("add", {"a": 1}).value) == (["add"], 2)


def test_enabling_does_not_overrule_the_function():
    box = Toolbox("box", [Tool(add, enabled=is_ada)])
    box.disable("add")
    assert names(box, caller="ada") == []
    box.enable("add")
    assert (names(box, caller="ada"), names(box)) == (["add"], [])


@pytest.mark.parametrize(
    ("given", "told"),
    [({}, ["add", "hers"]), ({"enabled": True}, ["add", "hers", "off"]), ({"enabled": False}, [])],
    ids=["as it was", "on", "off"],
)
def test_an_included_toolbox_keeps_what_it_says_unless_told_otherwise(given, told):
    other = Toolbox("other", [Tool(add, enabled=False), Tool(add, name="hers", enabled=is_ada)])
    other.add(add, name="off")
    other.disable("off")
    other.enable("add")

    @other.resource("other://hers", enabled=is_ada)
    def hers() -> str:
        return "x"

    box = Toolbox("box")
    box.include(other, **given)
    assert names(box, caller="ada") == told
    assert names(box) == [name for name in told if name != "hers" or given]
    seen = {who: len(served(box).resources_for((), Call(caller=who))) for who in ("ada", "eve")}
    assert seen == {"ada": given != {"enabled": False}, "eve": given == {"enabled": True}}


def test_a_mark_on_a_function_counts_for_its_resource():
    @tool(enabled=is_ada)
    def wages() -> str:
        return "secret"

    assert Resource("x://wages", wages).tool.options.enabled == Tool(wages).options.enabled
