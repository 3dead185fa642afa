"""The command works on running servers as it does on files."""

import json
import shlex

import pytest

from tests.counting import again
from tests.wire.cli import test_remote_targets as daily
from tests.wire.cli.test_remote_targets import file, test_every_way_to_name_a_server, url, words
from tests.wire.command_files import here
from tests.wire.processes import COMMAND, Stdio, good


@pytest.mark.promise("remote.targets")
def test_several_servers_are_served_as_one(here, file, url):
    entry = {"command": COMMAND[0], "args": [*COMMAND[1:], "serve", str(file)]}
    here({"mcp.json": json.dumps({"mcpServers": {"one": entry, "two": {"url": url}}})})
    with Stdio("mcp.json") as server:
        names = [each["name"] for each in server.ask("tools/list")["result"]["tools"]]
        assert {"one_search", "two_search"} <= set(names)
        for name in ("one_search", "two_search"):
            came = server.call(name, query="y", limit=1)["structuredContent"]
            assert came == {"result": [{"name": "y", "price": 1.0}]}


def test_a_server_of_servers_is_a_target_too(here, file, url):
    entry = {"command": COMMAND[0], "args": [*COMMAND[1:], "serve", str(file)]}
    here({"mcp.json": json.dumps({"mcpServers": {"one": entry, "two": {"url": url}}})})
    serve = shlex.join([*COMMAND, "serve", "mcp.json"])
    assert (
        good("list", "--command", serve, "--tools", "--select", "*_search").count("_search(") == 2
    )
    answer = good("call", "--command", serve, "two_search", "query=y", "limit=1")
    assert json.loads(answer) == [{"name": "y", "price": 1.0}]


@pytest.fixture(params=["entry", "command", "client", "client, command"])
def target(request, file, url, here, monkeypatch):
    here({})
    if request.param == "url":
        return [url]
    if request.param == "command":
        return ["--command", words(file)]
    entry = {"command": COMMAND[0], "args": [*COMMAND[1:], "serve", str(file)]}
    if request.param == "entry":
        here({"mcp.json": json.dumps({"mcpServers": {"shop": entry, "other": {"url": url}}})})
        return ["mcp.json:shop"]
    notes = {"url": url} if request.param == "client" else entry
    here({".cursor/mcp.json": json.dumps({"mcpServers": {"notes": notes}})})
    return ["cursor:notes"]


__all__ = [
    "file",
    "here",
    "test_every_way_to_name_a_server",
    "url",
]  # fixtures, and tests that run again
test_nothing_is_written_unless_every_server_was_read = again(
    daily.test_nothing_is_written_unless_every_server_was_read,
    "lie",
    ["no-resources", "no-prompts", "endless-list"],
)
