"""`make demo`: it says "served" once it is, and the commands that it suggests reach that server."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.wire.processes import LONGEST, until

ROOT = Path(__file__).parents[3]


@pytest.fixture
def demo(tmp_path):
    """The demo as the Makefile runs it, and the lines that it says; it has said all of them."""
    recipe = re.search(
        r"^demo:.*\n\t@exec \$\(BIN\)/python (.+)$", (ROOT / "Makefile").read_text(), re.M
    )
    log = tmp_path / "log"
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, *shlex.split(recipe[1])],
            cwd=ROOT,
            env=env,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        until(lambda: "any other client" in log.read_text() or process.poll(), "it is served")
        yield process, log.read_text(), env
    finally:
        process.kill()
        process.wait()


def suggested(said):
    return [shlex.split(line) for line in said.splitlines() if line.startswith("    ")]


@pytest.mark.promise("demo.commands")
def test_what_it_suggests_reaches_that_very_server(demo):
    process, said, env = demo
    page = re.search(r"Look at it at (http://\S+)", said)[1]
    assert said.index(page) < said.index("search {"), "its address comes first"
    with urllib.request.urlopen(page) as answer:
        assert b"console.js" in answer.read()
    url = re.search(r"The shop is served at (http://\S+)", said)[1]
    tools, call, probe, install = suggested(said)
    assert all(url in " ".join(words) for words in (tools, call, install))

    def run(words):
        done = subprocess.run(
            words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=LONGEST
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    assert "search: Search the catalogue." in run(tools)
    assert "City bike" in run(call)
    if shutil.which(probe[0]):
        run([probe[0], "-fsS", *probe[1:]])
    program = [sys.executable, "-m", "toolwright"]  # the same, wherever it is installed
    run([*program, *install[1:]])
    settings = json.loads((Path(env["HOME"]) / ".claude.json").read_text())
    assert settings["mcpServers"]["shop"]["url"] == url
    process.send_signal(signal.SIGINT)
    assert process.wait(LONGEST) == 0
    log = Path(env["HOME"]) / "log"
    assert log.read_text().count("\n") == said.count("\n")  # it ends without a word
