"""What each command does."""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .. import __version__
from ..call import Call
from ..errors import ToolNotFound
from ..toolbox.box import Toolbox, served
from . import output, workers
from .http_settings import drain_of
from .install import clients, install, uninstall
from .new import new
from .opening import opened
from .output import first_line, print_content, print_json, print_rows, say
from .telemetry import show_status, watched
from .terminal import Bar, interruptible
from .usage import UsageError

if TYPE_CHECKING:
    from ..serve.servable import Servable
    from ..tools.definition import Tool
    from .reload import Reloader


def run(chosen: argparse.Namespace) -> int:
    """Run a command; what is wrong is one line on standard error."""
    from .load import BadTarget

    if chosen.command != "serve":
        output.claim()
    try:
        code = _COMMANDS[chosen.command](chosen)
        output.flush()
    except ToolNotFound as error:
        print(f"toolwright: {error}; `toolwright list {chosen.target}` shows all", file=sys.stderr)
        return 2
    except (UsageError, BadTarget) as error:
        print(f"toolwright: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever read our output has enough; there is nowhere to say so when Python ends.
        output.drop()
        return 0
    except OSError as error:  # a full disk, a folder that is gone
        print(f"toolwright: {error.strerror or error}", file=sys.stderr)
        output.drop()
        return 1
    return code


def found(box: Toolbox, name: str) -> Tool:
    """Return a tool that was chosen. Raises `ToolNotFound`."""
    if not box.is_enabled(name):
        raise ToolNotFound(name)
    return box[name]


def serve(chosen: argparse.Namespace) -> int:
    """Serve until it is ended."""
    chosen.started_in = str(Path.cwd())
    if chosen.folder:
        try:
            os.chdir(chosen.folder)
        except OSError as error:
            raise UsageError(f"{chosen.folder} cannot be entered: {error.strerror}") from error
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    if chosen.http:
        return _serve_http(chosen)
    from .._descriptors import take_over
    from ..serve.drain import STDIO_SECONDS
    from ..serve.stdio.conversation import converse

    patience = drain_of(chosen, STDIO_SECONDS)
    wire = take_over()  # before the target is imported: it may print
    reloader = _reloader(chosen)
    box, usable = opened(chosen)
    if not usable:
        return 1
    watched(box, chosen)
    converse(_served(box, chosen, reloader), wire, short=not chosen.sdk, drain=patience)
    return 0


def _reloader(chosen: argparse.Namespace) -> Reloader | None:
    """Return what watches the target's files, if that is wanted."""
    if not chosen.reload:
        return None
    from .reload import Reloader

    return Reloader(chosen.target)


def _served(box: Toolbox, chosen: argparse.Namespace, reloader: Reloader | None) -> Servable:
    """Return what is served: the toolbox, or what stands for its newest version."""
    if reloader is None:
        return served(box)
    from ..serve.reloadable import Reloadable
    from .load import BadTarget

    def load() -> Toolbox:
        newer, usable = opened(chosen)
        if not usable:
            raise BadTarget("a tool is refused")
        return newer

    live = Reloadable(served(box))
    reloader.watch(live, load, lambda newer: watched(newer, chosen))
    return cast("Servable", live)


def _serve_http(chosen: argparse.Namespace) -> int:
    from ..serve.server import listen, serve_http
    from ..serve.tasks.records import open_stores
    from .http_settings import http_settings

    given = None if chosen.listening is None else workers.keys_from_input()
    settings = http_settings(chosen, given)
    reloader = _reloader(chosen)
    box, usable = opened(chosen)
    if not usable:
        return 1
    open_stores(served(box))
    watched(box, chosen)
    if chosen.listening is not None:  # one of several workers
        workers.end_with_input()
        serve_http(served(box), **settings, listening=socket.socket(fileno=chosen.listening))
        return 0
    try:
        listening = listen(chosen.host, chosen.port)
    except OSError as error:
        where = f"{chosen.host}:{chosen.port}"
        print(f"toolwright: cannot listen at {where}: {error.strerror}", file=sys.stderr)
        return 1
    scheme = "https" if settings["tls"] else "http"
    host = f"[{chosen.host.strip('[]')}]" if ":" in chosen.host else chosen.host
    url = f"{scheme}://{host}:{listening.getsockname()[1]}{settings['path']}"
    count = sum(box.is_enabled(name) for name in box)
    print(f"{box.name}: {count} tools at {url} (Ctrl-C ends it)", file=sys.stderr)
    if chosen.workers == 1:
        show_status(box, chosen)
        serve_http(_served(box, chosen, reloader), **settings, listening=listening)
        return 0
    again = [sys.executable, "-m", "toolwright", *chosen.given_arguments]
    return workers.Workers(
        again,
        chosen.workers,
        listening,
        chosen.started_in,
        drain=settings["drain"],
        state_keys=settings["state_key"] or (),
    ).run()


def listed(chosen: argparse.Namespace) -> int:
    """List the tools."""
    box, usable = opened(chosen)
    tools = json.loads(box.to_mcp_json())["tools"]
    if chosen.json:
        print_json(tools)
    else:
        rows = [(tool["name"], first_line(tool.get("description", ""))) for tool in tools]
        print_rows(rows)
    return 0 if usable else 1


def show(chosen: argparse.Namespace) -> int:
    """Show one tool."""
    box, usable = opened(chosen)
    tool = found(box, chosen.tool)
    if chosen.json:
        print_json(tool.to_mcp())
        return 0 if usable else 1
    say(tool.name)
    if tool.description:
        say(f"\n{tool.description}")
    for title, schema in (("Arguments", tool.input_schema), ("Result", tool.output_schema)):
        if schema is not None:
            say(f"\n{title}:")
            print_json(schema)
    for problem in tool.problems:
        say(f"\nNote: it {problem}")
    return 0 if usable else 1


def call(chosen: argparse.Namespace) -> int:
    """Call a tool with JSON, as a client would."""
    box, usable = opened(chosen)
    if not usable:
        return 1
    found(box, chosen.tool)  # its name is checked before its arguments are
    arguments: Any = _whole(chosen.arguments) if chosen.arguments else {}
    arguments.update(_pairs(chosen.given, box[chosen.tool].input_schema.get("properties", {})))
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="%(message)s")
    with Bar(chosen.tool) as bar, interruptible(), box:
        told = Call(chosen.tool, on_progress=bar.tell) if bar.shows else None
        result = box.call(chosen.tool, arguments, call=told)
    if chosen.json:
        print_json(result.to_mcp())
    elif result.is_error:
        print(result.text, file=sys.stderr)
    else:
        print_content(result.content)
    return 1 if result.is_error else 0


def export(chosen: argparse.Namespace) -> int:
    """Write the list of tools."""
    box, usable = opened(chosen)
    tools = json.loads(box.to_mcp_json())
    body = json.dumps(tools, indent=2, ensure_ascii=False) + "\n"
    if chosen.output == "-":
        output.write(body)
    else:
        try:
            Path(chosen.output).write_text(body, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{chosen.output} cannot be written: {error.strerror}") from error
        count = len(tools["tools"])
        if chosen.json:
            print_json({"file": chosen.output, "tools": count})
        else:
            say(f"{count} tools written to {chosen.output}")
    return 0 if usable else 1


def version(chosen: argparse.Namespace) -> int:
    """Show the version."""
    if chosen.json:
        print_json({"toolwright": __version__, "python": sys.version.split()[0]})
    else:
        say(f"toolwright {__version__}")
    return 0


def completion(chosen: argparse.Namespace) -> int:
    """Print what completes the command in a shell."""
    from argcomplete.shell_integration import shellcode

    output.write(shellcode(["toolwright"], shell=chosen.shell))
    return 0


_COMMANDS = {
    "serve": serve,
    "list": listed,
    "show": show,
    "call": call,
    "export": export,
    "version": version,
    "install": install,
    "uninstall": uninstall,
    "clients": clients,
    "new": new,
    "completion": completion,
}


# -- arguments


def _whole(text: str) -> dict[str, Any]:
    """Read an object of arguments: itself, from `@file`, or from standard input."""
    source = sys.stdin.read() if text == "-" else _read(text[1:]) if text[0] == "@" else text
    try:
        made = json.loads(source)
    except RecursionError:
        raise UsageError("the arguments are JSON that is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"the arguments are not JSON: {error}") from error
    if not isinstance(made, dict):
        raise UsageError("the arguments must be one JSON object")
    return made  # pyright: ignore[reportUnknownVariableType]


def _pairs(given: list[str], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Read `key=value`: JSON where it is JSON, else text; `key=@file` and `key=-` are read.

    Where a text is declared, it is text whatever it looks like; `@@` begins one with an `@`.
    """
    made: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise UsageError(f"arguments are written key=value; got `{each}`")
        if value == "-":
            made[key] = sys.stdin.read()
        elif value.startswith("@@"):
            made[key] = value[1:]
        elif value.startswith("@"):
            made[key] = _read(value[1:])
        elif schemas.get(key, {}).get("type") == "string":
            made[key] = value
        else:
            made[key] = _value(value)
    return made


def _value(text: str) -> Any:
    if text[:1] in ("{", "[", '"') or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text  # numbers stay text: the declared type decides


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
