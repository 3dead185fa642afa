"""Servers over HTTP that do not keep to the protocol."""

import pytest

from tests.unit.client.test_http_lies import liar
from toolwright import ResultError, ServerUnavailable, ToolError


@pytest.mark.parametrize(
    ("lie", "kind", "text"),
    [
        ("huge", ServerUnavailable, "more than 1,000,000 bytes"),
        ("bomb", ServerUnavailable, "compressed"),
        ("broken-json", ToolError, "not valid JSON-RPC"),
        ("other-id", ToolError, "not valid JSON-RPC"),
        ("no-content", ResultError, "content"),
        ("500", ServerUnavailable, "HTTP 500"),
        ("hangs-up", ServerUnavailable, "."),
        ("half", ServerUnavailable, "."),
        ("stream-ends", ServerUnavailable, "in the middle"),
        ("stream-huge", ServerUnavailable, "."),
        ("page", ToolError, "text/html"),
        ("redirect", ToolError, "Redirect"),
    ],
)
@pytest.mark.promise("client.lies", "client.bounds")
def test_a_call_of_a_liar_is_one_error_and_harms_no_other(liar, lie, kind, text):
    client, handler = liar
    assert client.add(a=1) == "3"
    handler.lie = lie
    with pytest.raises(kind, match=text) as caught:
        client.add(a=1)
    assert "\x1b" not in str(caught.value)
    handler.lie = ""
    assert client.add(a=1) == "3"
