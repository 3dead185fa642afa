"""The `toolwright` command: its parser, and how it ends.

`argparse` is in Python and loads fast, and a server must start fast: only the module of the
command that was given is imported.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, cast

from .._door import __version__
from .._elsewhere import instead
from .._log.printable import say
from .._words import did_you_mean
from .command import Adder, CliCommand, Targeted, TypedWords, switch
from .target_words import command_as_target, shown_target, with_target

if TYPE_CHECKING:
    from .usage import UsageError

_EPILOG = """\
TARGET is file.py, file.py:box, package.module:attr, a folder, the URL of a server, mcp.json:NAME or
CLIENT:NAME. A plain module of functions with types works as it is: nothing from Toolwright needs to
be imported in it. Without a TARGET, the one in [tool.toolwright] of pyproject.toml is used.
"""
_COMMANDS = {
    "serve": "Serve tools over MCP: stdio, or HTTP with --http.",
    "console": "Look at tools in a browser, and try them.",
    "list": "List the tools.",
    "show": "Show one tool: its schemas and what its author says.",
    "call": "Call a tool as a client would.",
    "export": "Write the list of tools as clients get it.",
    "doctor": "Check tools: what a model, a client or a provider would stumble over.",
    "test": "Try the examples of tools, and calls with generated arguments.",
    "tokens": "Show what tools cost a model, and what would save tokens.",
    "lock": "Write down what every tool takes and gives, to be committed; or check it.",
    "diff": "Say what has changed since the lock: breaking, risky or additive.",
    "generate": "Write a Python module, or a program, that calls the tools.",
    "version": "Show the version.",
    "install": "Install a server in a client: Claude, Cursor, VS Code, or print its entry.",
    "uninstall": "Remove a server from a client.",
    "clients": "List the clients, their files, and our servers in them.",
    "scan": "Read the help of a program without source, and write down what it takes.",
    "new": "Write a first toolbox with a test, or a project.",
    "completion": (
        "Print the completion script for a shell: source <(toolwright completion bash)."
    ),
}
"""Each command is the module of its name in `commands`, and the class in it."""
_IN_MODULE = {
    "uninstall": "commands.install",
    "clients": "commands.install",
    "diff": "commands.lock",
    "completion": "completer",
    "version": "main",
}
"""The modules of commands that are not in one of their own."""
_EXIT_SECONDS = 5.0
"""How long Python may take to exit after a server has ended."""


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one line, with a suggestion."""

    def error(self, message: str) -> NoReturn:
        """Exit with code 2."""
        text = message.replace("argument COMMAND: ", "")
        wrong = re.match(r"invalid choice: '(.*?)' \(choose from (.*)\)", text)
        if wrong is not None:
            text = _no_such(wrong[1], re.findall(r"[\w-]+", wrong[2]))
        missing = text.removeprefix("the following arguments are required: ")
        if missing != text:
            first = missing.split(", ")[0]
            more = ": `toolwright list TARGET` names them" if first == "TOOL" else ""
            text = f"{first} is missing{more}"
        say(f"{self.prog}: {text}; `{self.prog} --help` shows how")
        self.exit(2)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Exit with code 2: these words mean nothing here."""
        flag = next((word for word in unknown if word.startswith("-")), None)
        if flag is None:
            self.error(f"`{unknown[0]}` is one argument too many")
        text = _no_such(flag.partition("=")[0], list(self._option_string_actions))
        name, equals, value = flag.lstrip("-").partition("=")
        if self.prog.endswith(" call") and flag.startswith("--") and not instead("flag", flag):
            after = [*unknown[unknown.index(flag) + 1 :], ""][0]
            value = value if equals else "..." if after.startswith("-") or not after else after
            text += f"; an argument of the tool is written {name.replace('-', '_')}={value}"
        self.error(text)


def _no_such(word: str, known: Sequence[str]) -> str:
    """Return the message for an unknown word, with the nearest known one."""
    if hint := instead("flag", word):
        return f"there is no `{word}`: {hint}"
    suggestion = instead("command", word)
    if suggestion in known:
        return f"there is no `{word}` (did you mean `{suggestion}`?)"
    return f"there is no `{word}`{did_you_mean(word, known, ' ({})', 0.7)}"


def parser(*needed: str) -> argparse.ArgumentParser:
    """Build the argument parser; only the commands that are needed get their arguments."""
    return _parsers(*needed)[0]


def _parsers(*needed: str) -> tuple[_Parser, dict[str, _Parser]]:
    """Build the parser of the whole command line, and one for each command."""
    built = _Parser(
        prog="toolwright",
        description="Turn anything a program can call into tools for language models.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    # Only for `--help`: `_parsed` turns it into a command.
    built.add_argument("-V", "--version", action="store_true", help="show the version")
    commands = built.add_subparsers(dest="command", metavar="COMMAND")
    added: dict[str, _Parser] = {}
    for name, text in _COMMANDS.items():
        added[name] = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        if name in needed:
            _command(name).add_arguments(Adder(added[name]))
    return built, added


def _command(name: str) -> type[CliCommand]:
    module = importlib.import_module(f".{_IN_MODULE.get(name, f'commands.{name}')}", __package__)
    return cast("type[CliCommand]", getattr(module, f"{name.capitalize()}Command"))


class VersionCommand(CliCommand):
    """Shows the version."""

    json: bool = switch("print JSON")

    def run(self) -> int:
        """Show the versions of Toolwright and Python."""
        from .output import print_json, say

        if self.json:
            print_json({"toolwright": __version__, "python": sys.version.split()[0]})
        else:
            say(f"toolwright {__version__}")
        return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0, 1 for a failure, 2 for a mistake in using it."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        from .completer import complete

        complete(parser(*_COMMANDS))
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        command = _parsed(words, is_own_process=arguments is None)
        if command is None:
            return 0
        from ..run.pipe import stand_in

        stand_in()
        code = _run(command)
    except SystemExit as ended:
        return int(ended.code or 0)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    if _is_server(command) and arguments is None:
        _exit_within(_EXIT_SECONDS, code)
    return code


def _parsed(typed: list[str], *, is_own_process: bool) -> CliCommand | None:
    """Parse the command line; print the help and return None if it has no command."""
    if typed[:1] in (["-V"], ["--version"]):
        typed = ["version", *typed[1:]]
    if typed[:1] == ["help"]:
        typed = [*typed[1:2], "--help"]
    name = next((word for word in typed if not word.startswith("-")), "")
    root, commands = _parsers(name)
    kind = _command(name) if name in _COMMANDS else CliCommand
    words = typed = kind.rewritten(typed)
    if issubclass(kind, Targeted):
        if name != "install":  # which takes a client first, and no command
            typed = command_as_target(typed, name)
        words = with_target(typed, name, root)
    parsed, unparsed = root.parse_known_args(words)
    # Pairs may follow options, where argparse does not look for positionals.
    pairs = [word for word in unparsed if "=" in word and not word.startswith("-")]
    if unparsed and (name != "call" or len(pairs) < len(unparsed)):
        commands.get(parsed.command, root).refuse([word for word in unparsed if word not in pairs])
    if parsed.command is None:
        root.print_help()
        return None
    values = vars(parsed)
    if pairs:
        values = {**values, "given": [*values["given"], *pairs]}
    # What a hint repeats: nothing if the target comes from the project.
    is_typed = words is typed and "target" in values
    target = f" {shown_target(parsed.target)}" if is_typed else ""
    return kind.parsed(values, TypedWords(words, target, is_own_process))


def _is_server(command: CliCommand) -> bool:
    return isinstance(command, Targeted) and command.is_server


def _run(command: CliCommand) -> int:
    """Run a command; report a user's mistake in one line on standard error."""
    from ..errors import DefinitionError, SchemaError, ToolNotFound
    from . import output
    from .usage import UsageError

    if not _is_server(command):
        output.claim()
    try:
        code = command.prepared().run()
        output.flush()
    except ToolNotFound as error:
        say(f"toolwright: {error} (`toolwright list{command.typed.target}` shows all)")
        return 2
    except UsageError as error:
        _report(error, command)
        return 2
    except DefinitionError as error:
        output.drop()
        name = error.tool if isinstance(error, SchemaError) else "this tool"
        # Why was said when the target was loaded.
        say(f"toolwright: {name} is refused, and cannot be used")
        return 1
    except BrokenPipeError:
        output.drop()
        return 0
    except OSError as error:  # a full disk, a folder that is gone
        say(f"toolwright: {error.strerror or error}")
        output.drop()
        return 1
    return code


def _report(error: UsageError, command: CliCommand) -> None:
    """Say what was wrong; of code that is no Python, also which line."""
    from .usage import BadTarget

    if not isinstance(error, BadTarget):
        say(f"toolwright: {error}")
        return
    command.show_trace(error)
    say(f"toolwright: {error}")
    if error.excerpt and not command.shows_all_traces:
        say(error.excerpt)


def _exit_within(seconds: float, code: int) -> None:
    """Exit soon, even if a tool has left something behind that Python waits for on exit.

    Threads that are not daemons and `atexit` functions have this many seconds.
    """

    def end() -> None:
        time.sleep(seconds)
        print(
            "toolwright: a tool keeps the server from ending: it is not waited for", file=sys.stderr
        )
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()
