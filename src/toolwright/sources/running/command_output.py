"""The outcome of a program, as the value of a tool."""

from __future__ import annotations

import codecs
import signal
from collections.abc import Collection, Iterator
from typing import Any, Literal, TypedDict

from ..._json_values import compact_json, strict_json, without_surrogates
from ...content import Audio, File, Image
from ...results import Result
from .output_stream import plain_text
from .process import Finished

Parse = Literal["", "json", "json_lines"]
"""How standard output is read: not at all, as one JSON value, or as one in each line."""

MOST = 96_000
"""How many bytes a result may have: a little less than the limit that tools have by default."""

_BINARY_SHARE = 4
"""If more than one character in this many is not UTF-8, the bytes are not text."""
_EDGE = 2_048
"""How many bytes from a gap the end of a line is looked for."""
_NOTICE = 50
"""Bytes of a notice."""
_ROOM = 400
"""Bytes of a result besides its texts."""


# No docstring: it would be published with every command.
class CommandOutput(TypedDict):  # noqa: D101
    stdout: str
    stderr: str
    exitCode: int


class ParsedOutput(CommandOutput, total=False):  # noqa: D101
    data: Any


def tool_value(
    name: str,
    finished: Finished,
    *,
    ok_codes: Collection[int] = (0,),
    parse: Parse = "",
    most: int = MOST,
) -> Result | dict[str, Any]:
    """Return what a tool returns for a program that has ended.

    Its value is a `CommandOutput`, its text what the program wrote; the result is an error if the
    exit code is not in `ok_codes`, and has a file if the program wrote something other than text.
    Parsed JSON is in `data`, and then not repeated in `stdout`. The value never takes more than
    `most` bytes.
    """
    binary = _is_binary(finished.stdout)
    output = _binary_output(finished) if binary else _text_output(finished)
    output = _within(output, most)
    failed = finished.exit_code not in ok_codes
    if parse and not failed and not binary:
        output = _parsed(finished, output, parse, most)
    texts = [_failure(name, output, most)] if failed else list(_texts(output))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if binary and not finished.stdout_left_out:
        blocks.append(_block(finished.stdout))
    if failed:
        return {"content": blocks, "structuredContent": output, "isError": True}
    return Result(output, blocks=blocks)


# -- text


def _texts(output: CommandOutput | ParsedOutput) -> Iterator[str]:
    """Yield what a model reads of a success: standard output as it is, then what else there was.

    None is empty or blank, which the interfaces of providers refuse.
    """
    text = compact_json(output["data"]).decode() if "data" in output else output["stdout"]
    errors, code = output["stderr"], output["exitCode"]
    if text.strip():
        yield text.rstrip("\n")
    if errors.strip():
        yield "standard error:\n" + errors.rstrip("\n")
    if not text.strip() and not errors.strip():
        yield f"no output, exit code {code}"
    elif code:
        yield f"exit code {code}"


def _text_output(finished: Finished) -> CommandOutput:
    return {
        "stdout": shown_text(finished.stdout, finished.stdout_left_out),
        "stderr": shown_text(finished.stderr, finished.stderr_left_out),
        "exitCode": finished.exit_code,
    }


def shown_text(output: bytes, left_out: int = 0) -> str:
    """Return output as plain text, with a notice in the middle if bytes are missing there."""
    if not left_out:
        return plain_text(output.decode(errors="replace"))
    half = len(output) - len(output) // 2
    head, tail = _whole_lines(output[:half], output[half:])
    left_out += len(output) - len(head) - len(tail)
    parts = [plain_text(part.decode(errors="replace")) for part in (head, tail)]
    return _notice(left_out, "bytes").join(parts)


def _notice(count: int, unit: str) -> str:
    return f"\n[... {count} {unit} left out ...]\n"


def _whole_lines(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Cut two halves at line ends, or else between characters: nothing is shown in part."""
    end = head.rfind(b"\n", max(len(head) - _EDGE, 0))
    if end >= 0:
        head = head[:end]
    else:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(head)
        head = head[: len(head) - len(decoder.getstate()[0])]
    begin = tail.find(b"\n", 0, _EDGE)
    if begin >= 0:
        return head, tail[begin + 1 :]
    rest_of_character = min(len(tail), 3)
    first = next(
        (index for index, byte in enumerate(tail[:3]) if byte & 0xC0 != 0x80), rest_of_character
    )
    return head, tail[first:]


def _within(output: CommandOutput, most: int) -> CommandOutput:
    """Return output that takes at most `most` bytes of JSON; the longer text gives way."""
    room = max(most - _ROOM, 0)
    sizes = {name: _size(output[name]) for name in ("stdout", "stderr")}
    if sum(sizes.values()) <= room:
        return output
    shares = {
        "stdout": max(room // 2, room - sizes["stderr"]),
        "stderr": max(room // 2, room - sizes["stdout"]),
    }
    return {
        "stdout": _cut(output["stdout"], shares["stdout"]),
        "stderr": _cut(output["stderr"], shares["stderr"]),
        "exitCode": output["exitCode"],
    }


def _size(text: str) -> int:
    return len(compact_json(text))


def _cut(text: str, most: int) -> str:
    """Return the beginning and end of a text, in at most `most` bytes of JSON."""
    keep, shortened = len(text), text
    while keep and _size(shortened) > most:
        # By proportion, since escapes differ; at least one percent less, so that it comes to an end.
        keep = min(keep * max(most - _NOTICE, 0) // _size(shortened), keep * 99 // 100)
        half = keep // 2
        shortened = (
            text[: keep - half]
            + _notice(len(text) - keep, "characters")
            + text[-half or len(text) :]
        )
    return shortened


# -- other than text


def _is_binary(data: bytes) -> bool:
    if b"\0" in data:
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        return text.count("\ufffd") * _BINARY_SHARE > len(text)
    return False


def _binary_output(finished: Finished) -> CommandOutput:
    size = len(finished.stdout) + finished.stdout_left_out
    what = "too long to be kept" if finished.stdout_left_out else "it is in the content"
    return {
        "stdout": f"[{size} bytes that are not text: {what}]",
        "stderr": shown_text(finished.stderr, finished.stderr_left_out),
        "exitCode": finished.exit_code,
    }


def _block(data: bytes) -> dict[str, Any]:
    file = File(data, name="stdout")
    kind = file.mime_type.partition("/")[0]
    media = {"image": Image, "audio": Audio}.get(kind)
    return file.block() if media is None else media(data, file.mime_type).block()


# -- JSON


def _parsed(
    finished: Finished, output: CommandOutput, parse: Parse, most: int
) -> CommandOutput | ParsedOutput:
    """Return output with its JSON parsed, or as it is if there is none or too much."""
    if finished.stdout_left_out:
        return output
    try:
        text = finished.stdout.decode("utf-8-sig", errors="replace")
        data: Any = _lines(text) if parse == "json_lines" else strict_json(text.strip())
        data = without_surrogates(data)
        parsed: ParsedOutput = {**output, "stdout": "", "data": data}
        return parsed if len(compact_json(parsed)) <= most else output
    except (ValueError, RecursionError):
        return output


def _lines(text: str) -> list[Any]:
    return [strict_json(line.strip()) for line in text.split("\n") if line.strip()]


# -- failures


def _failure(name: str, output: CommandOutput, most: int) -> str:
    """Return a message that a program failed, with its own words: standard error first."""
    streams = [output[stream].strip() for stream in ("stderr", "stdout")]
    text = "\n".join(
        [
            f"{name} {_ending(output['exitCode'])}",
            *(stream_text for stream_text in streams if stream_text),
        ]
    )
    return _cut(text, most)


def _ending(code: int) -> str:
    if code >= 0:
        return f"failed with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
