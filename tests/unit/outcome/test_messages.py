"""The message of an exception reaches the model whole, in every way of calling."""

import json
import logging

import pytest

from tests.unit.returning import raising
from tests.unit.ways import WAYS, box_of, payload_by, result_of
from toolwright import ToolError

FAULT = json.dumps({"code": 7, "fields": ["a"]}, indent=2)


def texts(error):
    for way in WAYS:
        (block,) = payload_by(way, box_of(raising(error)), "probe", {})["content"]
        yield block["text"]


@pytest.mark.promise("result.whole-message")
@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (ValueError(FAULT), f"ValueError: {FAULT}"),
        (LookupError("a\n\nb\r\nc\td"), "LookupError: a\n\nb\nc\td"),
        (OSError("\n  padded \n"), "OSError: padded"),
        (ToolError(FAULT), FAULT),
    ],
    ids=["json", "lines", "padded", "tool error"],
)
def test_every_line_of_a_message_is_said(error, wanted):
    assert set(texts(error)) == {wanted}


@pytest.mark.promise("result.whole-message")
def test_a_long_message_is_cut_at_four_thousand_characters():
    whole = "x" * 4000
    assert result_of(raising(ValueError(whole))).text == f"ValueError: {whole}"
    assert result_of(raising(ValueError(whole + "y"))).text == f"ValueError: {whole} [cut]"


def test_control_characters_and_surrogates_are_harmless():
    for said in texts(ValueError("a\x1b[31mb\x00\x9b\udc80c\rd")):
        assert said == "ValueError: a\\x1b[31mb\\x00\\x9b\ufffdc\\x0dd"


def test_secrets_on_later_lines_are_hidden(monkeypatch):
    secret = "hunter2-hunter2-hunter2"
    monkeypatch.setenv("SHOP_PASSWORD_OUTCOME", secret)
    from toolwright._log import redact

    redact._secrets.cache_clear()  # it remembers the environment for a while
    for lead in ("first\n", "x" * 3990):
        said = result_of(raising(ValueError(f"{lead}{secret} and more"))).text
        assert "hunter2" not in said
    redact._secrets.cache_clear()
    key = "ghp_" + "a1" * 20
    assert key[:10] not in result_of(raising(ValueError(f"line\n{key}"))).text


def test_a_long_message_is_one_record_of_one_line(caplog):
    with caplog.at_level(logging.DEBUG, "toolwright"):
        result_of(raising(ValueError(FAULT)))
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["probe raised ValueError"]


def test_our_own_messages_stay_one_line():
    def probe() -> int:
        return "a\nb"  # pyright: ignore

    assert len(result_of(probe).text.splitlines()) == 1
    assert len(result_of(probe, {"x\ny": 1}).text.splitlines()) == 1
