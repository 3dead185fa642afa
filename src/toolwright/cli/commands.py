"""What each command does."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..catalog import matches
from ..errors import ToolNotFound

if TYPE_CHECKING:
    from ..toolbox import Toolbox


class Mistake(Exception):
    """The command was used in a way that cannot work; exit code 2."""


def run(chosen: argparse.Namespace) -> int:
    """Run a command; what is wrong is one line on standard error."""
    from .target import BadTarget

    try:
        return _COMMANDS[chosen.command](chosen)
    except (Mistake, BadTarget, ValueError) as error:
        print(f"toolwright: {error}", file=sys.stderr)
        return 2
    except ToolNotFound as error:
        print(f"toolwright: {error}", file=sys.stderr)
        return 2


def opened(chosen: argparse.Namespace) -> tuple[Toolbox, bool]:
    """Load the target and choose tools; tell whether it may be used."""
    from .target import load

    with contextlib.redirect_stdout(sys.stderr):  # what it prints is not our output
        box, refused = load(chosen.target)
    for name, tool in list(box.items()):
        wanted = matches(name, chosen.select or "*")
        if not wanted or (chosen.read_only and tool.options.read_only is not True):
            box.disable(name)
    said = [str(each) for each in refused]
    said += [str(each) for each in box.problems if each.fatal]
    for line in dict.fromkeys(said):
        print(f"refused: {line}", file=sys.stderr)
    return box, not (said and chosen.strict)


def serve(chosen: argparse.Namespace) -> int:
    """Serve until it is ended."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    if chosen.http:
        return _serve_http(chosen)
    from ..serve.stdio import converse, take_over

    wire = take_over()  # before the target is imported: it may print
    box, usable = opened(chosen)
    if not usable:
        return 1
    converse(box, wire, short=not chosen.sdk)
    return 0


def _serve_http(chosen: argparse.Namespace) -> int:
    from ..serve.run import serve_http

    box, usable = opened(chosen)
    if not usable:
        return 1
    tokens = [*chosen.token, *filter(None, [os.environ.get("TOOLWRIGHT_TOKEN")])]
    url = f"http://{chosen.host}:{chosen.port}{chosen.path}"
    count = sum(box.is_enabled(name) for name in box)
    print(f"{box.name}: {count} tools at {url} (Ctrl-C ends it)", file=sys.stderr)
    serve_http(
        box,
        host=chosen.host,
        port=chosen.port,
        path=chosen.path,
        tokens=tokens or None,
        auth=not chosen.no_auth,
        hosts=chosen.allow_host,
        origins=chosen.allow_origin,
        short=not chosen.sdk,
    )
    return 0


def listed(chosen: argparse.Namespace) -> int:
    """List the tools."""
    box, usable = opened(chosen)
    tools = json.loads(box.to_mcp_json())["tools"]
    if chosen.json:
        _print_json(tools)
    else:
        rows = [(tool["name"], _first_line(tool.get("description", ""))) for tool in tools]
        _print_rows(rows)
    return 0 if usable else 1


def show(chosen: argparse.Namespace) -> int:
    """Show one tool."""
    box, usable = opened(chosen)
    tool = box[chosen.tool]
    if chosen.json:
        _print_json(tool.to_mcp())
        return 0 if usable else 1
    print(tool.name)
    if tool.description:
        print(f"\n{tool.description}")
    for title, schema in (("Arguments", tool.input_schema), ("Result", tool.output_schema)):
        if schema is not None:
            print(f"\n{title}:")
            _print_json(schema)
    for problem in tool.problems:
        print(f"\nNote: it {problem}")
    return 0 if usable else 1


def call(chosen: argparse.Namespace) -> int:
    """Call a tool with JSON, as a client would."""
    given: list[str] = list(chosen.given)
    text: str | None = chosen.json
    if text and not text.lstrip().startswith(("{", "@", "-")):
        given.insert(0, text)  # `--json` stood before an argument
        text = ""
    box, usable = opened(chosen)
    if not usable:
        return 1
    box[chosen.tool]  # its name is checked before its arguments are
    arguments: Any = _whole(text) if text else {}
    arguments.update(_pairs(given))
    with box, contextlib.redirect_stdout(sys.stderr):
        result = box.call(chosen.tool, json.dumps(arguments))
    if chosen.json is not None:
        _print_json(result.to_mcp())
    elif result.is_error:
        print(result.text, file=sys.stderr)
    else:
        _print_content(result.content)
    return 1 if result.is_error else 0


def export(chosen: argparse.Namespace) -> int:
    """Write the list of tools."""
    box, usable = opened(chosen)
    body = json.dumps(json.loads(box.to_mcp_json()), indent=2, ensure_ascii=False) + "\n"
    if chosen.output == "-":
        sys.stdout.write(body)
    else:
        Path(chosen.output).write_text(body, encoding="utf-8")
        count = sum(box.is_enabled(name) for name in box)
        if chosen.json:
            _print_json({"file": chosen.output, "tools": count})
        else:
            print(f"{count} tools written to {chosen.output}")
    return 0 if usable else 1


def version(chosen: argparse.Namespace) -> int:
    """Show the version."""
    if chosen.json:
        _print_json({"toolwright": __version__, "python": sys.version.split()[0]})
    else:
        print(f"toolwright {__version__}")
    return 0


_COMMANDS = {
    "serve": serve,
    "list": listed,
    "show": show,
    "call": call,
    "export": export,
    "version": version,
}


# -- arguments


def _whole(text: str) -> dict[str, Any]:
    """Read an object of arguments: itself, from `@file`, or from standard input."""
    source = sys.stdin.read() if text == "-" else _read(text[1:]) if text[0] == "@" else text
    try:
        made = json.loads(source)
    except ValueError as error:
        raise Mistake(f"the arguments are not JSON: {error}") from error
    if not isinstance(made, dict):
        raise Mistake("the arguments must be one JSON object")
    return made  # pyright: ignore[reportUnknownVariableType]


def _pairs(given: list[str]) -> dict[str, Any]:
    """Read `key=value`: JSON where it is JSON, else text; `key=@file` and `key=-` are read."""
    made: dict[str, Any] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key:
            raise Mistake(f"arguments are written key=value; got `{each}`")
        if value == "-":
            made[key] = sys.stdin.read()
        elif value.startswith("@"):
            made[key] = _read(value[1:])
        else:
            made[key] = _value(value)
    return made


def _value(text: str) -> Any:
    if text[:1] in ("{", "[", '"') or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text  # numbers stay text: the declared type decides


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{path} cannot be read: {error.strerror}") from error


# -- output: plain when it is piped, coloured on a terminal


def _print_json(value: Any) -> None:
    if sys.stdout.isatty():
        from rich import print_json

        print_json(data=value)
    else:
        print(json.dumps(value, indent=2, ensure_ascii=False))


def _print_rows(rows: list[tuple[str, str]]) -> None:
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(box=None, show_header=False, pad_edge=False)
        for name, said in rows:
            table.add_row(f"[bold]{name}[/bold]", said)
        Console().print(table)
        return
    width = max((len(name) for name, _ in rows), default=0)
    for name, said in rows:
        print(f"{name.ljust(width)}  {said}".rstrip())


def _print_content(blocks: list[dict[str, Any]]) -> None:
    for block in blocks:
        if block["type"] == "text":
            print(block["text"])
        else:
            kind = block.get("mimeType") or block.get("resource", {}).get("mimeType", "")
            print(f"[{block['type']} {kind}; use --json to see it]".replace(" ;", ";"))


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0]
