"""What a running tool reports: progress, signs of life, messages."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from typing import Any, Literal, NoReturn, get_args

from ._json_values import without_surrogates
from ._log import logger

__all__ = ["LogLevel", "OnLog", "OnProgress", "Reports"]

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
OnProgress = Callable[[float, float | None, str], object]
OnLog = Callable[[LogLevel, Any], object]

_log = logger("call")
_NAMES = get_args(LogLevel)
_LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _Reported(Coroutine[Any, Any, None]):
    """Something that is done already: code may await it, or not.

    It is a coroutine in all but the warning when nobody awaits it, so that it can be the body of a
    task, too.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<reported>"

    def __await__(self) -> Generator[Any, Any, None]:
        yield from ()

    def send(self, value: Any, /) -> NoReturn:
        raise StopIteration

    def throw(self, kind: Any, value: Any = None, trace: Any = None, /) -> NoReturn:
        raise kind if value is None else value

    def close(self) -> None:
        """Nothing is open."""


_REPORTED = _Reported()


class Reports:
    """The part of a `Call` that reports; none of its methods waits."""

    __slots__ = ("_life", "_mute", "_on_log", "_on_progress", "tool")

    def __init__(self, tool: str, on_progress: OnProgress | None, on_log: OnLog | None) -> None:
        self.tool = tool
        """The name of the tool, or of the prompt; of a resource, the URI that lists show."""
        self._on_progress = on_progress
        self._on_log = on_log
        self._life = time.monotonic()
        """When it last gave a sign of life, by the monotonic clock."""
        self._mute = False
        """Whether it is answered or cancelled: what code that still holds it reports is dropped."""

    def progress(
        self, done: float, total: float | None = None, message: str = ""
    ) -> Awaitable[None]:
        """Report how far the work is to the listener, and restart the idle clock."""
        self._life = time.monotonic()
        if self._on_progress is not None and not self._mute:
            self._tell(self._on_progress, done, total, without_surrogates(message))
        return _REPORTED

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Report how far the work is: `progress`, by the name that other servers have for it."""
        return self.progress(progress, total, message or "")

    def heartbeat(self) -> None:
        """Give a sign of life: it restarts the idle clock."""
        self._life = time.monotonic()

    def log(self, message: Any, level: LogLevel = "info") -> Awaitable[None]:
        """Send a message to the listener of this call, or to the log if there is none.

        Raises `ValueError` if there is no such level.
        """
        if level not in _NAMES:
            msg = f"`call.log` has no level {level!r}; the levels are {', '.join(_NAMES)}"
            raise ValueError(msg)
        if isinstance(message, str):
            message = without_surrogates(message)
        if self._on_log is not None:
            if not self._mute:
                self._tell(self._on_log, level, message)
        else:
            _log.log(_LEVELS.get(level, logging.CRITICAL), "%s: %s", self.tool, message)
        return _REPORTED

    def debug(self, message: Any) -> Awaitable[None]:
        """Send a message of the level `debug`."""
        return self.log(message, "debug")

    def info(self, message: Any) -> Awaitable[None]:
        """Send a message of the level `info`."""
        return self.log(message, "info")

    def warning(self, message: Any) -> Awaitable[None]:
        """Send a message of the level `warning`."""
        return self.log(message, "warning")

    def error(self, message: Any) -> Awaitable[None]:
        """Send a message of the level `error`; the call goes on."""
        return self.log(message, "error")

    def _tell(self, listener: Callable[..., object], *said: Any) -> None:
        try:
            listener(*said)
        except Exception:  # noqa: BLE001 - a listener's failure is not the tool's
            _log.exception("%r: a listener failed", self)
