"""The commands of the group: start, stream, tools, editors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._files import replace_file
from ..._json_values import is_object
from ..._log.levels import LEVELS
from ..._log.printable import say
from ...errors import DefinitionError
from ...sources.running.environment import entry_variables
from ..clients.edit import retry_if_changed, save, settings_file
from ..clients.known import CLIENTS, KnownClient
from ..commands.install import pairs_from
from ..usage import UsageError

if TYPE_CHECKING:
    from ...sources.command_line import CommandLine

EDITORS: Mapping[str, str] = {"claude": "claude-desktop", **{name: name for name in CLIENTS}}
"""The name of each editor here, and its name elsewhere."""


def run_group(
    words: Sequence[str], line_of: Callable[[], CommandLine], group: Sequence[str]
) -> int:
    """Run one of the commands; return the exit code.

    `group` is the program's name and the words of the group, as the help shows them.
    """
    try:
        parser = _parser(" ".join(group))
        chosen = parser.parse_args(list(words))
        if "run" not in chosen:
            parser.print_help()
            return 2
        return chosen.run(chosen, line_of(), group)
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

    def command(name: str, text: str, run: Any, under: Any = commands) -> argparse.ArgumentParser:
        added = under.add_parser(name, help=text, description=text)
        added.add_argument(
            "--log-level", type=str.lower, choices=LEVELS, metavar="LEVEL", help="what is logged"
        )
        added.set_defaults(run=run)
        return added

    command("start", "Serve over stdio: what an editor starts.", _start)
    stream = command("stream", "Serve over HTTP.", _stream)
    stream.add_argument("--host", default="127.0.0.1", help="where it listens (%(default)s)")
    stream.add_argument("--port", type=int, default=8000, help="0 takes any (%(default)s)")
    tools = command("tools", "Write the list of tools to a file.", _tools)
    tools.add_argument(
        "-o",
        "--output",
        default="mcp-tools.json",
        metavar="FILE",
        help="`-` prints it (%(default)s)",
    )
    for name, client in EDITORS.items():
        known = CLIENTS[client]
        text = f"Manage the entry in {known.title}."
        editor = commands.add_parser(name, help=text, description=text)
        under = editor.add_subparsers(metavar="COMMAND", required=True)
        enable = command("enable", f"Write an entry for {known.title}.", _enable, under)
        enable.add_argument(
            "--env",
            action="append",
            default=[],
            metavar="NAME=value",
            help="for the server and its commands; may be given several times",
        )
        disable = command("disable", f"Remove the entry from {known.title}.", _disable, under)
        listing = command("list", f"List the servers of {known.title}.", _list, under)
        for each in (enable, disable, listing):
            each.set_defaults(client=known, json=False, dry_run=False)
            each.add_argument(
                "--config-path", dest="config", metavar="FILE", help="another settings file"
            )
            each.add_argument(
                "--workspace",
                dest="project",
                action="store_true",
                help="the settings file of this folder, not the user's",
            )
        for each in (enable, disable):
            each.add_argument(
                "--server-name",
                metavar="NAME",
                help="what the entry is called (the program's name)",
            )
    return parser


def _box(line: CommandLine) -> Any:
    """Return a toolbox with the commands; one that cannot be a tool does not stop the others."""
    from ...toolbox.box import Toolbox
    from ...tools.loading import loading

    box = Toolbox(line.name, version=line.program.version)
    with loading() as refused:
        box.include(line)
    problems = box.problems
    fatal = [*map(str, refused), *(str(each) for each in problems if each.fatal)]
    for text in dict.fromkeys(fatal):
        say(f"refused: {text}")
    for problem in problems:
        if not problem.fatal and problem.tool not in box:
            say(f"note: {problem}")
    return box


def _settings(chosen: argparse.Namespace) -> dict[str, Any]:
    return {} if chosen.log_level is None else {"log_level": chosen.log_level}


def _start(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    _box(line).serve("stdio", **_settings(chosen))
    return 0


def _stream(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    from ...serve.access.address import is_local

    if not 0 <= chosen.port <= 65535:
        raise UsageError(f"a port is a number from 0 to 65535; got {chosen.port}")
    if not is_local(chosen.host):
        raise UsageError(
            f"{chosen.host} can be reached by other machines, and anyone there could run these "
            "commands: `toolwright serve --http --token ...` asks for a token"
        )
    _box(line).serve("http", host=chosen.host, port=chosen.port, **_settings(chosen))
    return 0


def _tools(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    import json

    tools = _box(line).to_mcp()["tools"]
    text = json.dumps(tools, indent=2, ensure_ascii=False) + "\n"
    if chosen.output == "-":
        sys.stdout.write(text)
        return 0
    try:
        replace_file(chosen.output, text)
    except OSError as error:
        raise UsageError(f"{chosen.output} cannot be written: {error.strerror}") from error
    say(f"{len(tools)} tools written to {chosen.output}")
    return 0


def _enable(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    client: KnownClient = chosen.client
    name = chosen.server_name or line.name
    command = [*line.program.argv, *group[1:], "start"]
    if chosen.log_level is not None:
        command += ["--log-level", chosen.log_level]
    env = entry_variables({**line.environment(), **pairs_from(chosen.env, "--env")})
    entry = client.entry(name, command, env)

    def change() -> int:
        file = settings_file(client, chosen)
        text = file.put((client.key, name), entry)
        return save(file, text, chosen, f"`{name}` is installed for {client.title}", client)

    return retry_if_changed(change)


def _disable(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    client: KnownClient = chosen.client
    name = chosen.server_name or line.name

    def change() -> int:
        file = settings_file(client, chosen)
        if name not in _servers(client, chosen):
            say(f"{file.shown} has no server `{name}`: nothing to do")
            return 0
        text = file.drop((client.key, name))
        return save(file, text, chosen, f"`{name}` is gone from {client.title}")

    return retry_if_changed(change)


def _list(chosen: argparse.Namespace, line: CommandLine, group: Sequence[str]) -> int:
    for name in _servers(chosen.client, chosen):
        sys.stdout.write(f"{name}\n")
    return 0


def _servers(client: KnownClient, chosen: argparse.Namespace) -> list[str]:
    servers = settings_file(client, chosen).get(client.key)
    return list(servers) if is_object(servers) else []
