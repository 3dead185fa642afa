"""Whatever a test compiles is also shown to a real MCP client and checked as JSON Schema."""

import json
import os
import signal

import jsonschema_rs
import pytest
from hypothesis import settings

import toolwright.tools.catalog as catalog
import toolwright.tools.definition as definition
from tests.wire.listing import list_through_client
from toolwright import SchemaError

# Programs that a shell starts in the background ignore SIGINT, and those under `nohup` SIGHUP. All
# processes of the tests would inherit this.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


def pytest_ignore_collect(collection_path):
    """Collect only tests: modules beside them are servers, programs and data."""
    name = collection_path.name
    return True if name.endswith(".py") and not name.startswith("test_") else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Run no docstring examples in tests: those there are material for tests."""
    return [each for each in (yield) if type(each).__name__ != "DoctestModule"]


# Modules beside the tests whose assertions must say what they compared, as those of tests do.
pytest.register_assert_rewrite(
    "tests.unit.properties.call_checks",
    "tests.unit.probes.compiled",
    "tests.unit.returning",
    "tests.unit.arguments.taking",
)

# `.ci/run` uses the same examples each time, so that a change fails only for its own faults; all
# other runs get new ones.
_SAME = {"deadline": None, "print_blob": True, "derandomize": "SAME_EXAMPLES" in os.environ}
settings.register_profile("daily", max_examples=12, **_SAME)
settings.register_profile("thorough", max_examples=100, **_SAME)
settings.load_profile("daily")  # `--hypothesis-profile=thorough` for the other one


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """More workers than cores: tests spend part of their time waiting for servers and deadlines."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


_compiled = []
_listed = set()
"""What has been listed: modules compile the same tools, and random tests repeat theirs."""
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
    for mode, protocol in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
        sent = [json.loads(tool) for tool in not_listed_yet(tools, protocol)]
        body = json.dumps({"tools": sent})
        seen = list_through_client(lambda asked: body, mode) if sent else []
        for ours, theirs in zip(sent, seen, strict=True):
            for key in ("name", "description", "inputSchema", "outputSchema"):
                assert theirs.get(key) == ours.get(key)
            # A hundred times as fast as jsonschema's own check, for thousands of schemas.
            jsonschema_rs.meta.validate(ours["inputSchema"])
            jsonschema_rs.meta.validate(ours.get("outputSchema", {}))


def not_listed_yet(tools, protocol):
    """Return the JSON of each tool once."""
    written = {}
    for tool in tools:
        try:
            tool.compile()
        except SchemaError:
            continue
        written[tool.to_mcp_json(protocol)] = None
    fresh = [each for each in written if (protocol, each) not in _listed]
    _listed.update((protocol, each) for each in fresh)
    return fresh
