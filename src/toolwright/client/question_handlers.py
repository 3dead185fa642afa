"""A server's questions: forms, addresses, sampling, roots."""

from __future__ import annotations

import asyncio
import inspect
import sys
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from .._json_values import is_object
from .._log import logger
from .._log.printable import printable
from ..errors import CallError
from .bounds import short
from .form_fields import ask_for, fields_of
from .settings import ClientSettings

_log = logger("client")
FORM, SAMPLE, ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"
ABILITIES = {FORM: "elicitation", SAMPLE: "sampling", ROOTS: "roots"}
"""What a client must have announced to be asked a question."""


class NoAnswer(CallError):
    """There is nobody to answer such a question."""

    code = "cannot_ask"


class QuestionHandlers:
    """Answers a server's questions with the functions that were given, or on the terminal."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self.passes_on = False
        """Whether questions may be passed on to the callers of a toolbox."""
        on_terminal = settings.ask if settings.ask is not None else can_ask()
        self.on_form: Callable[..., Any] | None = settings.on_form
        self.on_url: Callable[..., Any] | None = settings.on_url
        if on_terminal:
            self.on_form = self.on_form or filled_in
            self.on_url = self.on_url or visits

    @property
    def abilities(self) -> frozenset[str]:
        """The kinds of questions that servers are told they can ask this client."""
        settings = self._settings
        if self.passes_on:
            return frozenset(ABILITIES.values())
        is_handled = {
            FORM: self.on_form is not None or self.on_url is not None,
            SAMPLE: settings.on_sample is not None,
            ROOTS: settings.roots is not None,
        }
        return frozenset(ABILITIES[method] for method, has in is_handled.items() if has)

    async def answer(self, _key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a question, in the protocol's form. Raises `NoAnswer`."""
        if method == FORM:
            return await self._elicited(params)
        if method == SAMPLE and self._settings.on_sample is not None:
            return _sampled(await _called(self._settings.on_sample, dict(params)))
        if method == ROOTS and self._settings.roots is not None:
            return {"roots": [_root(root) for root in self._settings.roots]}
        raise NoAnswer(f"this client cannot be asked for {short(method, 100)}")

    async def _elicited(self, params: Mapping[str, Any]) -> dict[str, Any]:
        message = short(str(params.get("message", "")))
        if params.get("mode") == "url":
            if self.on_url is None:
                return {"action": "decline"}
            agreed = await _called(self.on_url, message, str(params.get("url", "")))
            return {"action": "accept" if agreed else "decline"}
        if self.on_form is None:
            return {"action": "decline"}
        schema = params.get("requestedSchema")
        content = await _called(self.on_form, message, dict(schema) if is_object(schema) else {})
        if content is None or content is False:
            return {"action": "decline"}
        if not isinstance(content, Mapping):
            msg = f"on_form must return a dict, or None to decline; got {type(content).__name__}"
            raise TypeError(msg)
        return {"action": "accept", "content": dict(cast("Mapping[str, Any]", content))}


async def _called(handler: Callable[..., Any], *said: Any) -> Any:
    """Call a handler: in a thread, if it is not async, because it may wait for a person."""
    if inspect.iscoroutinefunction(handler):
        return await handler(*said)
    value = await asyncio.to_thread(handler, *said)
    return await value if inspect.isawaitable(value) else value


def _sampled(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        content = {"type": "text", "text": given}
        return {"role": "assistant", "content": content, "model": "unknown"}
    if not isinstance(given, Mapping) or "content" not in given:
        msg = "on_sample must return text, or a message with `content`"
        raise TypeError(msg)
    return {"role": "assistant", "model": "unknown", **given}


def _root(given: Any) -> dict[str, str]:
    text = str(given)
    if text.startswith("file:"):
        return {"uri": text}
    path = Path(text).absolute()
    return {"uri": path.as_uri(), "name": path.name or text}


# -- on the terminal, in plain scripts


def can_ask() -> bool:
    """Return whether there is a person at a terminal."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or replaced by something else
        return False


def filled_in(message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
    """Ask for each field of a form; return None if the user declines."""
    _say(f"The server asks: {message}")
    fields = fields_of(schema)
    if not fields:
        return {} if _agrees("Agree?") else None
    _say("(an empty line keeps the default, or leaves a field out; Ctrl-D declines)")
    answers: dict[str, Any] = {}
    for field in fields:
        try:
            values = ask_for(field, _line, _say)
        except KeyboardInterrupt:
            return None
        if values is None:
            return None
        if values:
            answers[field.name] = values[0]
    return answers


def visits(message: str, url: str) -> bool:
    """Ask whether to open an address, which is shown in full, in the browser."""
    _say(f"The server asks: {message}\nIt wants you to visit {url}")
    if not url.startswith("https://") and not url.startswith("http://localhost"):
        _say("That is not a safe address; it is not opened.")
        return False
    return _agrees("Open it?") and webbrowser.open(url)


def _agrees(question: str) -> bool:
    try:
        return (_line(f"{question} [y/N] ") or "").lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False


def _say(text: str) -> None:
    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()


def _line(prompt: str) -> str | None:
    """Ask for a line; return None at the end of input."""
    sys.stderr.write(printable(prompt))
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
