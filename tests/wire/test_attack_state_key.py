"""What one process has sealed for a client, every process of the server opens."""

import json
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Http, refused
from tests.wire.streams import Gate, modern_call, text_of
from toolwright import Toolbox

TOOLS = Path(__file__).with_name("held_tools.py")
ASKED = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
YES = {"confirm": {"action": "accept", "content": {"confirm": True}}}
KEY = "k" * 20 + "-0123456789abcdef"
OTHER = "another-key-of-forty-bytes-0123456789abc"


@pytest.fixture
def gate(tmp_path, monkeypatch):
    return Gate(tmp_path, monkeypatch)


def asked(server, label):
    """What the client has to send back, after it was asked."""
    return modern_call(server, "careful", meta=ASKED, label=label).answer()["result"]


def confirmed(server, label, state):
    params = {"name": "careful", "arguments": {"label": label}}
    params |= {"requestState": state, "inputResponses": YES}
    return json.loads(server.asked(server.message("tools/call", params, meta=ASKED))[1])


@pytest.mark.promise("serve.state-key", "serve.state-key-rotation")
def test_servers_with_one_key_open_what_another_has_sealed(gate, tmp_path):
    file = tmp_path / "keys"
    file.write_text(f"{OTHER}\n{KEY}\n")
    with (
        Http(TOOLS, env={"TOOLWRIGHT_STATE_KEY": KEY}) as one,
        Http(TOOLS, "--state-key-file", file) as newer,
        Http(TOOLS) as stranger,
    ):
        state = asked(one, "a")["requestState"]
        assert text_of(confirmed(newer, "a", state)) == "did a"
        assert text_of(confirmed(one, "a", state)) == "did a"
        assert confirmed(stranger, "a", state)["error"]["code"] == -32602
        # The newer one seals with its first key, which the other does not have yet.
        assert "error" in confirmed(one, "b", asked(newer, "b")["requestState"])
        environment = modern_call(one, "environment").answer()
        assert KEY not in json.dumps(environment)
        for server in (one, newer, stranger):
            assert KEY not in server.said()
            assert OTHER not in server.said()


@pytest.mark.promise("serve.state-key")
def test_a_key_is_long_enough_and_never_shown(tmp_path):
    short = "only-thirty-one-bytes-long-1234"
    line = refused(2, "serve", TOOLS, "--http", env={"TOOLWRIGHT_STATE_KEY": f"{KEY} {short}"})
    assert "TOOLWRIGHT_STATE_KEY: state_key must have at least 32 bytes; got 31" in line
    assert short not in line
    assert KEY not in line
    file = tmp_path / "keys"
    file.write_text(short)
    assert "at least 32 bytes" in refused(2, "serve", TOOLS, "--http", "--state-key-file", file)
    file.write_text("\n")
    assert "there is no key" in refused(2, "serve", TOOLS, "--http", "--state-key-file", file)
    missing = tmp_path / "missing"
    line = refused(2, "serve", TOOLS, "--http", "--state-key-file", missing)
    assert "cannot be read" in line
    box = Toolbox("b")
    with pytest.raises(ValueError, match="at least 32 bytes; got 31") as raised:
        box.asgi(state_key=short)
    assert short not in str(raised.value)
    with pytest.raises(ValueError, match="at least one key"):
        box.asgi(state_key=[])
    with pytest.raises(TypeError, match="text or bytes; got int"):
        box.asgi(state_key=[5])
    app = box.asgi(state_key=[KEY, OTHER.encode(), KEY])
    assert KEY not in repr(app) + repr(vars(app))


@pytest.mark.promise("serve.state-key")
def test_functions_that_run_on_demand_share_the_key(monkeypatch):
    import asyncio

    def made():
        box = Toolbox("b")

        @box.tool(confirm=True)
        def careful(label: str) -> str:
            return f"did {label}"

        return box

    def message(**more):
        params = {"name": "careful", "arguments": {"label": "a"}, "_meta": ASKED, **more}
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    headers = {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "careful",
    }

    async def rounds():
        # Two invocations, in two processes as far as they can know.
        state = json.loads((await made().handle(message(), headers)).body)["result"]["requestState"]
        again = message(requestState=state, inputResponses=YES)
        return json.loads((await made().handle(again, headers)).body)

    assert "error" in asyncio.run(rounds())
    monkeypatch.setenv("TOOLWRIGHT_STATE_KEY", KEY)
    assert text_of(asyncio.run(rounds())) == "did a"


def test_a_key_is_hidden_in_logs():
    from toolwright._log.redact import without_known_secrets
    from toolwright.serve.access.guard import state_keys

    state_keys([OTHER])
    assert without_known_secrets(f"it was {OTHER} again") == "it was *** again"
