"""What makes the command pleasant: a first toolbox, bars, images, hints."""

import base64
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import LONGEST, good, refused, run, start
from toolwright.cli.terminal import image_for

__all__ = ["here"]  # a fixture

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
    b"\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00"
    b"\x00IEND\xaeB`\x82"
)


def test_a_first_toolbox(here):
    said = good("new", "notes")
    assert "toolwright serve notes.py --http --reload" in said
    assert good("call", "notes.py", "find_notes", "query=MILK") == '{"1":"Buy milk"}\n'
    assert "left alone" in refused(2, "new", "notes")
    assert json.loads(good("new", "my-tools", "--folder", "deep/er", "--json"))["files"] == [
        "deep/er/my_tools.py",
        "deep/er/test_my_tools.py",
        "deep/er/schemas/my_tools.json",
    ]
    for name in ("1x", "class", "a b", "toolwright", ""):
        assert "name" in refused(2, "new", name)


SLOW = """
import os, time
from toolwright import Call, Image, Toolbox

box = Toolbox("slow")

@box.tool
def count(call: Call) -> str:
    "Count, until somebody has seen it."
    call.progress(0, 3, "step 0")
    call.progress(1, 3, "step 1")
    while not os.path.exists("seen"):
        time.sleep(0.01)
    return "counted"

@box.tool
def picture() -> Image:
    "Show a picture."
    return Image(PNG, "image/png")
"""


def on_terminal(*arguments, **env):
    """Run the command on a terminal of its own; return what is seen there."""
    ours, theirs = pty.openpty()
    seen = bytearray()
    process = start(
        *arguments,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm", "COLUMNS": "100", **env},
    )
    os.close(theirs)

    def read():
        try:
            while chunk := os.read(ours, 4096):
                seen.extend(chunk)
                if b"step 1" in seen:
                    Path("seen").touch()
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    assert process.wait(LONGEST) == 0
    reader.join(LONGEST)
    os.close(ours)
    return seen.decode()


@pytest.mark.promise("everyday.call")
def test_a_terminal_shows_progress_and_pictures(here):
    here({"slow.py": SLOW.replace("PNG", repr(PNG), 1)})
    seen = on_terminal("call", "slow.py", "count")
    assert "step 1" in seen
    assert "counted" in seen
    data = base64.b64encode(PNG).decode()
    assert data in on_terminal("call", "slow.py", "picture", KITTY_WINDOW_ID="1")
    assert f"inline=1;size={len(PNG)}:{data}" in on_terminal(
        "call", "slow.py", "picture", TERM_PROGRAM="iTerm.app"
    )
    assert "[image image/png; --save FILE writes it, --json shows it]" in on_terminal(
        "call", "slow.py", "picture"
    )
    assert good("call", "slow.py", "count") == "counted\n"


def test_a_large_picture_goes_to_kitty_in_parts():
    data = base64.b64encode(PNG * 100).decode()
    block = {"type": "image", "mimeType": "image/png", "data": data}
    shown = image_for(block, {"TERM": "xterm-kitty"})
    parts = [part.rpartition(";")[2] for part in shown.split("\x1b\\")[:-1]]
    assert "".join(parts) == data
    assert all(len(part) <= 4096 for part in parts)
    assert shown.count("m=1") == len(parts) - 1
    assert image_for({**block, "mimeType": "image/jpeg"}, {"TERM": "xterm-kitty"}) == ""
    assert image_for(block, {"TERM": "dumb"}) == ""
    for env in ({"TERM": "xterm-kitty"}, {"TERM_PROGRAM": "iTerm.app"}):
        assert image_for({**block, "data": "\x1b\\\x1b[2J"}, env) == "", "that is no image"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["srve", "x.py"], "did you mean `serve`?"),
        (["serve"], "toolwright serve --help"),
        (["call", "shop.py", "ad"], "toolwright list shop.py"),
        (["completion", "tcsh"], "--help"),
        (["serve", "shop.py", "--prot", "1"], "--prot"),
    ],
)
def test_mistakes_say_what_would_help(here, given, said):
    assert said in refused(2, *given)


ODD = """
from toolwright import Call, Toolbox
import time

box = Toolbox("odd")

@box.tool
def marked(call: Call) -> str:
    "Sum of [red] items, e.g. [/b] or :smile:"
    call.progress(1, 5, "[/red]\\nmore")
    return "done"

@box.tool
def buggy() -> str:
    return {}.nope

@box.tool
def slow() -> str:
    print("begun", flush=True)
    while True:  # a signal just before one long sleep would be heeded after it only
        time.sleep(0.05)

@box.tool
def text(a: str) -> str:
    return a
"""


def test_words_of_people_are_no_markup(here):
    here({"odd.py": ODD})
    seen = on_terminal("list", "odd.py")
    assert "Sum of [red] items, e.g. [/b] or :smile:" in seen
    assert "done" in on_terminal("call", "odd.py", "marked")


def test_the_cause_of_a_bug_is_shown_to_who_calls_by_hand(here):
    here({"odd.py": ODD})
    done = run("call", "odd.py", "buggy")
    assert done.returncode == 1
    assert "AttributeError: 'dict' object has no attribute 'nope'" in done.stderr


def test_ctrl_c_ends_a_call(here):
    here({"odd.py": ODD})
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    process = start("call", "odd.py", "slow", fresh=True, **pipes)
    assert b"begun" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=LONGEST)
    assert (process.returncode, out, said) == (130, b"", b"")


@pytest.mark.parametrize("value", ["true", "null", '{"k":1}', "5", "[", '"q"'])
def test_where_text_is_declared_it_is_text(here, value):
    here({"odd.py": ODD})
    assert good("call", "odd.py", "text", f"a={value}") == f"{value}\n"
    assert good("call", "odd.py", "text", "a=@@home") == "@home\n"


@pytest.mark.parametrize("name", ["json", "mcp", "client", "list", "NOTES", "conftest", "class"])
def test_a_toolbox_does_not_take_the_name_of_something_else(here, name):
    before = sorted(Path().iterdir())
    assert "name" in refused(2, "new", name)
    assert sorted(Path().iterdir()) == before


def test_a_full_disk_is_one_line(here):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m toolwright version > /dev/full"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == "toolwright: No space left on device\n"
