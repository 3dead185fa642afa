"""What `call.info` and its kin take beside the message: as the calls of other packages do."""

import asyncio
import logging

import pytest

from toolwright import Call, Toolbox

LEVELS = ["debug", "info", "warning", "error"]


def heard():
    """A call, and what a listener hears that wants the name of the logger, too."""
    said = []
    return Call("add", on_log=lambda *heard: said.append(heard)), said


@pytest.mark.promise("call.log-extra")
@pytest.mark.parametrize("level", LEVELS)
def test_each_method_takes_a_logger_and_more(level):
    call, said = heard()
    method = getattr(call, level)
    method("found", logger_name="shop.search", extra={"rows": 3})
    method("found", "shop.search", {"rows": 3})
    method(message="found", extra={})
    method("found", logger_name=None, extra=None)
    call.log("found", level, "shop.search", {"rows": 3})
    call.log(level=level, message="found", logger_name="lone \ud800")
    whole = (level, {"msg": "found", "extra": {"rows": 3}}, "shop.search")
    assert said == [
        whole,
        whole,
        (level, {"msg": "found", "extra": {}}),
        (level, "found"),
        whole,
        (level, "found", "lone \N{REPLACEMENT CHARACTER}"),
    ]


def test_a_listener_of_two_parameters_still_hears_all():
    said = []
    call = Call(on_log=lambda level, message: said.append((level, message)))
    call.info("found", logger_name="shop.search")
    assert said == [("info", "found")]


def test_without_a_listener_the_log_has_it(caplog):
    with caplog.at_level(logging.INFO, "toolwright"):
        Call("add").info("found", logger_name="shop.search", extra={"message": 3})
    assert [each.getMessage() for each in caplog.records] == [
        "add (shop.search): found {'message': 3}"
    ]


def test_a_call_inside_another_passes_it_on():
    box = Toolbox("box")

    @box.tool
    def inner(call: Call) -> int:
        call.info("found", logger_name="shop.search", extra={"rows": 3})
        return 1

    @box.tool
    def outer(call: Call) -> int:
        return box.call("inner", call=call).value

    call, said = heard()
    assert box.call("outer", call=call).value == 1
    assert said == [("info", {"msg": "found", "extra": {"rows": 3}}, "shop.search")]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"logger_name": 5}, "logger_name is text, got int; values in a message are written f'{"),
        ({"extra": [1]}, "extra takes a dict, got list"),
    ],
    ids=["logger", "extra"],
)
def test_what_is_wrong_is_refused_with_what_to_write(more, told):
    with pytest.raises(TypeError) as caught:
        Call("add").info("found", **more)
    assert told in str(caught.value)


def test_the_level_first_is_refused_with_what_to_write():
    with pytest.raises(ValueError, match="takes the message first") as caught:
        Call("add").log("info", "found")
    assert 'write `call.log(message, "info")`' in str(caught.value)
    with pytest.raises(ValueError, match="has no level 'loud'"):
        Call("add").log("found", "loud")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_sees_the_name_and_the_rest(mode):
    from mcp import Client

    from toolwright.serve.sdk.server import SdkServer

    box = Toolbox("box")

    @box.tool
    def search(call: Call) -> int:
        call.info("plain")
        call.warning("found", logger_name="shop.search", extra={"rows": 3})
        return 1

    came = []

    async def listen(params):
        came.append((params.level, params.logger, params.data))

    async def go():
        server = SdkServer(box.__servable__()).server
        meta = {"io.modelcontextprotocol/logLevel": "debug"} if mode == "auto" else None
        async with Client(server, mode=mode, logging_callback=listen) as client:
            await client.call_tool("search", {}, meta=meta)

    asyncio.run(go())
    assert came == [
        ("info", "box", "plain"),
        ("warning", "shop.search", {"msg": "found", "extra": {"rows": 3}}),
    ]
