"""A command on a terminal of its own: what is seen there, and what is typed."""

import contextlib
import os
import pty
import termios
import threading

from tests.wire.processes import LONGEST, start, until


class Typed:
    """A command whose streams are a terminal."""

    def __init__(self, *arguments, columns=80, on_screen=None, **env):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        self.bytes = bytearray()
        self.process = start(
            *arguments,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={"TERM": "xterm-256color", "COLUMNS": str(columns), **env},
        )
        os.close(theirs)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        with contextlib.suppress(OSError):
            while chunk := os.read(self.ours, 4096):
                self.bytes.extend(chunk)

    def text(self):
        return self.bytes.decode(errors="replace")

    def answer(self, prompt, line):
        """Wait for a prompt behind what was seen before, and type a line."""
        until(lambda: prompt in self.text(), f"{prompt!r} in {self.text()!r}")
        del self.bytes[: self.bytes.index(prompt.encode()) + len(prompt.encode())]
        os.write(self.ours, line.encode())

    def end(self):
        """Wait for the end; return the exit code and what is seen."""
        code = self.process.wait(LONGEST)
        self.reader.join(LONGEST)
        return code, self.text().replace("\r\n", "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join(LONGEST)
        os.close(self.ours)


def seen(*arguments, **more):
    """Run a command that asks nothing; return what is seen on its terminal."""
    with Typed(*arguments, **more) as typed:
        code, text = typed.end()
        assert code == 0, text
        return text
