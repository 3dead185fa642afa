"""Over MCP, a call has an id of its own, and the client's request id beside it."""

import asyncio
import json

import pytest

from tests.wire.asgi_requests import ask
from tests.wire.processes import MODERN
from toolwright import Toolbox
from toolwright.telemetry import audit


def served(seen):
    box = Toolbox("box", version="1")
    box.add(lambda: 1, name="one")

    async def hook(call, sent, go_on):
        seen.append((call.id, call.request_id))
        return await go_on(sent)

    box.around(hook)
    box.around(audit(lambda line: seen.append(json.loads(line)["call"])))
    return box


@pytest.mark.parametrize("way", ["short path", "SDK"])
def test_equal_request_ids_of_two_clients_are_two_calls(way):
    seen = []
    # A header that the short path does not know sends a request to the SDK.
    more = {} if way == "short path" else {"mcp_odd": "1"}
    params = {"name": "one", "arguments": {}, "_meta": MODERN}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    async def course():
        app = served(seen).asgi()
        for _ in range(2):
            answer = await ask(
                app,
                body=json.dumps(message).encode(),
                mcp_method="tools/call",
                mcp_name="one",
                **more,
            )
            assert answer.status == 200

    asyncio.run(course())
    (first, one), written_first, (second, two), written_second = seen
    assert one == two == "7"
    assert first != second
    assert "7" not in (first, second)
    assert (written_first, written_second) == (first, second)


@pytest.mark.parametrize("tokens", [None, "good-token"])
@pytest.mark.parametrize("way", ["short path", "SDK"])
def test_hooks_see_the_headers_of_a_request_on_both_paths(way, tokens):
    seen = []
    box = Toolbox("box", version="1")
    box.add(lambda: 1, name="one")

    async def hook(call, sent, go_on):
        seen.append(dict(call.headers))
        return await go_on(sent)

    box.around(hook)
    more = {} if way == "short path" else {"mcp_odd": "1"}
    if tokens is not None:
        more["authorization"] = f"Bearer {tokens}"
    params = {"name": "one", "arguments": {}, "_meta": MODERN}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    async def course():
        answer = await ask(
            box.asgi(tokens=tokens) if tokens else box.asgi(),
            body=json.dumps(message).encode(),
            mcp_method="tools/call",
            mcp_name="one",
            traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            **more,
        )
        assert answer.status == 200

    asyncio.run(course())
    assert seen[0]["traceparent"].startswith("00-0af7")
