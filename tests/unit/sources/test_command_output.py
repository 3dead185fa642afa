"""What came of a program, as a tool's value."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from toolwright import Result, Tool, Toolbox
from toolwright.sources.command_run import CommandOutput, shown_text, tool_value
from toolwright.sources.watched_process import Finished
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings


def called(script, hint=CommandOutput, how=RunSettings(), **wishes):  # noqa: B008 - frozen
    box = Toolbox("b")

    async def program():
        words = [sys.executable, "-S", "-c", script]
        return tool_value("program", await run(words, how), **wishes)

    program.__annotations__["return"] = hint
    box.add(program)
    return box.call("program")


def test_the_output_schema_is_that_of_three_fields():
    def program() -> CommandOutput: ...

    assert Tool(program).output_schema == {
        "type": "object",
        "properties": {
            "stdout": {"type": "string"},
            "stderr": {"type": "string"},
            "exitCode": {"type": "integer"},
        },
        "required": ["stdout", "stderr", "exitCode"],
    }


def test_the_parts_of_a_result_follow_the_option():
    box = Toolbox("b")
    output = {"stdout": "x\n", "stderr": "", "exitCode": 0}

    def program() -> CommandOutput:
        return tool_value("p", Finished(exit_code=0, stdout=b"x\n", stderr=b""))

    for emit, text, structured in (
        ("auto", "x", output),
        ("both", "x", output),
        ("text", "x", None),
        ("structured", "See the structured content.", output),
    ):
        box.add(program, name=emit, emit=emit)
        result = box.call(emit)
        assert (result.text, result.structured, result.value) == (text, structured, output)


def test_a_result_that_a_tool_keeps_is_not_changed_by_a_call():
    kept = Result({"n": 1}, blocks=[{"type": "text", "text": "one"}])

    def count(step: int) -> dict[str, int]:
        return kept

    tool = Tool(count, emit="text")
    first, second = tool.call({"step": "1"}), tool.call({"step": 1})
    assert (len(first.repairs), len(second.repairs), len(kept.repairs)) == (1, 0, 0)
    assert (first.structured, kept.structured) == (None, {"n": 1})


@given(st.text(st.sampled_from("aé€😀\n"), max_size=80), st.integers(2, 40))
def test_no_character_is_shown_in_part(text, most):
    data = text.encode()
    if len(data) <= most:
        return
    half = most - most // 2
    kept = data[:half] + data[len(data) - most // 2 :]
    shown = shown_text(kept, len(data) - most)
    assert "\ufffd" not in shown
    head, _, tail = shown.partition("\n[... ")
    assert text.startswith(head)
    assert text.endswith(tail.partition(" ...]\n")[2])


@given(st.binary(max_size=200), st.binary(max_size=50), st.integers(-30, 255))
def test_any_bytes_make_a_result(out, err, code):
    from toolwright.results import validate

    value = tool_value("p", Finished(exit_code=code, stdout=out, stderr=err))
    assert isinstance(value, Result) == (code == 0)
    sent = value.to_mcp() if isinstance(value, Result) else value
    validate(sent)
    assert sent["isError"] == (code != 0)
    assert all(each.get("text", "x").strip() for each in sent["content"])
