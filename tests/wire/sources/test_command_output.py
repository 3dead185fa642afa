"""What came of a program, as a tool's value."""

import base64
import json
import struct
import zlib

import pytest

from tests.unit.sources.test_command_output import called
from toolwright.sources.command_run import ParsedOutput, tool_value
from toolwright.sources.watched_process import Finished
from toolwright.sources.watched_process import RunSettings


@pytest.mark.promise("commands.plain-text")
def test_a_model_reads_what_the_program_printed():
    script = (
        "import sys; print('{\"a\": \"é\"} \\033[1mbold\\033[m'); print('note', file=sys.stderr)"
    )
    result = called(script)
    printed = '{"a": "é"} bold'
    assert result.value == {"stdout": f"{printed}\n", "stderr": "note\n", "exitCode": 0}
    assert result.structured == result.value
    assert [block["text"] for block in result.content] == [printed, "standard error:\nnote"]


def test_what_was_not_printed_is_not_shown():
    assert called("print('a\\n b')").text == "a\n b"
    assert called("pass").text == "no output, exit code 0"
    assert called("print()").text == "no output, exit code 0"
    assert called("raise SystemExit(1)", ok_codes=(0, 1)).text == "no output, exit code 1"
    done = called("print('found'); raise SystemExit(1)", ok_codes=(0, 1))
    assert [block["text"] for block in done.content] == ["found", "exit code 1"]
    noted = called("import sys; print('note', file=sys.stderr)")
    assert noted.text == "standard error:\nnote"


def test_a_failure_is_an_error_that_has_everything():
    result = called("import sys; print('partly'); sys.exit('no such thing')")
    assert result.is_error
    assert result.structured == {"stdout": "partly\n", "stderr": "no such thing\n", "exitCode": 1}
    assert result.text == "program failed with exit code 1\nno such thing\npartly"
    mcp = result.to_mcp()
    assert (mcp["isError"], mcp["structuredContent"]["exitCode"]) == (True, 1)


def test_a_signal_has_its_name():
    result = called("import os; os.kill(os.getpid(), 9)")
    assert result.text == "program was ended by SIGKILL"
    assert result.structured["exitCode"] == -9
    gone = tool_value("p", Finished(exit_code=-99, stdout=b"", stderr=b""))
    assert gone["content"][0]["text"] == "p was ended by signal 99"


def test_some_codes_are_no_failure():
    result = called("raise SystemExit(1)", ok_codes=(0, 1))
    assert not result.is_error
    assert result.value["exitCode"] == 1
    assert called("pass", ok_codes=(1,)).is_error


def test_what_was_left_out_is_said_between_whole_lines():
    how = RunSettings(max_output=200)
    text = called("for n in range(1000): print(n)", how=how).value["stdout"]
    head, notice, tail = (
        text.split("\n[... ")[0],
        text.split("\n[... ")[1],
        text.split(" ...]\n")[1],
    )
    assert head.split("\n") == [str(n) for n in range(len(head.split("\n")))]
    assert tail.endswith("\n998\n999\n")
    left_out = int(notice.split()[0])
    assert notice.startswith(f"{left_out} bytes left out ...]")
    assert left_out == 3890 - len(head) - len(tail)


def test_a_long_text_gives_way_to_a_short_one():
    script = "import sys; sys.stdout.write('o' * 65000); sys.stderr.write('e' * 60000)"
    value = called(script, most=10_000).value
    assert 4_000 < len(value["stdout"]) <= 5_000
    assert 4_000 < len(value["stderr"]) <= 5_000
    script = "import sys; sys.stdout.write('o' * 65000); sys.stderr.write('error')"
    value = called(script, most=10_000).value
    assert len(value["stdout"]) > 9_000
    assert value["stderr"] == "error"


# -- other than text


def png():
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0\0"))
        + chunk(b"IEND", b"")
    )


def writes(data):
    return f"import sys; sys.stdout.buffer.write({data!r})"


def test_bytes_are_a_file():
    data = bytes(range(256)) * 20
    result = called(writes(data))
    assert not result.is_error
    said, blob = result.content
    assert said["text"] == result.structured["stdout"]
    assert result.structured["stdout"] == "[5120 bytes that are not text: it is in the content]"
    assert base64.b64decode(blob["resource"]["blob"]) == data


def test_an_image_is_an_image():
    [_, block] = called(writes(png())).content
    assert (block["type"], block["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(block["data"]) == png()


def test_bytes_that_were_cut_are_no_file():
    result = called(writes(b"\0" * 5000), how=RunSettings(max_output=100))
    assert len(result.content) == 1
    assert result.structured["stdout"] == "[5000 bytes that are not text: too long to be kept]"


def test_text_in_another_encoding_is_text():
    value = called(writes("Übergrößenträger und vieles mehr\n".encode("latin-1"))).value
    assert value["stdout"] == "\ufffdbergr\ufffd\ufffdentr\ufffdger und vieles mehr\n"


# -- JSON


def test_json_is_parsed():
    result = called("print('{\"a\": [1, null]}')", ParsedOutput, parse="json")
    assert result.structured == {
        "stdout": "",
        "stderr": "",
        "exitCode": 0,
        "data": {"a": [1, None]},
    }
    assert result.text == '{"a":[1,null]}'


def test_lines_of_json_are_parsed():
    result = called('print(\'{"a": 1}\\n\\n{"a": 2}\')', ParsedOutput, parse="json_lines")
    assert result.structured["data"] == [{"a": 1}, {"a": 2}]
    assert result.text == '[{"a":1},{"a":2}]'


@pytest.mark.parametrize(
    "text", ["not json", "", "NaN", "[" * 100_000, "1" * 5000, '{"a": 1} {"b": 2}', "[1"]
)
def test_what_is_no_json_stays_text(text):
    result = called(
        f"print({text!r})", ParsedOutput, how=RunSettings(max_output=200_000), parse="json"
    )
    assert "data" not in result.structured
    assert result.structured["stdout"][:3] == (text + "\n")[:3]


def test_json_with_lone_surrogates_can_be_sent():
    result = called("print(r'[\"\\ud800\"]')", ParsedOutput, parse="json")
    assert result.structured["data"] == ["\ufffd"]


def test_the_json_of_a_failure_is_not_read():
    result = called("print('{}'); raise SystemExit(2)", ParsedOutput, parse="json")
    assert result.structured == {"stdout": "{}\n", "stderr": "", "exitCode": 2}
