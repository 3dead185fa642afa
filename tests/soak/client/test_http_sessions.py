"""Calls in sessions over HTTP, which began with a handshake: before 2026-07-28."""

import pytest

from tests.unit.client.test_http_sessions import SessionServer, methods
from tests.wire.client.http_liar import lying
from toolwright import ServerUnavailable
from toolwright.client import connect


@pytest.mark.promise("client.once")
def test_an_answer_that_cannot_be_resumed_is_one_error():
    with lying(SessionServer, lie="breaks-for-good") as (url, handler):
        with connect(url) as client:
            with pytest.raises(ServerUnavailable, match="cannot be resumed"):
                client.add(a=1)
            handler.lie = ""
            assert client.add(a=1) == "3"
        assert methods(handler).count("tools/call") == 2
