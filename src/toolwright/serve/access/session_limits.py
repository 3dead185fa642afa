"""Limits on sessions that an operator can set."""

from __future__ import annotations

from dataclasses import dataclass

from .quotas import MOST_RUNNING, MOST_STREAMS


@dataclass(frozen=True)
class SessionLimits:
    """Limits on sessions and streams that an operator can set."""

    max_sessions: int = 10_000
    max_sessions_per_client: int = 1_000
    max_streams: int = MOST_STREAMS
    max_streams_per_client: int = MOST_RUNNING
    session_idle: float = 1_800

    def __post_init__(self) -> None:
        """Raise `ValueError` for a value that is not positive."""
        for name, value in vars(self).items():
            known = isinstance(value, int | float) and not isinstance(value, bool)
            if not (known and 0 < value < float("inf")):
                msg = f"{name} is a number above 0; got {value!r}"
                raise ValueError(msg)
