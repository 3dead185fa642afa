"""`call` is a client: what a tool asks is asked on the terminal, or answered by flags."""

import json
import re
import signal

import pytest

from tests.wire.cli.typed_terminal import Typed
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run
from toolwright.cli.asking import NobodyWaits, Typist

__all__ = ["here"]  # a fixture

ASKS = '''
from enum import Enum
from typing import Literal
from pydantic import BaseModel, Field, field_validator
from toolwright import Call, Toolbox, ToolError

box = Toolbox("asks")

class Size(Enum):
    small = 1
    large = 2

class Paint(BaseModel):
    colour: Literal["red", "dark blue"]
    size: Size = Size.large
    coats: int = Field(2, ge=1, le=9, description="How many.")
    wet: bool = False
    note: str | None = None

    @field_validator("note")
    @classmethod
    def polite(cls, note):
        if note == "now":
            raise ValueError("say please")
        return note

@box.tool
def paint(call: Call) -> dict:
    """Paint it."""
    call.progress(1, 2, "half")
    call.log("mixed", "warning")
    return call.ask(Paint, "How?").model_dump(mode="json")

@box.tool
async def apaint(call: Call) -> dict:
    """Paint it."""
    return (await call.ask(Paint, "How?")).model_dump(mode="json")

@box.tool
def choose(call: Call) -> dict:
    """Ask with a schema of its own."""
    return call.ask({"type": "object", "required": ["to", "many"], "properties": {
        "to": {"type": "string", "oneOf": [
            {"const": "a1", "title": "Ada"}, {"const": "b2", "title": "Bob \\x1b[2J"}]},
        "many": {"type": "array", "items": {"enum": ["x", "y", "z"]}, "minItems": 1},
        "much": {"type": "number", "exclusiveMinimum": 0},
        "said": {"type": "string", "minLength": 2}}}, "Who \\x1b]0;title\\x07?")

@box.tool(confirm=True)
def drop(table: str) -> str:
    """Drop a table."""
    return f"{table} is gone"

@box.tool
def far(call: Call) -> dict:
    """Ask with many choices."""
    places = [f"place {at}" for at in range(30)]
    return call.ask({"type": "object", "properties": {"to": {"enum": places}}}, "Where?")

@box.tool(run_on="process")
def apart(call: Call) -> str:
    """Run in another process, and log."""
    call.log("from afar")
    return "done"

@box.tool
def careful(call: Call) -> bool:
    """Ask only a client that can."""
    return call.can("elicitation")

@box.tool(timeout=0.3)
def hasty(call: Call) -> str:
    """Ask, and do not wait."""
    return str(call.ask(Paint, "Quick!"))

@box.tool
def sampled(call: Call) -> str:
    """Ask the model of the client."""
    return str(call.sample("Write a poem."))

@box.tool
def rooted(call: Call) -> list:
    """Ask for the client's folders."""
    return call.roots()
'''
FILLED = {"colour": "dark blue", "size": 1, "coats": 2, "wet": True, "note": None}


@pytest.fixture
def asks(here):
    here({"asks.py": ASKS})
    return ["call", "asks.py"]


@pytest.mark.promise("everyday.asked")
@pytest.mark.parametrize("tool", ["paint", "apaint"])
def test_a_form_is_filled_in_on_the_terminal(asks, tool):
    with Typed(*asks, tool) as typed:
        typed.answer("Colour (one of red, dark blue): ", "purple\n")
        typed.answer("choose one of red, dark blue", "")
        typed.answer("Colour (one of red, dark blue): ", "DARK\n")
        typed.answer("Size (one of 1, 2) [2]: ", "1\n")
        typed.answer("Coats (How many.; a whole number) [2]: ", "99\n")
        typed.answer("it must be at most 9", "")
        typed.answer("[2]: ", "\n")
        typed.answer("Wet [no]: ", "y\n")
        typed.answer("Note (optional): ", "\n")
        typed.answer("Send this? (no declines) [yes]: ", "\n")
        code, text = typed.end()
    assert code == 0
    assert '"dark blue"' in text
    assert "\x1b[" in text, "a terminal shows colours"


def test_what_the_form_itself_refuses_is_asked_for_again(asks):
    with Typed(*asks, "paint", "--answer", "size=1", NO_COLOR="1") as typed:
        for note in ("now", "bye"):
            typed.answer("Colour (one of red, dark blue): ", "red\n")
            typed.answer("[2]: ", "\n")
            typed.answer("Wet [no]: ", "\n")
            typed.answer("Note (optional): ", f"{note}\n")
            typed.answer("[yes]: ", "\n")
            if note == "now":
                typed.answer("`note`: say please", "")
        code, text = typed.end()
    assert code == 0
    assert json.loads(text[text.index("{") :])["note"] == "bye"


@pytest.mark.parametrize(("keys", "said"), [("\x04", "cancel"), ("red\n\n\n\n\nno\n", "decline")])
def test_a_form_can_be_declined_or_left(asks, keys, said):
    with Typed(*asks, "paint") as typed:
        typed.answer("dark blue): ", keys)
        code, text = typed.end()
    assert code == 1
    assert f"the user chose to {said}" in text


def test_choices_have_titles_and_command_no_terminal(asks):
    with Typed(*asks, "choose", NO_COLOR="1") as typed:
        typed.answer(r"Who \u001b]0;title\u0007?", "")
        typed.answer(r"to (one of Ada, Bob \u001b[2J): ", "bob\n")
        typed.answer("many (some of x, y, z, separated by commas): ", "z, x\n")
        typed.answer("much (a number; optional): ", "-1\n")
        typed.answer("it must be more than 0", "1.5\n")
        typed.answer("said (optional): ", "a\n")
        typed.answer("it must have at least 2 characters", "hé\x1b[31m\n")
        typed.answer("[yes]: ", "\n")
        code, text = typed.end()
    assert code == 0
    assert json.loads(text[text.index("{") :]) == {
        "to": "b2",
        "many": ["z", "x"],
        "much": 1.5,
        "said": "hé[31m",
    }


@pytest.mark.promise("everyday.confirmed")
@pytest.mark.parametrize(
    ("typed_line", "code", "said"),
    [("yes\n", 0, "orders is gone"), ("n\n", 1, "did not confirm"), ("\x04", 1, "cancel")],
)
def test_a_call_is_confirmed_on_the_terminal(asks, typed_line, code, said):
    with Typed(*asks, "drop", "table=orders") as typed:
        typed.answer('Run drop with {"table": "orders"}?', "")
        typed.answer("Confirm [yes/no]: ", typed_line)
        ended, text = typed.end()
    assert (ended, said in text) == (code, True), text


@pytest.mark.promise("everyday.confirmed")
def test_without_a_terminal_flags_confirm(asks):
    assert "give --yes or --no" in refused(2, *asks, "drop", "table=a")
    assert good(*asks, "drop", "table=a", "--yes") == "a is gone\n"
    assert refused(1, *asks, "drop", "table=a", "--no") == "the user chose to decline\n"
    assert "not allowed with" in refused(2, *asks, "drop", "table=a", "--no", "--yes")


@pytest.mark.promise("everyday.asked")
def test_without_a_terminal_flags_answer_a_form(asks):
    said = refused(1, *asks, "apaint")
    assert "standard input is not a terminal: give --yes (with --answer NAME=value" in said
    said = refused(1, *asks, "apaint", "--yes")
    assert "give --answer colour=VALUE (one of red, dark blue), or --no" in said
    answers = ["--answer", "colour=dark blue", "--answer", "size=1", "--answer", "wet=yes"]
    assert json.loads(good(*asks, "apaint", *answers)) == FILLED
    said = refused(1, *asks, "apaint", *answers, "--answer", "coats=many")
    assert said == "--answer coats: it must be a whole number\n"
    said = refused(1, *asks, "apaint", *answers, "--answer", "note=now")
    assert 'asked "How?": the answer is not valid: `note`: say please\n' in said
    done = run(*asks, "apaint", *answers, "--answer", "colr=red")
    assert (done.returncode, json.loads(done.stdout)) == (0, FILLED)
    assert done.stderr == "toolwright: nothing asked for `colr` (--answer)\n"
    assert "NAME=value" in refused(2, *asks, "apaint", "--answer", "colour")


def test_many_choices_stand_above_the_cursor(asks):
    with Typed(*asks, "far", NO_COLOR="1") as typed:
        typed.answer("place 28, place 29; optional)", "")
        typed.answer("\n  to: ", "place 7\n")
        typed.answer("[yes]: ", "\n")
        code, text = typed.end()
    assert code == 0
    assert '"to": "place 7"' in text


def test_messages_come_from_another_process_too(asks):
    done = run(*asks, "apart")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "info: from afar\n")


def test_a_tool_that_looks_first_finds_nobody_in_a_pipe(asks):
    assert good(*asks, "careful") == "false\n"
    assert good(*asks, "careful", "--yes") == "true\n"
    assert "sampling" in refused(1, *asks, "sampled")
    assert [root["name"] for root in json.loads(good(*asks, "rooted"))] != []


def test_a_question_ends_with_its_call(asks):
    """On a busy machine the call may end before its question is asked, or while it is."""
    with Typed(*asks, "hasty") as typed:
        code, text = typed.end()
    assert code == 1
    assert "no answer in" in text
    assert not re.search(r"dark blue\): .*no answer", text), text


def test_a_question_that_is_asked_too_late_is_not_shown(capsys):
    typist = Typist()
    typist.stop()
    with pytest.raises(NobodyWaits):
        typist.line("Colour: ")
    with pytest.raises(NobodyWaits):
        typist.tell("Quick!")
    typist.stop()  # the command does, and the question that is cancelled
    assert capsys.readouterr().err == ""


def test_a_question_that_ends_leaves_its_line(capsys, monkeypatch):
    typist = Typist()
    monkeypatch.setattr(typist, "_read", typist.stop)
    assert typist.line("Colour: ") is None
    assert capsys.readouterr().err.startswith("Colour: \n")


def test_ctrl_c_ends_a_call_that_asks(asks):
    with Typed(*asks, "paint") as typed:
        typed.answer("dark blue): ", "")
        typed.process.send_signal(signal.SIGINT)
        code, text = typed.end()
    assert (code, text.strip()) == (130, "")


@pytest.mark.promise("everyday.logs")
def test_messages_of_a_tool_go_to_standard_error(asks):
    done = run(*asks, "paint", "--yes", "--answer", "colour=red")
    assert json.loads(done.stdout)["colour"] == "red"
    assert done.stderr == "warning: mixed\n"


def test_a_question_shows_numbers_as_such_and_no_empty_default(here):
    here(
        {
            "shop.py": "from pydantic import BaseModel\n"
            "from toolwright import Call, Toolbox\n"
            "box = Toolbox('shop')\n"
            "class Form(BaseModel):\n"
            "    note: str = ''\n"
            "@box.tool(confirm=True)\n"
            "async def drop(order: int, call: Call) -> str:\n"
            "    return 'noted ' + (await call.ask(Form, 'Why?')).note\n"
        }
    )
    with Typed("call", "shop.py", "drop", "order=7") as typed:
        typed.answer('Run drop with {"order": 7}?', "")
        typed.answer("Confirm [yes/no]: ", "yes\n")
        typed.answer("  Note: ", "\n")
        typed.answer("Send this? (no declines) [yes]: ", "\n")
        code, text = typed.end()
    assert code == 0
    assert "noted" in text
