"""A program run from an event loop, and its outcome."""

from __future__ import annotations

import asyncio
import atexit
import codecs
import contextlib
import inspect
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, TypedDict

from .._json_values import compact_json, strict_json, without_surrogates
from .._log import logger
from .._process import IS_POSIX, MARK, new_mark
from ..content import Audio, File, Image
from ..results import Result
from ..run.loop import LOOP
from .watched_process import (
    MOST_DEPTH,
    Finished,
    NotStarted,
    RunSettings,
    WatchedProcess,
    depth,
    environment_of,
    plain_text,
)

# -- lines of output, reported while the program runs

OnLine = Callable[[int, str], object]
"""Gets the number of lines so far, and a line; may be async."""

MOST_AT_ONCE = 10
"""How many lines are reported at once; if there are more, only the last ones."""
INTERVAL = 0.2
"""Seconds between two reports: at most 50 lines a second are reported."""
LONGEST = 400
"""Characters of a line that are reported."""
LAST_WORDS = 1.0
"""Seconds that a listener has for its last lines."""

_LONGEST_BYTES = 4 * LONGEST
_log = logger("sources")


class LineTeller:
    """Passes lines from the thread that reads to a listener on the event loop.

    Neither waits for the other: a listener that is slow misses lines.
    """

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._ended = asyncio.Event()
        self._is_told = False
        """Whether the loop already knows that lines are waiting."""
        self._waiting: deque[tuple[int, bytes]] = deque(maxlen=MOST_AT_ONCE)
        self._begun: dict[int, bytes] = {}
        """The unfinished line of each stream."""
        self._count = 0
        self._task = self._loop.create_task(self._tell())

    # -- in the thread that reads

    def feed(self, stream: int, chunk: bytes) -> None:
        """Take a chunk of a stream; an empty one if the stream has ended."""
        # Progress bars end their lines with a carriage return.
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        unfinished = self._begun.pop(stream, b"")
        ends = chunk.count(b"\n") if chunk else int(bool(unfinished))
        if not ends:
            self._begun[stream] = unfinished + chunk[: _LONGEST_BYTES - len(unfinished)]
            return
        *lines, last = chunk.rsplit(b"\n", MOST_AT_ONCE) if chunk else (b"", b"")
        if ends <= MOST_AT_ONCE:
            lines[0] = unfinished + lines[0]
        else:
            lines = lines[1:]  # without what comes before the last lines
        self._begun[stream] = last[:_LONGEST_BYTES]
        before = self._count + ends - len(lines)
        self._count += ends
        numbered = [
            (before + number, line[:_LONGEST_BYTES]) for number, line in enumerate(lines, 1)
        ]
        self._waiting.extend(pair for pair in numbered if pair[1].strip())
        if self._waiting and not self._is_told:
            self._is_told = True
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._came.set)

    # -- on the loop

    async def _tell(self) -> None:
        try:
            while True:
                await self._came.wait()
                await self._tell_waiting()
                if self._ended.is_set() and not self._waiting:
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(INTERVAL):
                        await self._ended.wait()
        except Exception:  # noqa: BLE001 - whatever a listener raises
            _log.warning("a listener failed: it gets no more lines of output", exc_info=True)

    async def _tell_waiting(self) -> None:
        self._came.clear()
        self._is_told = False
        for _ in range(len(self._waiting)):
            number, line = self._waiting.popleft()
            text = plain_text(line.decode(errors="replace")).strip()
            if text:
                came: Any = self._on_line(number, text[:LONGEST])
                if inspect.isawaitable(came):
                    await came

    async def finish(self) -> None:
        """Report what is left, and wait for the listener, but not for long."""
        self._ended.set()
        self._came.set()
        await asyncio.wait([self._task], timeout=LAST_WORDS)
        self.stop()

    def stop(self) -> None:
        """Report nothing more."""
        self._task.cancel()


# -- the program

_GRACE = 3.0
"""Seconds beyond `end_seconds` that a cancelled call waits for its process."""

_running: set[WatchedProcess] = set()


async def run(words: Sequence[str], how: RunSettings, on_line: OnLine | None = None) -> Finished:
    """Run a program to its end, and return the outcome.

    If cancelled, it ends the program and everything that the program has started, and stays
    cancelled once they have ended. Raises `NotStarted`.
    """
    if not words or not words[0]:
        msg = "the words of a command line begin with the name of a program"
        raise ValueError(msg)
    if not IS_POSIX:
        raise NotStarted(words[0], "programs are run on Linux, macOS and other POSIX systems only")
    if depth() >= MOST_DEPTH:  # one that serves its own commands may start itself, and so on
        raise NotStarted(words[0], f"{MOST_DEPTH} programs have already started one another")
    teller = None if on_line is None else LineTeller(on_line)
    mark = new_mark()
    environment = environment_of(how, tells_lines=teller is not None) | {MARK: mark}
    process = WatchedProcess(words, how, environment, mark, teller.feed if teller else None)
    try:
        _start_thread(process)
        await LOOP.wait(process.answer.signal, None)
        if teller is not None and process.answer.failure is None:
            await teller.finish()
        return process.answer.result()
    except asyncio.CancelledError:
        await _end(process)
        raise
    except GeneratorExit:  # the loop is gone: nothing can be awaited
        process.stop()
        raise
    finally:
        if teller is not None:
            teller.stop()


def _start_thread(process: WatchedProcess) -> None:
    def work() -> None:
        _running.add(process)
        try:
            process.watch()
        finally:
            _running.discard(process)

    try:
        # A daemon: a program that hangs must not keep this process; `_kill_running` ends it.
        threading.Thread(target=work, name="toolwright-program", daemon=True).start()
    except RuntimeError as error:
        reason = "the system has no room for another thread"
        raise NotStarted(process.words[0], reason, retryable=True) from error


async def _end(process: WatchedProcess) -> None:
    """End a process, and wait until it has ended; a second cancellation kills it at once."""
    process.stop()
    ended = process.answer.signal
    try:
        await LOOP.wait(ended, time.monotonic() + process.how.end_seconds + _GRACE)
    except asyncio.CancelledError:
        process.stop(0)
        with contextlib.suppress(asyncio.CancelledError):
            await LOOP.wait(ended, time.monotonic() + _GRACE)


def _kill_running() -> None:
    """Kill the programs that still run when this process ends: its threads no longer can."""
    for process in list(_running):
        process.kill()


atexit.register(_kill_running)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)  # they belong to the parent


# -- its outcome, as the value of a tool

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
