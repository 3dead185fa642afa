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
OnLog = Callable[[LogLevel, Any], object] | Callable[[LogLevel, Any, str | None], object]
"""Gets a level and a message; with a third parameter also the name of the logger, or None."""

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
    """Something that is already done: code may await it, or not.

    It is a coroutine in all but the warning when nobody awaits it, so it can also be the body of a
    task.
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
        """Do nothing: nothing is open."""


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
        """Whether it is answered or cancelled: reports of code that still holds it are dropped."""

    def progress(
        self, done: float, total: float | None = None, message: str = ""
    ) -> Awaitable[None]:
        """Report to the listener how far the work is, and restart the idle clock."""
        self._life = time.monotonic()
        if self._on_progress is not None and not self._mute:
            self._tell(self._on_progress, done, total, without_surrogates(message))
        return _REPORTED

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Report how far the work is: `progress`, under the name that other servers use."""
        return self.progress(progress, total, message or "")

    def heartbeat(self) -> None:
        """Give a sign of life: it restarts the idle clock."""
        self._life = time.monotonic()

    def log(
        self,
        message: Any,
        level: LogLevel = "info",
        logger_name: str | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> Awaitable[None]:
        """Send a message to the listener of this call, or to the log if there is none.

        Clients see it as from the logger of that name; by default, from the toolbox. With `extra`,
        the message is a dict of `msg` and `extra`. Raises `ValueError` if there is no such level,
        and `TypeError` for another argument that is wrong.
        """
        if level not in _NAMES:
            raise ValueError(_no_level(message, level))
        if logger_name is not None or extra is not None:
            _check(logger_name, extra)
        if isinstance(message, str):
            message = without_surrogates(message)
        if logger_name is not None:
            logger_name = without_surrogates(logger_name)
        if self._on_log is None:
            source = self.tool if logger_name is None else f"{self.tool} ({logger_name})"
            line = message if extra is None else f"{message} {dict(extra)}"
            _log.log(_LEVELS.get(level, logging.CRITICAL), "%s: %s", source, line)
        elif not self._mute:
            if extra is not None:
                message = {"msg": message, "extra": dict(extra)}
            takes_name = logger_name is not None and _takes_three(self._on_log)
            self._tell(self._on_log, level, message, *((logger_name,) if takes_name else ()))
        return _REPORTED

    def debug(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `debug`."""
        return self.log(message, "debug", logger_name, extra)

    def info(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `info`."""
        return self.log(message, "info", logger_name, extra)

    def warning(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `warning`."""
        return self.log(message, "warning", logger_name, extra)

    def error(
        self, message: Any, logger_name: str | None = None, extra: Mapping[str, Any] | None = None
    ) -> Awaitable[None]:
        """Send a message of the level `error`; the call goes on."""
        return self.log(message, "error", logger_name, extra)

    def _tell(self, listener: Callable[..., object], *said: Any) -> None:
        try:
            listener(*said)
        except Exception:  # noqa: BLE001 - a listener's failure is not the tool's
            _log.exception("%r: a listener failed", self)


def _no_level(message: Any, level: Any) -> str:
    """Return what is wrong with a level, which may have been given in place of the message."""
    if isinstance(message, str) and message in _NAMES:
        return f'`call.log` takes the message first: write `call.log(message, "{message}")`'
    return f"`call.log` has no level {level!r}; the levels are {', '.join(_NAMES)}"


def _check(logger_name: Any, extra: Any) -> None:
    if not isinstance(logger_name, str | None):
        kind = type(logger_name).__name__
        msg = f"logger_name is text, got {kind}; values in a message are written f'{{value}}'"
        raise TypeError(msg)
    if not isinstance(extra, Mapping | None):
        msg = f"extra takes a dict, got {type(extra).__name__}"
        raise TypeError(msg)


def _takes_three(listener: Callable[..., object]) -> bool:
    """Return whether a listener wants the name of the logger; most have no use for it."""
    import inspect

    try:
        inspect.signature(listener).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin that says nothing about its parameters
        return True
    return True
