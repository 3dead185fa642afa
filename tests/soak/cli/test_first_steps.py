"""A newcomer's walk: the commands of the README, one after the other, in an environment of its own."""

import asyncio
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import mcp
import mcp_types
import pytest

from tests.unit.cli.test_first_steps import ROOT, commands
from tests.wire.processes import until


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment with the package as users install it; what it depends on is lent to it."""
    folder = tmp_path_factory.mktemp("newcomer")
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    Path(place, "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation"]
        + ["--disable-pip-version-check", "--ignore-installed", str(ROOT)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.promise("everyday.first-steps")
def test_the_walk_of_the_readme(installed):
    home = installed / "home"
    work = installed / "work"
    home.mkdir()
    work.mkdir()
    env = {
        "HOME": str(home),
        "PATH": f"{installed / 'env' / 'bin'}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
    }

    *first, serve = commands()
    assert [words[:2] for words in first] == [
        ["toolwright", "new"],
        ["toolwright", "call"],
        ["toolwright", "install"],
        ["pytest", "test_notes.py"],
    ]
    said = []
    for words in first:
        if words[0] == "pytest":
            words = ["python", "-m", "pytest", "-p", "no:cacheprovider", *words[1:]]
        done = subprocess.run(words, cwd=work, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said.append(done.stdout)
    assert said[1] == '{"1":"Buy milk"}\n'
    assert "3 passed" in said[3]
    settings = json.loads((home / ".config/Claude/claude_desktop_config.json").read_text())
    entry = settings["mcpServers"]["notes"]
    assert entry["command"] == str(installed / "env" / "bin" / "python")
    asyncio.run(asyncio.wait_for(started_by_a_client(entry), 60))
    with (work / "log").open("w") as log:
        server = subprocess.Popen([*serve, "--port", "0"], cwd=work, env=env, stderr=log)
    try:
        address = until(
            lambda: re.search(r"http://\S+", (work / "log").read_text()), "the server listens"
        )
        asyncio.run(asyncio.wait_for(edited(address[0], work / "notes.py"), 60))
    finally:
        print((work / "log").read_text())
        server.terminate()
        server.wait(60)


async def started_by_a_client(entry):
    """A client starts what was installed, from elsewhere and with no PATH."""
    params = mcp.StdioServerParameters(
        command=entry["command"], args=entry["args"], env={"PATH": ""}, cwd="/"
    )
    async with mcp.Client(params) as client:
        result = await client.call_tool("add_note", {"text": "Call Ada"})
        assert result.structured_content == 2


async def edited(url, file):
    """A connected client sees what is changed."""
    told = asyncio.Event()

    async def hear(message):
        if isinstance(message, mcp_types.ToolListChangedNotification):
            told.set()

    async with mcp.Client(url, mode="legacy", message_handler=hear) as client:
        before = [tool.name for tool in (await client.list_tools()).tools]
        file.write_text(file.read_text().replace("def add_note", "def write_note"))
        await asyncio.wait_for(told.wait(), 60)
        after = [tool.name for tool in (await client.list_tools()).tools]
    assert (before, after) == (["find_notes", "add_note"], ["find_notes", "write_note"])
