"""Tools in processes: isolated, killable, with everything a tool in a thread has."""

import asyncio
import logging
import os
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.wire.processes import gone, until
from tests.wire.run import process_tools
from tests.wire.run.process_tools import Day, Settings, box
from toolwright import (
    Call,
    CallCancelled,
    Process,
    SchemaError,
    Tool,
    Toolbox,
    ToolError,
    UnexpectedError,
)
from toolwright.run import pool as children


@pytest.fixture(scope="module", autouse=True)
def _ended():
    yield
    children.close_pools()


def written(path):
    """Wait until a tool has written down its processes."""
    until(path.exists, "the tool runs")
    return [int(word) for word in path.read_text(encoding="ascii").split()]


@pytest.mark.parametrize("name", ["where", "where_async"])
def test_it_runs_in_another_process_that_stays_warm(name):
    first = box.call(name).value
    assert first != os.getpid()
    assert box.call(name).value == first
    assert asyncio.run(box.call_async(name)).value == first


def test_arguments_results_and_providers_are_as_in_a_thread():
    made = box.call("injected", {"day": {"on": "2024-02-01"}}, call=Call(caller="ada")).value
    assert isinstance(made, Day)
    assert made.on == date(2024, 2, 1)
    greeting, maker, word, pid = made.word.split()
    assert (greeting, word) == ("hello", "later")
    assert maker == f"ada:{pid}"
    assert int(pid) != os.getpid()


def test_arguments_are_checked_and_repaired_before_they_cross():
    made = box.call("rows", {"count": "3"})
    assert made.value == [0, 1, 2]
    assert [repair.code for repair in made.repairs] == ["json"]
    assert box.call("rows", {"cuont": 3}).error.code == "arguments"
    assert box.call("injected", {"day": {"on": "2024-02-01"}, "maker": "me"}).error.code == (
        "arguments"
    )


@pytest.mark.parametrize(
    ("how", "kind", "code", "said"),
    [
        ("tool", ToolError, "shut", "closed - come at nine"),
        ("value", None, "call", "ValueError: too small"),
        ("secret", UnexpectedError, "unexpected", "fails failed unexpectedly (reference "),
        ("exit", UnexpectedError, "unexpected", "fails failed unexpectedly (reference "),
        ("interrupt", UnexpectedError, "unexpected", "fails failed unexpectedly (reference "),
        ("type", None, "result", "fails: `result` is not of its declared type"),
        ("os._exit", UnexpectedError, "unexpected", "fails: its process ended with code 7"),
        ("kill", UnexpectedError, "unexpected", "fails: its process was killed by signal 9"),
        ("deep", UnexpectedError, "unexpected", "fails failed unexpectedly (reference "),
    ],
)
def test_failures_are_told_as_in_a_thread(how, kind, code, said, caplog):
    with caplog.at_level(logging.ERROR, "toolwright"):
        made = box.call("fails", {"how": how})
    assert made.error.code == code
    assert made.text.startswith(said)
    assert "tiger" not in str(made.to_mcp())
    assert kind is None or isinstance(made.error, kind)
    if how == "secret":
        assert "the password is tiger" in caplog.text
        assert "process_tools.py" in caplog.text
    assert box.call("fails", {"how": ""}).value == 0


def test_a_tool_error_keeps_what_it_says():
    error = box.call("fails", {"how": "tool"}).error
    assert (error.retryable, error.hint) == (True, "come at nine")
    with pytest.raises(ToolError):
        box.call("fails", {"how": "tool"}, raise_on_error=True)


@pytest.mark.parametrize(
    "what", ["none", "bytes", "image", "nested", "set", "big", "text", "canonical", "nan", "object"]
)
def test_a_value_makes_the_same_result_as_in_a_thread(what):
    here = Tool(process_tools.returns, run_on="thread").call({"what": what})
    apart = box.call("returns", {"what": what})
    assert apart.to_mcp() == here.to_mcp()


def test_a_long_result_is_cut_but_its_value_is_whole():
    made = box.call("rows", {"count": 2000})
    assert "left out" in made.text
    assert made.value == list(range(2000))


@pytest.mark.promise("limit.call")
def test_progress_log_and_the_call_cross(capfd):
    seen = []
    call = Call(
        id="7",
        caller="ada",
        roles=("admin",),
        timeout=60,
        on_progress=lambda *step: seen.append(step),
        on_log=lambda *said: seen.append(said),
    )
    assert box.call("reports", call=call).value == "7 ada ['admin'] True"
    named = ("info", {"msg": "found", "extra": {"rows": 3}}, "shop")
    assert seen == [(1, 2, "half"), ("warning", "a word"), named]
    seen.clear()
    letters = Call(on_progress=lambda *step: seen.append(step))
    assert box.call("letters", {"count": 3}, call=letters).value == "abc"
    assert seen == [(1, None, "a"), (2, None, "b"), (3, None, "c")]
    assert capfd.readouterr().out == ""


def test_standard_input_is_empty():
    assert box.call("reads_input").value == "nothing"


def test_headers_cross_and_what_depends_on_them_is_not_kept(tmp_path):
    def asked(word):
        sent = {"path": str(tmp_path / "runs")}
        return box.call("cached_header", sent, call=Call(headers={"X-Word": word})).value

    assert box.call("reads_header", call=Call(headers={"X-Word": "w"})).value == "w"
    assert [asked("a"), asked("b"), asked("a")] == ["a 1", "b 2", "a 3"]


def test_a_kept_result_is_of_the_same_type(tmp_path):
    sent = {"path": str(tmp_path / "runs")}
    first, second = (box.call("cached", sent) for _ in range(2))
    assert first.value == second.value == Day(on=date(2024, 1, 1))
    assert [made.meta["toolwright/cache"]["hit"] for made in (first, second)] == [False, True]


@pytest.mark.parametrize(("needed", "runs"), [(3, 3), (9, 3)])
def test_retry_knows_the_exceptions_of_another_process(tmp_path, needed, runs):
    path = tmp_path / "runs"
    made = box.call("retried", {"path": str(path), "needed": needed})
    assert made.is_error is (needed > 3)
    assert len(path.read_text(encoding="ascii")) == runs


@pytest.mark.promise("limit.cancel")
@pytest.mark.parametrize("way", ["call.cancel", "task.cancel"])
def test_cancelling_kills_the_process_and_what_it_started(tmp_path, way):
    path = tmp_path / "pids"
    call = Call()

    async def run():
        task = asyncio.create_task(box.call_async("waits", {"path": str(path)}, call=call))
        pids = await asyncio.to_thread(written, path)
        if way == "call.cancel":
            call.cancel()
            assert isinstance((await task).error, CallCancelled)
        else:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return pids

    for pid in asyncio.run(run()):
        gone(pid)
    assert box.call("where").value > 0


@pytest.mark.promise("limit.process-dies")
def test_a_killed_worker_loses_one_call_only(tmp_path):
    async def run():
        path = tmp_path / "pids"
        doomed = asyncio.create_task(box.call_async("waits", {"path": str(path)}))
        others = [asyncio.create_task(box.call_async("rows", {"count": n})) for n in range(40)]
        pid, grandchild = await asyncio.to_thread(written, path)
        os.kill(pid, 9)
        os.kill(grandchild, 9)
        lost = await doomed
        assert lost.text == "waits: its process was killed by signal 9"
        assert [(await each).value for each in others] == [list(range(n)) for n in range(40)]

    asyncio.run(run())


def test_limits_of_a_process_are_refused_where_there_are_none(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(SchemaError, match=r"where.*which only Linux can do"):
        Tool(process_tools.where, run_on=Process(memory=10**9))
    Tool(process_tools.where, run_on=Process())


def test_what_another_process_cannot_find_is_refused():
    def local() -> int:
        return 1

    with pytest.raises(SchemaError, match=r"local cannot be found again by another process"):
        Tool(local, run_on="process")
    with pytest.raises(SchemaError, match=r"cannot be found again by another process"):
        Tool(Settings().greet, run_on="process").compile()
    other = Toolbox("other")
    other.provide(Settings, lambda: Settings())
    other.add(process_tools.injected)
    with pytest.raises(SchemaError, match=r"again\.settings has a provider that another"):
        other.add(process_tools.injected, name="again").replace(run_on="process").compile()


def test_an_override_does_not_pretend_to_reach_another_process():
    with box.override({Settings: Settings}):
        made = box.call("injected", {"day": {"on": "2024-02-01"}})
    assert made.text == "injected runs in another process, where no override reaches it"


def test_content_crosses_as_content():
    assert box.call("returns", {"what": "image"}).content[0]["type"] == "image"
