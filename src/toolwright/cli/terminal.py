"""Progress bars and images on a terminal."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Any, Self

_CHUNK = 4096


class ProgressBar:
    """A progress bar on standard error if that is a terminal; removed when the call ends."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.bar: Any = None
        self.task: Any = None
        self.is_shown = sys.stderr.isatty()

    def update(self, done: float, total: float | None, said: str) -> None:
        """Show how far the call is; may be called in any thread."""
        if not self.is_shown:
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True, markup=False), transient=True)
            self.task = self.bar.add_task(_plain(self.title), total=None)
            self.bar.start()
        text = _plain(said or self.title)
        self.bar.update(self.task, completed=done, total=total, description=text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()


def _plain(text: str) -> str:
    """Return a text on one line, with markup escaped."""
    from rich.markup import escape

    return escape(" ".join(text.split()))


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
    program = env.get("TERM_PROGRAM", "")
    if "KITTY_WINDOW_ID" in env or env.get("TERM") == "xterm-kitty" or program == "ghostty":
        return _kitty(data) if block.get("mimeType") == "image/png" else ""
    if program in ("iTerm.app", "WezTerm", "mintty") or "ITERM_SESSION_ID" in env:
        size = len(base64.b64decode(data))
        return f"\x1b]1337;File=inline=1;size={size}:{data}\x07"
    return ""


def _kitty(data: str) -> str:
    parts = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)] or [""]
    sequences: list[str] = []
    for at, part in enumerate(parts):
        first = "a=T,f=100," if at == 0 else ""
        more = int(at < len(parts) - 1)
        sequences.append(f"\x1b_G{first}m={more};{part}\x1b\\")
    return "".join(sequences)
