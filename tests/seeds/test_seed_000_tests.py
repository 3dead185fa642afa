"""Seed document 000, platools: its tools, tested as `platools test` tests them."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from tests.wire.command_files import here
from tests.wire.processes import good, refused, run
from toolwright import Toolbox
from toolwright.contract.trials import try_tools

platools = Toolbox("platools")


class RefundResult(BaseModel):
    refund_id: str
    amount_cents: int


@platools.tool()
def list_orders(customer_id: str, limit: int = 10) -> list[str]:
    """Return the most recent orders for a customer.

    Args:
        customer_id: Opaque UUID of the customer whose orders to fetch.
        limit: Maximum number of orders to return. Defaults to 10.
    """
    if customer_id == "nobody":
        raise LookupError("no such customer")
    return [f"{customer_id}-{at}" for at in range(limit)]


@platools.tool()
def search_products(
    query: Annotated[str, Field(min_length=1, max_length=200, description="Free-text query")],
    max_results: Annotated[int, Field(ge=1, le=100)] = 10,
) -> list[str]:
    """Full-text search across the product catalog."""
    return [query] * max_results


@platools.tool()
def refund(order_id: str) -> RefundResult:
    """Refund an order."""
    return RefundResult(refund_id=f"r-{order_id}", amount_cents=100)


CASES = """
tests:
  - tool: list_orders
    params: {customer_id: c1, limit: 2}
  - tool: list_orders
    params: {customer_id: nobody}
    expect_error: true
  - tool: search_products
    params: {query: ""}
    expect_success: false
  - tool: refund
    params: {order_id: "7"}
    expect_success: true
  - tool: refund
    params: {order: "7"}
"""


@pytest.fixture
def cases(tmp_path):
    file = tmp_path / "platools-tests.yaml"
    file.write_text(CASES)
    return file


def test_a_batch_has_the_results_of_platools(cases):
    """000.87, 000.88: keys and names; a wrong argument is refused, and a constraint holds."""
    report = try_tools(platools, [cases])
    assert [each.status for each in report.outcomes] == ["passed"] * 4 + ["failed"]
    assert (len(report.passed), len(report.failed)) == (4, 1)
    assert "order" in report.failed[0].detail
    assert 0 < report.latency_p50 <= report.latency_p95


def test_a_batch_runs_inside_a_running_loop(cases):
    async def inside():
        return try_tools(platools, [cases])

    assert len(asyncio.run(inside()).passed) == 4


def test_generated_calls_of_the_documents_tools_pass():
    report = try_tools(platools, generate=20)
    assert [each.detail for each in report.failed] == []
    assert report.coverage.parameters_percent == 100


@pytest.fixture
def my_app(here):
    Path("my_app").mkdir()
    own = Path(__file__).read_text(encoding="utf-8")
    text = own[own.index("platools = Toolbox") : own.index("CASES = ")]
    imports = "from typing import Annotated\nfrom pydantic import BaseModel, Field\n"
    Path("my_app/tools.py").write_text(f"{imports}from toolwright import Toolbox\n{text}")
    Path("my_app/__init__.py").write_text("")
    return here


def test_the_command_reads_the_file_of_platools_by_itself(my_app):
    """000.86: the default file, one tool with `--params`, `--coverage`, and the exit codes."""
    Path("platools-tests.yaml").write_text(CASES)
    done = run("test", "my_app.tools", "--coverage")
    assert done.returncode == 1
    assert "Tests: 4 passed, 1 failed" in done.stdout
    assert "Latency: p50 " in done.stdout
    assert "✓  refund: 1 of 1 parameter" in done.stdout
    given = json.dumps({"customer_id": "c1"})
    assert "1 passed" in good("test", "my_app.tools", "list_orders", "--params", given)
    assert "nothing.yaml" in refused(2, "test", "my_app.tools", "--file", "nothing.yaml")
    assert "--params" in refused(2, "test", "my_app.tools", "refund", "--params", "{")


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("expect_success: true, expect_error: true", "pick one"),
        ("expect_success: false, expect_error: false", "meaningless"),
    ],
)
def test_pairs_that_contradict_each_other_are_refused(my_app, pair, said):
    Path("platools-tests.yaml").write_text(f"tests: [{{tool: refund, {pair}}}]")
    assert said in refused(2, "test", "my_app.tools")
