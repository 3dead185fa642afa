"""What `call` prints and saves: for people on a terminal, unchanged in a pipe."""

import json
from pathlib import Path

import pytest

from tests.wire.cli.typed_terminal import Typed, seen
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

__all__ = ["here"]  # a fixture

GIVES = '''
from typing import Any
from toolwright import Audio, Call, File, Image, Toolbox

box = Toolbox("gives")
PNG = b"\\x89PNG\\r\\n\\x1a\\n" + bytes(20)
EVIL = "a\\x1b]0;title\\x07b\\x9b2Jc\\u202ed\\te\\nf"

@box.tool
def order() -> dict[str, Any]:
    """Give an object."""
    return {"name": "Größe 大", "evil": EVIL, "items": [1, 2]}

@box.tool
def text() -> str:
    """Give a text that looks like JSON."""
    return '{"a":1}'

@box.tool
def hostile() -> str:
    """Give a text that commands terminals."""
    return EVIL

@box.tool
def fails(call: Call) -> str:
    """Fail with such a text, and log one."""
    call.log(EVIL)
    from toolwright import ToolError
    raise ToolError(EVIL)

@box.tool
def breaks() -> str:
    """Break with such a text, which is logged."""
    raise ValueError(EVIL)

@box.tool
def pictures() -> list[Any]:
    """Give two pictures, a sound and a file."""
    return ["two", Image(PNG, "image/png"), Image(PNG, "image/png"), Audio(b"RIFF", "audio/wav")]

@box.tool
def picture() -> Image:
    """Give a picture."""
    return Image(PNG, "image/png")

@box.tool
def file() -> File:
    """Give a file with a name that leads elsewhere."""
    return File(b"hello", name="../../etc/.bad \\x1bname.bin", mime_type="application/x-thing")

@box.resource("gives://notes/{id}")
def note(id: str) -> str:
    """One note."""
    return f"note {id}"

@box.resource("gives://logo", mime_type="image/png")
def logo() -> bytes:
    """The logo."""
    return PNG

@box.prompt
def greet(name: str, polite: bool = False) -> list[Any]:
    """Greet somebody."""
    return [f"Say hello to {name}, {polite}", {"role": "assistant", "content": "Hello"}]
'''
SEEN = "a\\u001b]0;title\\u0007b\\u009b2Jc\\u202ed"


@pytest.fixture
def gives(here):
    here({"gives.py": GIVES})
    return ["call", "gives.py"]


@pytest.mark.promise("everyday.pretty")
def test_json_is_pretty_on_a_terminal_and_raw_in_a_pipe(gives):
    raw = good(*gives, "order")
    assert raw.count("\n") == 1
    assert raw.startswith('{"name":"Größe 大"')
    coloured = seen(*gives, "order")
    assert "\x1b[" in coloured
    plain = seen(*gives, "order", NO_COLOR="1")
    assert "\x1b" not in plain
    assert '\n  "name": "Größe 大",\n' in plain
    assert json.loads(plain) == json.loads(raw)
    assert seen(*gives, "text") == '{"a":1}\n', "text is shown as it is"


@pytest.mark.promise("everyday.no-commands")
def test_results_command_no_terminal(gives):
    assert "a\x1b]0;title\x07b" in good(*gives, "hostile"), "a pipe gets the bytes"
    assert seen(*gives, "hostile") == f"{SEEN}\te\nf\n"
    for more in ({}, {"NO_COLOR": "1"}):
        shown = seen(*gives, "order", **more)
        assert SEEN in shown
        assert "\x9b" not in shown
        assert "\u202e" not in shown
        for tool in ("fails", "breaks"):
            with Typed(*gives, tool, **more) as typed:
                code, shown = typed.end()
            assert code == 1
            assert SEEN in shown or tool == "breaks"
            assert [text for text in ("\x1b]", "\x9b", "\u202e", "\x07") if text in shown] == []


@pytest.mark.promise("everyday.save")
def test_images_are_saved(gives, tmp_path):
    done = run(*gives, "picture", "--save", "new/chart.png")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "saved new/chart.png (28 bytes)\n"
    assert Path("new/chart.png").read_bytes().startswith(b"\x89PNG")
    run(*gives, "picture", "--save", "new/chart.png")
    assert [path.name for path in Path("new").iterdir()] == ["chart.png"], (
        "a named file is replaced"
    )
    done = run(*gives, "pictures", "--save", "all/")
    assert (done.returncode, done.stdout) == (0, "two\n")
    run(*gives, "pictures", "--save", "all")
    assert sorted(path.name for path in Path("all").iterdir()) == [
        "pictures-2.png",
        "pictures-2.wav",
        "pictures-3.png",
        "pictures-4.png",
        "pictures.png",
        "pictures.wav",
    ]
    Path("in").mkdir()
    assert run(*gives, "file", "--save", "in").returncode == 0
    (saved,) = Path("in").iterdir()
    assert saved.read_bytes() == b"hello"
    assert saved.name.isprintable()
    assert not saved.name.startswith(".")


def test_what_cannot_be_saved(gives):
    done = run(*gives, "text", "--save", "x.txt")
    assert (done.returncode, done.stdout) == (2, '{"a":1}\n')
    assert "no image, audio or file" in done.stderr
    Path("file").write_text("")
    assert "cannot be written" in refused(2, *gives, "picture", "--save", "file/x.png")


@pytest.mark.promise("everyday.resources")
def test_resources_are_read_and_prompts_got(gives):
    assert good(*gives, "gives://notes/7") == "note 7\n"
    assert json.loads(good(*gives, "gives://notes/7", "--json")) == {
        "contents": [{"uri": "gives://notes/7", "mimeType": "text/plain", "text": "note 7"}]
    }
    assert "saved logo" in run(*gives, "gives://logo", "--save", "./").stderr
    assert "gives://notes/{id}" in refused(2, *gives, "gives://nothing")
    assert "part of its URI" in refused(2, *gives, "gives://logo", "a=1")
    said = good(*gives, "greet", "--prompt", "name=5", "polite=true")
    assert said == "user:\nSay hello to 5, True\nassistant:\nHello\n"
    whole = json.loads(good(*gives, "greet", "--prompt", "name=[1]", "--json"))
    assert whole["messages"][0]["content"]["text"] == "Say hello to [1], False"
    assert "there is no prompt `nobody`; gives has greet" in refused(
        2, *gives, "nobody", "--prompt"
    )
    assert "name" in refused(1, *gives, "greet", "--prompt")
    assert "`greet` is a prompt: give --prompt" in refused(2, *gives, "greet")
