"""Lifespans of servers: entered at the start, left on every way out."""

import asyncio
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.processes import LONGEST, Http, Stdio, refused, start, until
from toolwright import Toolbox

LIFE = """
import pathlib, os
from toolwright import Toolbox

def note(said):
    with open("life.txt", "a") as file:
        print(said, file=file)

async def life(server):
    note("open")
    yield os.getpid()
    note("close")

box = Toolbox("life", lifespan=life)

@box.tool
def state() -> int:
    return box.state

if __name__ == "__main__":
    box.serve({transport})
"""
BAD = LIFE.replace('note("open")', 'raise RuntimeError("no database\\nat all")')
BAD_END = LIFE.replace('note("close")', 'raise RuntimeError("no end")')
SLOW = LIFE.replace(
    'note("open")', 'note("opening")\n    import asyncio; await asyncio.sleep(3600)'
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("life.py").write_text(LIFE.format(transport=""))
    return tmp_path


def noted():
    return Path("life.txt").read_text().split() if Path("life.txt").exists() else []


@pytest.mark.promise("lifespan.start")
def test_stdio_enters_before_the_first_call_and_leaves_at_the_end_of_input(here):
    with Stdio("life.py") as server:
        assert noted() == ["open"]
        assert server.end() == 0
    assert noted() == ["open", "close"]


def test_two_signals_leave_it_too(here):
    source = (
        Path("life.py").read_text().replace("return box.state", "import time; time.sleep(3600)")
    )
    Path("life.py").write_text(source)
    with Stdio("life.py", "--drain", "3600") as server:
        server.begin("tools/call", {"name": "state", "arguments": {}})
        server.ask("ping")
        server.process.send_signal(signal.SIGTERM)
        until(lambda: "error" in server.ask("tools/list"), "it refuses what is new")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(LONGEST)
    assert noted() == ["open", "close"]


def test_a_signal_that_reaches_another_thread_ends_it(here):
    line = "signal.pthread_kill(threading.get_ident(), signal.SIGTERM); time.sleep(3600)"
    source = Path("life.py").read_text().replace("return box.state", line)
    Path("life.py").write_text(f"import signal, threading, time\n{source}")
    with Stdio("life.py", "--drain", "0") as server:
        server.begin("tools/call", {"name": "state", "arguments": {}})
        assert server.process.wait(LONGEST) == 0
    assert noted() == ["open", "close"]


@pytest.mark.promise("lifespan.failure")
@pytest.mark.parametrize("more", [(), ("--http", "--port", "0")], ids=["stdio", "http"])
def test_a_lifespan_that_fails_ends_the_start_with_one_line(here, more):
    Path("life.py").write_text(BAD)
    said = refused(1, "serve", "life.py", *more)
    assert said == "toolwright: the lifespan of life failed to open: RuntimeError: no database\n"


def test_one_that_fails_at_the_end_is_said_too(here):
    Path("life.py").write_text(BAD_END)
    for kind in (Stdio, Http):
        with kind("life.py") as server:
            until(noted, "the lifespan is open")
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(LONGEST) == 1
            assert server.said().splitlines()[-1] == (
                "toolwright: the lifespan of life failed to close: RuntimeError: no end"
            )
            assert "Traceback" not in server.said()
        Path("life.txt").unlink()


@pytest.mark.parametrize("more", [(), ("--http", "--port", "0")], ids=["stdio", "http"])
def test_a_signal_ends_a_server_that_has_not_opened_yet(here, more):
    Path("life.py").write_text(SLOW)
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start("serve", "life.py", *more, **pipes) as process:
        until(noted, "it opens")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LONGEST)
        assert process.returncode == 0
        assert b"Traceback" not in said
    assert noted() == ["opening"]


def test_a_reload_leaves_the_old_one_before_it_enters_the_new_one(here):
    with Stdio("life.py", "--reload") as server:
        Path("life.py").write_text(LIFE.format(transport="").replace('"open"', '"open-again"'))
        until(lambda: noted()[1:] == ["close", "open-again"], "the new one is open")
        assert server.end() == 0
    assert noted() == ["open", "close", "open-again", "close"]


def test_a_reload_whose_lifespan_fails_says_so_and_the_next_call_tries_again(here):
    with Stdio("life.py", "--reload") as server:
        Path("life.py").write_text(BAD)
        until(lambda: "failed to open" in server.said(), "the failure is said")
        assert server.call("state")["isError"]
        assert server.end() == 0
        assert "no database; the next call tries again" in server.said()


def test_a_program_that_serves_itself_gets_its_own_exception(here):
    box = Toolbox("b", lifespan=failing)
    with pytest.raises(RuntimeError, match="no database") as caught:
        asyncio.run(box.serve_async("http", port=0))
    assert caught.value.__suppress_context__


async def failing():
    raise RuntimeError("no database")
    yield


def test_an_exit_while_it_opens_is_a_failure_like_any_other():
    async def leaving():
        sys.exit("no DATABASE_URL")
        yield

    box = Toolbox("b", lifespan=leaving)
    with pytest.raises(SystemExit, match="no DATABASE_URL"):
        asyncio.run(box.serve_async("http", port=0))


def events(app, *kinds):
    """Send the events of an ASGI server to an app; return what it answers."""
    answers = []

    async def run():
        waiting = [{"type": f"lifespan.{kind}"} for kind in kinds]

        async def receive():
            return waiting.pop(0)

        async def send(message):
            answers.append(message)

        await app({"type": "lifespan"}, receive, send)

    asyncio.run(run())
    return answers


@pytest.mark.promise("lifespan.asgi")
def test_an_app_enters_and_leaves_it_with_the_server_around_it():
    log = []

    async def life():
        log.append("open")
        yield
        log.append("close")

    answers = events(Toolbox("b", lifespan=life).asgi(), "startup", "shutdown")
    assert answers == [
        {"type": "lifespan.startup.complete"},
        {"type": "lifespan.shutdown.complete"},
    ]
    assert log == ["open", "close"]


def test_an_app_whose_lifespan_fails_does_not_start():
    answers = events(Toolbox("b", lifespan=failing).asgi(), "startup")
    said = "the lifespan of b failed to open: RuntimeError: no database"
    assert answers == [{"type": "lifespan.startup.failed", "message": said}]


def test_a_call_of_the_command_enters_and_leaves_it(here):
    done = subprocess.PIPE
    with start("call", "life.py", "state", stdout=done, stderr=done) as process:
        out, said = process.communicate(timeout=LONGEST)
    assert re.fullmatch(rb"\d+\n", out), said
    assert noted() == ["open", "close"]


def test_a_call_of_the_command_whose_lifespan_fails_is_a_failed_call(here):
    Path("life.py").write_text(BAD)
    pipe = subprocess.PIPE
    with start("call", "life.py", "state", stdout=pipe, stderr=pipe) as process:
        out, said = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (1, b"")
    assert b"state failed" in said
    assert b"life.py" in said  # the author's line
    assert b"toolwright/cli" not in said
