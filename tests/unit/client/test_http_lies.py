"""Servers over HTTP that do not keep to the protocol."""

import pytest

from tests.wire.client.http_liar import lying
from toolwright import ToolError, ToolTimeout
from toolwright.client import connect

# Codes that the SDK uses for itself, codes next to them, and those that this client once used.
ERROR_CODES = [-32000, -32001, -32050, -32051, -32052, -32603, 0, 7]


@pytest.fixture(params=["stateless", "handshake"])
def liar(request):
    with lying(era=request.param) as (url, handler):
        client = connect(url, max_answer=1_000_000, timeout=60)
        yield client, handler
        client.close()


@pytest.mark.parametrize("code", ERROR_CODES)
@pytest.mark.promise("client.own-words")
def test_an_error_over_http_is_the_server_s_whatever_its_number(liar, code):
    client, handler = liar
    assert client.add(a=1) == "3"
    handler.lie = code
    sent = handler.calls
    with pytest.raises(ToolError, match="add: the quota is used up") as caught:
        client.add(a=1)
    assert caught.value.code == f"protocol {code}"
    assert handler.calls == sent + 1
    handler.lie = ""
    assert client.add(a=1) == "3"
    opened = [asked for asked, _ in handler.seen if asked.get("method") == "server/discover"]
    assert len(opened) == 1


def test_a_call_ends_at_its_deadline(liar):
    client, handler = liar
    assert client.add(a=1) == "3"
    handler.lie = "never"
    with pytest.raises(ToolTimeout):
        client.call("add", {}, timeout=0.5, raise_on_error=True)
    assert handler.calls == 2


def test_messages_come_with_the_answer(liar):
    client, handler = liar
    handler.lie = "stream"
    said = []
    assert client.call("add", {}, on_log=lambda *line: said.append(line)).value == "3"
    assert said == [("info", "hello")]


@pytest.mark.promise("client.malformed")
def test_a_malformed_tool_costs_no_other_over_http(liar):
    client, handler = liar
    handler.lie = "bad-tool"
    assert client.add(a=1) == "3"
    assert client.problems == {"sub": "it breaks the protocol: inputSchema: Field required"}
