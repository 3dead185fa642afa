"""From an executable to a `Program`, command by command."""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from ..program import Fingerprint, Program
from . import families
from .asking import HelpAnswer, HelpAsker, Limits
from .assemble import Assembler
from .families import DESCENDED, Evidence, evidence_of, framework_of, may_probe
from .help_page import CommandText, Node, Page, lines_of, read_page
from .notation import has_path
from .probing import Prober

_HIDDEN = frozenset(("help", "completion", "__complete", "__completeNoDesc"))
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+@-]{0,63}")
_VERSION = re.compile(r"[\w.-]{1,60}+(?: \([\w .-]{1,60}+\))?,? v?(?:ersion )?(\d[\w.+-]{0,40})")

_FAILURES = {
    "timeout": "--help did not end in time",
    "missing": "it cannot be started",
    "budget": "the scan had reached its limit",
}
_MORE_HELP = re.compile(r"(?<![\w-])(--help[ -]all)(?![\w-])|all commands with (--list)(?![\w-])")
"""What programs call a help text with everything, and a list with all commands."""
_LONGEST_WORDS = 300
OnProgress = Callable[[float, float | None, str], None]


class ScanError(Exception):
    """A program cannot be scanned; the message says why, in one line."""


class NoSuchProgram(ScanError):
    """The program to scan does not exist, or cannot be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSettings:
    """What to scan of a program."""

    limits: Limits = field(default_factory=Limits)
    depth: int | None = None
    """Levels of commands; None means all for a known parser, and none for others."""
    only: tuple[str, ...] = ()
    """Globs on dotted paths, such as `container.*`."""
    probes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """A program, and what its scan can say about it."""

    program: Program
    notes: tuple[str, ...]
    """What was left out, or could not be seen."""
    questions: int
    options: int
    typed: int
    """Options whose type is known, beyond taking a text."""


def scan(name: str, settings: ScanSettings, on_progress: OnProgress | None = None) -> Scanned:
    """Scan an executable; it is run for its help only. Raises `ScanError`."""
    path = _executable(name)
    status = Path(path).stat()
    fingerprint = Fingerprint(path=path, size=status.st_size, modified=status.st_mtime_ns)
    with HelpAsker(path, settings.limits) as asker:
        crawl = _Crawl(asker, settings, on_progress or _silent)
        crawl.look(name)
        crawl.walk()
        nodes = crawl.nodes
        prober = Prober(asker, crawl.framework, completes=crawl.completes)
        if settings.probes and may_probe(crawl.framework, crawl.evidence):
            prober.probe(nodes, crawl.on_progress)
        # A bare name is looked up when it runs; a relative path would depend on where that is.
        argv = name if os.sep not in name else path
        if asker.is_over:
            crawl.notes.append(
                "the scan reached its limit of time or questions: it is not complete"
            )
        assembler = Assembler(nodes, crawl.framework, prober)
        program, notes = assembler.program(
            Path(path).name, argv, _version_in(nodes[()].page), fingerprint, sorted(crawl.notes)
        )
    parameters = [parameter for command in program.root.walk() for parameter in command.parameters]
    options = [parameter for parameter in parameters if not parameter.is_positional]
    return Scanned(
        program=program,
        notes=(*program.left_out, *notes),
        questions=asker.asked,
        options=len(options),
        typed=assembler.typed,
    )


def _silent(_done: float, _total: float | None, _said: str) -> None:
    return None


def _executable(name: str) -> str:
    executable = shutil.which(name)
    if executable is None:
        path = Path(name)
        if os.sep in name and path.exists():
            reason = "is a folder" if path.is_dir() else "is not executable"
            raise NoSuchProgram(f"{name} {reason}: give a program")
        raise NoSuchProgram(f"there is no program {name} on the PATH")
    if not stat.S_ISREG(Path(executable).stat().st_mode):
        raise NoSuchProgram(f"{name} is not a file that can be run")
    return str(Path(executable).absolute())


def _version_in(page: Page) -> str:
    for line in page.description[:1]:
        match = _VERSION.fullmatch(line[:200])
        if match is not None:
            return match[1]
    return ""


def _page_of(answer: HelpAnswer) -> Page:
    """Read the stream that holds the help."""
    page = read_page(answer.stdout)
    return page if page.is_help else read_page(answer.stderr)


def _own_words(answer: HelpAnswer) -> str:
    """Return what a program says instead of its help, such as which library it misses."""
    lines = [line.text for line in lines_of(answer.stderr or answer.stdout) if not line.is_blank]
    if not lines:
        return ""
    is_traceback = answer.code != 0 and lines[0].startswith("Traceback ")
    return f"; it says: {lines[-1 if is_traceback else 0][:_LONGEST_WORDS]}"


@dataclass(slots=True)
class _Crawl:
    """Walks over the commands of a program."""

    asker: HelpAsker
    settings: ScanSettings
    on_progress: OnProgress
    nodes: dict[tuple[str, ...], Node] = field(default_factory=dict[tuple[str, ...], Node])
    framework: str = ""
    evidence: Evidence = field(default_factory=Evidence)
    completes: bool = False
    completing: frozenset[str] = frozenset()
    """The git commands that list their options for completion."""
    notes: list[str] = field(default_factory=list[str])
    seen: int = 0
    nameless: dict[tuple[str, ...], list[str]] = field(
        default_factory=dict[tuple[str, ...], list[str]]
    )
    """The usages in the help of words that it does not name, by path."""

    # -- the program itself

    def look(self, name: str) -> None:
        """Read the help of the program itself, and find out what it was written with."""
        page = self._first_page(name)
        self.evidence = evidence_of(self.asker.executable)
        self.framework = framework_of(page, self.evidence)
        node = Node(path=(), page=page)
        if self.framework == "cobra":
            listed = families.read_completions(self.asker.complete(""))
            self.completes = listed is not None
            if listed is not None:
                self._merge(page, listed)
                self._add_completed(node)
            if families.names_global_options(page, Path(name).name):
                families.add_global_options(node, _page_of(self.asker.global_options()))
        elif self.framework == "git":
            page.commands = families.git_commands(self.asker)
            self.completing = families.git_completing(self.asker)
            page.options = []  # `-c` and `--exec-path` make git run anything
            page.usages = ["git <command> [<args>]"]
        self.nodes[()] = node

    def _first_page(self, name: str) -> Page:
        words = ""
        for ask in (self.asker.help, self.asker.short_help, self.asker.help_word):
            answer = ask(())
            if answer.failure == "missing":
                raise NoSuchProgram(f"{name} cannot be started")
            page = _page_of(answer)
            if page.is_help:
                return self._whole_page(page)
            words = words or _own_words(answer)
            if answer.failure == "timeout":
                limit = self.settings.limits.seconds
                raise ScanError(f"{name} --help did not end within {limit:g} seconds")
            if answer.code < 0:  # it may crash at each question: no more are asked
                raise ScanError(f"{name} --help was ended by signal {-answer.code}{words}")
        raise ScanError(f"{name} prints no help for --help, -h or help{words}")

    def _whole_page(self, page: Page) -> Page:
        """Return a help text with the options and commands that it says another one lists."""
        more = _MORE_HELP.search(page.text)
        if more is None:
            return page
        full_page = _page_of(self.asker.full_help(*(more[1] or more[2]).split()))
        full_flags = {flag for option in full_page.options for flag in option.spelling.flags}
        further = [option for option in page.options if not full_flags & set(option.spelling.flags)]
        page.options = [*full_page.options, *further]
        aliases = {
            command.name for command in full_page.commands if command.text.startswith("alias: ")
        }
        self._merge(
            page,
            {
                command.name: command.text
                for command in full_page.commands
                if command.name not in aliases
            },
        )
        return page

    # -- commands

    def walk(self) -> None:
        """Visit all commands, in parallel."""
        if self._depth() == 0:
            return
        with self.asker.workers() as pool:
            running: set[Future[Node | None]] = set()
            self._begin(self.nodes[()], pool, running)
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    node = future.result()
                    if node is None:
                        continue
                    self.nodes[node.path] = node
                    self._begin(node, pool, running)
                total = float(self.seen)
                self.on_progress(total - len(running), total, "commands")
        for path, usages in sorted(self.nameless.items()):
            words = [tuple(usage.split()[1:]) for usage in usages]
            # `gh co` prints the help of `gh pr checkout`: nothing is missing without it.
            if not any(
                usage_words[: len(visited)] == visited
                for usage_words in words
                for visited in self.nodes
                if visited
            ):
                self._leave_out(path, "its help does not name it")

    def _depth(self) -> int:
        depth = self.settings.depth
        if depth is not None:
            return min(depth, self.settings.limits.depth)
        if self.framework in DESCENDED:
            return self.settings.limits.depth
        if self.nodes[()].page.commands:
            self.notes.append(
                "its commands were not asked: it is not known whether `COMMAND --help` runs the"
                " command; --depth 1 asks them"
            )
        return 0

    def _begin(
        self, node: Node, pool: ThreadPoolExecutor, running: set[Future[Node | None]]
    ) -> None:
        if len(node.path) >= self._depth():
            return
        for name, text in self._children(node):
            if self.seen >= self.settings.limits.commands:
                self._say("more commands than a scan may have: some are missing")
                return
            self.seen += 1
            running.add(pool.submit(self._visit, (*node.path, name), text, node))

    def _leave_out(self, path: Sequence[str], reason: str) -> None:
        self._say(f"{' '.join(path)} is left out: {reason}")

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _children(self, node: Node) -> list[tuple[str, CommandText]]:
        children: dict[str, CommandText] = {}
        for command in node.page.commands:
            path = (*node.path, command.name)
            usable = _NAME.fullmatch(command.name) and command.name not in _HIDDEN
            if usable and command.name not in children and self._is_wished(path):
                children[command.name] = command
        return list(children.items())

    def _is_wished(self, path: Sequence[str]) -> bool:
        """Return whether a path, or something below it, matches `only`."""
        if not self.settings.only:
            return True
        return any(_may_match(path, pattern) for pattern in self.settings.only)

    def _visit(self, path: tuple[str, ...], text: CommandText, parent: Node) -> Node | None:
        if self.framework == "git":
            page, is_whole = families.read_git_command(self.asker, path, self.completing)
            if not is_whole:
                self._say("git's manual is not installed: options that only it lists are missing")
            if not has_path(page.usages, path):  # that of `git whatchanged` names `git log`
                page.usages = [f"git {' '.join(path)} [<args>...]"]
        else:
            answer = self.asker.help(path)
            page = _page_of(answer)
            if answer.failure:
                self._leave_out(path, _FAILURES.get(answer.failure, answer.failure))
                return None
            # Some exit with 1 after their help. The error of a parent prints the parent's usage.
            if answer.code != 0 and not has_path(page.usages, path):
                reason = f"--help ended with code {answer.code}{_own_words(answer)}"
                self._leave_out(path, reason)
                return None
        node = Node(path=path, page=page, parent=parent, listed=text)
        # An answer for another path is no help of this one: its options would be offered here, too.
        if not page.is_help or not has_path(page.usages, path) or node.repeats_an_ancestor():
            self.nameless[path] = page.usages
            return None
        if self.completes:
            self._complete(node)
        return node

    def _complete(self, node: Node) -> None:
        if node.page.commands:
            listed = families.read_completions(self.asker.complete(*node.path, ""))
            if listed is not None:
                self._merge(node.page, listed)
        self._add_completed(node)

    def _add_completed(self, node: Node) -> None:
        listed = families.read_completions(self.asker.complete(*node.path, "-"))
        if listed is None:
            return
        node.completed = frozenset(families.long_flags(listed))
        node.required = families.required_flags(self.asker, node.path, node.page, listed)
        node.unshown = families.unshown_options(node.page, listed)

    @staticmethod
    def _merge(page: Page, words: dict[str, str]) -> None:
        """Add commands that only completion lists; the usage of each is looked at later."""
        names = {command.name for command in page.commands}
        names |= {alias for command in page.commands for alias in command.aliases}
        for word, text in words.items():
            if word not in names and not word.startswith("-"):
                page.commands.append(CommandText(word, text=text))


def _may_match(path: Sequence[str], pattern: str) -> bool:
    parts = pattern.split(".")
    if len(path) > len(parts) and parts[-1] not in ("*", "**"):
        return False
    pairs = zip(path, parts, strict=False)
    return all(fnmatch.fnmatchcase(word, part) for word, part in pairs)
