"""`install`, `uninstall` and `clients`: files of other programs, in every state they are found in."""

import asyncio
import json
import os
import subprocess

import mcp
import pytest
from hypothesis import given

from tests.wire.cli.test_install import FILES, KEYS, entry_of
from tests.wire.command_files import here, home
from tests.wire.processes import INITIALIZE, good


@pytest.mark.promise("everyday.absolute")
@pytest.mark.parametrize("target", ["package.inner", "shop.py", "shop.py:box", "shop:box"])
@pytest.mark.parametrize("client", ["vscode", "claude-desktop"])
def test_a_client_starts_what_was_installed(home, here, client, target, monkeypatch):
    """From elsewhere, and with no PATH: as programs with windows do."""
    here({"package/__init__.py": "", "package/words.py": "WORD = 'word'\n"})
    here(
        {
            "package/inner.py": "from .words import WORD\ndef add(a: int, b: int = 1) -> int:\n    return a + b\n"
        }
    )
    good("install", client, target, "--name", "mine", "--env", "SHOP=open")
    entry = entry_of(home / FILES[client], KEYS[client], "mine")
    monkeypatch.chdir("/")

    async def talk():
        started = mcp.StdioServerParameters(
            command=entry["command"], args=entry["args"], env={**entry["env"], "PATH": ""}
        )
        async with mcp.Client(started) as connected:
            assert "add" in [tool.name for tool in (await connected.list_tools()).tools]
            result = await connected.call_tool("add", {"a": 2, "b": 40})
            return result.structured_content

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == 42


DATA = """
from pathlib import Path
WORDS = Path("data/words.txt").read_text()

def add(a: int, b: int = 1) -> int:
    return a + b

def word() -> str:
    return Path("data/words.txt").read_text()
"""


@pytest.mark.promise("everyday.folder")
@pytest.mark.parametrize("where", ["project", "file", "below", "given", "module"])
def test_a_server_finds_its_data_wherever_it_is_started(home, here, where, tmp_path, monkeypatch):
    """From `/`, and with no PATH; its data stands where `install` was told or has looked."""
    here({"one/data/words.txt": "hello", "one/two/data_tools.py": DATA})
    target, more = "one/two/data_tools.py", ["--folder", "one"]
    if where == "project":
        here({"one/pyproject.toml": ""})
        monkeypatch.chdir("one")
        target, more = "two/data_tools.py", []
    elif where == "file":
        here({"one/data_tools.py": DATA, "away/x": ""})
        monkeypatch.chdir("away")
        target, more = "../one/data_tools.py", []
    elif where == "below":
        here({"one/data_tools.py": DATA})
        target, more = "one/data_tools.py", []
    elif where == "module":
        here({"one/data_tools.py": DATA})
        monkeypatch.chdir("one")
        target, more = "data_tools", []
    entry = json.loads(good("install", "generic", target, *more))["mcpServers"]["data_tools"]
    assert entry["args"][3:5] == ["--folder", str(tmp_path / "one")]
    monkeypatch.chdir("/")
    asked = [
        {"method": "initialize", "id": 1, "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "id": 2, "params": {"name": "word", "arguments": {}}},
    ]
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input="".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked),
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    assert "hello" in done.stdout, done.stderr
