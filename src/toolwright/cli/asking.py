"""Answers a tool's questions, from flags or at the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .._log.printable import printable
from .._words import truncate
from ..arguments.explain import explain
from ..arguments.shape import Shape
from ..client.form_fields import ATTEMPTS, FormField, ask_for, fields_of
from ..errors import CallError, ToolError
from ..questions import Form, Question
from ..run.threads import in_own_thread
from .usage import UsageError

_DECLINE: dict[str, Any] = {"action": "decline"}
_CANCEL: dict[str, Any] = {"action": "cancel"}


class Given(NamedTuple):
    """What the command line answers in advance."""

    consent: bool | None = None
    """True for `--yes`, False for `--no`."""
    answers: Mapping[str, str] = {}
    """Values of fields, by name (`--answer`)."""

    @property
    def decides(self) -> bool:
        """Whether nobody needs to be asked."""
        return self.consent is not None or bool(self.answers)


class CommandAsker:
    """The client's side of questions, for one call of the command."""

    def __init__(
        self,
        given: Given,
        typist: Typist | None,
        paused: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self.given = given
        self.typist = typist
        self.paused = paused
        """Clears the terminal of anything that would be drawn across a question."""
        self.used: set[str] = set()
        self.one_at_a_time = asyncio.Lock()
        self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        """The loop in which it asks."""
        asks = typist is not None or given.decides
        self.abilities = frozenset({"roots", "elicitation"} if asks else {"roots"})

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Return an answer for each key. Raises `ToolError` if the user declines."""
        return {key: await self._answer(question) for key, question in requests.items()}

    async def _answer(self, question: Question) -> Any:
        if question.ability == "roots":
            folder = Path.cwd()
            return question.answer({"roots": [{"uri": folder.as_uri(), "name": folder.name}]})
        async with self.one_at_a_time:
            if self.given.consent is False:
                return question.answer(_DECLINE)
            typist = self.typist
            if typist is None or self.given.consent:
                return self._from_flags(question)
            return await in_own_thread(lambda: self._from_terminal(question, typist), typist.stop)

    # -- without anybody to ask

    def _from_flags(self, question: Question) -> Any:
        message, fields = _form(question)
        content: dict[str, Any] = {}
        for field in fields:
            if field.name in self.given.answers:
                content[field.name] = self._given(field)
            elif len(fields) == 1 and field.is_boolean and self.given.consent:
                content[field.name] = True
            elif field.has_default:
                content[field.name] = field.default
            elif field.required:
                kind = field.kind()
                what = f"{field.name}=VALUE" + (f" ({kind})" if kind else "")
                raise CallError(f"asked {_quoted(message)}: give --answer {what}, or --no")
        try:
            return question.answer({"action": "accept", "content": content})
        except ToolError:
            raise
        except ValueError as error:
            faults = "; ".join(_explained(error, content, question))
            raise CallError(
                f"asked {_quoted(message)}: the answer is not valid: {faults}"
            ) from error

    def _given(self, field: FormField) -> Any:
        self.used.add(field.name)
        try:
            return field.read(self.given.answers[field.name])
        except ValueError as error:
            raise CallError(f"--answer {field.name}: {error}") from error

    # -- on the terminal

    def _from_terminal(self, question: Question, typist: Typist) -> Any:
        message, fields = _form(question)
        with self.paused():
            typist.tell(message)
            for _ in range(ATTEMPTS):
                came = self._filled(fields, typist)
                try:
                    return question.answer(came)
                except ToolError:
                    raise
                except ValueError as error:
                    for line in _explained(error, came.get("content"), question):
                        typist.tell(f"  {line}")
        return question.answer(_CANCEL)

    def _filled(self, fields: list[FormField], typist: Typist) -> dict[str, Any]:
        """Ask for each field, and whether to send the form; return the client's answer."""
        content: dict[str, Any] = {}
        open_fields = [field for field in fields if field.name not in self.given.answers]
        for field in fields:
            if field not in open_fields:
                content[field.name] = self._given(field)
                continue
            came = ask_for(field, typist.line, typist.tell)
            if came is None:
                return _CANCEL
            if came:
                content[field.name] = came[0]
        if fields and not open_fields:
            return {"action": "accept", "content": content}
        if len(fields) == 1 and fields[0].is_boolean:
            return {"action": "accept", "content": content}
        sent = ask_for(_SEND, typist.line, typist.tell)
        if sent is None:
            return _CANCEL
        return {"action": "accept", "content": content} if sent[0] else _DECLINE


_SEND = FormField(
    "send", {"type": "boolean", "title": "Send this? (no declines)", "default": True}, required=True
)


def _form(question: Question) -> tuple[str, list[FormField]]:
    params = question.params()
    return str(params.get("message", "")), fields_of(params.get("requestedSchema", {}))


def _explained(error: ValueError, content: Any, question: Question) -> list[str]:
    """Return what is wrong with the answers, one line per mistake."""
    errors = getattr(error, "errors", None)
    if not callable(errors) or not isinstance(question, Form):
        return [str(error)]
    shape = Shape(question.params()["requestedSchema"], {})
    validation_errors: Any = errors(include_url=False)
    return [fault.text for fault in explain(validation_errors, content, shape)]


def _quoted(message: str) -> str:
    return f'"{truncate(message, 200)}"'


def need_consent(tool: str, given: Given, typist: Typist | None) -> None:
    """Refuse a call that must be confirmed where nobody can be asked. Raises `UsageError`."""
    if typist is None and given.consent is None:
        raise UsageError(
            f"{tool} asks to be confirmed, and standard input is not a terminal: give --yes or --no"
        )


T = TypeVar("T")
_MOST = 1 << 16


class NobodyWaits(Exception):
    """Nobody waits for typed input any more."""


class Typist:
    """The person at the terminal: questions go to standard error, lines come from input.

    The terminal itself does the editing: nothing has to be restored when the command is killed.
    """

    def __init__(self) -> None:
        self._stop, self._stopped = os.pipe()
        self._writing = threading.Lock()
        self._is_stopped = False
        self._is_open = False
        """Whether the cursor is after a prompt."""

    @staticmethod
    def is_there() -> bool:
        """Return whether there is somebody to ask: input and standard error are terminals."""
        try:
            return os.isatty(0) and os.isatty(2)
        except OSError:
            return False

    def tell(self, text: str) -> None:
        """Write a line. Raises `NobodyWaits`."""
        with self._asking():
            sys.stderr.write(printable(text) + "\n")

    def line(self, prompt: str) -> str | None:
        """Ask for a line; None at the end of input (Ctrl-D). Raises `NobodyWaits`."""
        with self._asking():
            sys.stderr.write(printable(prompt))
            self._is_open = True
        text = self._read()
        self._is_open = False
        if not text:
            sys.stderr.write("\n")
            return None
        return "".join(char for char in text if char.isprintable())

    @contextlib.contextmanager
    def _asking(self) -> Generator[None]:
        """Write to the terminal: a question may end, in another thread, just as it is asked."""
        with self._writing:
            if self._is_stopped:
                raise NobodyWaits
            yield
            sys.stderr.flush()

    def _read(self) -> str:
        if sys.platform == "win32":  # no `select` on a console there
            return sys.stdin.readline()
        ready, _, _ = select.select([0, self._stop], [], [])
        if self._stop in ready:
            raise NobodyWaits
        data = os.read(0, _MOST)  # a terminal gives one line at a time
        return data.decode(sys.stdin.encoding or "utf-8", "replace")

    def stop(self) -> None:
        """End the open question, and ask no more."""
        with self._writing:
            if self._is_stopped:
                return
            self._is_stopped = True
            if self._is_open:
                sys.stderr.write("\n")
                sys.stderr.flush()
        with contextlib.suppress(OSError):
            os.write(self._stopped, b"x")
