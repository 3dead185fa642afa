"""Tools that a server runs only as tasks are called as any other."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.wire.processes import until
from toolwright import CallError, Toolbox, ToolTimeout
from toolwright.client import connect

SERVER = str(Path(__file__).with_name("task_server.py"))


@pytest.fixture
def serving(tmp_path):
    clients = []

    def start(way="", **options):
        log = tmp_path / "log"
        client = connect([sys.executable, SERVER, str(log), way], **options)
        clients.append(client)
        return client, lambda: log.read_text().split()

    yield start
    for client in clients:
        client.close()


@pytest.mark.promise("client.tasks")
def test_a_tool_that_requires_a_task_is_called_like_any_other(serving):
    client, log = serving()
    assert client.research("bees") == "all about bees"
    assert client.call("research", {"topic": "ants"}).value == "all about ants"
    assert asyncio.run(client["research"].call_async("owls")) == "all about owls"
    assert log().count("tasks/result") == 3
    assert "tasks/cancel" not in log()
    steps = []
    client.call("research", {"topic": "x"}, on_progress=lambda *step: steps.append(step))
    assert [message for _, _, message in steps] == ["step 1", "step 2"]


@pytest.mark.promise("client.tasks-hub")
def test_a_hub_runs_the_task_for_its_callers(serving):
    client, _ = serving()
    hub = Toolbox("hub")
    hub.include(client, prefix="far_")
    added = Toolbox("other", [client.research])
    assert hub.call("far_research", {"topic": "bees"}).text == "all about bees"
    assert added.call("research", {"topic": "bees"}).text == "all about bees"
    (listed,) = hub.to_mcp("2025-11-25")["tools"]
    assert "execution" not in listed  # whoever calls the hub needs no task
    assert connect(hub).far_research("ants") == "all about ants"


def test_a_task_that_fails_gives_its_error(serving):
    client, _ = serving("fails")
    result = client.call("research", {"topic": "bees"})
    assert result.is_error
    assert result.text == "all about bees"


def test_a_task_asks_its_caller(serving):
    client, _ = serving("asks", on_form=lambda message, schema: {"depth": "deep"})
    assert client.research("bees") == "bees, deep"


@pytest.mark.promise("client.tasks")
def test_a_task_that_nobody_waits_for_is_cancelled(serving):
    client, log = serving("endless")
    with pytest.raises(ToolTimeout, match="research"):
        client.call("research", {"topic": "x"}, timeout=0.5, raise_on_error=True)
    until(lambda: log().count("tasks/cancel") == 1, "cancelled")

    async def given_up():
        running = asyncio.ensure_future(client["research"].call_async("y"))
        await asyncio.to_thread(until, lambda: log().count("tools/call") == 2, "begun")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(given_up())
    until(lambda: log().count("tasks/cancel") == 2, "cancelled")


def test_a_server_that_answers_without_a_usable_task_is_no_trap(serving):
    assert serving("at-once")[0].research("x") == "at once"
    with pytest.raises(CallError, match="without a usable `taskId`"):
        serving("no-id")[0].research("x")
