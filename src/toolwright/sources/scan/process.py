"""One question to an executable, bounded in time and output."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..running.process import Finished
from ..running.run import run
from ..running.settings import RunSettings
from ..running.start import NotStarted


@dataclass(frozen=True, slots=True)
class HelpAnswer:
    """The answer to a question."""

    code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    failure: Literal["", "missing", "timeout", "budget"] = ""

    @property
    def said(self) -> bytes:
        """Everything it wrote, standard output first."""
        return self.stdout + (b"\n" if self.stdout and self.stderr else b"") + self.stderr


def answer_of(
    words: Sequence[str],
    cwd: str,
    environment: Mapping[str, str],
    seconds: float,
    most_bytes: int,
) -> HelpAnswer:
    """Run an executable without standard input; kill it, and what it has started, if it hangs."""
    how = RunSettings(
        cwd=cwd,
        environment=environment,
        pass_environment=(),
        max_output=most_bytes,
        end_seconds=0,
    )

    async def wait() -> Finished:
        async with asyncio.timeout(seconds):
            return await run(words, how)

    try:
        finished = asyncio.run(wait())
    except TimeoutError:
        return HelpAnswer(-1, failure="timeout")
    except (NotStarted, ValueError):
        return HelpAnswer(-1, failure="missing")
    return HelpAnswer(finished.exit_code, finished.stdout, finished.stderr)
