"""One id for a call: in the message, the log, the audit line, the span and `_meta`."""

import asyncio
import json
import logging
import re
import threading

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolwright import Call, Toolbox, UnexpectedError
from toolwright.telemetry import audit, spans


def breaks(n: int = 0) -> int:
    raise AssertionError("secret")


async def breaks_async(n: int = 0) -> int:
    raise AssertionError("secret")


OPTIONS = [{}, {"timeout": 60}, {"retry": 2}, {"cache": 60}, {"run_on": "inline"}]


def ids_of(result, records):
    (reference,) = re.findall(r"\(reference ([0-9a-f.]+)\)", result.text)
    (logged,) = [each for each in records if each.levelno == logging.ERROR]
    assert f"(reference {reference})" in logged.getMessage()
    assert result.meta["toolwright/error"] == {"code": "unexpected", "call": reference}
    assert isinstance(result.error, UnexpectedError)
    return reference


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("target", [breaks, breaks_async])
@pytest.mark.promise("result.call-id")
def test_all_that_names_an_unexpected_failure_names_the_same_id(caplog, target, options):
    if target is breaks_async and "run_on" in options:
        pytest.skip("async code has no run_on")
    box, lines, exporter = Toolbox("box"), [], InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    box.add(target, name="breaks", **options)
    box.around(audit(lines.append))
    box.around(spans(provider.get_tracer("test")))
    for run in (box.call, lambda name: asyncio.run(box.call_async(name))):
        reference = ids_of(run("breaks"), caplog.records)
        assert json.loads(lines.pop())["call"] == reference
        assert exporter.get_finished_spans()[-1].attributes["toolwright.call_id"] == reference
        caplog.clear()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_call_that_is_given_keeps_its_id(caplog, options):
    box = Toolbox("box")
    box.add(breaks, **options)
    for at, run in enumerate((box.call, lambda *a, **k: asyncio.run(box.call_async(*a, **k)))):
        call = Call()
        assert ids_of(run("breaks", {"n": at}, call=call), caplog.records) == call.id
        caplog.clear()


def test_without_a_call_each_failure_has_its_own_id(caplog):
    box = Toolbox("box")
    box.add(breaks)
    ids = set()
    for _ in range(3):
        ids.add(ids_of(box.call("breaks"), caplog.records))
        caplog.clear()
    assert len(ids) == 3


def test_a_tool_inside_another_is_named_under_it(caplog):
    box = Toolbox("box")

    @box.tool
    def outer(call: Call) -> str:
        return box.call("breaks", call=call).meta["toolwright/error"]["call"]

    box.add(breaks)
    call = Call()
    inner = box.call("outer", call=call).value
    assert inner.startswith(f"{call.id}.")


def test_an_id_does_not_change_while_threads_read_it():
    for _ in range(50):
        call, seen, ready = Call(), [], threading.Barrier(4)

        def read(call=call, seen=seen, ready=ready):
            ready.wait()
            seen.append(call.id)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for each in readers:
            each.start()
        for each in readers:
            each.join()
        assert set(seen) == {call.id}


def test_ids_are_random_and_never_the_number_of_a_call():
    ids = [Call().id for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert all(re.fullmatch("[0-9a-f]{12}", each) for each in ids)


def test_callers_who_share_a_failure_are_given_the_id_that_the_log_has(caplog):
    box, entered, go_on = Toolbox("box"), threading.Event(), threading.Event()

    @box.tool(cache=60)
    def shared() -> int:
        entered.set()
        go_on.wait(30)
        raise AssertionError

    results = []
    calls = [threading.Thread(target=lambda: results.append(box.call("shared"))) for _ in range(2)]
    calls[0].start()
    assert entered.wait(30)
    calls[1].start()
    go_on.set()
    for each in calls:
        each.join()
    for result in results:
        (reference,) = re.findall(r"\(reference ([0-9a-f.]+)\)", result.text)
        assert result.meta["toolwright/error"]["call"] == reference
        assert reference in caplog.text
