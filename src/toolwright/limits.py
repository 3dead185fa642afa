"""Limits for the calls of a tool: plain, checked values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ._door import public

__all__ = ["Process", "Rate", "Retry", "RunOn", "Timeout", "rate_from", "timeout_from"]


@public
@dataclass(frozen=True, slots=True)
class Timeout:
    """How long a call may take: in total, and without a sign of life.

    Progress, an item of a generator and `Call.heartbeat` are signs of life.
    """

    total: float | None = None
    """Seconds from the start of a call to its answer."""
    idle: float | None = None
    """Seconds from one sign of life to the next."""

    def __post_init__(self) -> None:
        for name in ("total", "idle"):
            check_seconds(f"timeout.{name}", getattr(self, name))


@public
@dataclass(frozen=True, slots=True)
class Retry:
    """Run a call again if it fails in a way that may pass.

    The wait after failed attempt n is

        min(wait_max, wait_initial * wait_factor ** (n - 1)) * random between 0.5 and 1

    seconds: it grows, and callers that failed together do not come back together. A retry never
    outlives the deadline of the call.
    """

    attempts: int = 3
    """How many attempts at most, including the first."""
    on: type[BaseException] | tuple[type[BaseException], ...] = (ConnectionError, TimeoutError)
    """Exceptions to retry after, besides each `ToolError` that says it is retryable."""
    wait_initial: float = 0.1
    """Seconds to wait after the first failed attempt, at most."""
    wait_factor: float = 2.0
    """By how much the wait grows with each attempt."""
    wait_max: float = 10.0
    """Seconds that no wait exceeds."""

    def __post_init__(self) -> None:
        if _is_no_count(self.attempts):
            msg = f"retry.attempts must be a whole number of at least 1; got {self.attempts!r}"
            raise ValueError(msg)
        kinds: tuple[Any, ...] = self.on if isinstance(self.on, tuple) else (self.on,)
        if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
            msg = f"retry.on takes exception classes; got {self.on!r}"
            raise TypeError(msg)
        object.__setattr__(self, "on", kinds)
        for name in ("wait_initial", "wait_factor", "wait_max"):
            check_seconds(f"retry.{name}", getattr(self, name))


@public
@dataclass(frozen=True, slots=True)
class Process:
    """Run a tool in a process of its own, with these limits (on Linux)."""

    memory: int | None = None
    """Bytes of address space that the process may have."""
    cpu: float | None = None
    """Seconds of processor time that one call may use."""

    def __post_init__(self) -> None:
        for name in ("memory", "cpu"):
            check_seconds(f"run_on.{name}", getattr(self, name))


RunOn = Literal["thread", "inline", "process"] | Process


class Rate(NamedTuple):
    """A number of calls in a number of seconds."""

    calls: int
    seconds: float


_RATE = re.compile(
    r"(\d{1,9}+)\s*+(?:/|per\b)\s*+(\d{1,6}+)?\s*+(s|sec|second|m|min|minute|h|hour|d|day)s?"
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def rate_from(text: str, name: str = "rate_limit") -> Rate:
    """Read `"10/s"`, `"100/min"`, `"5/10s"`. Raises `ValueError`."""
    match = _RATE.fullmatch(text.strip()) if isinstance(text, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if match is None or int(match[1]) < 1 or int(match[2] or 1) < 1:
        msg = f'{name} must be written like "10/s", "100/min" or "5/10s"; got {text!r}'
        raise ValueError(msg)
    return Rate(int(match[1]), int(match[2] or 1) * _SECONDS[match[3][0]])


def timeout_from(value: Any) -> Timeout | None:
    """Read seconds, or a `Timeout`. Raises `ValueError` or `TypeError`."""
    if value is None or isinstance(value, Timeout):
        return value
    check_seconds("timeout", value)
    return Timeout(float(value))


def check_count(name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1. Raises `ValueError`."""
    if value is not None and _is_no_count(value):
        msg = f"{name} must be a whole number of at least 1; got {value!r}"
        raise ValueError(msg)


def _is_no_count(value: Any) -> bool:
    return not isinstance(value, int) or isinstance(value, bool) or value < 1


def check_seconds(name: str, value: Any) -> None:
    """Refuse what is neither None nor a positive number. Raises `ValueError`."""
    if value is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < float("inf"):
        msg = f"{name} must be a positive number; got {value!r}"
        raise ValueError(msg)
