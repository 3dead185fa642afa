"""`call.lifespan`: what the lifespan of the toolbox gave, wherever a tool sees its call."""

import asyncio
from contextlib import asynccontextmanager
from typing import Annotated

import pytest

from toolwright import Call, Inject, Toolbox, current_call


def box_with(value, name="box"):
    @asynccontextmanager
    async def lifespan():
        yield value

    return Toolbox(name, lifespan=lifespan)


def sees(call: Call) -> str:
    return repr(call.lifespan)


async def sees_async(call: Call) -> str:
    return repr(call.lifespan)


def finds() -> str:
    return repr(current_call().lifespan)


def run(way, box, name, call=None):
    if way == "call":
        return box.call(name, call=call).value
    return asyncio.run(box.call_async(name, call=call)).value


@pytest.mark.promise("call.lifespan-value")
@pytest.mark.parametrize("way", ["call", "call_async"])
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"cache": 60}, {"retry": 2}], ids=str)
@pytest.mark.parametrize("target", [sees, sees_async, finds])
def test_a_tool_sees_what_the_lifespan_gave(way, options, target):
    box = box_with({"db": 1})
    box.add(target, name="tool", **options)
    call = Call()
    assert [run(way, box, "tool", each) for each in (None, call)] == ["{'db': 1}"] * 2
    box.close()


def test_providers_hooks_resources_and_prompts_see_it_too():
    box, seen = box_with("db"), []

    def provider(call: Call) -> str:
        return f"made of {call.lifespan}"

    @box.tool
    def takes(made: Annotated[str, Inject(provider)]) -> str:
        return made

    @box.resource("data://all")
    def all_of_it(call: Call) -> str:
        return f"read from {call.lifespan}"

    @box.prompt
    def ask(call: Call) -> str:
        return f"asks {call.lifespan}"

    @box.around
    async def hook(call, arguments, next):
        seen.append(call.lifespan)
        return await next(arguments)

    async def everything():
        async with box.client() as client:
            result = await client.call_tool("takes", {})
            read = await client.read_resource("data://all")
            prompt = await client.get_prompt("ask", {})
            return result.content[0].text, read.contents[0].text, prompt.messages[0].content.text

    assert asyncio.run(everything()) == ("made of db", "read from db", "asks db")
    assert seen == ["db"] * 3


@pytest.mark.parametrize("hands_on", [True, False])
def test_a_tool_of_another_toolbox_sees_its_own_and_the_outer_call_keeps_its(hands_on):
    outer, inner, plain = box_with("outer"), box_with("inner"), Toolbox("plain", [sees])
    inner.add(sees)

    @outer.tool
    async def asks(call: Call) -> list[str]:
        given = call if hands_on else None
        both = await asyncio.gather(
            inner.call_async("sees", call=given), plain.call_async("sees", call=given)
        )
        return [call.lifespan, *(result.value for result in both), call.lifespan]

    assert outer.call("asks").value == ["outer", "'inner'", "None", "outer"]
    call = Call()
    assert outer.call("asks", call=call).value == ["outer", "'inner'", "None", "outer"]
    assert plain.call("sees", call=call).value == "None"  # nothing is left of the call before
    outer.close()
    inner.close()
