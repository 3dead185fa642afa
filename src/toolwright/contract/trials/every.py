"""All tests of a toolbox by one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ..examples.example import Example
from ..examples.files import StateProbe, read_examples
from .calls import TIMEOUT, TrialBox
from .outcomes import TrialReport
from .trial_run import TrialRun, TrialSettings


def try_tools(
    box: TrialBox,
    files: Iterable[str | PathLike[str]] = (),
    *,
    docstrings: bool = True,
    generate: int = 0,
    seed: int = 0,
    timeout: float = TIMEOUT,
    destructive: bool | Iterable[str] = False,
    state: Callable[[], Any] | str | None = None,
) -> TrialReport:
    """Try the tools of a toolbox: examples in docstrings and files, and generated calls.

    `state` is a function, or the name of a tool, that returns a value to compare before and after
    a call; read-only and idempotent tools are held to it. Raises `ToolwrightError` if a file cannot
    be read, or hypothesis is not installed.
    """
    examples: list[Example] = []
    probe = StateProbe(state, {}) if isinstance(state, str) else state
    for file in files:
        example_file = read_examples(Path(file))
        examples += example_file.examples
        probe = probe or example_file.state
    settings = TrialSettings(
        docstrings=docstrings,
        generate=generate,
        seed=seed,
        timeout=timeout,
        destructive=destructive if isinstance(destructive, bool) else frozenset(destructive),
        state=probe,
    )
    return TrialRun(box, examples, settings).run()
