"""Completion in shells: what may come next, and that real shells take it."""

import contextlib
import os
import pty
import shutil
import subprocess
import sys
import termios
import threading

import pytest

from tests.wire.cli.test_completion import PAINT, SHELLS, completed
from tests.wire.command_files import here
from tests.wire.processes import good, until


@pytest.mark.promise("everyday.completion-names")
def test_installed_servers_are_completed(completed, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    good("install", "cursor", "shop.py")
    good("install", "cursor", "shop.py", "--name", "shopping")
    good("install", "vscode", "shop.py", "--name", "here", "--project")
    assert completed("uninstall cursor ") == ["shop", "shopping"]
    assert completed("uninstall cursor shopp") == ["shopping"]
    assert completed("uninstall goose ") == []
    assert completed("uninstall vscode ") == []
    assert completed("uninstall vscode --project ") == ["here"]
    assert completed("uninstall generic ") == []
    assert completed("install cursor shop.py --name ") == []


# -- real shells


OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Shell:
    """A shell on a terminal, with the script as users load it."""

    def __init__(self, command, *setup, env):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        self.seen = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=env,
            start_new_session=True,
        )
        os.close(theirs)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        for each in setup:
            self.type(f"{each}\n")
        self.type("echo rea''dy\n")
        try:
            until(lambda: b"ready" in self.seen, "the shell is ready")
        except AssertionError:
            self.__exit__()
            raise

    def _read(self):
        with contextlib.suppress(OSError):
            while chunk := os.read(self.ours, 4096):
                self.seen.extend(chunk)

    def type(self, text):
        os.write(self.ours, text.encode())

    def tab(self, line, expected):
        """Type a line and the key; wait for what it becomes."""
        del self.seen[:]
        self.type(f"{line}\t")
        until(lambda: expected.encode() in self.seen, f"{expected!r} in {self.seen!r}")
        self.type("\x15")  # takes the line away

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join(30)
        os.close(self.ours)


@pytest.mark.promise("everyday.completion")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_completes(here, tmp_path, shell):
    command, setup = SHELLS[shell]
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {shell}")
    here({"paint.py": PAINT})
    program = tmp_path / "bin" / "toolwright"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolwright "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "xterm"}
    with Shell(command, *setup, env={**env, "HOME": str(tmp_path)}) as typed:
        typed.tab("toolwright ins", "tall")
        typed.tab("toolwright call paint.py pai", "nt")
        typed.tab("toolwright call paint.py paint colour=d", "ark\\ blue")
