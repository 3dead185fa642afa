"""The line on the terminal: what is seen there, and what is left of it at the end."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import threading

import pytest

from tests.wire import forked
from tests.wire.command_files import here
from tests.wire.processes import COMMAND, LONGEST, Http, good, until

__all__ = ["here"]  # a fixture

NOISY = """
import logging, os, sys

def noisy(word: str) -> str:
    "Print and log."
    print(f"printed [red]{word}[/red]")
    print("a part", end="", flush=True)
    print(" :smile:", file=sys.stderr)
    logging.getLogger("noisy").warning("logged [/b] %s", word * 20)
    return word

def fail() -> None:
    "Fail."
    raise ValueError(f"[bold]")
"""


class Screen:
    """A server whose streams are a terminal, and what is seen there."""

    def __init__(self, *arguments, stdout=None):
        ours, theirs = pty.openpty()
        self.bytes = bytearray()
        self.process = forked.start(
            [*COMMAND, "serve", *arguments, "--http", "--port", "0"],
            stdin=subprocess.DEVNULL,
            stdout=stdout or theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "60"},
        )
        os.close(theirs)
        self.reader = threading.Thread(target=self._read, args=[ours])
        self.reader.start()

    def _read(self, ours):
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 4096):
                self.bytes.extend(chunk)
        os.close(ours)

    def lines(self):
        """What stands on the screen; a terminal that knows what is written here, and no more."""
        seen, at = [""], 0
        for code, text in re.findall(r"\x1b\[([0-9;]*[A-Za-z])|([\r\n]|[^\x1b\r\n]+)", self.text()):
            if code in {"2K", "K"}:
                seen[at] = ""
            elif code == "1A":
                at -= 1
            elif text == "\n":
                at += 1
                seen += [""] * (at == len(seen))
            elif text == "\r" or code.endswith("m"):
                continue
            else:
                assert text, f"the code {code!r}"
                seen[at] += text
        return seen

    def text(self):
        return self.bytes.decode()

    def client(self):
        found = until(lambda: re.search(r"http://127.0.0.1:(\d+)/mcp", self.text()), "an address")
        other = Http.__new__(Http)
        other.port = int(found[1])
        other.said = self.text
        return other

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join(30)


@pytest.mark.promise("everyday.status")
def test_what_is_printed_stands_above_the_line(here):
    here({"noisy.py": NOISY})
    with Screen("noisy.py") as screen:
        until(lambda: "waiting for a client" in screen.lines()[-1], "the line")
        client = screen.client()
        client.call("noisy", word="hello")
        client.call("fail")
        until(lambda: "2 calls, 1 failed, 0 running, last: fail" in screen.lines()[-1], "a count")
        seen = screen.lines()[1:-1]
        assert "printed [red]hello[/red]" in seen
        assert "a part" in seen  # what is flushed is seen at once, on a line of its own
        assert " :smile:" in seen
        # A long line is the terminal's to break.
        assert f"logged [/b] {'hello' * 20}" in seen
        assert "\x1b[?25l" not in screen.text(), "the cursor stays: a killed server leaves none"
        screen.process.send_signal(signal.SIGINT)
        assert screen.process.wait(30) in {0, 130}
        screen.reader.join(30)
        assert screen.lines()[-1] == ""
        assert not any("calls" in line for line in screen.lines())


def test_a_line_is_as_long_as_the_terminal_is_wide(here):
    name = "a_tool_with_a_name_that_does_not_fit_beside_the_rest"
    here({"long.py": f"def {name}() -> int:\n    return 1\n"})
    with Screen("long.py") as screen:
        screen.client().call(name)
        until(lambda: screen.lines()[-1].startswith("1 call"), "the line")
        assert len(screen.lines()[-1]) == 60


def test_what_goes_into_a_pipe_stays_there(here):
    here({"noisy.py": NOISY})
    with Screen("noisy.py", stdout=subprocess.PIPE) as screen:
        screen.client().call("noisy", word="hello")
        until(lambda: "1 call" in screen.lines()[-1], "the line")
        screen.process.send_signal(signal.SIGINT)
        assert b"printed [red]hello[/red]" in screen.process.communicate(timeout=30)[0]
        assert "printed" not in screen.text()


@pytest.mark.promise("everyday.status-reload")
def test_the_line_stays_when_tools_are_loaded_again(here):
    here({"live.py": "def one() -> int:\n    return 1\n"})
    with Screen("live.py", "--reload") as screen:
        client = screen.client()
        client.call("one")
        until(lambda: "1 call, 0 failed" in screen.lines()[-1], "the line")
        here({"live.py": "def one() -> int:\n    return 11\n\ndef two() -> int:\n    return 2\n"})
        until(lambda: "toolwright: reloaded, 2 tools" in screen.lines(), "the new tools")
        client.call("two")
        until(lambda: "2 calls, 0 failed, 0 running, last: two" in screen.lines()[-1], "a count")
        here({"live.py": "def one(\n"})
        until(lambda: any("not reloaded" in line for line in screen.lines()), "a refusal")
        client.call("one")
        until(lambda: "3 calls" in screen.lines()[-1], "a count")


@pytest.mark.parametrize("more", [[], ["--workers", "2"]])
def test_names_and_reasons_command_no_terminal(here, more):
    """The name of a toolbox may come from its data, and so may what a lifespan says."""
    here(
        {
            "evil.py": "from toolwright import Toolbox\n"
            "async def life(box):\n"
            "    if box.name == 'bad':\n"
            "        raise RuntimeError('no \\x1b]0;title\\x07')\n"
            "    yield\n"
            "box = Toolbox('ev\\x1b]0;title\\x07il', lifespan=life)\n",
            "bad.py": "from evil import life, Toolbox\nbox = Toolbox('bad', lifespan=life)\n",
        }
    )
    with Screen("evil.py", *more) as screen:
        screen.client()
    with Screen("bad.py", *more) as refused:
        assert refused.process.wait(LONGEST) == 1
    for shown in (screen.text(), refused.text()):
        assert "\\u001b]0;title\\u0007" in shown
        assert "\x1b]" not in shown


def test_one_is_no_plural(here):
    here({"live.py": "def one() -> int:\n    return 1\n"})
    assert good("export", "live.py") == "1 tool written to mcp-tools.json\n"
    with Screen("live.py", "--reload") as screen:
        screen.client()
        assert "live: 1 tool at http" in screen.text()
        here({"live.py": "def two() -> int:\n    return 1\n"})
        until(lambda: "toolwright: reloaded, 1 tool" in screen.lines(), "the new tool")
