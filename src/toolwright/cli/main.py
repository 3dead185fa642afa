"""The `toolwright` command: what it takes, and which file answers it.

Arguments are read with `argparse`: it is there, and a server must start fast.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import re
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any, NoReturn

_EPILOG = """\
TARGET is file.py, file.py:box, package.module:attr, or a folder. A plain module of functions with
types works as it is: nothing of Toolwright needs to be imported in it.
"""


_EXIT = 5.0
"""Seconds for what Python waits for at its end, when a server has ended."""


class _Reader(argparse.ArgumentParser):
    """Says what is wrong in one line, and what would help."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        said = message.replace("argument COMMAND: ", "")
        wrong = re.match(r"invalid choice: '(.*?)' \(choose from (.*)\)", said)
        if wrong is not None:
            known = re.findall(r"[\w-]+", wrong[2])
            near = difflib.get_close_matches(wrong[1], known, 1)
            said = f"there is no `{wrong[1]}`" + (f" (did you mean `{near[0]}`?)" if near else "")
        self.exit(2, f"{self.prog}: {said}; `{self.prog} --help` shows how\n")


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    made = _Reader(
        prog="toolwright",
        description="Turn anything a program can call into tools for language models.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = made.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, what: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=what, description=what, allow_abbrev=False)
        if name != "version":
            added.add_argument("target", metavar="TARGET", help="where the tools are")
            _choosing(added)
        return added

    _serve_options(command("serve", "Serve tools over MCP: stdio, or HTTP with --http."))

    listed = command("list", "List the tools.")
    shown = command("show", "Show one tool: its schemas and what its author says.")
    shown.add_argument("tool", metavar="TOOL")
    called = command("call", "Call a tool as a client would.")
    called.add_argument("tool", metavar="TOOL")
    called.add_argument(
        "given",
        nargs="*",
        metavar="key=value",
        help="arguments; `key=@file` reads a file, `key=-` standard input",
    )
    exported = command("export", "Write the list of tools as clients get it.")
    exported.add_argument(
        "-o",
        "--output",
        default="mcp-tools.json",
        metavar="FILE",
        help="where to (%(default)s; - is standard output)",
    )
    version = command("version", "Show the version.")
    _install_commands(commands)
    _first_steps(commands)
    for each in (listed, shown, exported, version):
        each.add_argument("--json", action="store_true", help="print JSON")
    called.add_argument(
        "--json",
        action="store_true",
        help="print JSON; an object, @file or - behind it is taken as the arguments",
    )
    called.add_argument("--arguments", metavar="JSON", help=argparse.SUPPRESS)
    return made


def _choosing(command: argparse.ArgumentParser) -> None:
    """Add what chooses tools."""
    chosen = command.add_argument_group("which tools")
    chosen.add_argument(
        "--select",
        action="append",
        metavar="PATTERN",
        help="only these, such as `orders.*`; `!x` leaves out",
    )
    chosen.add_argument(
        "--read-only", action="store_true", help="only tools that say they change nothing"
    )
    chosen.add_argument("--strict", action="store_true", help="fail if a tool is refused")


def _first_steps(commands: Any) -> None:
    """Add what helps to begin."""
    what = "Write a first toolbox, with a test."
    begun = commands.add_parser("new", help=what, description=what, allow_abbrev=False)
    begun.add_argument("name", metavar="NAME", help="what it is called, such as notes")
    begun.add_argument("--folder", default=".", metavar="DIR", help="where to (here)")
    begun.add_argument("--json", action="store_true", help="print JSON")
    what = "Print what completes this command in a shell: source <(toolwright completion bash)."
    shells = commands.add_parser("completion", help=what, description=what, allow_abbrev=False)
    shells.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")


def _install_commands(commands: Any) -> None:
    """Add what works on the files of other programs."""
    many = "claude-desktop, claude-code, cursor, vscode, or generic (prints the entry)"
    texts = {
        "install": "Install a server in a client: Claude, Cursor, VS Code, or print its entry.",
        "uninstall": "Take a server out of a client again.",
        "clients": "List the clients, their files, and the servers of ours in them.",
    }
    for name, what in texts.items():
        added = commands.add_parser(name, help=what, description=what, allow_abbrev=False)
        added.add_argument("--json", action="store_true", help="print JSON")
        if name == "clients":
            continue
        added.add_argument("client", metavar="CLIENT", help=many)
        if name == "install":
            added.add_argument("target", metavar="TARGET", help="where the tools are, or a URL")
            added.add_argument("--name", help="what the client calls it (the toolbox's name)")
            added.add_argument(
                "--env", action="append", default=[], metavar="NAME=value", help="for the server"
            )
            added.add_argument(
                "--header", action="append", default=[], metavar="NAME=value", help="for a URL"
            )
            _choosing(added)
        else:
            added.add_argument("name", metavar="NAME", help="what the client calls it")
        where = added.add_mutually_exclusive_group()
        where.add_argument("--project", action="store_true", help="in this folder's own file")
        where.add_argument("--config", metavar="FILE", help="in this file")
        added.add_argument("--dry-run", action="store_true", help="only show what would change")
        if name == "install":
            added.add_argument(
                "--force", action="store_true", help="replace a server that somebody else wrote"
            )


def _serve_options(serve: argparse.ArgumentParser) -> None:
    """Add what only `serve` takes."""
    serve.add_argument("--folder", metavar="DIR", help="work in this folder")
    serve.add_argument("--http", action="store_true", help="serve over HTTP")
    serve.add_argument("--host", default="127.0.0.1", help="where to listen (%(default)s)")
    serve.add_argument("--port", type=int, default=8000, help="and at which port (%(default)s)")
    serve.add_argument("--path", default="/mcp", help="and under which path (%(default)s)")
    serve.add_argument(
        "--token",
        action="append",
        metavar="TOKEN",
        default=[],
        help="let in whoever sends this bearer token ($TOOLWRIGHT_TOKEN)",
    )
    serve.add_argument(
        "--issuer", metavar="URL", help="let in whoever has a token that this OAuth issuer signed"
    )
    serve.add_argument(
        "--audience", action="append", metavar="NAME", help="and that is meant for this server"
    )
    serve.add_argument("--jwks", metavar="URL", help="where its keys are, if it does not say so")
    serve.add_argument(
        "--scope", action="append", metavar="SCOPE", default=[], help="and that has this scope"
    )
    serve.add_argument(
        "--resource", default="", metavar="URL", help="the server's own address, as clients see it"
    )
    serve.add_argument(
        "--roles-claim",
        action="append",
        metavar="CLAIM",
        help="which claims name roles (roles, scope, scp)",
    )
    serve.add_argument("--tls-cert", metavar="FILE", help="serve over HTTPS with this certificate")
    serve.add_argument("--tls-key", metavar="FILE", help="and this key")
    serve.add_argument(
        "--no-auth", action="store_true", help="let other machines in without a token"
    )
    serve.add_argument(
        "--allow-host", action="append", metavar="HOST", default=[], help="answer to this host, too"
    )
    serve.add_argument(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        default=[],
        help="answer to pages of this origin",
    )
    serve.add_argument(
        "--sdk", action="store_true", help="answer everything through the official SDK (slower)"
    )
    serve.add_argument(
        "--reload", action="store_true", help="load the tools anew when their files change"
    )
    serve.add_argument(
        "--stateless", action="store_true", help="keep no sessions: each request is on its own"
    )
    serve.add_argument(
        "--workers", type=int, default=1, metavar="N", help="serve with so many processes"
    )
    serve.add_argument(
        "--rate-limit", metavar="RATE", help="requests of one client, such as 100/s or 1000/min"
    )
    serve.add_argument(
        "--max-body", type=int, metavar="BYTES", help="how large a request may be (4 MiB)"
    )
    serve.add_argument(
        "--drain",
        type=float,
        metavar="SECONDS",
        help="how long calls may go on when it is told to end (3; over stdio 1)",
    )
    serve.add_argument(
        "--state-key-file",
        metavar="FILE",
        help="keys for what several machines serve together ($TOOLWRIGHT_STATE_KEY)",
    )
    serve.add_argument("--listening", type=int, help=argparse.SUPPRESS)
    _client_options(serve)
    _session_options(serve)
    _watch_options(serve)


def _client_options(serve: argparse.ArgumentParser) -> None:
    """Add what bounds clients."""
    bounds = serve.add_argument_group("bounds for clients")
    bounds.add_argument(
        "--trusted-proxy",
        action="append",
        metavar="ADDRESS",
        default=[],
        help="believe what this proxy (or network) says about the client's address",
    )
    bounds.add_argument(
        "--failed-sign-ins",
        metavar="RATE",
        help="failed sign-ins of one client before it is locked out (10/10min)",
    )
    bounds.add_argument(
        "--header-timeout",
        type=float,
        metavar="SECONDS",
        help="for the head of a request (10)",
    )
    bounds.add_argument(
        "--body-timeout",
        type=float,
        metavar="SECONDS",
        help="for its body, or for reading the answer; longer for large ones (30)",
    )
    bounds.add_argument(
        "--max-connections", type=int, metavar="N", help="open connections in all (2000)"
    )
    bounds.add_argument(
        "--max-connections-per-client",
        type=int,
        metavar="N",
        help="and of one address (500)",
    )


def _session_options(serve: argparse.ArgumentParser) -> None:
    """Add what bounds the sessions and streams of clients."""
    bounds = serve.add_argument_group("sessions and streams (a client is a caller or an address)")
    for flag, kind, metavar, said in (
        ("--max-sessions", int, "N", "open sessions in all (10000)"),
        ("--max-sessions-per-client", int, "N", "open sessions of one client (1000)"),
        ("--max-streams", int, "N", "requests being answered in all (10000)"),
        ("--max-streams-per-client", int, "N", "requests being answered for one client (1000)"),
        ("--session-idle", float, "SECONDS", "end a session that is not used for so long (1800)"),
    ):
        bounds.add_argument(flag, type=kind, metavar=metavar, help=said)


def _watch_options(serve: argparse.ArgumentParser) -> None:
    """Add what watches calls."""
    watch = serve.add_argument_group("watching calls")
    watch.add_argument(
        "--audit",
        metavar="FILE",
        help="write a line of JSON for each call and each refusal (- is standard error)",
    )
    watch.add_argument(
        "--audit-arguments", action="store_true", help="with arguments, secrets among them hidden"
    )
    watch.add_argument(
        "--metrics", action="store_true", help="count calls for Prometheus, at /metrics"
    )
    watch.add_argument("--otel", action="store_true", help="make spans of OpenTelemetry")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0, 1 for a failure, 2 for a mistake in using it."""
    reader = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may come next
        from .completion import complete

        complete(reader)
    given = _with_arguments(list(sys.argv[1:] if arguments is None else arguments))
    try:
        chosen, rest = reader.parse_known_args(given)
        # Pairs may stand behind options, where argparse does not look for them.
        pairs = [each for each in rest if "=" in each and not each.startswith("-")]
        if rest and (chosen.command != "call" or len(pairs) < len(rest)):
            reader.error(f"unknown: {' '.join(each for each in rest if each not in pairs)}")
    except SystemExit as ended:
        return int(ended.code or 0)
    if pairs:
        chosen.given = [*chosen.given, *pairs]
    if chosen.command is None:
        reader.print_help()
        return 0
    chosen.given_arguments = given
    from .._descriptors import stand_in

    stand_in()
    from .commands import run

    try:
        code = run(chosen)
    except BrokenPipeError:
        code = 0
    except KeyboardInterrupt:
        code = 130
    if chosen.command == "serve" and arguments is None:
        _end_within(_EXIT, code)
    return code


def _end_within(seconds: float, code: int) -> None:
    """End this process soon, whatever a tool has left that Python would wait for at its end.

    Threads that are no daemons and what was registered with `atexit` may take so long.
    """

    def end() -> None:
        time.sleep(seconds)
        print("toolwright: a tool holds the end of the server: not waited for", file=sys.stderr)
        for each in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                each.flush()
        os._exit(code)

    threading.Thread(target=end, daemon=True).start()


def _with_arguments(given: list[str]) -> list[str]:
    """Take what stands behind `--json`, if it is arguments."""
    made: list[str] = []
    for each in given:
        if made and made[-1] == "--json" and each.lstrip()[:1] in ("{", "@", "["):
            made += ["--arguments", each]
        elif made and made[-1] == "--json" and each == "-":
            made.append("--arguments=-")
        else:
            made.append(each)
    return made
