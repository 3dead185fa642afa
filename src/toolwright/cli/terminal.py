"""What a terminal shows: progress, log messages, images."""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Any, Self, TextIO

from .._log.printable import printable

_CHUNK = 4096
_MOST_HELD = 1000
_COLOURS = {"debug": "dim", "info": "cyan", "notice": "cyan", "warning": "magenta"}
"""Colours by level of log message; any other is an error. Yellow is unreadable on white."""
THEME = {
    "json.key": "bold default",
    "json.bool_true": "italic magenta",
    "json.bool_false": "italic magenta",
    "bar.back": "dim",
    "bar.complete": "magenta",
    "bar.finished": "green",
    "bar.pulse": "magenta",
}
"""Replaces styles of rich that are not readable everywhere: dark blue and dark grey on black,
light green on white. Each is a colour of the terminal's own palette."""


def is_coloured(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which colours are wanted (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


class ProgressBar:
    """A call on standard error: its messages and, on a terminal, a bar that vanishes at the end."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.bar: Any = None
        self.task: Any = None
        self.is_shown = sys.stderr.isatty()
        self.lock = threading.Lock()
        self.held: list[tuple[str, Any]] | None = None
        """Messages that wait for the end of a question; None while there is none."""

    def update(self, done: float, total: float | None, said: str) -> None:
        """Show how far the call has got; may be called in any thread."""
        if not self.is_shown:
            return
        with self.lock:
            if self.held is not None:
                return  # the next one comes soon
            self.bar = self.bar or self._started()
            text = _plain(said or self.title)
            self.bar.update(self.task, completed=done, total=total, description=text)

    def _started(self) -> Any:
        from rich.progress import Progress
        from rich.theme import Theme

        from .status import Terminal

        console = Terminal(stderr=True, markup=False, theme=Theme(THEME))
        bar = Progress(console=console, transient=True)
        self.task = bar.add_task(_plain(self.title), total=None)
        bar.start()
        return bar

    def log(self, level: str, said: Any) -> None:
        """Show a message of a tool, above the bar; may be called in any thread."""
        with self.lock:
            if self.held is None:
                self._log(level, said)
            elif len(self.held) < _MOST_HELD:
                self.held.append((level, said))

    def _log(self, level: str, said: Any) -> None:
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
        if not is_coloured(sys.stderr):
            print(f"{level}: {printable(text) if self.is_shown else text}", file=sys.stderr)
            return
        from rich.console import Console
        from rich.text import Text

        line = Text.assemble((f"{level}: ", _COLOURS.get(level, "red")), printable(text))
        console = self.bar.console if self.bar is not None else Console(stderr=True)
        console.print(line, soft_wrap=True, highlight=False)

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """Remove the bar while a question is on the terminal, and hold messages back."""
        with self.lock:
            self.held = []
            self._end()
        try:
            yield
        finally:
            with self.lock:
                waiting, self.held = self.held, None
                for level, message in waiting:
                    self._log(level, message)

    def _end(self) -> None:
        bar, self.bar = self.bar, None
        if bar is not None:
            bar.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self.lock:
            self.is_shown = False
            self._end()


def _plain(text: str) -> str:
    """Return a text on one line, with markup escaped."""
    from rich.markup import escape

    return escape(printable(" ".join(text.split())))


@contextlib.contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C end the command; a tool that raises `KeyboardInterrupt` itself does not."""
    pressed = False

    def press(_number: int, _frame: object) -> None:
        nonlocal pressed
        pressed = True
        logging.disable()  # it must not be logged as a failure of the tool
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            raise KeyboardInterrupt


def image_for(block: Mapping[str, Any], env: Mapping[str, str] = os.environ) -> str:
    """Return the escape sequence that shows an image; empty if this terminal cannot."""
    data: Any = block.get("data")
    if block.get("type") != "image" or not isinstance(data, str):
        return ""
    try:
        size = len(base64.b64decode(data, validate=True))
    except ValueError:  # not base64: it could end the sequence and begin another
        return ""
    program = env.get("TERM_PROGRAM", "")
    if "KITTY_WINDOW_ID" in env or env.get("TERM") == "xterm-kitty" or program == "ghostty":
        return _kitty(data) if block.get("mimeType") == "image/png" else ""
    if program in ("iTerm.app", "WezTerm", "mintty") or "ITERM_SESSION_ID" in env:
        return f"\x1b]1337;File=inline=1;size={size}:{data}\x07"
    return ""


def _kitty(data: str) -> str:
    parts = [data[start : start + _CHUNK] for start in range(0, len(data), _CHUNK)] or [""]
    sequences: list[str] = []
    for index, part in enumerate(parts):
        first = "a=T,f=100," if index == 0 else ""
        more = int(index < len(parts) - 1)
        sequences.append(f"\x1b_G{first}m={more};{part}\x1b\\")
    return "".join(sequences)
