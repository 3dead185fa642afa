"""Options of all tools of a toolbox; what a tool was given itself counts more."""

import contextlib

import pytest

from toolwright import SchemaError, Tool, Toolbox, tool
from toolwright.toolbox.box import served


def add(a: int, b: int = 1) -> int:
    return a + b


class Refused(Exception):
    pass


@pytest.mark.promise("targets.defaults")
def test_every_way_of_adding_takes_the_defaults():
    box = Toolbox(
        "box", {"zero": add}, defaults={"timeout": 5, "annotations": {"readOnlyHint": True}}
    )
    box.tool("one")(add)
    box.add(add, name="two")
    box.add(Tool(add, name="three"))
    box.include({"four": add})
    other = Toolbox("other", [add])
    box.include(other, prefix="other_")
    box.resource("x://{a}")(add)
    box.prompt("ask")(add)
    made = [*box.values(), box.resources["x://{a}"].tool, box.prompts["ask"].tool]
    assert len(made) == 8
    assert {(each.options.timeout.total, each.options.read_only) for each in made} == {(5, True)}
    assert other["add"].options.timeout is None


@pytest.mark.promise("targets.defaults-own")
def test_what_a_tool_was_given_itself_wins():
    @tool(emit="auto", read_only=True)
    def marked(a: int) -> int:
        return a

    box = Toolbox("box", defaults={"emit": "text", "timeout": 5, "read_only": False})
    assert box.add(marked).options.emit == "auto"
    assert box.add(marked, name="later", emit="both", timeout=None).options.emit == "both"
    assert box["later"].options.timeout is None
    assert box.add(Tool(marked, name="made", emit="auto")).options.emit == "auto"
    assert box.add(Tool(add, emit="auto"), name="copy").options.emit == "auto"
    assert box["copy"].options.read_only is False
    assert box["marked"].options.read_only is True
    assert box.add(add, name="hinted", annotations={"readOnlyHint": True}).options.read_only is True


def test_the_defaults_of_the_first_toolbox_stay_with_its_tools():
    small = Toolbox("small", [add], defaults={"timeout": 5})
    large = Toolbox("large", defaults={"timeout": 9, "emit": "text"})
    (included,) = large.include(small)
    assert (included.options.timeout.total, included.options.emit) == (5, "text")


def test_a_default_counts_before_a_target_is_checked():
    def untyped(x): ...

    box = Toolbox("box", defaults={"on_unsupported": "permissive"})
    assert box.add(untyped).input_schema["properties"].keys() == {"x"}


def test_a_copy_keeps_what_it_was_given():
    box = Toolbox("box", defaults={"emit": "text"})
    assert box.add(add).replace(timeout=3).options.emit == "text"
    copy = Tool(add, emit="auto").replace(name="copy")
    assert box.add(copy).options.emit == "auto"


def test_roles_hide_resources_and_prompts_too():
    box = Toolbox("box", defaults={"roles": ["admin"]})
    box.resource("x://{a}")(add)
    box.prompt("open", roles=[])(add)
    assert served(box).resources_for(()) == []
    assert [each.tool.name for each in served(box).prompts_for(())] == ["open"]


@pytest.mark.promise("targets.defaults-bad")
@pytest.mark.parametrize(
    ("defaults", "error", "told"),
    [
        ({"timout": 5}, TypeError, "defaults of a toolbox: unknown option `timout`"),
        ({"emit": "loud"}, ValueError, "defaults of a toolbox: emit must be one of"),
        ({"name": "x"}, TypeError, "defaults of a toolbox: `name` is an option of one tool"),
        ({"annotations": {"title": "x"}}, TypeError, "`title` is an option of one tool"),
        ({"retry": 3, "idempotent": False}, ValueError, "retry runs a call again"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_defaults_are_refused_at_once(defaults, error, told):
    with pytest.raises(error) as caught:
        Toolbox("box", defaults=defaults)
    assert told in str(caught.value)


@pytest.mark.parametrize("target", [add, Tool(add)], ids=["function", "tool"])
def test_a_default_that_contradicts_a_tool_refuses_it(target):
    box = Toolbox("box", defaults={"retry": 3})
    if target is add:
        with pytest.raises(SchemaError, match="add has a bad option: retry runs a call again"):
            box.add(target, idempotent=False)
    else:
        with pytest.raises(SchemaError, match="add has a bad option: retry runs a call again"):
            box.add(target.replace(idempotent=False))
    assert box.add(add, idempotent=False, retry=None).options.retry is None


@pytest.mark.promise("targets.defaults-speak")
def test_speak_holds_for_hooks_and_the_lifespan():
    async def hook(call, arguments, following):
        raise Refused("no entry")

    @contextlib.asynccontextmanager
    async def broken():
        raise Refused("not open")
        yield

    hooked = Toolbox("box", [add], defaults={"speak": "all"})
    hooked.around(hook)
    assert hooked.call("add", {"a": 1}).text == "Refused: no entry"
    opened = Toolbox("box", [add], lifespan=broken, defaults={"speak": [Refused]})
    assert opened.call("add", {"a": 1}).text == "Refused: not open"
    silent = Toolbox("box", [add], lifespan=broken)
    assert "not open" not in silent.call("add", {"a": 1}).text
