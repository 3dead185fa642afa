"""Servers as parts of a toolbox, and of the command `serve`."""

import json
import sys
import threading
from pathlib import Path

import pytest

from tests.wire.client.proxy.test_proxy import far
from toolwright import ServerUnavailable, Toolbox
from toolwright.client import connect

SHOP = [sys.executable, str(Path(__file__).parents[3] / "wire" / "client" / "client_shop.py")]
SERVE = [sys.executable, "-m", "toolwright", "serve"]


@pytest.fixture
def near():
    """A server of its own, which may be changed and ended."""
    client = connect(SHOP)
    yield client
    client.close()


@pytest.mark.promise("proxy.changes")
def test_a_toolbox_follows_the_lists_of_a_server(near):
    hub = Toolbox("hub")
    hub.include(near, prefix="s_")
    changed = threading.Event()
    hub.__servable__().on_change(lambda what, uri: changed.set())
    assert near.add_tool("extra") == "soon"
    assert changed.wait(60)
    waits = threading.Event()
    assert any("s_extra" in hub or waits.wait(0.02) for _ in range(1500))
    assert hub.call("s_extra").text == "extra"


@pytest.mark.promise("proxy.ended")
def test_a_dead_server_costs_one_error_and_comes_back(near):
    hub = Toolbox("hub")
    hub.include(near)
    first = hub.call("who").structured
    dead = hub.call("end")
    assert isinstance(dead.error, ServerUnavailable)
    assert hub.call("who").structured != first


@pytest.mark.promise("proxy.serve", "proxy.waited")
def test_the_command_serves_servers(tmp_path, shop_url):
    told = {"mcpServers": {"far": {"url": shop_url}, "dead": {"url": "http://127.0.0.1:9/mcp"}}}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps(told))
    with connect([*SERVE, str(file)]) as hub:
        assert hub.far_search("x", limit=1)[0].name == "x 0"
        assert hub.read("shop://orders/1") == "order 1"
