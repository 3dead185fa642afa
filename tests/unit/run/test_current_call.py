"""`current_call`: the call of the tool that runs here, found by code that no one hands it to."""

import asyncio
import json
import logging
import re
import threading
from contextlib import asynccontextmanager
from typing import Annotated

import pytest

from toolwright import Call, Inject, Tool, Toolbox, current_call

OPTIONS = [
    {},
    {"timeout": 60},
    {"retry": 2},
    {"max_concurrency": 2},
    {"run_on": "inline"},
    {"run_on": "process"},
]


def deep() -> str:
    """What a helper far below a tool finds."""
    call = current_call()
    return "nothing" if call is None else f"{call.tool} for {call.caller}"


def asks() -> str:
    return deep()


def run(way, tool, call=None, **arguments):
    if way == "call":
        return tool.call(arguments, call=call)
    return asyncio.run(tool.call_async(arguments, call=call))


@pytest.mark.promise("call.current")
def test_there_is_none_outside_of_tools():
    assert current_call() is None
    assert deep() == "nothing"


@pytest.mark.parametrize("way", ["call", "call_async"])
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"run_on": "inline"}], ids=str)
def test_it_is_the_very_call_that_a_parameter_gets(way, options):
    def same(call: Call) -> bool:
        return current_call() is call is current_call()

    assert run(way, Tool(same, **options)).value is True
    call = Call(caller="ada")
    assert run(way, Tool(lambda: current_call() is call, name="x", **options), call).value is True


@pytest.mark.parametrize("way", ["call", "call_async"])
def test_a_nested_call_has_its_own_and_the_outer_one_is_there_again_afterwards(way):
    box = Toolbox("box")
    box.add(asks, name="inner")
    box.add(asks, name="limited", timeout=60)

    @box.tool
    async def outer() -> list[str]:
        nested = [(await box.call_async(name)).value for name in ("inner", "limited")]
        handed = (await box.call_async("inner", call=current_call())).value
        return [deep(), *nested, handed, deep()]

    @box.tool
    def outer_sync() -> list[str]:
        nested = [box.call(name).value for name in ("inner", "limited")]
        return [deep(), *nested, box.call("inner", call=current_call()).value, deep()]

    for name in ("outer", "outer_sync"):
        assert run(way, box[name], Call(caller="ada")).value == [
            f"{name} for ada",
            "inner for None",
            "limited for None",
            "inner for ada",
            f"{name} for ada",
        ]


@pytest.mark.parametrize("way", ["call", "call_async"])
@pytest.mark.parametrize("is_async", [False, True])
def test_providers_find_it_but_not_those_that_make_a_value_once(way, is_async):
    def sync_once():
        yield deep()

    async def async_once():
        yield deep()

    def made():
        yield deep()

    async def made_async() -> str:
        return deep()

    once = async_once if is_async else sync_once
    maker = made_async if is_async else made
    box = Toolbox("box")

    @box.tool
    def takes(
        kept: Annotated[str, Inject(once, scope="process")], each: Annotated[str, Inject(maker)]
    ) -> list[str]:
        return [kept, each]

    assert run(way, box["takes"]).value == ["nothing", "takes for None"]
    box.close()


def test_a_lifespan_belongs_to_no_call():
    seen = []

    @asynccontextmanager
    async def lifespan():
        seen.append(deep())
        yield
        seen.append(deep())

    box = Toolbox("box", [asks], lifespan=lifespan)

    def outer() -> str:
        with box:
            return box.call("asks").value

    assert Tool(outer).call().value == "asks for None"
    assert seen == ["nothing", "nothing"]


def test_many_calls_at_once_each_find_their_own():
    meet = threading.Barrier(8, timeout=60)

    def meets() -> str:
        meet.wait()
        return deep()

    async def all_of_them():
        tool = Tool(meets, name="meets")
        calls = [tool.call_async(call=Call(caller=f"c{at}")) for at in range(8)]
        return [result.value for result in await asyncio.gather(*calls)]

    assert asyncio.run(all_of_them()) == [f"meets for c{at}" for at in range(8)]


def test_generators_and_threads_of_a_tool_with_the_context_find_it():
    def items():
        yield deep()
        yield deep()

    async def items_async():
        yield deep()
        yield await asyncio.to_thread(deep)

    for target in (items, items_async):
        for way in ("call", "call_async"):
            expected = ["items for ada"] * 2
            assert run(way, Tool(target, name="items"), Call(caller="ada")).value == expected


@pytest.mark.promise("call.current-cache")
def test_what_asks_for_the_call_is_never_cached():
    box = Toolbox("box")
    box.add(asks, cache=60)
    answers = [box.call("asks", call=Call(caller=who)).value for who in ("ada", "bob", "ada")]
    assert answers == ["asks for ada", "asks for bob", "asks for ada"]


def test_an_unexpected_failure_has_the_id_of_the_call_that_was_asked_for(caplog):
    ids = []

    def fails() -> None:
        ids.append(current_call().id)
        raise AssertionError

    with caplog.at_level(logging.CRITICAL):
        text = Tool(fails).call().text
    assert re.findall(r"reference ([0-9a-f]+)", text) == ids


@pytest.mark.parametrize("options", OPTIONS[:2] + OPTIONS[4:5], ids=str)
@pytest.mark.parametrize("is_seen", [False, True])
def test_over_http_it_knows_the_request_whether_or_not_the_server_could_see_that(options, is_seen):
    body = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {
            "name": "tells",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "tells",
        "x-tenant": "acme",
    }
    box = Toolbox("box")
    box.add(_tells if is_seen else _tells_elsewhere, name="tells", **options)
    reply = asyncio.run(box.handle(json.dumps(body), headers))
    assert json.loads(reply.body)["result"]["content"][0]["text"] == "acme 7"


def _told() -> str:
    call = current_call()
    return f"{call.headers.get('x-tenant')} {call.request_id}"


def _tells() -> str:
    return _told()


_elsewhere: dict = {"_told": _told, "__name__": "elsewhere"}
exec("def _tells() -> str:\n    return _told()", _elsewhere)
_tells_elsewhere = _elsewhere["_tells"]
"""Of a module that does not name `current_call`; only its helper does."""
