"""Servers that do not keep to the protocol: one clear error each, never a hang or a wrong value."""

import asyncio
import threading

import pytest

from tests.wire.client.test_lies import liar, said
from toolwright import (
    ResultError,
    ServerUnavailable,
    Toolbox,
    ToolError,
    ToolTimeout,
    ToolwrightError,
)
from toolwright.client import connect


@pytest.mark.parametrize(
    ("lie", "kind", "text"),
    [
        ("breaks-output", ResultError, "`sum`"),
        ("no-structured", ResultError, "promises structured content"),
        ("no-content", ResultError, "content"),
        ("bad-blocks", ResultError, "content"),
        ("result-no-object", ToolError, "not valid"),
        ("huge", ServerUnavailable, "more than 1,000,000 bytes"),
        ("huge-line", ServerUnavailable, "more than 1,000,000 bytes"),
        ("dies", ServerUnavailable, r"exit code 7\); it said: Traceback: out of"),
        ("only-garbage", ServerUnavailable, "not messages"),
        ("unreadable", ToolError, "not valid"),
        ("error-escapes", ToolError, "no .*y \\[cut\\]"),
        ("rpc-error", ToolError, "Unknown tool"),
    ],
)
@pytest.mark.promise("client.lies", "client.bounds")
def test_a_call_of_a_liar_is_one_error(liar, lie, kind, text):
    client = liar(lie)
    with pytest.raises(kind, match=text) as caught:
        client.add(1, b=2)
    assert type(caught.value) is kind
    said(caught.value)
    result = client.call("add", {"a": 1})
    assert result.is_error
    assert type(result.error) is kind


@pytest.mark.parametrize(
    ("lie", "text"),
    [
        ("endless-list", "no end"),
        ("same-cursor", "no end"),
        ("many-tools", "more than 1,000,000 bytes"),
        ("list-error", "no list today"),
        ("dies-at-once", "no cheese"),
        ("odd-version", "1999-01-01"),
    ],
)
@pytest.mark.promise("client.bounds")
def test_a_list_of_a_liar_is_one_error(liar, lie, text):
    client = liar(lie)
    with pytest.raises(ToolwrightError, match=text) as caught:
        _ = client.tools
    said(caught.value)


@pytest.mark.promise("client.long-lists")
def test_a_page_of_very_many_tools_is_refused_at_once(liar):
    client = liar("very-many-tools", max_answer=64_000_000, timeout=60)
    with pytest.raises(ResultError, match="more than 10,000 items") as caught:
        _ = client.tools
    said(caught.value)


@pytest.mark.parametrize("lie", ["never", "other-id", "endless-flood", "list-never", "silent"])
def test_there_is_always_an_end(liar, lie):
    client = liar(lie, timeout=1.5, connect_timeout=1.5 if lie == "silent" else 30)
    with pytest.raises(ToolTimeout, match=r"gave no answer in 1.5 s") as caught:
        client.add(1)
    said(caught.value)


@pytest.mark.parametrize("proxied", [False, True])
def test_an_answer_that_comes_too_late_is_nobodys(liar, proxied):
    client = liar("late")
    made = client
    if proxied:
        made = Toolbox("hub")
        made.include(client)

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await made.call_async("add", {"a": 1})
        for number in range(2, 5):
            assert (await made.call_async("add", {"a": number})).structured == {"sum": number}

    asyncio.run(main())


@pytest.mark.parametrize("lie", ["dies", "huge", "other-id", "unreadable", "breaks-output"])
def test_a_liar_behind_a_toolbox_is_one_error(liar, lie):
    client = liar(lie, timeout=2 if lie == "other-id" else 60)
    hub = Toolbox("hub")
    hub.include(client)
    with connect(hub) as front:
        result = front.call("add", {"a": 1})
        assert result.is_error
        said(result.error)
        assert list(front.tools) == ["add"]


def test_a_flood_of_messages_delays_a_call_and_no_more(liar):
    heard = []
    client = liar("flood", on_log=lambda *each: heard.append(each))
    assert client.add(1, b=2).sum == 3
    assert heard[0] == ("info", "line 0")


def test_a_flood_of_invalid_notifications_is_one_line_in_the_log(liar, caplog):
    client = liar("invalid-flood")
    assert client.add(1, b=2).sum == 3
    assert client.add(2, b=2).sum == 4
    lines = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert len(lines) == 1
    assert "break the protocol, such as notifications/message: they are dropped" in lines[0]
    assert "Traceback" not in caplog.text


def test_a_server_that_does_not_want_to_end_is_ended(liar):
    client = liar("ignores-end")
    assert client.add(1).sum == 1
    ended = threading.Thread(target=client.close)
    ended.start()
    ended.join(30)
    assert not ended.is_alive()
