"""Calls that become tasks, and what becomes of them, for tests."""

import json
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Http, Stdio, until

TOOLS = Path(__file__).with_name("task_tools.py")
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TASKS", f"sqlite:///{tmp_path}/tasks.db")
    return tmp_path / "tasks.db"


@pytest.fixture
def soon(monkeypatch):
    """A call becomes a task almost at once, so that it is one however busy the machine is."""
    monkeypatch.setenv("TASKS_HOLD", "0.02")


@pytest.fixture
def http(store):
    with Http(TOOLS) as server:
        yield server


def asked(server, method, params, *, able=True, **headers):
    """Ask a server; return its result, or its error."""
    capabilities = {**TASKS, "elicitation": {}} if able else {}
    meta = {**MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities}
    if isinstance(server, Stdio):
        came = server.ask(method, {**params, "_meta": meta})
        return came.get("result") or came["error"]
    if "taskId" in params:
        headers.setdefault("mcp_name", params["taskId"])
    data = server.message(method, params, meta=meta, **headers)
    body = server.asked(data)[1]
    if not body.lstrip().startswith(b"{"):
        body = [line[5:] for line in body.splitlines() if line.startswith(b"data:")][-1]
    came = json.loads(body)
    return came.get("result") or came["error"]


def call(server, name, /, **arguments):
    return asked(server, "tools/call", {"name": name, "arguments": arguments})


def get(server, number, **headers):
    return asked(server, "tasks/get", {"taskId": number}, **headers)


def computed(server, folder, label):
    """Let a call become a task, and then compute; return its number."""
    file = folder / f"go {label}"
    number = call(server, "slow_compute", label=label, after=str(file))["taskId"]
    file.touch()
    return number


def ended(server, number):
    def over():
        task = get(server, number)
        return task if task["status"] in {"completed", "failed", "cancelled"} else None

    return until(over, "the task ends")


def waiting(server, number):
    def asks():
        task = get(server, number)
        return task.get("inputRequests") if task["status"] == "input_required" else None

    return until(asks, "the task asks")
