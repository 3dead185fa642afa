"""docs/deployment.md: its commands run as they are written, except for their ports."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.command_files import SHOP
from tests.wire.processes import LONGEST, Http, refused
from toolwright.cli.main import parser

PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOOLWRIGHT_TOKEN", raising=False)
    Path("shop.py").write_text(SHOP)


def block(kind):
    return re.search(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.S)[1]


def flags(words):
    """The words of a command behind `toolwright serve`, without its transport and its port."""
    words = words[words.index("serve") + 1 :]
    if "--port" in words:
        at = words.index("--port")
        del words[at : at + 2]
    words.remove("--http")
    return words


@pytest.mark.promise("deployment.proxy")
def test_the_command_behind_a_proxy(here):
    words = flags(shlex.split(block("sh").replace("\\\n", "")))
    with Http(*words, "--rate-limit", "2/h") as server:

        def status(host, client):
            data = server.message("tools/list", host=host, x_forwarded_for=client)
            return server.asked(data)[0]

        assert status("tools.example", "203.0.113.7") == 200
        assert status("elsewhere.example", "203.0.113.9") == 421
        assert [status("tools.example", "203.0.113.7") for _ in range(2)] == [200, 429]
        assert status("tools.example", "203.0.113.8") == 200  # another client of the same proxy


@pytest.mark.promise("deployment.container")
def test_the_commands_of_the_container(here, monkeypatch):
    text = block("dockerfile")
    command = json.loads(re.search(r"^CMD (.*)$", text, re.M)[1])
    health = json.loads(re.search(r"^HEALTHCHECK CMD (.*)$", text, re.M)[1])
    assert command[0] == "toolwright"
    words = flags(command)
    assert "--token" in refused(2, "serve", *words, "--http")
    monkeypatch.setenv("TOOLWRIGHT_TOKEN", "a-long-random-token")
    with Http(*words) as server:
        program = [sys.executable, *(word.replace("8000", str(server.port)) for word in health[1:])]
        subprocess.run(program, check=True, timeout=LONGEST)
        data = server.message("tools/list", host="tools.example")
        assert server.asked(data)[0] == 401
        data = server.message(
            "tools/list", host="tools.example", authorization="Bearer a-long-random-token"
        )
        assert server.asked(data)[0] == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LONGEST) == 0


def test_the_command_of_the_unit():
    words = shlex.split(re.search(r"^ExecStart=(.*)$", block("ini"), re.M)[1])
    chosen = parser("serve").parse_args(words[1:])
    assert (chosen.command, chosen.target) == ("serve", "/srv/shop/pyproject.toml")
