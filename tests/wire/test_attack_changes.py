"""Whoever listens is told of every change, whatever else was asked before."""

from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Http, Stdio
from tests.wire.streams import EVERYTHING, Session, modern_call, modern_listen

TOOLS = Path(__file__).with_name("held_tools.py")
LISTS = {f"notifications/{each}/list_changed" for each in ("tools", "prompts", "resources")}
EVERY_CHANGE = LISTS | {"notifications/resources/updated"}
BUSY = """
import threading
from toolwright import Toolbox
box = Toolbox("busy")
turn = 0

@box.resource("memo://one")
def memo() -> str:
    return str(turn)

def work():
    global turn
    while True:
        turn += 1
        box.changed("resource", "memo://one")
        threading.Event().wait(0.001)

threading.Thread(target=work, daemon=True).start()
"""


def methods_of(messages, wanted):
    """Read until everything that is wanted came; return it in order."""
    came = []
    for message in messages:
        came.append(message["method"])
        if wanted <= set(came):
            break
    return came


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        with Http(TOOLS) as server:
            yield server


@pytest.mark.promise("serve.listeners")
def test_a_listener_over_http_is_told_though_nothing_else_went_to_the_sdk(server):
    stream = modern_listen(server)
    assert modern_call(server, "add_things").answer()["result"]["isError"] is False
    assert set(methods_of(stream.messages(), EVERY_CHANGE)) == EVERY_CHANGE


@pytest.mark.promise("serve.listeners")
def test_a_session_over_http_is_told_though_it_asked_for_no_list(server):
    session = Session(server)
    stream = session.listen()
    subscribe = {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe"}
    assert session.post({**subscribe, "params": {"uri": "memo://one"}})[0] == 200
    assert modern_call(server, "add_things").answer()["result"]["isError"] is False
    assert set(methods_of(stream.messages(), EVERY_CHANGE)) == EVERY_CHANGE


@pytest.mark.promise("serve.listeners")
def test_a_session_that_only_listens_is_told(server):
    stream = Session(server).listen()
    assert modern_call(server, "add_things").answer()["result"]["isError"] is False
    assert set(methods_of(stream.messages(), LISTS)) == LISTS


def incoming(server):
    while (message := server.next(30)) is not None:
        yield message


@pytest.mark.promise("serve.listeners")
@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_a_listener_over_stdio_is_told(tmp_path, monkeypatch, more):
    with Stdio(TOOLS, *more, greet=False) as server:
        params = {"notifications": EVERYTHING, "_meta": MODERN}
        server.begin("subscriptions/listen", params)
        assert server.next()["method"] == "notifications/subscriptions/acknowledged"
        params = {"name": "add_things", "arguments": {}, "_meta": MODERN}
        server.begin("tools/call", params)
        notices = (each for each in incoming(server) if "method" in each)
        assert set(methods_of(notices, EVERY_CHANGE)) == EVERY_CHANGE


def test_a_change_after_the_acknowledgement_is_not_lost(tmp_path):
    """A thread changes a resource all the time while clients subscribe."""
    file = tmp_path / "busy.py"
    file.write_text(BUSY)
    with Http(file) as server:
        for at in range(20):
            stream = modern_listen(server, number=at)
            assert stream.next()["method"] == "notifications/resources/updated"
            stream.close()
