"""`[tool.toolwright]` in pyproject.toml: what the command does without a target."""

import json

from tests.wire.cli.test_project import TABLE
from tests.wire.command_files import here
from tests.wire.processes import Http


def test_workers_get_the_settings_of_the_project_too(here):
    settings = '[tool.toolwright.serve]\ntransport = "http"\nworkers = 2\npath = "/tools"\n'
    here({"pyproject.toml": TABLE + 'select = ["add"]\n' + settings})
    with Http() as server:
        status, body = server.asked(server.message("tools/list").replace(b"/mcp", b"/tools"))
        assert status == 200
        assert [tool["name"] for tool in json.loads(body)["result"]["tools"]] == ["add"]
