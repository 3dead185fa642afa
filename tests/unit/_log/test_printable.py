"""What is logged, or told of a failure, commands no terminal."""

import contextlib
import fcntl
import io
import logging
import pty
import struct
import sys
import termios

import pytest

from tests.wire.command_files import here
from toolwright import Toolbox
from toolwright._log.printable import show_logs
from toolwright._log.printable import say

__all__ = ["here"]  # a fixture

COMMAND = "\x1b]0;mine\x07"
SHOWN = "\\u001b]0;mine\\u0007"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def no_handlers(monkeypatch):
    """Return what puts pytest's own handlers aside, as in a program that has set up no logging."""
    levels = [(each, each.level) for each in (logging.root, logging.getLogger("toolwright"))]
    yield lambda: monkeypatch.setattr(logging.root, "handlers", [])
    for logger, level in levels:
        logger.setLevel(level)


def failing():
    box = Toolbox("raising")

    @box.tool
    def fail(text: str) -> str:
        raise RuntimeError(text)

    return box


@pytest.mark.promise("serve.printable-logs")
@pytest.mark.parametrize(
    "set_up",
    [
        None,
        lambda: logging.basicConfig(format="own %(message)s"),
        lambda: logging.root.addHandler(logging.StreamHandler()),
    ],
    ids=["nothing", "basicConfig", "no formatter"],
)
def test_what_is_logged_commands_no_terminal(set_up, no_handlers, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    no_handlers()
    if set_up is not None:
        set_up()
    show_logs(logging.WARNING)
    failing().call("fail", {"text": f"{COMMAND}\nline"})
    assert SHOWN in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()
    assert "line\n" in terminal.getvalue()


def test_a_pipe_and_a_file_get_logs_as_they_are(no_handlers, monkeypatch):
    monkeypatch.setattr(sys, "stderr", pipe := io.StringIO())
    no_handlers()
    show_logs(logging.WARNING)
    logging.getLogger("own").warning(COMMAND)
    assert pipe.getvalue() == f"{COMMAND}\n"


def test_a_handler_of_another_kind_keeps_its_formatter(no_handlers):
    class Own(logging.StreamHandler):
        pass

    no_handlers()
    handler = Own(terminal := Terminal())
    logging.root.addHandler(handler)
    show_logs(logging.WARNING)
    logging.getLogger("own").warning(COMMAND)
    assert terminal.getvalue() == f"{COMMAND}\n"


def test_a_terminal_breaks_messages_between_words():
    ours, theirs = pty.openpty()
    with open(ours, "rb", buffering=0) as seen, open(theirs, "w") as shown:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 9, 20, 0, 0))
        with contextlib.redirect_stderr(shown):
            say("toolwright: there is no `serv`\n    code(stays, as, it, is, here)")
        text = seen.read(1000).decode()
    assert text.split("\r\n") == [
        "toolwright: there is",
        "no `serv`",
        "    code(stays, as, it, is, here)",
        "",
    ]
