"""The group `mcp` of other programs, and its commands."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._log.printable import LEVELS, say
from ..errors import DefinitionError
from ..sources.watched_process import entry_variables
from .command import Adder, CliCommand, TypedWords, option, repeated, switch
from .commands.install import (
    EditedFile,
    install_entry,
    pairs_from,
    settings_file,
    uninstall_entry,
)
from .known_clients import CLIENTS, KnownClient
from .output import write_file
from .usage import UsageError

if TYPE_CHECKING:
    from ..sources.command_line import CommandLine

EDITORS: Mapping[str, str] = {"claude": "claude-desktop", **{name: name for name in CLIENTS}}
"""The name of each editor here, and its name elsewhere."""


class GroupCommand(CliCommand):
    """A command of the group."""

    log_level: str | None = option(
        "what is logged", kind=str.lower, choices=LEVELS, metavar="LEVEL"
    )

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        """Do it; `group` is the program's name and the words of the group."""
        raise NotImplementedError

    @property
    def _settings(self) -> dict[str, Any]:
        return {} if self.log_level is None else {"log_level": self.log_level}


class _Start(GroupCommand):
    """Serve over stdio: what an editor starts."""

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        _box(line).serve("stdio", **self._settings)
        return 0


class _Stream(GroupCommand):
    """Serve over HTTP."""

    host: str = option("where it listens (%(default)s)", default="127.0.0.1")
    port: int = option("0 takes any (%(default)s)", kind=int, default=8000)

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        from ..serve.access.guard import is_local

        if not 0 <= self.port <= 65535:
            raise UsageError(f"a port is a number from 0 to 65535; got {self.port}")
        if not is_local(self.host):
            raise UsageError(
                f"{self.host} can be reached by other machines, and anyone there could run these "
                "commands: `toolwright serve --http --token ...` asks for a token"
            )
        _box(line).serve("http", host=self.host, port=self.port, **self._settings)
        return 0


class _Tools(GroupCommand):
    """Write the list of tools to a file."""

    output: str = option(
        "`-` prints it (%(default)s)", "-o", "--output", default="mcp-tools.json", metavar="FILE"
    )

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        import json

        tools = _box(line).to_mcp()["tools"]
        text = json.dumps(tools, indent=2, ensure_ascii=False) + "\n"
        if self.output == "-":
            sys.stdout.write(text)
            return 0
        write_file(self.output, text)
        say(f"{len(tools)} tools written to {self.output}")
        return 0


class _EditorCommand(GroupCommand, EditedFile):
    """A command about the settings file of an editor."""

    client: KnownClient = CLIENTS["claude-desktop"]
    config: str | None = option("another settings file", "--config-path", metavar="FILE")
    project: bool = switch("the settings file of this folder, not the user's", "--workspace")
    dry_run: bool = False
    json: bool = False


class _EntryCommand(_EditorCommand):
    server_name: str | None = option(
        "what the entry is called (the program's name)", metavar="NAME"
    )


class _Enable(_EntryCommand):
    """Write an entry for {}."""

    env: list[str] = repeated(
        "for the server and its commands; may be given several times", metavar="NAME=value"
    )

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        client, name = self.client, self.server_name or line.name
        command = [*line.program.argv, *group[1:], "start"]
        if self.log_level is not None:
            command += ["--log-level", self.log_level]
        env = entry_variables({**line.environment(), **pairs_from(self.env, "--env")})
        entry = client.entry(name, command, env)
        return install_entry(client, self, name, entry, force=True)


class _Disable(_EntryCommand):
    """Remove the entry from {}."""

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        client, name = self.client, self.server_name or line.name
        file = settings_file(client, self)
        if name not in file.members(client.key):
            say(f"{file.shown} has no server `{name}`: nothing to do")
            return 0
        return uninstall_entry(client, self, name)


class _List(_EditorCommand):
    """List the servers of {}."""

    def work(self, line: CommandLine, group: Sequence[str]) -> int:
        for name in settings_file(self.client, self).members(self.client.key):
            sys.stdout.write(f"{name}\n")
        return 0


def run_group(
    words: Sequence[str], line_of: Callable[[], CommandLine], group: Sequence[str]
) -> int:
    """Run one of the commands; return the exit code.

    `group` is the program's name and the words of the group, as the help shows them.
    """
    try:
        parser = _parser(" ".join(group))
        parsed = parser.parse_args(list(words))
        if "make" not in parsed:
            parser.print_help()
            return 2
        command: GroupCommand = parsed.make(vars(parsed))
        return command.work(line_of(), group)
    except (UsageError, DefinitionError) as error:
        say(f"{group[0]}: {error}")
        return 2
    except OSError as error:  # the port is taken, the disk is full
        say(f"{group[0]}: {error.strerror or error}")
        return 1
    except SystemExit as ended:  # from argparse, which has said why
        return int(ended.code or 0)


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog, description="Offer this program's commands to language models, over MCP."
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    for kind, name in ((_Start, "start"), (_Stream, "stream"), (_Tools, "tools")):
        text = str(kind.__doc__)
        added = commands.add_parser(name, help=text, description=text)
        kind.add_arguments(Adder(added))
        added.set_defaults(make=functools.partial(kind.parsed, typed=TypedWords()))
    for editor, key in EDITORS.items():
        client = CLIENTS[key]
        text = f"Manage the entry in {client.title}."
        under = commands.add_parser(editor, help=text, description=text).add_subparsers(
            metavar="COMMAND", required=True
        )
        for kind, name in ((_Enable, "enable"), (_Disable, "disable"), (_List, "list")):
            text = str(kind.__doc__).format(client.title)
            added = under.add_parser(name, help=text, description=text)
            kind.add_arguments(Adder(added))
            added.set_defaults(make=functools.partial(_for_client, kind, client))
    return parser


def _for_client(
    kind: type[_EditorCommand], client: KnownClient, values: Mapping[str, Any]
) -> _EditorCommand:
    return replace(kind.parsed(values, TypedWords()), client=client)


def _box(line: CommandLine) -> Any:
    """Return a toolbox with the commands; one that cannot be a tool does not stop the others."""
    from ..toolbox.box import Toolbox
    from ..tools.decorator import loading

    box = Toolbox(line.name, version=line.program.version)
    with loading() as refused:
        box.include(line)
    problems = box.problems
    fatal = [*map(str, refused), *(str(problem) for problem in problems if problem.fatal)]
    for text in dict.fromkeys(fatal):
        say(f"refused: {text}")
    for problem in problems:
        if not problem.fatal and problem.tool not in box:
            say(f"note: {problem}")
    return box
