"""Long calls as tasks: the suite's scenarios, other clients, other callers, and killed servers."""

import os
import sys
import time

import pytest

from tests.wire.processes import Http, Stdio, until
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

__all__ = ["http", "soon", "store"]  # fixtures


@pytest.fixture(params=["http", "stdio"])
def server(request, store):
    if request.param == "http":
        yield request.getfixturevalue("http")
    else:
        with Stdio(TOOLS, greet=False) as server:
            yield server


@pytest.mark.promise("everyday.task")
def test_a_quick_call_is_no_task_and_a_slow_one_is(server, tmp_path):
    quick = call(server, "slow_compute", seconds=0, label="a")
    assert quick["content"][0]["text"] == "computed a"
    slow = call(server, "slow_compute", label="b", after=str(tmp_path / "go"))
    assert slow["resultType"] == "task"
    (tmp_path / "go").touch()
    assert ended(server, slow["taskId"])["result"]["content"][0]["text"] == "computed b"
    waited = asked(
        server, "tools/call", {"name": "slow_compute", "arguments": {"seconds": 0.3}}, able=False
    )
    assert waited["content"][0]["text"] == "computed "


@pytest.mark.usefixtures("soon")
def test_a_task_tells_how_far_it_is(server):
    number = call(server, "counted", steps=3)["taskId"]
    said = until(lambda: get(server, number).get("statusMessage"), "it tells")
    assert said.endswith("of 3: counting")
    assert "statusMessage" not in ended(server, number)


def test_what_a_task_told_before_it_was_one_is_shown(server, tmp_path):
    task = call(server, "told_once", after=str(tmp_path / "go"))
    assert task["statusMessage"] == "2 of 3: nearly"
    assert get(server, task["taskId"])["statusMessage"] == "2 of 3: nearly"
    (tmp_path / "go").touch()
    assert "statusMessage" not in ended(server, task["taskId"])


def test_the_last_that_a_task_tells_is_shown(server, tmp_path):
    number = call(server, "tells_twice_late", after=str(tmp_path / "go"))["taskId"]
    (tmp_path / "go").touch()
    until(lambda: get(server, number).get("statusMessage") == "2 of 2: last", "the last is shown")
    (tmp_path / "go.end").touch()
    ended(server, number)


def test_a_cancelled_task_is_stopped(server, tmp_path):
    file = tmp_path / "mark"
    number = call(server, "slow_compute", seconds=60)["taskId"]
    asked(server, "tasks/cancel", {"taskId": number})
    assert get(server, number)["status"] == "cancelled"
    number = call(server, "marks", file=str(file))["taskId"]
    until(file.exists, "it runs")
    asked(server, "tasks/cancel", {"taskId": number})
    assert get(server, number)["status"] == "cancelled"
    assert call(server, "greet", name="Ada")["content"][0]["text"] == "Hello, Ada!"


@pytest.mark.usefixtures("soon")
def test_a_task_that_takes_too_long_has_a_result_that_says_so(server):
    number = call(server, "too_slow")["taskId"]
    task = ended(server, number)
    assert task["status"] == "completed"
    assert task["result"]["isError"]
    assert "no answer in 1.5 s" in task["result"]["content"][0]["text"]


@pytest.mark.usefixtures("soon")
def test_a_confirmation_comes_before_the_task(server):
    first = call(server, "confirmed", x=7)
    assert first["resultType"] == "input_required"
    params = {
        "name": "confirmed",
        "arguments": {"x": 7},
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": True}}},
        "requestState": first["requestState"],
    }
    task = asked(server, "tools/call", params)
    assert ended(server, task["taskId"])["result"]["content"][0]["text"] == "done 7"


@pytest.mark.usefixtures("soon")
def test_what_a_task_asks_is_asked_until_it_is_answered(server):
    number = call(server, "confirm_delete", filename="x")["taskId"]
    (name,) = waiting(server, number)
    odd = {name: {"action": "accept", "content": {"confirm": "perhaps"}}, "other": 5}
    asked(server, "tasks/update", {"taskId": number, "inputResponses": odd})
    (again,) = until(lambda: (found := waiting(server, number)) != {name} and found, "again")
    assert again != name
    good = {again: {"action": "accept", "content": {"confirm": True}}}
    asked(server, "tasks/update", {"taskId": number, "inputResponses": good})
    assert ended(server, number)["result"]["content"][0]["text"] == "deleted x"


@pytest.mark.usefixtures("soon")
def test_a_user_may_decline(server):
    number = call(server, "confirm_delete", filename="x")["taskId"]
    (name,) = waiting(server, number)
    asked(
        server, "tasks/update", {"taskId": number, "inputResponses": {name: {"action": "decline"}}}
    )
    task = ended(server, number)
    assert task["status"] == "completed"
    assert task["result"]["isError"]


@pytest.mark.usefixtures("soon")
def test_tasks_belong_to_their_callers(store):
    with Http(TOOLS, "--token", "first-token", "--token", "second-token") as server:
        first, second = ({"authorization": f"Bearer {each}-token"} for each in ("first", "second"))
        params = {"name": "slow_compute", "arguments": {"seconds": 30}}
        number = asked(server, "tools/call", params, **first)["taskId"]
        assert get(server, number, **first)["status"] == "working"
        assert get(server, number, **second)["code"] == -32602
        for method in ("tasks/cancel", "tasks/update"):
            assert asked(server, method, {"taskId": number}, **second)["code"] == -32602
        assert get(server, number, **first)["status"] == "working"


def test_older_clients_know_no_tasks(store):
    with Stdio(TOOLS) as server:
        assert "extensions" not in server.hello["capabilities"]
        assert server.ask("tasks/get", {"taskId": "x"})["error"]["code"] == -32601
        needed = server.ask("tools/call", {"name": "failing_job", "arguments": {}})
        assert needed["error"]["code"] == -32021


def test_tasks_are_forgotten_after_a_while(tmp_path, monkeypatch):
    from toolwright.serve.sdk.task_records import TaskRecords
    from toolwright.stores import SqliteStore

    now = [time.time()]
    store = SqliteStore(tmp_path / "tasks.db", clock=lambda: now[0])
    records = TaskRecords(store, "box", keep=60)
    number = records.create(None, 500)["taskId"]
    now[0] += 24 * 3600
    assert records.read(number, None)["status"] == "working"  # it is ours, and it runs
    ended = records.end(number, "completed", result={})
    assert ended["ttlMs"] >= 60_000
    assert records.end(number, "cancelled")["status"] == "completed"
    now[0] += 59
    assert records.read(number, None)["status"] == "completed"
    now[0] += 2
    assert records.read(number, None) is None
    other = TaskRecords(store, "box", keep=60)
    number = other.create("ada", 500)["taskId"]
    assert records.read(number, "ada")["status"] == "working"
    assert records.read(number, "bob") is None
    now[0] += 61  # no sign of life since, and its process cannot be seen from here
    monkeypatch.setattr("toolwright.serve.sdk.task_records.lives", lambda sign: None)
    assert records.read(number, "ada")["status"] == "failed"
    store.close()


def test_tasks_are_kept_in_a_file_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("TASKS", "")
    plain = tmp_path / "plain.py"
    plain.write_text(
        "import asyncio, os\nfrom toolwright import Toolbox\nbox = Toolbox('plain')\n"
        "@box.tool(task=True)\nasync def nap(after: str) -> str:\n"
        "    while not os.path.exists(after):\n        await asyncio.sleep(0.01)\n    return 'up'\n"
    )
    with Http(plain) as server:
        number = call(server, "nap", after=str(tmp_path / "go"))["taskId"]
        (tmp_path / "go").touch()
        assert ended(server, number)["result"]["content"][0]["text"] == "up"
    file = tmp_path / ".local" / "state" / "toolwright" / "tasks.db"
    if sys.platform == "linux":
        assert file.stat().st_mode & 0o777 == 0o600
    assert os.environ["HOME"] == str(tmp_path)


def test_where_tasks_cannot_be_written_calls_are_waited_for(tmp_path, monkeypatch):
    broken = tmp_path / "broken.db"
    monkeypatch.setenv("TASKS", f"sqlite:///{broken}")
    with Http(TOOLS) as server:
        assert call(server, "greet", name="Ada")["content"]
        broken.write_bytes(b"this is no database" * 100)  # it was one when the server started
        made = call(server, "slow_compute", seconds=0.5, label="y")
        assert made["content"][0]["text"] == "computed y"
        assert "tasks cannot be read now" in get(server, "x")["message"]
        assert "Traceback" not in server.said()


def test_signs_of_life_end_with_the_last_task(monkeypatch):
    from toolwright.serve.sdk.task_records import TaskRecords
    from toolwright.stores import MemoryStore

    monkeypatch.setattr("toolwright.serve.sdk.task_records._BEAT", 0.01)
    records = TaskRecords(MemoryStore(), "box", keep=60)
    runs = [True, True, False, False]
    records.beat(lambda: runs.pop(0) if runs else False)
    until(lambda: records._beating is None, "it ends")
    records.beat(lambda: True)
    assert records._beating.is_alive()
    records.close()
