"""Runs the user's own checks, whatever they do."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast

from .findings import Finding
from .registry import Check

MOST_FINDINGS = 1_000
"""The most findings of one check about one tool or toolbox: it might never stop yielding."""
SECONDS = 30.0
"""How long a user's own check may look at one tool or toolbox."""


class CheckFailed(Exception):
    """A check raised an exception, or did not end."""


def found_by(check: Check, subject: Any) -> Iterator[object]:
    """Yield what a check yields. Raises what it raises."""
    result: Any = check(subject)
    if isinstance(result, str | Finding):
        yield result
    elif result is not None:
        yield from islice(cast("Iterable[object]", result), MOST_FINDINGS)


class OwnChecks:
    """Runs checks about which nothing is known, each in a thread that may be left behind."""

    def __init__(self) -> None:
        self._stuck: set[str] = set()

    def found_by(self, check: Check, subject: Any) -> Iterator[object]:
        """Yield what a check yields; nothing if it got stuck earlier. Raises `CheckFailed`."""
        if check.id in self._stuck:
            return
        results: list[object] = []
        raised: list[BaseException] = []

        def work() -> None:
            try:
                for result in found_by(check, subject):
                    results.append(result)  # noqa: PERF402 - what was found before it fails is kept
            except BaseException as error:  # noqa: BLE001 - also what would end the command
                raised.append(error)

        # A daemon: a check that never ends must not keep the command from ending.
        thread = threading.Thread(target=work, name=f"check {check.id}", daemon=True)
        thread.start()
        thread.join(SECONDS)
        yield from list(results)
        if thread.is_alive():
            self._stuck.add(check.id)
            raise CheckFailed(f"it did not end within {SECONDS:g} s, and is not run again")
        if raised and isinstance(raised[0], KeyboardInterrupt):
            raise raised[0]
        if raised:
            raise CheckFailed from raised[0]
