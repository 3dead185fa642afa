"""Real clients of others against our servers: the conformance suite, TypeScript, the Inspector."""

import sys
from pathlib import Path

import pytest

from tests.wire import clients, fixtures

HERE = Path(__file__).parents[2] / "wire"
SHOP = str(HERE / "shop_server.py")
CALLS = [("search", {"query": "bike"}), ("nope", {}), ("search", {"querry": 1})]


@pytest.fixture(scope="module")
def _clients():
    clients.needs_clients()


@pytest.fixture(scope="module")
def everything(_clients):
    env = {"PYTHONPATH": str(HERE.parents[1])}  # the tests are a package
    with clients.served([sys.executable, str(HERE / "fixtures.py"), "0"], env=env) as url:
        yield url


@pytest.fixture(scope="module")
def shop(_clients):
    with clients.served([sys.executable, SHOP, "0"]) as url:
        yield url


@pytest.fixture(params=["http", "stdio"])
def target(request, _clients):
    return [sys.executable, SHOP] if request.param == "stdio" else request.getfixturevalue("shop")


@pytest.mark.parametrize(
    ("version", "scenarios", "checks"), [("2025-11-25", 33, 84), ("2026-07-28", 40, 152)]
)
def test_the_whole_conformance_suite_passes(everything, version, scenarios, checks):
    outcomes = clients.conformance(everything, version)
    assert clients.totals(outcomes) == (checks, 0, 0, 0, [])
    assert len(outcomes) == scenarios


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_every_fixture_is_listed(everything, era):
    """Some scenarios pass on a tool that is not there."""
    listed = clients.inspector(everything, "tools/list", era=era)
    assert [tool["name"] for tool in listed.result["tools"]] == list(fixtures.box)
    assert len(fixtures.box) == 28


def test_a_suite_that_reaches_no_server_does_not_pass(_clients):
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
    assert seen["server"] == {"name": "shop", "version": "1.0"}
    assert [tool["name"] for tool in seen["tools"]] == ["search", "order", "stock"]
    found, unknown, refused = seen["results"]
    structured = found["structuredContent"]
    products = structured if protocol == "2026-07-28" else structured["result"]
    assert [product["sku"] for product in products] == ["B-1"]
    assert unknown["error"]["code"] == -32602
    assert refused["isError"] is True
    assert "did you mean `query`?" in refused["content"][0]["text"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls(target, era):
    listed = clients.inspector(target, "tools/list", era=era, strict=True)
    assert (listed.code, listed.error) == (0, None)
    assert [tool["name"] for tool in listed.result["tools"]] == ["search", "order", "stock"]
    called = clients.inspector(
        target, "tools/call", tool="search", arguments={"query": "bike"}, era=era
    )
    assert called.code == 0
    assert "City bike" in called.result["content"][0]["text"]
