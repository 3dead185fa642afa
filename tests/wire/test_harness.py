"""The harness itself, on servers of the official SDK: what it says of them is known."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import clients
import conformance_fixtures as fixtures
import pytest

HERE = Path(__file__).parent
ADDING = str(HERE / "adding.py")
STDIO = [sys.executable, ADDING, "stdio"]
CALLS = [("add", {"a": 2, "b": 40}), ("nope", {})]


@pytest.fixture(scope="module", autouse=True)
def _clients():
    clients.needs_clients()


@pytest.fixture(scope="module")
def adding(_clients):
    with clients.served([sys.executable, ADDING, "{port}"]) as url:
        yield url


@pytest.fixture(scope="module")
def everything(_clients):
    with clients.served([sys.executable, str(HERE / "everything.py"), "{port}"]) as url:
        yield url


@pytest.fixture(params=["http", "stdio"])
def target(request):
    return STDIO if request.param == "stdio" else request.getfixturevalue("adding")


@pytest.mark.parametrize(
    ("version", "scenarios", "checks"), [("2025-11-25", 33, 84), ("2026-07-28", 40, 152)]
)
def test_a_server_with_every_fixture_passes_the_whole_suite(everything, version, scenarios, checks):
    outcomes = clients.conformance(everything, version)
    assert clients.totals(outcomes) == (checks, 0, 0, 0, [])
    assert len(outcomes) == scenarios


def test_a_server_without_fixtures_fails_where_they_are_missing(adding):
    outcomes = clients.conformance(adding, "2025-11-25")
    for scenario in ("ping", "tools-list", "server-initialize", "dns-rebinding-protection"):
        assert outcomes[scenario].passed > 0
        assert outcomes[scenario][1:] == (0, 0, 0, [])
    assert outcomes["prompts-get-simple"].failed == 1
    assert "Unknown prompt" in outcomes["prompts-get-simple"].messages[0]
    assert outcomes["server-sse-polling"].warned == 2


def test_one_scenario_runs_alone(adding):
    outcomes = clients.conformance(adding, "2026-07-28", scenario="tools-list")
    assert list(outcomes) == ["tools-list"]
    assert outcomes["tools-list"].failed == 0


def test_a_suite_that_reaches_no_server_does_not_pass():
    outcomes = clients.conformance("http://localhost:9/mcp", "2025-11-25", scenario="ping")
    assert outcomes["ping"].failed == 1


@pytest.mark.parametrize(
    ("release", "era", "protocol"),
    [
        (1, "legacy", "2025-11-25"),
        (2, "legacy", "2025-11-25"),
        (2, "auto", "2026-07-28"),
        (2, "2026-07-28", "2026-07-28"),
    ],
)
def test_typescript_clients_list_and_call(target, release, era, protocol):
    seen = clients.typescript(release, target, CALLS, era=era)
    assert seen["error"] is None
    assert seen["protocol"] == protocol
    assert seen["server"]["name"] == "adding"
    assert [tool["name"] for tool in seen["tools"]] == ["add"]
    added, unknown = seen["results"]
    assert added["structuredContent"] == {"result": 42}
    assert unknown["isError"] is True


@pytest.mark.parametrize("release", [1, 2])
def test_typescript_clients_say_what_went_wrong(release):
    seen = clients.typescript(release, "http://localhost:9/mcp", CALLS)
    assert "fetch failed" in seen["error"]["message"]
    assert seen["results"] == []


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls(target, era):
    listed = clients.inspector(target, "tools/list", era=era, strict=True)
    assert (listed.code, listed.error) == (0, None)
    assert [tool["name"] for tool in listed.result["tools"]] == ["add"]
    called = clients.inspector(
        target, "tools/call", tool="add", arguments={"a": 2, "b": 40}, era=era
    )
    assert called.code == 0
    assert called.result["structuredContent"] == {"result": 42}


def test_the_inspector_says_what_went_wrong(adding):
    called = clients.inspector(adding, "tools/call", tool="nope")
    assert called.code == 5
    assert called.result is None
    assert called.error["code"] == "tool_not_found"


def test_the_inspector_sees_every_fixture(everything):
    listed = clients.inspector(everything, "tools/list", era="modern")
    assert [tool["name"] for tool in listed.result["tools"]] == list(fixtures.SCHEMAS)


def test_the_pins_name_no_host_and_hold_a_hash_of_everything():
    lock = json.loads((clients.NODE / "package-lock.json").read_text())
    packages = {name: each for name, each in lock["packages"].items() if name}
    assert len(packages) > 100
    assert not [name for name, each in packages.items() if "resolved" in each]
    assert not [name for name, each in packages.items() if "integrity" not in each]


def test_without_npm_the_installer_says_so_and_is_content(tmp_path):
    for name in ("install.py", "package.json", "package-lock.json"):
        shutil.copy(clients.NODE / name, tmp_path)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "install.py")],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "There is no npm" in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_without_npm_tests_are_skipped(monkeypatch):
    monkeypatch.setattr(clients.installer, "installed", lambda: False)
    monkeypatch.setattr(clients.shutil, "which", lambda name: None)
    clients._trouble.cache_clear()
    with pytest.raises(pytest.skip.Exception, match="NO THIRD-PARTY MCP CLIENTS: there is no npm"):
        clients.needs_clients()
    clients._trouble.cache_clear()
