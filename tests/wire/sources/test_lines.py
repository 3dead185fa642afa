"""Lines of output are told while a program runs, and nobody waits for the other."""

import asyncio
import logging
import os
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwright import Call, Toolbox
from toolwright.sources.command_run import LONGEST, MOST_AT_ONCE, LineTeller
from toolwright.sources.command_run import CommandOutput, tool_value
from toolwright.sources.watched_process import plain_text
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings


def told(script, **how):
    lines = []
    asyncio.run(run(["sh", "-c", script], RunSettings(**how), lambda *each: lines.append(each)))
    return lines


def test_each_line_is_told_with_its_number():
    assert told("echo a; echo b; echo; printf c") == [(1, "a"), (2, "b"), (4, "c")]


def test_progress_bars_and_errors_are_lines():
    assert told(r"printf '10 %%\r20 %%\r\n'") == [(1, "10 %"), (2, "20 %")]
    assert told("echo wrong >&2") == [(1, "wrong")]


def test_a_line_is_plain_and_short():
    [(_, line)] = told(r"printf '\033[1mbold\033[0m \033]8;;http://x\033\\link\033]8;;\033\\\n'")
    assert line == "bold link"
    [(_, line)] = told("head -c 3000000 /dev/zero | tr '\\0' x; echo")
    assert line == "x" * LONGEST


def test_a_line_is_told_before_the_program_ends():
    read, write = os.pipe()

    async def main():
        # It ends only when the line was told.
        script = f"echo ready; cat <&{read}"
        return await run(
            ["sh", "-c", script.replace(f"<&{read}", f"/proc/{os.getpid()}/fd/{read}")],
            RunSettings(),
            lambda _, line: os.close(write) if line == "ready" else None,
        )

    assert asyncio.run(main()).exit_code == 0
    os.close(read)


def test_python_programs_write_lines_at_once_only_if_somebody_listens():
    script = "import os; print(os.environ.get('PYTHONUNBUFFERED'))"
    words = [sys.executable, "-S", "-c", script]
    assert asyncio.run(run(words, RunSettings())).stdout == b"None\n"
    assert asyncio.run(run(words, RunSettings(), lambda *_: None)).stdout == b"1\n"


def test_of_many_lines_the_last_are_told():
    lines = told("seq 200000")
    assert lines[-1] == (200_000, "200000")
    assert all(int(line) == number for number, line in lines)
    numbers = [number for number, _ in lines]
    assert numbers == sorted(set(numbers))
    assert len(lines) < 20_000


def test_a_listener_that_never_returns_does_not_hold_the_program():
    async def main():
        async def stuck(*_):
            await asyncio.Event().wait()

        return await asyncio.wait_for(run(["seq", "100000"], RunSettings(), stuck), 60)

    came = asyncio.run(main())
    assert came.exit_code == 0
    assert came.stdout.endswith(b"100000\n")


def test_a_listener_that_fails_is_told_no_more(caplog):
    def fail(*_):
        told_lines.append(1)
        raise ValueError("listener")

    told_lines = []
    with caplog.at_level(logging.WARNING, "toolwright"):
        came = asyncio.run(run(["seq", "3"], RunSettings(), fail))
    assert came.stdout == b"1\n2\n3\n"
    assert len(told_lines) == 1
    assert "a listener failed" in caplog.text


@given(
    st.lists(
        st.tuples(st.integers(1, 2), st.text("ab\n\r", max_size=30).map(str.encode)), max_size=12
    )
)
def test_whatever_the_chunks_the_last_line_is_told(chunks):
    """Fed slowly, all lines come; the count never goes back."""
    lines = []

    async def main():
        teller = LineTeller(lambda *each: lines.append(each))
        for stream, chunk in chunks:
            if chunk:
                teller.feed(stream, chunk)
        teller.feed(1, b"")
        teller.feed(2, b"")
        await teller.finish()

    asyncio.run(main())
    assert len(lines) <= MOST_AT_ONCE
    numbers = [number for number, _ in lines]
    assert numbers == sorted(numbers)
    pieces = {
        stream: b"".join(chunk for each, chunk in chunks if each == stream)
        .replace(b"\r", b"\n")
        .split(b"\n")
        for stream in (1, 2)
    }
    assert all(line.encode() in pieces[1] + pieces[2] for _, line in lines)
    if pieces[2][-1]:  # the very last to be told
        assert lines[-1][1].encode() == pieces[2][-1]


def test_lines_are_progress_of_a_call():
    box = Toolbox("b")

    @box.tool
    async def count(call: Call) -> CommandOutput:
        def line(number, text):
            call.progress(number, message=text)

        return tool_value("seq", await run(["seq", "3"], RunSettings(), line))

    reports = []
    call = Call(on_progress=lambda *each: reports.append(each))
    result = asyncio.run(box.call_async("count", call=call))
    assert result.value == {"stdout": "1\n2\n3\n", "stderr": "", "exitCode": 0}
    assert reports == [(1, None, "1"), (2, None, "2"), (3, None, "3")]


def test_a_thread_that_reads_never_waits_for_a_busy_loop():
    """A loop that is blocked loses lines, not the program."""
    done = threading.Event()

    async def main():
        def block(*_):
            done.wait(0.02)

        return await run(["sh", "-c", "seq 100000; echo $?"], RunSettings(), block)

    assert asyncio.run(main()).stdout.endswith(b"100000\n0\n")


# -- plain text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("plain é\t\n", "plain é\t\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mtrue\x1b[m", "true"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x1b\\text", "text"),
        ("\x9b1mcsi\x9b0m", "csi"),
        ("\x1b(Bcharset\x1b=\x1bM", "charset"),
        ("\x1b]0;never closed\nnext", "\nnext"),
        ("\x1b[", ""),
        ("\x1b", ""),
        ("N\bNA\bAM\bME\bE", "NAME"),
        ("_\bx", "x"),
        ("bell\x07, null\x00, delete\x7f", "bell, null, delete"),
        ("10 %\r20 %\r\n", "10 %\r20 %\r\n"),
        ("\x1bPq#0;2;0\x1b\\sixel", "sixel"),
    ],
)
def test_commands_for_terminals_are_left_out(written, expected):
    assert plain_text(written) == expected


@given(st.text(st.sampled_from("\x1b[]();0m\x07\\P \x9b\x9d\b\nab"), max_size=60))
def test_nothing_is_left_of_them(text):
    shown = plain_text(text)
    assert not set(shown) & set("\x1b\x07\x9b\x9d\b")
    assert shown.count("\n") == text.count("\n")
