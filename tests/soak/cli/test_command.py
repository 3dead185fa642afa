"""The `toolwright` command as users run it: processes, files, exit codes, one line for a mistake."""

import json

import pytest

from tests.wire.cli.test_command import listed
from tests.wire.command_files import NAMES, SHOP, here
from tests.wire.processes import Stdio, good


@pytest.mark.parametrize("name", ["mcp.py", "json.py", "pydantic.py"])
def test_a_file_with_the_name_of_another_module(here, tmp_path, name):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / name).write_text(SHOP)
    assert listed(f"sub/{name}", fresh=True) == NAMES
    for more in ([], ["--sdk"]):
        with Stdio(f"sub/{name}", *more, fresh=True) as server:  # what needs the SDK, too
            assert "error" in server.ask("prompts/list")


def test_tools_in_processes_are_found_from_any_target(here, tmp_path):
    text = "import os\nfrom toolwright import tool\n@tool(run_on='process')\ndef pid() -> int:\n"
    (tmp_path / "my-tools.py").write_text(text + "    return os.getpid()\n")
    here({"pkg/__init__.py": "", "pkg/tools.py": text + "    return os.getpid()\n"})
    for target in ("my-tools.py", "pkg/tools.py", "pkg.tools"):
        assert int(good("call", target, "pid")) > 1
