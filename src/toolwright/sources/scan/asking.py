"""What an executable is asked: help and completions only.

Whatever is run goes through `HelpAsker`. Its methods are all the command lines there are, so this is
the place to see that nothing else is run.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from ..command_run import run
from ..watched_process import Finished, NotStarted, RunSettings


@dataclass(frozen=True, slots=True)
class HelpAnswer:
    """The answer to a question."""

    code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    failure: Literal["", "missing", "timeout", "budget"] = ""

    @property
    def said(self) -> bytes:
        """Everything it wrote, standard output first."""
        return self.stdout + (b"\n" if self.stdout and self.stderr else b"") + self.stderr


def answer_of(
    words: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    most_bytes: int,
) -> HelpAnswer:
    """Run an executable without standard input; kill it, and what it has started, if it hangs."""
    how = RunSettings(
        cwd=cwd,
        environment=environment,
        pass_environment=(),
        max_output=most_bytes,
        end_seconds=0,  # a question has nothing to save, and the next one waits for its thread
    )

    async def wait() -> Finished:
        async with asyncio.timeout(seconds):
            return await run(words, how)

    try:
        finished = asyncio.run(wait())
    except TimeoutError:
        return HelpAnswer(-1, failure="timeout")
    except (NotStarted, ValueError):
        return HelpAnswer(-1, failure="missing")
    return HelpAnswer(finished.exit_code, finished.stdout, finished.stderr)


PROBED = "zz9!"
"""A value that is not a number, a truth value, a duration or the name of anything."""
_PASSED = (
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "USER", "LOGNAME", "SHELL", "TZ"),
    *("PYENV_VERSION", "ASDF_DIR", "JAVA_HOME"),
)
"""Where to find programs and what they are started with; no credentials."""
_LAUNCHERS = {
    "RUSTUP_HOME": ".rustup",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "ASDF_DATA_DIR": ".asdf",
    "VOLTA_HOME": ".volta",
}
"""Where launchers such as `cargo` find the program that they start: by default a folder of the home
that a scan does not let them see. There are no credentials in these."""
_SET = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TERMINAL_WIDTH": "200",
    "MANPAGER": "cat",
    "MANWIDTH": "200",
    "GIT_CONFIG_NOSYSTEM": "1",
    "RUSTUP_AUTO_INSTALL": "0",
}
"""English and wide output, in addition to what keeps every program that we run from asking."""


def _launchers() -> dict[str, str]:
    home = os.environ.get("HOME", "/")
    places = {name: os.environ.get(name) or f"{home}/{_LAUNCHERS[name]}" for name in _LAUNCHERS}
    return {name: place for name, place in places.items() if Path(place).is_dir()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a scan may cost."""

    seconds: float = 10.0
    """For one question."""
    total_seconds: float = 300.0
    questions: int = 20_000
    output: int = 400_000
    """Bytes of each stream that are read."""
    jobs: int = 8
    """Processes at a time."""
    depth: int = 8
    """Levels of commands."""
    commands: int = 3_000


class HelpAsker:
    """Asks one executable, in an empty home and an empty working directory."""

    def __init__(self, executable: str, limits: Limits) -> None:
        self.executable = executable
        self.limits = limits
        self.asked = 0
        self._ends = time.monotonic() + limits.total_seconds
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="scan-", ignore_cleanup_errors=True)
        self._home = Path(self._folder.name, "home")
        self._cwd = Path(self._folder.name, "work")
        for folder in (self._home, self._cwd, Path(self._folder.name, "tmp")):
            folder.mkdir()
        self._environment = self._made_environment()

    def _made_environment(self) -> dict[str, str]:
        passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
        home = str(self._home)
        folders = {"HOME": home, "TMPDIR": str(Path(self._folder.name, "tmp"))}
        folders |= {f"XDG_{name}_HOME": home for name in ("CONFIG", "CACHE", "DATA", "STATE")}
        return passed | _launchers() | _SET | folders

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._folder.cleanup()

    @contextlib.contextmanager
    def workers(self) -> Generator[ThreadPoolExecutor]:
        """Yield threads that ask in parallel; if anything goes wrong, nothing more is asked."""
        pool = ThreadPoolExecutor(max(self.limits.jobs, 1), thread_name_prefix="scan")
        try:
            yield pool
        except BaseException:
            self.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=self.is_over)

    # -- all the questions that there are

    def help(self, path: Sequence[str]) -> HelpAnswer:
        """Ask `BIN path --help`."""
        return self._ask(*path, "--help")

    def short_help(self, path: Sequence[str]) -> HelpAnswer:
        """Ask `BIN path -h`."""
        return self._ask(*path, "-h")

    def help_word(self, path: Sequence[str]) -> HelpAnswer:
        """Ask `BIN help path`."""
        return self._ask("help", *path)

    def full_help(self, *words: str) -> HelpAnswer:
        """Ask `BIN --help all` or the like, where its help says that this shows all options."""
        return self._ask(*words)

    def complete(self, *words: str) -> HelpAnswer:
        """Ask `BIN __complete words`: Cobra answers what could go there, and runs nothing."""
        return self._ask("__complete", *words)

    def global_options(self) -> HelpAnswer:
        """Ask `BIN options`, where its help says that this lists the options of all commands."""
        return self._ask("options")

    def probe(self, path: Sequence[str], flag: str, below: str = "") -> HelpAnswer:
        """Ask `BIN path --flag=zz9! --help`: what the parser says about such a value.

        Only for parsers that look at all options before anything runs. Never `--flag --help`: an
        option that takes a value would take `--help`, and the command would run.
        """
        return self._ask(*path, f"{flag}={PROBED}", *filter(None, [below]), "--help")

    def probe_list(self, path: Sequence[str], flag: str) -> HelpAnswer:
        """Ask `BIN path --flag=zz9!" --help`: what separates values by commas refuses the quote."""
        return self._ask(*path, f'{flag}={PROBED}"', "--help")

    def git_commands(self, *groups: str) -> HelpAnswer:
        """Ask `git --list-cmds=groups`."""
        return self._ask(f"--list-cmds={','.join(groups)}")

    def git_options(self, path: Sequence[str]) -> HelpAnswer:
        """Ask `git path --git-completion-helper`, in what git takes for a repository."""
        self._look_like_a_repository()
        return self._ask(*path, "--git-completion-helper")

    def _look_like_a_repository(self) -> None:
        """Write what git looks for: many of its commands say nothing outside a repository."""
        with self._lock:
            inside = self._cwd / ".git"
            if inside.exists():
                return  # others may be reading it
            for folder in ("objects", "refs"):
                (inside / folder).mkdir(parents=True, exist_ok=True)
            (inside / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")

    def stop(self) -> None:
        """Ask nothing more."""
        self._ends = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing more may be asked."""
        return time.monotonic() >= self._ends or self.asked >= self.limits.questions

    def _ask(self, *words: str) -> HelpAnswer:
        # Workers ask side by side: without the lock several could take the last question.
        with self._lock:
            seconds = self._ends - time.monotonic()
            if seconds <= 0 or self.asked >= self.limits.questions:
                return HelpAnswer(-1, failure="budget")
            self.asked += 1
        answer = answer_of(
            [self.executable, *words],
            str(self._cwd),
            self._environment,
            min(self.limits.seconds, seconds),
            self.limits.output,
        )
        # A default such as `~/.config` is the user's own only without our folder in its place.
        return replace(
            answer,
            stdout=self._without_paths(answer.stdout),
            stderr=self._without_paths(answer.stderr),
        )

    def _without_paths(self, output: bytes) -> bytes:
        """Return a text without our folders: nobody else has them."""
        for folder, stands_for in ((self._home, b"~"), (self._cwd, b".")):
            output = output.replace(os.fsencode(folder), stands_for)
        return output
