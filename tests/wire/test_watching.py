"""Hooks that watch calls: lines, spans, metrics; alone, together, and as the command starts them."""

import asyncio
import json
import os
import pty
import re
import subprocess
import threading
from pathlib import Path

import prometheus_client
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.wire.command_files import here
from tests.wire.processes import LONGEST, Http, Stdio, refused, start, until
from toolwright import Call, Toolbox, ToolError
from toolwright.telemetry import audit, metrics, spans

__all__ = ["here"]  # a fixture


@pytest.fixture
def box():
    box = Toolbox("watched")

    @box.tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    @box.tool
    def fail(password: str) -> None:
        raise ToolError("no", code="refused")

    @box.tool(timeout=0.05)
    async def slow() -> None:
        await asyncio.Event().wait()

    @box.tool(cache=60)
    def once(x: int) -> int:
        return x

    return box


def run_all(box):
    box.call("add", {"a": 1}, call=Call("add", caller="ada", roles=["admin"]))
    box.call("add", {"a": "x"})
    box.call("fail", {"password": "hunter22"})
    box.call("slow")
    box.call("nope")
    box.call("once", {"x": 1})
    box.call("once", {"x": 1})


OUTCOMES = [
    ("add", "ok", None),
    ("add", "error", "arguments"),
    ("fail", "error", "refused"),
    ("slow", "error", "timeout"),
    ("nope", "error", "not_found"),
    ("once", "ok", None),
    ("once", "ok", None),
]


def test_a_line_for_each_call(box, tmp_path):
    file = tmp_path / "calls.jsonl"
    box.around(audit(file))
    run_all(box)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(each["tool"], each["outcome"], each.get("code")) for each in lines] == OUTCOMES
    assert (lines[0]["caller"], lines[0]["roles"]) == ("ada", ["admin"])
    assert all(each["seconds"] >= 0 and each["call"] for each in lines)
    assert "hunter22" not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.promise("everyday.audit")
def test_arguments_are_written_only_if_asked_for_and_without_secrets(box):
    lines = []
    box.around(audit(lines.append, arguments=True))
    run_all(box)
    assert json.loads(json.loads(lines[0])["arguments"]) == {"a": 1}
    assert "hunter22" not in "".join(lines)
    assert "***" in lines[2]


def test_a_cancelled_call_is_written_down(box):
    lines = []
    box.around(audit(lines.append))

    async def run():
        began = asyncio.Event()

        @box.tool
        async def stuck() -> None:
            began.set()
            await asyncio.Event().wait()

        task = asyncio.ensure_future(box.call_async("stuck"))
        await began.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    assert json.loads(lines[0])["outcome"] == "cancelled"


@pytest.fixture
def exported():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter, provider.get_tracer("test")


def test_a_span_for_each_call(box, exported):
    exporter, tracer = exported
    box.around(spans(tracer))
    run_all(box)
    found = exporter.get_finished_spans()
    assert [span.name for span in found] == [f"tools/call {name}" for name, _, _ in OUTCOMES]
    assert [span.attributes.get("error.type") for span in found] == [code for *_, code in OUTCOMES]
    assert [span.status.is_ok for span in found] == [each[1] == "ok" for each in OUTCOMES]
    assert "hunter22" not in "".join(span.to_json() for span in found)


@pytest.mark.promise("everyday.spans")
def test_a_span_is_under_the_one_of_its_client(box, exported):
    exporter, tracer = exported
    box.around(spans(tracer))
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    box.call("add", {"a": 1}, call=Call("add", headers={"Traceparent": parent}))
    (span,) = exporter.get_finished_spans()
    assert f"{span.parent.span_id:x}" == "b7ad6b7169203331"
    assert f"{span.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"


def test_metrics(box):
    registry = prometheus_client.CollectorRegistry()
    box.around(metrics(registry))
    run_all(box)
    box.around(metrics(registry))  # as after a reload: counted in the same place

    def value(name, **labels):
        return registry.get_sample_value(name, labels)

    assert value("toolwright_calls_total", tool="add", outcome="ok") == 1
    assert value("toolwright_calls_total", tool="add", outcome="error") == 1
    assert value("toolwright_calls_total", tool="slow", outcome="error") == 1
    assert value("toolwright_calls_total", tool="(unknown)", outcome="error") == 1
    assert value("toolwright_calls_total", tool="nope", outcome="error") is None
    assert value("toolwright_call_seconds_count", tool="once") == 2
    assert value("toolwright_calls_running") == 0


def test_all_together_see_every_call(box, exported, tmp_path):
    exporter, tracer = exported
    lines = []
    registry = prometheus_client.CollectorRegistry()
    for hook in (audit(lines.append), spans(tracer), metrics(registry)):
        box.around(hook)
    run_all(box)
    assert len(lines) == len(exporter.get_finished_spans()) == len(OUTCOMES)


@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_the_command_writes_lines(here, more):
    with Stdio("shop.py", "--audit", "calls.jsonl", *more) as server:
        server.call("add", a=1)
        server.call("orders_drop", n="x")
    lines = [json.loads(line) for line in Path("calls.jsonl").read_text().splitlines()]
    assert [(each["tool"], each["outcome"]) for each in lines] == [
        ("add", "ok"),
        ("orders.drop", "error"),
    ]
    with Http("shop.py", "--audit", "-", "--audit-arguments", *more) as server:
        server.call("add", a=41)
        said = until(lambda: re.search(r'\{"time".*\}', server.said()), "a line")
        assert json.loads(json.loads(said[0])["arguments"]) == {"a": 41}


def test_the_command_shows_metrics(here):
    with Http("shop.py", "--metrics", "--token", "good-token") as server:
        token = {"authorization": "Bearer good-token"}
        server.call("add", token, a=1)
        assert server.asked(server.request("GET", "/metrics"))[0] == 401
        status, body = server.asked(server.request("GET", "/metrics", **token))
        assert status == 200
        assert b'toolwright_calls_total{outcome="ok",tool="add"} 1.0' in body
    with Http("shop.py") as server:
        assert server.asked(server.request("GET", "/metrics"))[0] == 404


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--metrics"], "--http"),
        (["--audit-arguments"], "--audit"),
        (["--audit", "missing/folder/file"], "missing/folder/file"),
        (["--http", "--metrics", "--workers", "2"], "--workers"),
    ],
)
def test_what_cannot_be_watched(here, given, said):
    assert said in refused(2, "serve", "shop.py", *given)


@pytest.mark.promise("everyday.status")
def test_a_terminal_shows_what_the_server_does(here):
    """A real terminal: what is seen is read from its other end."""
    ours, theirs = pty.openpty()
    seen = bytearray()
    process = start(
        *["serve", "shop.py", "--http", "--port", "0"],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)

    def read():
        try:
            while chunk := os.read(ours, 4096):
                seen.extend(chunk)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        found = until(lambda: re.search(rb"http://127.0.0.1:(\d+)/mcp", bytes(seen)), "an address")
        until(lambda: b"0 calls, 0 failed, 0 running, waiting for a client" in seen, "the line")
        other = Http.__new__(Http)
        other.port = int(found[1])
        other.said = lambda: ""
        other.call("add", a=1)
        other.call("orders_drop", n=1)
        until(lambda: b"2 calls, 1 failed, 0 running, last: orders.drop" in seen, "the count")
    finally:
        process.terminate()
        process.wait(LONGEST)
        reader.join(LONGEST)
        os.close(ours)


def test_what_cannot_be_written_down_takes_no_call_down(here, tmp_path):
    with Stdio("shop.py", "--audit", "/dev/full") as server:
        for _ in range(3):
            assert not server.call("add", a=1)["isError"]
        assert server.said().count("cannot be recorded") == 1
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refused(2, "serve", "shop.py", "--audit", "pipe")
