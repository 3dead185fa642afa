"""Whatever a test compiles is also shown to a real MCP client and checked as JSON Schema."""

import json
import sys
from pathlib import Path

import jsonschema
import pytest

import toolwright.catalog as catalog
import toolwright.definition as definition
from toolwright import SchemaError

sys.path.insert(0, str(Path(__file__).parent / "wire"))

from listing import list_through_client  # noqa: E402

_compiled = []
_compile = definition.compile_tools


def _remember(tools):
    fresh = [tool for tool in tools if not tool.compiled]
    _compile(tools)
    _compiled.extend(fresh)


@pytest.fixture(scope="session", autouse=True)
def _remember_every_tool():
    definition.compile_tools = _remember
    catalog.compile_tools = _remember
    yield
    definition.compile_tools = _compile
    catalog.compile_tools = _compile


@pytest.fixture(scope="module", autouse=True)
def _list_every_tool(_remember_every_tool):
    _compiled.clear()
    yield
    tools = list(_compiled)
    _compiled.clear()
    assert_listed(tools)


def assert_listed(tools):
    """Every tool reaches a client of either era, word for word, as valid JSON Schema."""
    shown = []
    for tool in tools:
        try:
            tool.compile()
        except SchemaError:
            continue
        shown.append(tool)
    for mode, protocol in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
        sent = [json.loads(tool.to_mcp_json(protocol)) for tool in shown]
        body = json.dumps({"tools": sent})
        seen = list_through_client(lambda asked: body, mode) if shown else []
        for ours, theirs in zip(sent, seen, strict=True):
            for key in ("name", "description", "inputSchema", "outputSchema"):
                assert theirs.get(key) == ours.get(key)
            jsonschema.Draft202012Validator.check_schema(ours["inputSchema"])
            jsonschema.Draft202012Validator.check_schema(ours.get("outputSchema", {}))
