"""A command that is forked for a test behaves as the one that users start."""

import os
import signal
import subprocess
import sys

import pytest

from tests.wire import forked
from tests.wire.processes import run, start

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
