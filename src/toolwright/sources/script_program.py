"""The program of an unmodified script, by its parser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, NamedTuple

from .._files import open_file
from .._process import end
from ..errors import SchemaError
from .program import UNSET, Command, CommandParameter, Program
from .program_file import program_from_json
from .script_catching import commands_in

SECONDS = 60.0
_MAX_ANSWER = 100_000_000
_MAX_PRINTED = 100_000
_SHELL_LINE = re.compile(r"""^'''exec' "?([^"\s]+)"? "\$0" "\$@"$""", re.MULTILINE)
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT", "TZ")


_Announce = Callable[[str], None]


def capture(
    script: str | Path | Sequence[str],
    interpreter: str | None = None,
    *,
    name: str = "",
    seconds: float = SECONDS,
    announce: _Announce = lambda _: None,
) -> Program:
    """Return the program of a script, a console script, or `[python, "-m", module]`.

    First its source is looked at: one that names no known parser is refused, and nothing of it
    runs. Then it runs in its own interpreter until it calls its parser, with `--help` as its only
    argument: without stdin, in an empty home, its output unread. `announce` gets one line before.
    Raises `SchemaError` if it never calls a parser.
    """
    started = _started(script, interpreter)
    started = replace(started, name=name or started.name)
    with tempfile.TemporaryDirectory(prefix="capture-", ignore_cleanup_errors=True) as folder:
        started = started.looked_at(folder, seconds)
        announce(f"`{started.name} --help` is run up to its parser, to read its commands")
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            try:
                program = started.caught(pool, Path(folder).resolve(), seconds)
            except BaseException:  # also when the user has had enough: the pool waits for its jobs
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list(started.processes):
                    end(process)
                raise
    return replace(program, argv=started.argv)


@dataclass(frozen=True, slots=True)
class _Places:
    """The folders that a program sees while it is caught."""

    home: str
    current: str
    temporary: str

    def hide(self, text: str) -> str:
        """Return a text with what these folders stand for."""
        text = text.replace(self.home, "~").replace(self.temporary, "$TMPDIR")
        return "the current folder" if text == self.current else text.replace(self.current, ".")


class _Answer(NamedTuple):
    """What was caught."""

    program: Program
    words: list[str] | None
    """The commands for which the program makes parsers only when it sees them.

    None if there may be some, which its parser does not name.
    """
    places: _Places


_Answers = tuple[Future[_Answer], Future[_Answer]]


class _NoParser(SchemaError):
    """A program has ended before it called a parser."""

    commands: list[str]
    """What it has printed as the names of its commands."""


@dataclass(frozen=True, slots=True)
class _Started:
    """How a program is started."""

    name: str
    python: str
    words: tuple[str, ...]
    entry: str = ""
    """The function or the command that the script calls, as `module:name`."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.python, *self.words)

    def caught(self, pool: ThreadPoolExecutor, folder: Path, seconds: float) -> Program:
        """Return the program. Raises `SchemaError`."""
        start = partial(self.start, pool, folder, seconds)
        try:
            program, words = _steady_answer(start())
        except _NoParser as error:
            if not error.commands:
                raise
            program, words = None, error.commands
        passed = int(program is not None)
        if program is not None and words is None:
            words = self.printed_commands(start)
            if words:  # a command may not need the parser of the whole
                first = _steady_answer(start((words[0], "--help")))[0]
                passed = int(first.root == program.root)
        # `--help` makes sure that a command does nothing else.
        below = {word: start((word, "--help"), passed=passed) for word in words or ()}
        programs, refusals = _caught_below(self.name, below)
        if program is None:
            if not programs:
                raise refusals[0]
            # It may make the parsers of further commands only when it sees them, too.
            programs = {word: _completed(one, word, start) for word, one in programs.items()}
        return _with_commands(program, programs, refusals)

    def printed_commands(self, start: Callable[..., _Answers]) -> list[str]:
        """Return the commands that the program's own help names, once its parser has passed."""
        try:
            _steady_answer(start(passed=1))
        except _NoParser as error:
            return error.commands
        return []

    def looked_at(self, folder: str, seconds: float) -> _Started:
        """Return this with its entry. Raises `SchemaError` if its source names no parser."""
        answer = Path(folder, "look.json")
        job = {"words": self.words, "answer": str(answer)}
        environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
        _, problem = self.run_child("script_look.py", job, folder, environment, seconds)
        if not answer.is_file():
            raise SchemaError(f"cannot be looked at: {problem}", tool=self.name)
        report = json.loads(answer.read_text("utf-8"))
        if "problem" in report:
            raise SchemaError(f"cannot be read: {report['problem']}", tool=self.name)
        if not report["names_parser"]:
            raise SchemaError(
                "was not run: its source names no parser of Click, Typer, argparse, optparse or "
                "Cyclopts, so that it might do its work instead of being read",
                tool=self.name,
                hint="name its command object (`FILE.py:NAME`), or scan its `--help` instead",
            )
        return replace(self, entry=report["entry"])

    def start(
        self,
        pool: ThreadPoolExecutor,
        folder: Path,
        seconds: float,
        words: tuple[str, ...] = ("--help",),
        passed: int = 0,
    ) -> _Answers:
        """Catch the program twice, in different folders: what differs holds for no other run."""
        job = (folder, seconds, words, passed)
        return pool.submit(self.ask, *job), pool.submit(self.ask, *job)

    def ask(self, folder: Path, seconds: float, words: tuple[str, ...], passed: int) -> _Answer:
        """Return the program. Raises `SchemaError`."""
        with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
            places = _Places(
                *(str(Path(place, folder_name)) for folder_name in ("home", "current", "temporary"))
            )
            for new_folder in (places.home, places.current, places.temporary):
                Path(new_folder).mkdir()
            answer = Path(place, "answer.json")
            job: dict[str, Any] = {
                "words": [*self.words, *words],
                "entry": self.entry,
                "name": self.name,
                "package": str(Path(__file__).parents[1]),
                "answer": str(answer),
                "passed": passed,
            }
            environment = _environment(places)
            printed, last_line = self.run_child(
                "script_catching.py", job, places.current, environment, seconds
            )
            if not answer.is_file() or answer.stat().st_size > _MAX_ANSWER:
                why = f": {last_line}" if last_line else ""
                refusal = _NoParser(
                    f"ended before it called a parser of a known framework{why}",
                    tool=self.name,
                    hint="scan its `--help` instead",
                )
                refusal.commands = commands_in(printed, self.name)
                raise refusal
            data = json.loads(answer.read_text("utf-8"))
        if "problem" in data:
            raise SchemaError(f"cannot be read: {data['problem']}", tool=self.name)
        return _Answer(program_from_json(data["program"]), data["words"], places)

    def run_child(
        self, file: str, job: Any, folder: str, environment: dict[str, str], seconds: float
    ) -> tuple[str, str]:
        """Run a file of ours in the program's interpreter.

        Return what it has printed, and its last line on stderr.
        """
        child = str(Path(__file__).with_name(file))
        command = [self.python, "-P", child, json.dumps(job)]
        with (
            tempfile.TemporaryFile(dir=folder) as printed,
            tempfile.TemporaryFile(dir=folder) as errors,
        ):
            try:
                process = subprocess.Popen(  # noqa: S603  # no shell; the user has named the script
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=errors,
                    cwd=folder,
                    env=environment,
                    start_new_session=True,
                )
            except OSError as error:
                raise SchemaError(f"cannot be started: {error.strerror}", tool=self.name) from None
            self.processes.append(process)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                what = f"called no parser within {seconds:g} s"
                raise SchemaError(what, tool=self.name) from None
            finally:
                self.processes.remove(process)
                end(process)
            output, error_output = (
                _end_of(file, _MAX_PRINTED).decode("utf-8", "replace") for file in (printed, errors)
            )
        lines = (line.strip()[:200] for line in reversed(error_output.split("\n")))
        return f"{output}\n{error_output}", next(filter(None, lines), "")


def _end_of(file: IO[bytes], size: int) -> bytes:
    file.seek(max(file.seek(0, os.SEEK_END) - size, 0))
    return file.read()


def _environment(places: _Places) -> dict[str, str]:
    environment = {key: os.environ[key] for key in _PASSED_ON if key in os.environ}
    environment |= {"HOME": places.home, "USERPROFILE": places.home, "TMPDIR": places.temporary}
    # Sets are in the same order each time, and warnings are not the reason why a program ends.
    environment |= {"PYTHONHASHSEED": "0", "PYTHONWARNINGS": "ignore"}
    return environment | {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "TERM": "dumb"}


def _steady_answer(answers: _Answers) -> tuple[Program, list[str] | None]:
    """Return what both answers say. Raises `SchemaError`."""
    first, second = answers[0].result(), answers[1].result()
    steady = _Steady(first.places, second.places)
    root = steady.command(first.program.root, second.program.root)
    return replace(first.program, root=root), first.words


@dataclass(frozen=True, slots=True)
class _Steady:
    """Leaves out what is true only while a program is caught."""

    first: _Places
    second: _Places

    def command(self, first: Command, second: Command) -> Command:
        parameters = {parameter.name: parameter for parameter in second.parameters}
        below = {command.name: command for command in second.commands}
        return replace(
            first,
            summary=self.text(first.summary, second.summary),
            description=self.text(first.description, second.description),
            examples=self.text(first.examples, second.examples),
            parameters=tuple(
                self.parameter(parameter, parameters.get(parameter.name, parameter))
                for parameter in first.parameters
            ),
            commands=tuple(
                self.command(command, below.get(command.name, command))
                for command in first.commands
            ),
        )

    def parameter(self, first: CommandParameter, second: CommandParameter) -> CommandParameter:
        parameter = replace(
            first,
            description=self.text(first.description, second.description),
            default_text=self.text(first.default_text, second.default_text),
        )
        if first.default == second.default:
            return parameter
        text, second_text = (
            self.first.hide(str(first.default)),
            self.second.hide(str(second.default)),
        )
        text = text if text == second_text else "worked out when the program runs"
        return replace(parameter, default=UNSET, default_text=text)

    def text(self, first: str, second: str) -> str:
        """Return a text in which dots stand for the words that differ."""
        first, second = self.first.hide(first), self.second.hide(second)
        if first == second:
            return first
        pairs = zip_longest(re.split(r"(\s+)", first), re.split(r"(\s+)", second), fillvalue="")
        return "".join(
            word if word == second_word else re.sub(r"\w.*\w|\w", "...", word)
            for word, second_word in pairs
        )


def _caught_below(
    name: str, below: Mapping[str, _Answers]
) -> tuple[dict[str, Program], list[SchemaError]]:
    """Return the programs of commands whose parsers were caught one by one, and the refusals."""
    programs: dict[str, Program] = {}
    refusals: list[SchemaError] = []
    for word, answers in below.items():
        try:
            programs[word] = _steady_answer(answers)[0]
        except SchemaError as error:
            refusals.append(error.named(f"{name} {word}"))
    return programs, refusals


def _completed(program: Program, word: str, start: Callable[..., _Answers]) -> Program:
    """Return the program of a command with what its commands have once they are named."""
    names = [command.name for command in program.root.commands]
    below = {name: start((word, name, "--help")) for name in names}
    complete, _ = _caught_below(program.name, below)
    commands = (
        next(
            (one for one in complete[command.name].root.commands if one.name == command.name),
            command,
        )
        if command.name in complete
        else command
        for command in program.root.commands
    )
    return replace(program, root=replace(program.root, commands=tuple(commands)))


def _with_commands(
    program: Program | None, programs: Mapping[str, Program], refusals: Sequence[SchemaError]
) -> Program:
    """Return a program with commands whose parsers were caught one by one."""
    if program is None:
        program = replace(next(iter(programs.values())), root=Command(), left_out=())
    if not programs:
        return program
    # The words after the options are now the name of a command and its arguments.
    options = tuple(
        parameter for parameter in program.root.parameters if not parameter.is_positional
    )
    commands = tuple(_below(one.root, word) for word, one in programs.items())
    root = replace(program.root, parameters=options, commands=commands, runs=False)
    left_out = (*program.left_out, *map(str, refusals))
    return replace(program, root=root, left_out=left_out)


def _below(command: Command, word: str) -> Command:
    children = tuple(_below(child, word) for child in command.commands)
    return replace(command, path=(word, *command.path), commands=children)


def _started(script: str | Path | Sequence[str], interpreter: str | None) -> _Started:
    words = [str(script)] if isinstance(script, str | Path) else [str(word) for word in script]
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
        executable = shutil.which(word, path=sysconfig.get_path("scripts")) or shutil.which(word)
        if executable is not None:
            return Path(executable).absolute()
    raise SchemaError("is neither a file nor a command on the PATH", tool=word)


def _interpreter_of(file: Path) -> str:
    """Return the interpreter that a script names in its first lines, else our own."""
    with open_file(file) as opened:
        head = opened.read(2000)
    first, _, following = head.decode("utf-8", "replace").partition("\n")
    if file.suffix == ".py" and "python" not in first:
        return sys.executable
    if not first.startswith("#!"):
        raise SchemaError(
            "is not a Python script", tool=file.name, hint="scan its `--help` instead"
        )
    words = first[2:].split()
    if words and Path(words[0]).name == "sh":  # how installers write a path that has spaces
        match = _SHELL_LINE.search(following)
        words = [match.group(1)] if match else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if not words or not re.match(r"(python|pypy)", Path(words[0]).name):
        raise SchemaError(
            "is not a Python script", tool=file.name, hint="scan its `--help` instead"
        )
    return shutil.which(words[0]) or words[0]
