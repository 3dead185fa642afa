"""A lone surrogate becomes U+FFFD, wherever a tool or a caller puts it."""

import dataclasses

import pydantic
import pytest

from toolwright import Call, Toolbox, ToolError
from toolwright._json_values import compact_json, strict_json, without_surrogates

LONE = "a\ud800b"
CLEAN = "a\ufffdb"


class Model(pydantic.BaseModel):
    text: str


@dataclasses.dataclass
class Data:
    text: str


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (LONE, CLEAN),
        ("\U0001f600", "\U0001f600"),
        ({LONE: [LONE, 1, None, 1.5, True]}, {CLEAN: [CLEAN, 1, None, 1.5, True]}),
        ((LONE,), [CLEAN]),
        (Model.model_construct(text=LONE), {"text": CLEAN}),
        (Data(LONE), {"text": CLEAN}),
    ],
    ids=ascii,
)
def test_one_rule_for_all_values(value, clean):
    assert without_surrogates(value) == clean


def test_what_contains_itself_is_returned_as_it_is():
    value = [LONE]
    value.append(value)
    assert without_surrogates(value) is value


def test_results_errors_progress_and_the_log_follow_the_same_rule(caplog):
    heard = []
    box = Toolbox("box")

    @box.tool
    def speaks(call: Call) -> str:
        call.progress(1, 2, LONE)
        call.log(LONE)
        return LONE

    @box.tool
    def fails() -> str:
        raise ToolError(LONE)

    call = Call(
        on_progress=lambda *said: heard.append(said[2]),
        on_log=lambda _, said: heard.append(said),
    )
    result = box.call("speaks", call=call)
    assert (result.text, heard) == (CLEAN, [CLEAN, CLEAN])
    assert CLEAN in box.call("fails").text
    with caplog.at_level("INFO", "toolwright"):
        box.call("speaks")
    assert f"speaks: {CLEAN}" in caplog.messages


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "\ufeff1", "", "1 2"])
def test_strict_reading_refuses_what_is_not_json(text):
    with pytest.raises(ValueError, match="is not JSON|Expecting value|Extra data"):
        strict_json(text)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_strict_reading_takes_bytes_as_json_does(encoding):
    assert strict_json('{"a": "ü"}'.encode(encoding)) == {"a": "ü"}


def test_compact_writing_has_no_spaces_and_no_escapes():
    assert compact_json({"a": [1, "ü"]}) == '{"a":[1,"ü"]}'.encode()
    with pytest.raises(ValueError, match="JSON"):
        compact_json(float("nan"))
