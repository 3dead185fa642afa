"""Whoever listens is told of every change, whatever else was asked before."""

import pytest

from tests.wire.processes import MODERN, Http, Stdio, until
from tests.wire.streams import EVERYTHING, modern_listen
from tests.wire.test_attack_changes import LISTS, TOOLS, incoming, methods_of, server

RELOADED = "from toolwright import Toolbox\nbox = Toolbox('b')\n@box.tool\ndef f() -> int:\n    return {}\n"


@pytest.mark.promise("serve.listeners")
@pytest.mark.parametrize("more", [[], ["--sdk"]])
@pytest.mark.parametrize("first", ["ping", "logging/setLevel", "prompts/get"])
def test_a_client_with_a_handshake_over_stdio_is_told_once(tmp_path, more, first):
    """Whatever it asked first, on either path."""
    with Stdio(TOOLS, *more) as server:
        given = {"logging/setLevel": {"level": "info"}, "prompts/get": {"name": "nothing"}}
        server.ask(first, given.get(first))
        server.call("add_things")
        server.ask("ping")
        server.ask("logging/setLevel", {"level": "info"})
        notices = [each["method"] for each in server.others if "method" in each]
        until(lambda: set(notices) == LISTS or not notices.append(server.next()["method"]), "all")
        assert sorted(notices) == sorted(LISTS)


@pytest.mark.promise("serve.reload")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_a_listener_is_told_of_a_reload(tmp_path, transport):
    file = tmp_path / "tools.py"
    file.write_text(RELOADED.format(1))
    if transport == "http":
        with Http(file, "--reload") as server:
            stream = modern_listen(server)
            file.write_text(RELOADED.format("1 + 1"))
            assert set(methods_of(stream.messages(), LISTS)) == LISTS
        return
    with Stdio(file, "--reload", greet=False) as server:
        server.begin("subscriptions/listen", {"notifications": EVERYTHING, "_meta": MODERN})
        assert server.next()["method"] == "notifications/subscriptions/acknowledged"
        file.write_text(RELOADED.format("1 + 1"))
        assert set(methods_of(incoming(server), LISTS)) == LISTS
