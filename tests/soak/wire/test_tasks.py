"""Long calls as tasks: the suite's scenarios, other clients, other callers, and killed servers."""

import os
import signal
import sqlite3
import sys
import time

import pytest

from tests.wire import clients
from tests.wire.processes import LONGEST, Http, until
from tests.wire.task_calls import (
    TOOLS,
    asked,
    call,
    computed,
    ended,
    get,
    http,
    soon,
    store,
    waiting,
)
from tests.wire.test_tasks import server

SCENARIOS = {
    "tasks-lifecycle": 9,
    "tasks-capability-negotiation": 5,
    "tasks-wire-fields": 4,
    "tasks-request-state-removal": 3,
    "tasks-mrtr-input": 4,
    "tasks-request-headers": 5,
    "tasks-dispatch-and-envelope": 9,
    "tasks-required-task-error": 3,
    "tasks-mrtr-composition": 2,
}


def test_the_scenarios_of_the_suite():
    clients.needs_clients()
    with clients.served([sys.executable, str(TOOLS), "0"]) as url:
        seen = {}
        for name in SCENARIOS:
            seen.update(clients.conformance(url, "2026-07-28", scenario=name))
    assert {name: (each.passed, each.failed, each.messages) for name, each in seen.items()} == {
        name: (count, 0, []) for name, count in SCENARIOS.items()
    }


@pytest.mark.usefixtures("soon")
@pytest.mark.promise("everyday.task-lost")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_task_that_was_lost_with_its_server_has_failed(store, how):
    with Http(TOOLS) as server:
        done = computed(server, store.parent, "kept")
        ended(server, done)
        lost = call(server, "slow_compute", seconds=600)["taskId"]
        asking = call(server, "confirm_delete", filename="x")["taskId"]
        waiting(server, asking)
        server.process.send_signal(how)
        server.process.wait(LONGEST)
    with Http(TOOLS) as server:
        assert get(server, done)["result"]["content"][0]["text"] == "computed kept"
        for number in (lost, asking):
            task = ended(server, number)
            assert task["status"] == "failed"
            assert task["error"]["message"] == "the server was stopped while this task ran"
            assert "inputRequests" not in task
        assert call(server, "slow_compute", seconds=0)["content"][0]["text"] == "computed "


@pytest.mark.usefixtures("soon")
@pytest.mark.promise("everyday.task-readable")
def test_every_worker_knows_every_task(store):
    with Http(TOOLS, "--workers", "2", env={"TASKS_BEAT": "0.1"}) as server:
        numbers = [computed(server, store.parent, str(at)) for at in range(6)]
        for at, number in enumerate(numbers):
            found = ended(server, number)["result"]["content"][0]["text"]
            assert found == f"computed {at}"
        number = call(server, "confirm_delete", filename="y")["taskId"]
        (name,) = waiting(server, number)
        good = {name: {"action": "accept", "content": {"confirm": True}}}
        for _ in range(4):  # whichever worker gets it
            asked(server, "tasks/update", {"taskId": number, "inputResponses": good})
        assert ended(server, number)["result"]["content"][0]["text"] == "deleted y"
        number = call(server, "slow_compute", seconds=600)["taskId"]
        asked(server, "tasks/cancel", {"taskId": number})
        assert ended(server, number)["status"] == "cancelled"


@pytest.mark.usefixtures("soon")
def test_a_thread_that_waits_for_an_answer_is_given_back(server, tmp_path):
    """More than there are threads for calls that were given up."""
    for at in range(80):
        file = tmp_path / f"go {at}"
        number = call(server, "asks_in_a_thread", after=str(file))["taskId"]
        file.touch()  # only now: else it may ask before it is a task
        waiting(server, number)
        asked(server, "tasks/cancel", {"taskId": number})
    until(lambda: not call(server, "greet", name="Ada").get("isError"), "others run")
    threads = len(os.listdir(f"/proc/{server.pid}/task"))
    until(lambda: len(os.listdir(f"/proc/{server.pid}/task")) < 60, f"{threads} threads")


def test_a_call_that_asks_as_it_becomes_a_task(server):
    for _ in range(8):
        first = call(server, "asks_after", seconds=0.2)
        if first["resultType"] == "input_required":
            continue  # it asked just before
        (name,) = waiting(server, first["taskId"])
        good = {name: {"action": "accept", "content": {"name": "Ada"}}}
        asked(server, "tasks/update", {"taskId": first["taskId"], "inputResponses": good})
        assert ended(server, first["taskId"])["result"]["content"][0]["text"] == "Ada"


def test_a_task_ends_though_the_disk_was_busy(store):
    with Http(TOOLS, env={"TASKS_WAIT": "0.2"}) as server:
        file = store.with_name("go")
        number = call(server, "slow_compute", label="x", after=str(file))["taskId"]
        other = sqlite3.connect(store, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        file.touch()
        until(lambda: "cannot be saved yet" in server.said(), "it is longer than it waits")
        other.execute("ROLLBACK")
        other.close()
        assert ended(server, number)["result"]["content"][0]["text"] == "computed x"


@pytest.mark.usefixtures("soon")
def test_a_server_that_was_stopped_for_a_while_answers_its_task(store):
    env = {"TASKS_BEAT": "0.1"}
    with Http(TOOLS, env=env) as first, Http(TOOLS, env=env) as second:
        number = call(first, "confirm_delete", filename="z")["taskId"]
        (name,) = waiting(second, number)
        os.kill(first.pid, signal.SIGSTOP)
        try:
            end = time.monotonic() + 2  # longer than it goes without a sign of life
            while time.monotonic() < end:
                assert get(second, number)["status"] == "input_required"
                time.sleep(0.1)
        finally:
            os.kill(first.pid, signal.SIGCONT)
        good = {name: {"action": "accept", "content": {"confirm": True}}}
        asked(second, "tasks/update", {"taskId": number, "inputResponses": good})
        assert ended(second, number)["result"]["content"][0]["text"] == "deleted z"
        assert get(first, number) == get(second, number)
