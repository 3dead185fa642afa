"""Who asks is one value: whoever looks for what another's rights do reads one path."""

import asyncio
import json
import re
from pathlib import Path

import pytest

import toolwright.serve
from tests.wire.asgi_requests import ask
from tests.wire.processes import MODERN
from toolwright import Call, Toolbox, current_call
from toolwright.run.current import asked
from toolwright.serve.access.guard import Caller

ROOM = Path(toolwright.serve.__file__).parent
TOKENS = {"token-of-ada": Caller("ada", ("buyer",)), "token-of-eve": Caller("eve")}


def test_the_room_has_no_context_of_its_own_and_one_key_for_the_sdk():
    sources = {path.name: path.read_text() for path in ROOM.rglob("*.py")}
    assert [name for name, text in sources.items() if "ContextVar(" in text] == []
    keys = {
        key for text in sources.values() for key in re.findall(r'"toolwright\.([a-z_]+)"', text)
    }
    assert keys == {"caller", "handed"}  # the first is what the author's own routes get


def box_of():
    box = Toolbox("box")

    @box.tool
    def given(call: Call) -> list[str]:
        return [call.caller, *call.roles, asked.get().holder]

    @box.tool
    def looked_up() -> list[str]:
        call = current_call()
        return [call.caller, *call.roles, asked.get().holder]

    @box.tool(roles=["buyer"])
    def buy() -> str:
        return asked.get().holder

    return box


async def called(app, name, token):
    params = {"name": name, "arguments": {}, "_meta": MODERN}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    given = {"mcp_method": "tools/call", "mcp_name": name, "authorization": f"Bearer {token}"}
    answer = await ask(app, body=json.dumps(body).encode(), **given)
    reply = json.loads(answer.body)
    return reply["result"]["content"][0]["text"] if "result" in reply else reply["error"]["code"]


@pytest.mark.parametrize("short", [True, False])
def test_callers_at_the_same_time_are_themselves_on_every_path(short):
    async def run():
        app = box_of().asgi(tokens=TOKENS, short=short)
        try:
            for name in ("given", "looked_up"):
                calls = [called(app, name, token) for token in [*TOKENS] * 10]
                ada, eve = '["ada","buyer","caller ada"]', '["eve","caller eve"]'
                assert await asyncio.gather(*calls) == [ada, eve] * 10
            calls = [called(app, "buy", token) for token in [*TOKENS] * 10]
            assert await asyncio.gather(*calls) == ["caller ada", -32602] * 10
        finally:
            await app.close()

    asyncio.run(run())
