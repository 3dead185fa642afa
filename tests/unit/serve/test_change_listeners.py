"""Whoever listens to a toolbox stops when it ends: a long life leaves nothing behind."""

import asyncio
import os
import threading

import pytest

from tests.wire.asgi_requests import ask
from toolwright import Toolbox
from toolwright.serve.reloadable import Reloadable
from toolwright.serve.settings import server_config
from toolwright.serve.stdio.conversation import Conversation
from toolwright.toolbox.box import served


def listeners(box):
    return len(box._registry._listeners)


@pytest.fixture
def box():
    return Toolbox("box", [max_of])


def max_of(a: int, b: int) -> int:
    return max(a, b)


def test_a_listener_is_called_until_it_unsubscribes(box):
    heard = []
    ends = [box.on_change(lambda *what: heard.append(what)) for _ in range(2)]
    box.changed("tools")
    ends[0]()
    ends[0]()  # twice does no harm
    box.changed("resource", "a://b")
    ends[1]()
    box.changed("tools")
    assert heard == [("tools", ""), ("tools", ""), ("resource", "a://b")]
    assert listeners(box) == 0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_in_memory_leave_no_listener(box, mode):
    async def run():
        for _ in range(3):
            async with box.client(mode) as client:
                await client.call_tool("max_of", {"a": 1, "b": 2})
                assert listeners(box) == 1

    asyncio.run(run())
    assert listeners(box) == 0


def test_clients_that_were_never_opened_leave_no_listener(box):
    for _ in range(3):
        box.client()
    assert listeners(box) == 0


def test_an_app_in_one_loop_after_another_leaves_no_listener(box):
    app = box.asgi(hosts=["*"], short=False)
    for _ in range(3):
        assert asyncio.run(ask(app)).status == 200
        assert listeners(box) == 0


def test_a_conversation_on_stdio_leaves_no_listener(box):
    for _ in range(2):
        incoming, client_out = os.pipe()
        client_in, outgoing = os.pipe()
        conversation = Conversation(served(box), incoming, outgoing, server_config("stdio", {}))
        thread = threading.Thread(target=asyncio.run, args=[conversation.run()])
        thread.start()
        os.close(client_out)
        thread.join(30)
        assert not thread.is_alive()
        assert listeners(box) == 0
        for each in (incoming, client_in, outgoing):
            os.close(each)


def test_an_exchanged_version_is_not_listened_to(box):
    live, newer, heard = Reloadable(served(box)), Toolbox("newer", [max_of]), []
    end = live.on_change(lambda *what: heard.append(what))
    live.swap(served(newer))
    assert (listeners(box), listeners(newer)) == (0, 1)
    heard.clear()
    box.changed("tools")
    newer.changed("prompts")
    end()
    newer.changed("prompts")
    assert heard == [("prompts", "")]
