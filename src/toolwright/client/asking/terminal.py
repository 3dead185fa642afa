"""Asks a server's questions on the terminal, in plain scripts."""

from __future__ import annotations

import json
import sys
import webbrowser
from collections.abc import Mapping
from typing import Any

from ..._log.printable import printable


def can_ask() -> bool:
    """Return whether there is a person at a terminal."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or replaced by something else
        return False


def filled_in(message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
    """Ask for each field of a form; return None if the user declines."""
    _say(f"The server asks: {message}")
    properties: Mapping[str, Any] = schema.get("properties") or {}
    required: set[Any] = set(schema.get("required") or ())
    if not properties:
        return {} if _line("Agree? [y/N] ").lower() in ("y", "yes") else None
    _say("(an empty line keeps the default, or leaves a field out; Ctrl-D declines)")
    answers: dict[str, Any] = {}
    for name, node in properties.items():
        try:
            value = _field(str(name), dict(node), required=name in required)
        except (EOFError, KeyboardInterrupt):
            return None
        if value is not None:
            answers[name] = value
    return answers


def visits(message: str, url: str) -> bool:
    """Ask whether to open an address, which is shown in full, in the browser."""
    _say(f"The server asks: {message}\nIt wants you to visit {printable(url)}")
    if not url.startswith("https://") and not url.startswith("http://localhost"):
        _say("That is not a safe address; it is not opened.")
        return False
    try:
        agreed = _line("Open it? [y/N] ").lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False
    return agreed and webbrowser.open(url)


def _field(name: str, node: dict[str, Any], *, required: bool) -> Any:
    label = printable(str(node.get("title") or name))
    choices = node.get("enum")
    choices_text = (
        f" ({', '.join(printable(str(choice)) for choice in choices)})" if choices else ""
    )
    default = node.get("default")
    default_text = f" [{printable(json.dumps(default))}]" if default is not None else ""
    while True:
        text = _line(f"{label}{choices_text}{default_text}: ").strip()
        if not text:
            if default is not None or not required:
                return default
            _say("This one is needed.")
            continue
        try:
            return _read(text, node)
        except ValueError as error:
            _say(str(error))


def _read(text: str, node: Mapping[str, Any]) -> Any:
    """Return a typed value. Raises `ValueError`."""
    match node.get("type"):
        case "integer":
            return int(text)
        case "number":
            return float(text)
        case "boolean":
            if text.lower() in ("y", "yes", "true", "1"):
                return True
            if text.lower() in ("n", "no", "false", "0"):
                return False
            msg = "Answer yes or no."
            raise ValueError(msg)
        case "array":
            return [part.strip() for part in text.split(",") if part.strip()]
        case _:
            choices = node.get("enum")
            if choices and text not in choices:
                msg = "That is not one of the choices."
                raise ValueError(msg)
            return text


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _line(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")
