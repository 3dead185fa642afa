"""What a toolbox says of itself reaches clients of both eras, over both paths."""

import asyncio
import json

import pytest

from toolwright import Toolbox

ICON = {"src": "https://shop.example/i.png", "mimeType": "image/png", "sizes": ["48x48"]}
TOLD = {"title": "The shop", "website_url": "https://shop.example", "icons": [ICON]}
INFO = {
    "name": "shop",
    "version": "1.0",
    "title": "The shop",
    "websiteUrl": "https://shop.example",
    "icons": [ICON],
}
PARAMS = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def asked(box, method, params, **headers):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    answer = asyncio.run(box.handle(body, {**sent, **headers})).body
    return json.loads(answer[answer.index(b"{") :])["result"]  # it may be an event


@pytest.mark.promise("serving.server-info")
def test_a_server_tells_it_in_both_eras():
    box = Toolbox("shop", version="1.0", **TOLD)
    modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover"}
    found = asked(box, "server/discover", {"_meta": META}, **modern)
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"] == INFO
    assert asked(box, "initialize", PARAMS)["serverInfo"] == INFO


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_tells_it_in_both_eras(mode):
    async def told():
        async with Toolbox("shop", version="1.0", **TOLD).client(mode) as client:
            return client.server_info.model_dump(by_alias=True, exclude_none=True)

    assert asyncio.run(told()) == INFO


def test_what_was_not_said_is_not_there():
    assert asked(Toolbox("shop"), "initialize", PARAMS)["serverInfo"] == {
        "name": "shop",
        "version": "",
    }


def test_it_may_be_changed_until_it_is_served():
    box = Toolbox("shop")
    box.title = "Later"
    assert asked(box, "initialize", PARAMS)["serverInfo"]["title"] == "Later"


@pytest.mark.parametrize(
    ("told", "error", "text"),
    [
        ({"title": 3}, TypeError, "title of a toolbox must be text; got 3"),
        ({"website_url": b"x"}, TypeError, "websiteUrl of a toolbox must be text"),
        ({"icons": ["i.png"]}, TypeError, "an icon is a dict with a \"src\"; got 'i.png'"),
        ({"icons": [{"mimeType": "x"}]}, TypeError, 'an icon is a dict with a "src"'),
        ({"icons": [{**ICON, "size": 1}]}, ValueError, "an icon has no `size`; it has src"),
        ({"icons": [{**ICON, "sizes": "48x48"}]}, ValueError, "the sizes of an icon are a list"),
        ({"icons": [{**ICON, "theme": "red"}]}, ValueError, "the theme of an icon is 'light'"),
        ({"icons": [{**ICON, "mimeType": 1}]}, TypeError, "the mimeType of an icon is text"),
    ],
    ids=str,
)
def test_what_clients_could_not_read_is_refused_at_once(told, error, text):
    with pytest.raises(error) as caught:
        Toolbox("shop", **told)
    assert text in str(caught.value)
