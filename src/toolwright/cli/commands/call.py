"""`call`: call one tool as a client would."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...call import Call
from ..load import add_target, open_target, selected_tool
from ..output import print_content, print_json
from ..terminal import ProgressBar, interruptible
from ..usage import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    parser.add_argument("tool", metavar="TOOL")
    parser.add_argument(
        "given",
        nargs="*",
        metavar="key=value",
        help="arguments; `key=@file` reads a file, `key=-` standard input",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON; an object, @file or - behind it is taken as the arguments",
    )
    parser.add_argument("--arguments", metavar="JSON", help=argparse.SUPPRESS)


def run(chosen: argparse.Namespace) -> int:
    """Call a tool with JSON, and print its result."""
    box, usable = open_target(chosen)
    if not usable:
        return 1
    tool = selected_tool(box, chosen.tool)  # its name is checked before its arguments are
    arguments = _object_from(chosen.arguments) if chosen.arguments else {}
    arguments.update(_values_from(chosen.given, tool.input_schema.get("properties", {})))
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="%(message)s")
    # The call enters the lifespan: one that fails to open is a failed call.
    with ProgressBar(chosen.tool) as bar, interruptible(), contextlib.closing(box):
        call = Call(chosen.tool, on_progress=bar.update) if bar.is_shown else None
        result = box.call(chosen.tool, arguments, call=call)
    if chosen.json:
        print_json(result.to_mcp())
    elif result.is_error:
        print(result.text, file=sys.stderr)
    else:
        print_content(result.content)
    return 1 if result.is_error else 0


def name_json_arguments(words: Sequence[str]) -> list[str]:
    """Put `--arguments` before the JSON that follows `--json`.

    `--json` alone asks for JSON output, so argparse cannot give it a value as well.
    """
    named: list[str] = []
    for word in words:
        follows = bool(named) and named[-1] == "--json"
        if follows and word.lstrip()[:1] in ("{", "@", "["):
            named += ["--arguments", word]
        elif follows and word == "-":
            named.append("--arguments=-")
        else:
            named.append(word)
    return named


def _object_from(text: str) -> dict[str, Any]:
    """Read an object of arguments: from the text itself, `@file`, or standard input."""
    source = sys.stdin.read() if text == "-" else _read(text[1:]) if text[0] == "@" else text
    try:
        arguments = json.loads(source)
    except RecursionError:
        raise UsageError("the arguments are JSON that is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"the arguments are not JSON: {error}") from error
    if not isinstance(arguments, dict):
        raise UsageError("the arguments must be one JSON object")
    return arguments  # pyright: ignore[reportUnknownVariableType]


def _values_from(pairs: list[str], schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Read `key=value`: JSON where it is JSON, else text; `key=@file` and `key=-` are read.

    A parameter declared as a string gets the text unchanged, whatever it looks like.
    `@@` starts a text with one `@`.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"arguments are written key=value; got `{pair}`")
        if value == "-":
            values[key] = sys.stdin.read()
        elif value.startswith("@@"):
            values[key] = value[1:]
        elif value.startswith("@"):
            values[key] = _read(value[1:])
        elif schemas.get(key, {}).get("type") == "string":
            values[key] = value
        else:
            values[key] = _json_or_text(value)
    return values


def _json_or_text(text: str) -> Any:
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
