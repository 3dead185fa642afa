"""The program of an unmodified script, by its parser."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import SchemaError
from ..program import Command, Program
from ..program_file import program_from_json

SECONDS = 60.0
_MAX_ANSWER = 100_000_000
_SHELL_LINE = re.compile(r"""^'''exec' "?([^"\s]+)"? "\$0" "\$@"$""", re.MULTILINE)
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT", "TZ")


def capture(
    script: str | Path | Sequence[str],
    interpreter: str | None = None,
    *,
    name: str = "",
    seconds: float = SECONDS,
) -> Program:
    """Return the program of a script, a console script, or `[python, "-m", module]`.

    It runs in its own interpreter until it calls its parser: without stdin, in an empty home, its
    output unread. Raises `SchemaError` if it never does.
    """
    started = _started(script, interpreter)
    started = replace(started, name=name or started.name)
    with tempfile.TemporaryDirectory(prefix="capture-", ignore_cleanup_errors=True) as folder:
        found, words = started.ask(folder, seconds)
        if words:
            with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
                ask = partial(started.ask_below, folder, seconds)
                answers = pool.map(ask, words)
                found = _with_commands(found, zip(words, answers, strict=True))
    return replace(found, argv=started.argv)


@dataclass(frozen=True, slots=True)
class _Started:
    """How a program is started."""

    name: str
    python: str
    words: tuple[str, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.python, *self.words)

    def ask(
        self, folder: str, seconds: float, words: tuple[str, ...] = (), passed: int = 0
    ) -> tuple[Program, list[str]]:
        """Return the program, and words for which it makes parsers only when it sees them."""
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as home:
            answer = Path(home, "answer.json")
            job: dict[str, Any] = {
                "words": [*self.words, *words],
                "name": self.name,
                "package": str(Path(__file__).parents[2]),
                "answer": str(answer),
                "passed": passed,
            }
            child = str(Path(__file__).with_name("catching.py"))
            command = [self.python, "-P", child, json.dumps(job)]
            said = _run(command, home, seconds, self.name)
            if not answer.is_file() or answer.stat().st_size > _MAX_ANSWER:
                why = f": {said}" if said else ""
                raise SchemaError(
                    f"ended before it called a parser of a known framework{why}",
                    tool=self.name,
                    hint="scan its `--help` instead",
                )
            data = json.loads(answer.read_text("utf-8"))
        if "problem" in data:
            raise SchemaError(f"cannot be read: {data['problem']}", tool=self.name)
        return program_from_json(data["program"]), data["words"]

    def ask_below(self, folder: str, seconds: float, word: str) -> Command | SchemaError:
        """Return the command of such a word; `--help` makes sure that it does nothing else."""
        try:
            return self.ask(folder, seconds, (word, "--help"), passed=1)[0].root
        except SchemaError as error:
            return error


def _with_commands(program: Program, found: Any) -> Program:
    """Return a program with commands whose parsers were caught one by one."""
    commands: list[Command] = []
    left_out = list(program.left_out)
    for word, each in found:
        if isinstance(each, SchemaError):
            left_out.append(str(each.named(f"{program.name} {word}")))
        else:
            commands.append(_below(each, word))
    if not commands:
        return program
    # The words after the options are now the name of a command and its arguments.
    options = tuple(each for each in program.root.parameters if not each.is_positional)
    root = replace(program.root, parameters=options, commands=tuple(commands), runs=False)
    return replace(program, root=root, left_out=tuple(left_out))


def _below(command: Command, word: str) -> Command:
    inner = tuple(_below(each, word) for each in command.commands)
    return replace(command, path=(word, *command.path), commands=inner)


def _run(command: list[str], home: str, seconds: float, name: str) -> str:
    """Run a command until its end; return the last line that it wrote to stderr."""
    environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "XDG_CONFIG_HOME"), home)
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "TERM": "dumb"}
    with Path(home, "stderr").open("w+b") as errors:
        try:
            process = subprocess.Popen(  # noqa: S603  # no shell, and the user has named the script
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                cwd=home,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise SchemaError(f"cannot be started: {error.strerror}", tool=name) from None
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise SchemaError(f"called no parser within {seconds:g} s", tool=name) from None
        finally:
            _end(process)
        errors.seek(max(errors.seek(0, os.SEEK_END) - 4000, 0))
        lines = errors.read().decode("utf-8", "replace").split("\n")
    return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _started(script: str | Path | Sequence[str], interpreter: str | None) -> _Started:
    words = [str(script)] if isinstance(script, str | Path) else [str(each) for each in script]
    if not words:
        raise SchemaError("has no words", tool="the program")
    if len(words) > 1 and re.fullmatch(r"(python|pypy)[\d.]*(\.exe)?", Path(words[0]).name):
        python = interpreter or shutil.which(words[0]) or words[0]
        if words[1] == "-m" and len(words) > 2:
            name = words[2].removesuffix(".__main__").rpartition(".")[2]
            return _Started(name, python, tuple(words[1:]))
        words, interpreter = words[1:], python
    file = _file_of(words[0])
    python = interpreter or _interpreter_of(file)
    return _Started(file.name.removesuffix(".py"), python, (str(file), *words[1:]))


def _file_of(word: str) -> Path:
    file = Path(word)
    if file.is_file():
        return file.absolute()
    if not file.parent.parts or file.parent == Path():
        found = shutil.which(word, path=sysconfig.get_path("scripts")) or shutil.which(word)
        if found is not None:
            return Path(found).absolute()
    raise SchemaError("is neither a file nor a command on the PATH", tool=word)


def _interpreter_of(file: Path) -> str:
    """Return the interpreter that a script names in its first lines, else our own."""
    with file.open("rb") as opened:
        head = opened.read(2000)
    first, _, rest = head.decode("utf-8", "replace").partition("\n")
    if file.suffix == ".py" and "python" not in first:
        return sys.executable
    if not first.startswith("#!"):
        raise SchemaError(
            "is not a Python script", tool=file.name, hint="scan its `--help` instead"
        )
    words = first[2:].split()
    if words and Path(words[0]).name == "sh":  # how installers write a path that has spaces
        found = _SHELL_LINE.search(rest)
        words = [found.group(1)] if found else []
    if words and Path(words[0]).name == "env":
        words = [each for each in words[1:] if not each.startswith("-")]
    if not words or not re.match(r"(python|pypy)", Path(words[0]).name):
        raise SchemaError(
            "is not a Python script", tool=file.name, hint="scan its `--help` instead"
        )
    return shutil.which(words[0]) or words[0]
