"""Two hundred edits behind clients that call without a pause: no call is lost (`make soak`)."""

import os
import threading
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.other_client import Other
from tests.wire.processes import Http, Stdio, until

__all__ = ["here"]  # a fixture


EDITS = 200
CLIENTS = 4
GOOD = """\
from toolwright import Toolbox

box = Toolbox("edited", version="{at}")

@box.tool
async def echo(n: int) -> int:
    return n

@box.tool
def version() -> int:
    return {at}
"""
BAD = [
    "def broken(:\n",
    "raise RuntimeError('at import')\n",
    "box = 5\n",
    "import nowhere_at_all\n",
]


@pytest.fixture
def target(here):
    here({"edited.py": GOOD.format(at=0)})
    return Path("edited.py").absolute()


def edit(server, file, at):
    """Change the file; a good edit is served, a bad one is told and changes nothing."""
    good = at % 10 != 0
    before = server.said().count("not reloaded")
    other = file.with_suffix(".tmp")
    other.write_text(GOOD.format(at=at) if good else BAD[at // 10 % len(BAD)])
    os.replace(other, file)
    if good:
        until(lambda: version_of(server) == at, f"edit {at} is served")
    else:
        until(lambda: server.said().count("not reloaded") > before, f"edit {at} is refused")
        assert version_of(server) == at - 1


def version_of(server):
    return int(server.call("version")["content"][0]["text"])


def test_edits_under_calls_over_http(target):
    over, counts, lost = threading.Event(), [0] * CLIENTS, []

    def calls(server, number):
        with Other(server) as other:
            while not over.is_set():
                try:
                    other.call()
                    counts[number] += 1
                except Exception as error:
                    lost.append(error)
                    return

    with Http(target, "--reload") as server:
        threads = [threading.Thread(target=calls, args=(server, at)) for at in range(CLIENTS)]
        for each in threads:
            each.start()
        try:
            for at in range(1, EDITS + 1):
                edit(server, target, at)
        finally:
            over.set()
            for each in threads:
                each.join(60)
        assert lost == []
        assert min(counts) > EDITS
        assert "Traceback" not in server.said()


def test_edits_under_calls_on_stdio(target):
    """One client has some calls under way at all times."""
    with Stdio(target, "--reload") as server:
        for at in range(1, EDITS + 1):
            sent = [
                server.begin("tools/call", {"name": "echo", "arguments": {"n": n}})
                for n in range(20)
            ]
            edit(server, target, at)
            answers = {each["id"]: each for each in server.others if "id" in each}
            server.others.clear()
            for n, number in enumerate(sent):
                answer = answers.get(number) or server.answer(number)
                assert answer["result"]["content"][0]["text"] == str(n)
        assert server.end() == 0
        assert "Traceback" not in server.said()
