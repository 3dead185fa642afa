"""Third-party MCP clients for tests: the conformance suite, two TypeScript clients, the Inspector.

    needs_clients()                              # skips the test if they cannot be had
    conformance("http://localhost:8000/mcp", "2025-11-25")["ping"].failed == 0
    typescript(1, ["python", "server.py"], [("add", {"a": 2, "b": 40})])["results"]
    inspector("http://localhost:8000/mcp", "tools/list", era="modern").result["tools"]

A target is a URL or the command of a stdio server.
"""

import contextlib
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.wire import forked
from tests.wire.processes import announced_port

NODE = Path(__file__).parent / "node"
MODULES = NODE / "node_modules" / "@modelcontextprotocol"
ERAS = {"2025-11-25": "legacy", "2026-07-28": "modern"}


class Outcome(NamedTuple):
    """How many checks of one scenario ended how, and what the failed and warned ones said."""

    passed: int
    failed: int
    warned: int
    skipped: int
    messages: list[str]


class Inspected(NamedTuple):
    """What the Inspector printed. Codes: 0 fine, 1 usage or a result that does not fit its schema,
    3 authorisation, 4 unreachable, 5 the tool failed or is unknown, 6 `strict` found an error."""

    code: int
    result: Any
    error: Any
    stderr: str


def _load_installer():
    spec = importlib.util.spec_from_file_location("wire_node_install", NODE / "install.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


installer = _load_installer()


@functools.cache
def node():
    """The path of a Node that can run all this, or None if the clients are not installed."""
    return installer.newest_node() if installer.installed() else None


@functools.cache
def _trouble():
    if installer.installed():
        return None if installer.newest_node() else "there is no Node that is new enough"
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    return installer.install(npm)


def needs_clients():
    """Install the clients if need be; skip the test, saying why, if they cannot be had.

    Where npm is at hand CI does not skip: a registry that fails for a moment must not hide a bug.
    """
    trouble = _trouble()
    if trouble and os.environ.get("CI") and shutil.which("npm"):
        pytest.fail(f"The third-party MCP clients cannot be installed: {trouble}")
    if trouble:
        pytest.skip(f"NO THIRD-PARTY MCP CLIENTS: {trouble} (try {installer.COMMAND})")


def _run(arguments, timeout, **more):
    path = node()
    if path is None:
        raise RuntimeError(f"The MCP clients are not installed: run {installer.COMMAND}")
    environment = {**os.environ, "PATH": f"{Path(path).parent}{os.pathsep}{os.environ['PATH']}"}
    environment.update(more.pop("env", {}))
    return subprocess.run(
        [path, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        stdin=subprocess.DEVNULL,
        **more,
    )


def conformance(url, version, *, scenario=None, timeout=180):
    """Run all server scenarios of a protocol version, or one of them: {scenario: Outcome}.

    The host of the URL must be localhost (or 127.0.0.1): one scenario is about just that.
    """
    which = ["--scenario", scenario] if scenario else ["--suite", "all"]
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        program = MODULES / "conformance" / "dist" / "index.js"
        command = [program, "server", "--url", url, *which, "--spec-version", version, "-o", folder]
        if scenario and scenario.startswith("tasks-"):
            command.append("--force")  # an extension: not of the version itself
        done = _run(command, timeout, cwd=folder)
        outcomes = {
            _scenario(path.parent.name): _outcome(json.loads(path.read_text()))
            for path in sorted(Path(folder).glob("**/checks.json"))
        }
    if not outcomes:
        raise RuntimeError(f"The suite ran nothing: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return outcomes


def _scenario(folder):
    return re.sub(r"^server-(.+?)-\d{4}-\d\d-\d\dT.*$", r"\1", folder)


def _outcome(checks):
    ends = [check["status"] for check in checks]
    messages = [
        f"{check['status']} {check['id']}: {check.get('errorMessage') or check.get('description')}"
        for check in checks
        if check["status"] in {"FAILURE", "WARNING"}
    ]
    counts = [ends.count(each) for each in ("SUCCESS", "FAILURE", "WARNING", "SKIPPED")]
    return Outcome(*counts, messages)


def totals(outcomes):
    """All checks of all scenarios together."""
    columns = list(zip(*(each[:4] for each in outcomes.values()), strict=True))
    messages = [f"{name}: {said}" for name, each in outcomes.items() for said in each.messages]
    return Outcome(*map(sum, columns), messages)


def typescript(release, target, calls=(), *, era="legacy", env=None, timeout=90):
    """Connect, list and call with the TypeScript client 1.x or 2.x.

    Returns `protocol`, `server`, `tools`, `results` (one for each call: a CallToolResult or
    {"error": ...}), `notifications` and `error` (of the connection or the listing, else None).
    `era` is for release 2: "legacy", "auto" or a version such as "2026-07-28" to insist on.
    """
    asked = json.dumps({"target": target, "calls": [list(call) for call in calls], "era": era})
    done = _run([NODE / f"client{release}.mjs", asked], timeout, env=env or {})
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise RuntimeError(f"TypeScript client {release}: {done.stdout}{done.stderr[-2000:]}")
    return json.loads(lines[-1])


def inspector(
    target,
    method,
    *,
    tool=None,
    arguments=None,
    era="legacy",
    strict=False,
    options=(),
    env=None,
    timeout=90,
):
    """Ask the Inspector's command line for one method; `era` is "legacy", "auto" or "modern".

    It drops malformed tools from a list without a word, so compare names; and it makes null of
    arguments of the wrong type, so it cannot send those.
    """
    http = isinstance(target, str)
    command = [MODULES / "inspector" / "clients" / "launcher" / "build" / "index.js", "--cli"]
    command += [target] if http else list(target)
    command += ["--transport", "http" if http else "stdio", "--protocol-era", era]
    command += ["--method", method, "--format", "json", *options]
    if tool is not None:
        command += ["--tool-name", tool, "--tool-args-json", json.dumps(arguments or {})]
    if strict:
        command += ["--strict"]
    with tempfile.TemporaryDirectory(prefix="inspector-") as home:
        done = _run(command, timeout, cwd=home, env={**(env or {}), "HOME": home})
    error = next((line for line in done.stderr.splitlines() if line.startswith('{"error"')), "")
    result = _member(done.stdout, "result")
    return Inspected(done.returncode, result, _member(error, "error"), done.stderr)


def _member(line, key):
    return json.loads(line)[key] if line.strip() else None


@contextlib.contextmanager
def served(command, *, path="/mcp", env=None):
    """Start an HTTP server of ours on a port that is free; yield its URL."""
    with tempfile.TemporaryFile("w+") as log:
        server = forked.start(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
        )
        try:
            yield f"http://localhost:{announced_port(server, log)}{path}"
        finally:
            server.terminate()
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
