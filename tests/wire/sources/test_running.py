"""Programs as real processes: what they get, what comes back, and why they could not start."""

import asyncio
import json
import os
import resource
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from toolwright import ToolError
from toolwright.sources.command_words import RefusedValue, command_line
from toolwright.sources.program import Command, CommandParameter, Program
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings


def finished(*words, **how):
    return asyncio.run(run(words, RunSettings(**how)))


def shell(script, **how):
    return finished("sh", "-c", script, **how)


def test_code_and_streams_come_back():
    came = shell("echo out; echo err >&2; exit 3")
    assert (came.exit_code, came.stdout, came.stderr) == (3, b"out\n", b"err\n")
    assert (came.stdout_left_out, came.stderr_left_out) == (0, 0)


def test_a_signal_is_a_negative_code():
    assert shell("kill -USR1 $$").exit_code == -10


def test_words_are_no_shell(tmp_path):
    nasty = [
        f"; touch {tmp_path}/x",
        f"$(touch {tmp_path}/x)",
        f"`touch {tmp_path}/x`",
        "*",
        "a\nb",
    ]
    came = finished("printf", "%s\\0", *nasty)
    assert came.stdout.decode().split("\0")[:-1] == nasty
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=examples(100))
@given(st.lists(st.text(st.characters(), max_size=20), min_size=1, max_size=4))
def test_any_words_arrive_as_they_are_or_are_refused(items):
    rest = CommandParameter(name="rest", schema={}, emit="rest")
    root = Command(parameters=(rest,))
    program = Program(name="p", root=root, argv=("printf", "%s\\0"), takes_dashes=False)
    try:
        words = command_line(program, [root], [{"rest": items}])
    except RefusedValue:
        broken = any(
            0xD800 <= ord(char) < 0xE000 or char == "\0" for each in items for char in each
        )
        assert broken or any(each.startswith("-") for each in items)
        return
    assert finished(*words).stdout.decode().split("\0")[:-1] == items


# -- output


def test_a_flood_is_kept_in_bounds():
    came = shell("yes 0123456789 | head -c 20000000; echo; echo END", max_output=2000)
    assert len(came.stdout) == 2000
    assert came.stdout_left_out == 20_000_000 + 5 - 2000
    assert came.stdout.startswith(b"0123456789\n0123")
    assert came.stdout.endswith(b"\nEND\n")


@given(st.lists(st.binary(max_size=40)), st.integers(2, 60))
def test_beginning_and_end_are_kept_whatever_the_chunks(chunks, most):
    from toolwright.sources.watched_process import OutputBytes

    kept = OutputBytes(most)
    for chunk in chunks:
        kept.add(chunk)
    whole = b"".join(chunks)
    head, tail = most - most // 2, most // 2
    assert kept.left_out == max(len(whole) - most, 0)
    cut = whole[:head] + whole[len(whole) - tail :]
    assert kept.kept() == (whole if len(whole) <= most else cut)


def test_both_streams_are_read_at_once():
    script = (
        "import sys\nfor _ in range(300): sys.stdout.write('o' * 999); sys.stderr.write('e' * 999)"
    )
    came = finished(sys.executable, "-S", "-c", script)
    assert len(came.stdout) + came.stdout_left_out == 299_700
    assert len(came.stderr) + came.stderr_left_out == 299_700


# -- input and environment


def test_there_is_nothing_to_read():
    assert finished("cat").stdout == b""


def test_input_is_written_while_output_is_read():
    data = bytes(range(256)) * 4000
    assert finished("cat", stdin=data, max_output=2_000_000).stdout == data
    assert finished("cat", stdin=b"").stdout == b""


def test_a_program_that_writes_more_than_it_reads_does_not_get_stuck():
    script = "import sys\nfor line in sys.stdin: sys.stdout.write(line * 50)"
    words = [sys.executable, "-S", "-c", script]
    how = RunSettings(stdin=(b"x" * 1023 + b"\n") * 300)
    came = asyncio.run(asyncio.wait_for(run(words, how), 60))
    assert len(came.stdout) + came.stdout_left_out == 300 * 1024 * 50


def test_a_program_need_not_read_its_input():
    assert finished("true", stdin=b"x" * 1_000_000).exit_code == 0


def variables(**how):
    found = finished("env", "-0", **how).stdout.decode().split("\0")[:-1]
    return dict(each.split("=", 1) for each in found)


def test_only_listed_variables_pass(monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PAGER", "less")
    got = variables()
    assert "AWS_SECRET_ACCESS_KEY" not in got
    assert (got["LC_TIME"], got["PYTHONPATH"], got["PATH"]) == (
        "C",
        "/somewhere",
        os.environ["PATH"],
    )
    quiet = {
        "CI": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "PIP_NO_INPUT": "1",
        "EDITOR": "false",
        "PAGER": "cat",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "200",
    }
    assert quiet.items() <= got.items()
    assert "PYTHONUNBUFFERED" not in got

    got = variables(pass_environment=("AWS_*", "PATH"))
    assert got["AWS_SECRET_ACCESS_KEY"] == "secret"
    assert "LC_TIME" not in got
    got = variables(pass_environment=("*",))
    assert (got["TERM"], got["PAGER"]) == ("dumb", "cat")  # a pattern is no wish for this one
    got = variables(
        pass_environment=("PATH", "PAGER"), environment={"TERM": "vt100", "X": "a=b\nc"}
    )
    assert (got["TERM"], got["PAGER"], got["X"]) == ("vt100", "less", "a=b\nc")


def test_it_works_where_it_is_told_to(tmp_path):
    assert finished("pwd", "-P", cwd=tmp_path).stdout.decode().strip() == str(tmp_path.resolve())
    assert finished("pwd", "-P").stdout.decode().strip() == str(Path.cwd().resolve())


# -- what cannot be started


def refusal(*words, **how):
    with pytest.raises(ToolError) as caught:
        finished(*words, **how)
    assert "\n" not in str(caught.value)
    assert caught.value.code == "not_started"
    return str(caught.value)


def script(folder, text, mode=0o755):
    path = folder / "script"
    path.write_bytes(text)
    path.chmod(mode)
    return str(path)


def test_a_program_that_is_not_there(tmp_path):
    assert refusal("no-such-program", "x") == (
        "no-such-program cannot be started: there is no such program on its PATH"
    )
    missing = str(tmp_path / "missing")
    assert refusal(missing) == f"{missing} cannot be started: no such file exists"
    below = script(tmp_path, b"x") + "/below"
    assert refusal(below) == f"{below} cannot be started: no such file exists"


def test_a_file_that_is_no_program(tmp_path):
    assert refusal(str(tmp_path)) == f"{tmp_path} cannot be started: it is a folder"
    path = script(tmp_path, b"#!/bin/sh\n", 0o644)
    assert refusal(path) == f"{path} cannot be started: it is not executable"
    path = script(tmp_path, b"no first line\n")
    assert refusal(path).endswith(
        "the system cannot run such a file (a script needs a first line such as #!/bin/sh)"
    )
    path = script(tmp_path, b"#!/no/such/interpreter\n")
    assert refusal(path).endswith("the interpreter that its first line names does not exist")


def test_a_working_directory_that_is_gone(tmp_path):
    gone = tmp_path / "gone"
    assert refusal("true", cwd=gone).endswith(f"its working directory {gone} does not exist")
    gone.write_text("")
    assert refusal("true", cwd=str(gone)).endswith(f"its working directory {gone} is not a folder")


def test_the_server_s_own_directory_that_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert finished("true").exit_code == 0


def test_words_that_the_system_does_not_take():
    assert refusal("true", *["x" * 100_000] * 100).endswith(
        "its arguments and environment are longer than the system takes"
    )
    for word in ("a\0b", "\ud800"):
        assert refusal("true", word).endswith("a word has NUL or a lone surrogate in it")
    with pytest.raises(ValueError, match="begin with the name of a program"):
        finished()


def test_no_descriptors_are_left():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = []

    async def main():
        try:
            # As many as there are, but some for the event loop.
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
            while True:
                try:
                    held.append(os.open(os.devnull, os.O_RDONLY))
                except OSError:
                    break
            for free in range(10):
                with pytest.raises(ToolError, match="this server has too many files open"):
                    await run(["true"], RunSettings())
                if free < 5:
                    os.close(held.pop())
        finally:
            for each in held:
                os.close(each)
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        return await run(["true"], RunSettings())

    assert asyncio.run(main()).exit_code == 0


def test_nothing_stays_open():
    async def descriptors():
        # A thread closes its descriptors after it has given its answer.
        for thread in threading.enumerate():
            if thread.name == "toolwright-program":
                thread.join(30)
        return len(os.listdir("/proc/self/fd"))

    async def main():
        await run(["true"], RunSettings(stdin=b"x"))
        before = await descriptors()
        for _ in range(5):
            await run(["sh", "-c", "echo x; echo y >&2"], RunSettings(stdin=b"x"))
            with pytest.raises(ToolError):
                await run(["no-such-program"], RunSettings())
        return before, await descriptors()

    before, after = asyncio.run(main())
    assert after == before


def test_two_loops_in_two_threads():
    came = {}

    def work(name):
        async def main():
            return await asyncio.gather(*(run(["echo", name], RunSettings()) for _ in range(10)))

        came[name] = {each.stdout.decode() for each in asyncio.run(main())}

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert came == {"a": {"a\n"}, "b": {"b\n"}}


def test_an_exit_code_that_somebody_else_took_is_not_made_up():
    code = """
import asyncio, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings
try:
    print(asyncio.run(run(["false"], RunSettings())))
except Exception as error:
    print(error)
"""
    came = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "its exit code is lost" in came.stdout


def test_permissions_of_a_folder_are_said(tmp_path):
    if os.geteuid() == 0:  # may enter everything: ask as somebody else
        closed = tmp_path / "closed"
        closed.mkdir()
        tmp_path.chmod(0o755)
        closed.chmod(0)
        code = (
            "import asyncio, os, sys\n"
            "from toolwright.sources.command_run import run\n"
            "from toolwright.sources.watched_process import RunSettings\n"
            "asyncio.run(run(['true'], RunSettings()))\n"
            "os.setuid(65534)\n"
            "try: asyncio.run(run(['true'], RunSettings(cwd=sys.argv[1])))\n"
            "except Exception as error: print(error)\n"
        )
        came = subprocess.run(
            [sys.executable, "-c", code, str(closed)], capture_output=True, text=True, check=True
        )
        assert came.stdout.strip().endswith("may not be entered")
    else:
        tmp_path.chmod(stat.S_IRUSR)
        assert refusal("true", cwd=tmp_path).endswith("may not be entered")


# -- settings


WRONG = [
    ({"cwd": ""}, "cwd must be the path of a folder, not ''"),
    ({"cwd": 3}, "cwd must be the path of a folder, not 3"),
    ({"cwd": "a\0b"}, "cwd must be the path of a folder"),
    ({"environment": ["A"]}, "environment must be a mapping of names to text, not list"),
    ({"environment": {"A=B": "x"}}, "environment: 'A=B' is not a valid variable name"),
    ({"environment": {"A": 3}}, "environment: the value of A must be text without NUL"),
    ({"environment": {"A": "\ud800"}}, "environment: 'A' and its value must be text without lone"),
    ({"pass_environment": "PATH"}, "pass_environment must be a list of names such as `LC_*`"),
    ({"pass_environment": ("A=B",)}, "pass_environment: 'A=B' is not a valid variable name"),
    ({"stdin": "text"}, "stdin must be bytes, not str"),
    ({"max_output": 1}, "max_output must be a number from 2 to"),
    ({"max_output": 2.5}, "max_output must be a whole number of bytes, not 2.5"),
    ({"end_seconds": -1}, "end_seconds must be a number from 0 to 3600, not -1"),
    ({"end_seconds": float("nan")}, "end_seconds must be a number from 0 to 3600, not nan"),
    ({"end_seconds": True}, "end_seconds must be a number from 0 to 3600, not True"),
]


@pytest.mark.parametrize(("given_settings", "reason"), WRONG, ids=[each[1] for each in WRONG])
def test_settings_are_checked_when_they_are_made(given_settings, reason):
    with pytest.raises((ValueError, TypeError)) as caught:
        RunSettings(**given_settings)
    assert str(caught.value).startswith(reason)
    assert "\n" not in str(caught.value)


def test_settings_do_not_change_with_what_they_were_made_of():
    given_settings = {"A": "1"}
    made = RunSettings(environment=given_settings, pass_environment=["PATH"])
    given_settings["A"] = "2"
    assert made.environment == {"A": "1"}
    assert made.pass_environment == ("PATH",)
    assert json.loads(json.dumps(dict(made.environment))) == {"A": "1"}
