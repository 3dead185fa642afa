"""A command that is forked for a test behaves as the one that users start."""

import json
import os
import pty
import signal
import subprocess
import sys

import forked
import pytest
from counting import soaked
from processes import run, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
PROBE = """
import atexit, json, os, signal, sys, threading

def _stream(each):
    return [each.name, each.mode, each.encoding, each.errors, each.newlines, each.isatty(),
            each.line_buffering, each.write_through, type(each.buffer).__name__, each.fileno()]

MAIN = sys.modules["__main__"]
STATE = {
    "argv": sys.argv, "orig_argv": sys.orig_argv[1:], "path": sys.path, "flags": list(sys.flags),
    "folder": os.getcwd(), "env": dict(os.environ), "warnings": sys.warnoptions,
    "streams": [_stream(each) for each in (sys.__stdin__, sys.__stderr__)],
    "is_stdout": [sys.stdin is sys.__stdin__, sys.stderr is sys.__stderr__],
    "open": sorted(number for number in map(int, os.listdir("/proc/self/fd")) if number < 20),
    "signals": [str(signal.getsignal(each)) for each in signal.valid_signals()],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "main": [MAIN.__name__, MAIN.__file__, MAIN.__spec__.name, sorted(vars(MAIN))],
    "thread": [threading.current_thread().name, threading.active_count()],
    "group": [os.getpgid(0), os.getsid(0), os.nice(0), os.umask(0o22)],
    "input": sys.stdin.read(),
}
atexit.register(lambda: os.write(2, b"ended\\n"))

def state() -> str:
    return json.dumps(STATE)

def leave(how: str) -> str:
    if how == "exit":
        os._exit(7)
    os.kill(os.getpid(), getattr(signal, how))
    threading.Event().wait(60)
"""


@pytest.fixture
def probe(tmp_path, monkeypatch):
    (tmp_path / "probe.py").write_text(PROBE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "probe.py"


@pytest.mark.soak
def test_it_begins_in_the_same_state(probe, monkeypatch):
    monkeypatch.setenv("A_NEW_VARIABLE", "ü")
    sent = ("call", "probe.py", "state")
    real = run(*sent, fresh=True, stdin="a\nb")
    made = run(*sent, stdin="a\nb")
    assert '"input": "a\\nb"' in real.stdout
    assert (made.returncode, made.stdout, made.stderr) == (0, real.stdout, real.stderr)
    assert real.stderr == "ended\n"
    assert made.args == real.args


@pytest.mark.soak
@pytest.mark.parametrize("how", ["exit", *soaked("SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV")])
def test_it_ends_in_the_same_way(probe, how):
    sent = ("call", "probe.py", "leave", f"how={how}")
    ends = [run(*sent, fresh=fresh) for fresh in (True, False)]
    seen = [(each.returncode, each.stdout, each.stderr) for each in ends]
    assert seen[0] == seen[1]
    assert seen[0][0] != 0


ENDS = """
import atexit, os, sys, threading

class Last:
    def __del__(self):
        os.write(2, b"taken apart\\n")

LAST = Last()
LAST.own = LAST
threading.kept = open(os.dup(2), "w")
threading.kept.write("what nobody flushed\\n")

def outlive():
    threading.main_thread().join()
    os.write(2, b"; the thread\\n")

threading.Thread(target=outlive).start()
atexit.register(os.write, 2, b"first registered\\n")
atexit.register(os.write, 2, b"then registered\\n")

def leave(how: str) -> str:
    sys.stderr.write("no line")
    if how == "unawaited":
        never()
    return how

async def never():
    pass
"""


@pytest.mark.soak
@pytest.mark.parametrize("how", ["plain", *soaked("unawaited", "closed")])
def test_what_it_leaves_is_taken_apart_in_the_same_order(probe, how):
    probe.write_text(ENDS)
    seen = []
    for fresh in (True, False):
        ours, theirs = os.pipe()
        streams = {"stdout": theirs, "stderr": subprocess.PIPE}
        with start("call", "probe.py", "leave", f"how={how}", fresh=fresh, **streams) as process:
            os.close(theirs)
            if how == "closed":
                os.close(ours)
            said = process.stderr.read()
            seen.append((process.wait(), said, how == "closed" or os.read(ours, 99)))
        if how != "closed":
            os.close(ours)
    assert seen[0] == seen[1]
    ended = [b"; the thread", b"then registered", b"first registered", b"taken apart"]
    assert seen[0][1].endswith(b"\n".join([*ended, b"what nobody flushed\n"]))


@pytest.mark.soak
def test_it_has_the_same_streams_on_a_terminal(probe):
    seen = []
    for fresh in (True, False):
        ours, theirs = pty.openpty()
        streams = dict.fromkeys(("stdin", "stderr"), theirs)
        with start(
            "call", "probe.py", "state", fresh=fresh, stdout=subprocess.PIPE, **streams
        ) as process:
            os.write(ours, b"\x04")
            seen.append(json.loads(process.stdout.read())["streams"])
        os.close(ours)
        os.close(theirs)
    assert seen[0] == seen[1]
    assert seen[0][0][5]


def test_it_is_forked_only_where_that_makes_no_difference(monkeypatch):
    assert forked.may_fork({**os.environ, "HOME": "/nowhere"})
    assert not forked.may_fork({**os.environ, "PYTHONUTF8": "1"})
    assert not forked.may_fork({**os.environ, "LC_ALL": "C"})
    monkeypatch.setenv("TOOLWRIGHT_TESTS_EXEC", "1")
    assert not forked.may_fork(None)


def test_nothing_is_left_from_one_to_the_next(probe):
    probe.write_text("import json\nseen = json.__dict__.setdefault('left', [])\nseen.append(1)\n")
    with probe.open("a") as file:
        file.write("def count() -> int:\n    return len(seen)\n")
    assert [run("call", "probe.py", "count").stdout for _ in range(2)] == ["1\n", "1\n"]


def test_signals_and_waiting(probe):
    probe.write_text("import sys\nprint(sys.stdin.readline())\ndef f() -> int:\n    return 1\n")
    process = start("list", "probe.py", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert isinstance(process, forked.Forked)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == process.poll() == -signal.SIGKILL
    process.communicate()
