"""`serve --reload`: files change behind live clients, in every way that files change."""

import os
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import MODERN, Stdio, until

__all__ = ["here"]  # a fixture

GOOD = """\
from helper import WORD
from toolwright import Toolbox

box = Toolbox("edited", version="{at}")

@box.tool
def say{at}(after: str = "") -> str:
    "Say it, once a file is there."
    import os, time
    while after and not os.path.exists(after):
        time.sleep(0.01)
    return f"{{WORD}} {at}"

@box.tool
def same() -> int:
    return {at}
"""


class Edited:
    """The files of a target, and what its server says of them."""

    def __init__(self, server, folder):
        self.server = server
        self.file = folder / "edited.py"
        self.count = 0

    def write(self, text):
        """Write as editors do: another file takes its place."""
        other = self.file.with_suffix(".tmp")
        other.write_text(text)
        os.replace(other, self.file)

    def edit(self, text, *, good=True):
        """Change the file, and wait until the server says what came of it."""
        self.count += 1
        self.write(text)
        until(lambda: len(self.lines()) == self.count, f"edit {self.count}")
        assert ("not reloaded" not in self.lines()[-1]) == good, self.lines()[-1]

    def lines(self):
        return [each for each in self.server.said().splitlines() if "reloaded" in each]


@pytest.fixture
def target(here, tmp_path):
    here({"edited.py": GOOD.format(at=0), "helper.py": "WORD = 'word'\n"})
    return Path("edited.py").absolute()


@pytest.mark.promise("serve.reload")
def test_a_call_that_runs_finishes_on_the_old_code(target):
    with Stdio(target, "--reload") as server:
        edited = Edited(server, target.parent)
        arguments = {"name": "say0", "arguments": {"after": "go"}}
        number = server.begin("tools/call", arguments)
        server.call("same")
        edited.edit(GOOD.format(at=1))
        assert server.call("same")["structuredContent"] == {"result": 1}
        Path("go").touch()
        assert server.answer(number)["result"]["content"][0]["text"] == "word 0"


STUCK = [
    "while True: pass\n",
    "import time\ntime.sleep(1000)\n",
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n",
]


@pytest.mark.parametrize("stuck", STUCK)
def test_a_file_that_never_ends_importing_does_not_end_reloading(target, stuck):
    with Stdio(target, "--reload") as server:
        edited = Edited(server, target.parent)
        server.ask("tools/list")
        begun = target.with_name("begun")
        edited.write(f"open({str(begun)!r}, 'w').close()\n{stuck}")
        until(begun.exists, "the import")
        for at in (2, 3):
            edited.edit(GOOD.format(at=at))
        names = [each["name"] for each in server.ask("tools/list")["result"]["tools"]]
        assert "say3" in names


def test_an_edit_while_the_target_is_loaded_is_seen(target):
    """The first version is loaded from when it says so until a file is there."""
    begun, go = target.with_name("begun"), target.with_name("go")
    waits = f"import os, time\nopen({str(begun)!r}, 'w').close()\n"
    waits += f"while not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\n"
    target.write_text(waits + GOOD.format(at=0))
    with Stdio(target, "--reload", greet=False) as server:
        until(begun.exists, "it is being loaded")
        Edited(server, target.parent).write(GOOD.format(at=1))
        go.touch()
        until(lambda: "reloaded, 2 tools" in server.said(), "it is loaded again")
        came = server.ask("tools/call", {"name": "say1", "arguments": {}, "_meta": MODERN})
        assert came["result"]["content"][0]["text"] == "word 1"


def test_a_module_that_is_imported_changes(target):
    with Stdio(target, "--reload") as server:
        edited = Edited(server, target.parent)
        edited.file = target.with_name("helper.py")
        edited.edit("WORD = 'other'\n")
        assert server.call("say0")["content"][0]["text"] == "other 0"
        edited.edit("WORD = \n", good=False)
        assert server.call("say0")["content"][0]["text"] == "other 0"
        # The same size, in the same second: a cache of code would not see it.
        edited.edit("WORD = 'mixed'\n")
        assert server.call("say0")["content"][0]["text"] == "mixed 0"
        # A module that does not import is watched, too, though it was never loaded.
        edited.file = target.with_name("later.py")
        edited.edit("NOW = \n")
        edited.file = target
        edited.edit("from later import NOW\n" + GOOD.format(at=5), good=False)
        edited.file = target.with_name("later.py")
        edited.edit("NOW = 1\n")
        assert server.call("same")["structuredContent"] == {"result": 5}


LIFE = """\
import contextlib, pathlib
from toolwright import Toolbox

@contextlib.asynccontextmanager
async def life():
    with open("life.txt", "a") as file: print("open {at}", file=file)
    yield {at}
    with open("life.txt", "a") as file: print("close {at}", file=file)

box = Toolbox("life", lifespan=life)

@box.tool
async def wait(after: str = "") -> int:
    import asyncio
    while after and not pathlib.Path(after).exists():
        await asyncio.sleep(0.01)
    return box.state

@box.resource("state://now")
def now() -> str:
    return str(box.state)
"""


def test_an_old_version_is_closed_when_its_last_call_has_ended(target):
    target.write_text(LIFE.format(at=1))
    with Stdio(target, "--reload") as server:
        edited = Edited(server, target.parent)
        assert server.call("wait")["structuredContent"] == {"result": 1}
        number = server.begin("tools/call", {"name": "wait", "arguments": {"after": "go"}})
        edited.edit(LIFE.format(at=2))
        assert server.call("wait")["structuredContent"] == {"result": 2}
        assert Path("life.txt").read_text().split("\n")[:-1] == ["open 1", "open 2"]
        Path("go").touch()
        assert server.answer(number)["result"]["structuredContent"] == {"result": 1}
        until(lambda: Path("life.txt").read_text().endswith("close 1\n"), "it is closed")
        read = server.ask("resources/read", {"uri": "state://now"})
        assert read["result"]["contents"][0]["text"] == "2"


def test_reload_needs_one_process(target):
    from tests.wire.processes import refused

    assert "--workers" in refused(2, "serve", target, "--http", "--reload", "--workers", "2")


def test_a_module_that_is_imported_late_changes_nothing(target):
    late = target.parent / "package"
    late.mkdir()
    (late / "__init__.py").write_text("")
    (late / "late.py").write_text("WORD = 'late'\n")
    target.write_text(
        "def word() -> str:\n    from package.late import WORD\n    return WORD\n"
        "state: list[int] = []\ndef count() -> int:\n    state.append(1)\n    return len(state)\n"
    )
    with Stdio(target, "--reload") as server:
        edited = Edited(server, late)
        edited.file = late / "late.py"
        assert server.call("count")["structuredContent"] == {"result": 1}
        assert server.call("word")["content"][0]["text"] == "late"
        edited.edit("WORD = 'later'\n")  # the first line about a reload: there was none before
        assert server.call("word")["content"][0]["text"] == "later"
        assert server.call("count")["structuredContent"] == {"result": 1}


def test_a_package_without_a_file_of_its_own(target):
    parts = target.parent / "parts"
    parts.mkdir()
    (parts / "words.py").write_text("WORD = 'one'\n")
    target.write_text("from parts import words\ndef word() -> str:\n    return words.WORD\n")
    for at in range(6):
        (target.parent / f"zz{at}.py").symlink_to("/nonexistent/x")
    with Stdio(target, "--reload") as server:
        edited = Edited(server, parts)
        edited.file = parts / "words.py"
        edited.edit("WORD = 'two'\n")
        assert server.call("word")["content"][0]["text"] == "two"


def test_a_server_says_its_new_name(target):
    with Stdio(target, "--reload", greet=False) as server:
        edited = Edited(server, target.parent)

        def version():
            found = server.ask("server/discover", {"_meta": MODERN})["result"]
            return found["_meta"]["io.modelcontextprotocol/serverInfo"]["version"]

        assert version() == "0"
        edited.edit(GOOD.format(at=7))
        assert version() == "7"


CLOSES = """\
import os, time
from toolwright import Toolbox

class Told(Toolbox):
    def close(self):
        print("closed {at}", flush=True)
        super().close()

box = Told("told")

@box.tool
def slow(after: str) -> int:
    while not os.path.exists(after):
        time.sleep(0.01)
    print("ended {at}", flush=True)
    return {at}
"""


def test_a_plain_call_keeps_its_version_open(target):
    target.write_text(CLOSES.format(at=1))
    with Stdio(target, "--reload") as server:
        number = server.begin("tools/call", {"name": "slow", "arguments": {"after": "go"}})
        Edited(server, target.parent).edit(CLOSES.format(at=2))
        Path("go").touch()
        assert server.answer(number)["result"]["structuredContent"] == {"result": 1}
        until(lambda: "closed 1" in server.said(), "it is closed")
        said = server.said()
        assert said.index("ended 1") < said.index("closed 1")


def test_a_toolbox_that_stays_the_same_is_neither_closed_nor_watched_twice(target):
    installed = target.parent / "site-packages"
    installed.mkdir()
    (installed / "kept_box.py").write_text(LIFE.format(at=1))
    head = f"import sys\nsys.path.append({str(installed)!r})\nfrom kept_box import box\n"
    target.write_text(head)
    with Stdio(target, "--reload", "--audit", "calls.jsonl") as server:
        edited = Edited(server, target.parent)
        server.call("wait")
        for at in range(3):
            edited.edit(f"{head}# {at}\n")
        server.call("wait")
        assert len(Path("calls.jsonl").read_text().splitlines()) == 2
        assert Path("life.txt").read_text() == "open 1\n"
