"""One run of all tests of a toolbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ...errors import ToolwrightError
from ...results import json_value
from ...run.loop import background
from ...tools.definition import Tool
from .calls import (
    TIMEOUT,
    Journal,
    Outcome,
    TrialBox,
    TrialCall,
    TrialCalls,
    TrialReport,
    coverage_of,
    usable_tools,
)
from .docstrings import Trial, docstring_examples
from .example_files import StateProbe, read_examples
from .examples import Example, raised, same
from .generated import State, need_hypothesis, try_generated, why_not

OnProgress = Callable[[int, int, str], object]


class TrialError(ToolwrightError):
    """The tests cannot be run as they are set up."""

    code = "trial"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """What is tried, and how."""

    docstrings: bool = True
    """Whether examples in docstrings are tried."""
    generate: int = 0
    """How many calls with generated arguments each tool gets."""
    seed: int = 0
    timeout: float = TIMEOUT
    destructive: bool | frozenset[str] = False
    """Whether tools that destroy something are called as well, or which of them."""
    state: StateProbe | State | None = None
    """Returns the state that tools change: claims are checked against it."""

    def may_destroy(self, name: str) -> bool:
        """Return whether a tool may be called even if it destroys something."""
        return self.destructive if isinstance(self.destructive, bool) else name in self.destructive


class TrialRun:
    """Tries the tools of a toolbox, in the order of the toolbox."""

    def __init__(
        self,
        box: TrialBox,
        examples: Iterable[Example] = (),
        settings: TrialSettings | None = None,
        *,
        journal: Journal | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.settings = settings or TrialSettings()
        if self.settings.generate:
            need_hypothesis()
        self.calls = TrialCalls(box, timeout=self.settings.timeout, journal=journal)
        self.probing = TrialCalls(box, timeout=self.settings.timeout, journal=journal)
        self.journal, self.on_progress = journal, on_progress
        self.tools = usable_tools(box)
        self.examples = list(examples)
        self._trials: list[Trial] | None = None
        self.state = self._state_of(self.settings.state)

    def run(self) -> TrialReport:
        """Try everything; return the report. Raises `TrialError`."""
        _warm_up()
        self._check_state()
        report = TrialReport(seed=self.settings.seed if self.settings.generate else None)
        steps = [*self._example_steps(), *self._generated_steps()]
        for index, (planned, work) in enumerate(steps):
            if self.on_progress is not None:
                self.on_progress(index, len(steps), planned.tool)
            outcome, calls = self._done(index) or self._tried(index, planned, work)
            report.outcomes.append(outcome)
            report.calls += calls
        report.coverage = coverage_of(self.tools, report.calls)
        return report

    def _done(self, at: int) -> tuple[Outcome, Sequence[TrialCall]] | None:
        return None if self.journal is None else self.journal.done.get(at)

    def _tried(
        self, at: int, planned: Outcome, work: Callable[[], Outcome]
    ) -> tuple[Outcome, Sequence[TrialCall]]:
        if self.journal is not None:
            self.journal.start(at, planned)
        before = len(self.calls.made)
        outcome = work()
        calls = self.calls.made[before:]
        if self.journal is not None:
            self.journal.finish(at, outcome, calls)
        return outcome, calls

    # -- examples

    def _example_steps(self) -> Iterable[tuple[Outcome, Callable[[], Outcome]]]:
        for trial in self.trials():
            planned = Outcome(
                tool=trial.tool,
                kind=trial.kind,
                status="failed",
                source=trial.source,
                label=trial.label,
            )
            yield planned, self._work_of(trial, planned)

    def trials(self) -> list[Trial]:
        """Return all examples, those of docstrings first."""
        if self._trials is None:
            trials: list[Trial] = []
            if self.settings.docstrings:
                for name, tool in self.tools.items():
                    trials += docstring_examples(name, tool)
            self._trials = [*trials, *self.examples]
        return self._trials

    def _work_of(self, trial: Trial, planned: Outcome) -> Callable[[], Outcome]:
        tool = self.tools.get(trial.tool)
        # An example in a docstring explains; one in a file of tests is meant to be run.
        if trial.kind == "docstring" and tool is not None:
            why = "" if self.settings.may_destroy(trial.tool) else why_not(trial.tool, tool)
            if why:
                skipped = _skipped(planned, why)
                return lambda: skipped
        return lambda: trial.run(self.calls)

    # -- generated calls

    def _generated_steps(self) -> Iterable[tuple[Outcome, Callable[[], Outcome]]]:
        if not self.settings.generate:
            return
        for name, tool in self.tools.items():
            planned = Outcome(tool=name, kind="generated", status="failed")
            yield planned, self._generated(name, tool, planned)

    def _generated(self, name: str, tool: Tool, planned: Outcome) -> Callable[[], Outcome]:
        why = "" if self.settings.may_destroy(name) else why_not(name, tool)
        if why or not tool.callable:
            skipped = _skipped(planned, why or "it is a method without its instance")
            return lambda: skipped
        state = self.state if tool.options.read_only or tool.options.idempotent else None
        settings = self.settings
        return lambda: try_generated(
            name,
            self.calls,
            count=settings.generate,
            seed=settings.seed,
            state=state,
            known=self._known_values(name),
        )

    def _known_values(self, name: str) -> dict[str, list[Any]]:
        """Return the values that examples give to the parameters of a tool."""
        examples: dict[str, list[Any]] = {}
        for trial in self.trials():
            if isinstance(trial, Example) and trial.tool == name and not trial.expected.error:
                for parameter, value in trial.arguments.items():
                    examples.setdefault(parameter, []).append(value)
        return examples

    def _state_of(self, given: StateProbe | State | None) -> State | None:
        if given is None:
            return None
        ask = self._asked(given) if isinstance(given, StateProbe) else given

        def state() -> Any:
            try:
                return ask()
            except TrialError:
                raise
            except Exception as error:
                raise TrialError(f"the state cannot be told: {raised(error)}") from error

        return state

    def _asked(self, probe: StateProbe) -> State:
        if probe.tool not in self.tools:
            raise TrialError(f"the state is asked of `{probe.tool}`, which is not a tool")

        def ask() -> Any:
            result = self.probing.call(probe.tool, probe.arguments)
            if result.is_error:
                raise TrialError(f"the state cannot be told: {result.text}")
            value = json_value(result)
            return result.text if value is None else value

        return ask

    def _check_state(self) -> None:
        """Refuse a state that changes without a call: every claim would seem to be broken."""
        if self.state is None or not self.settings.generate:
            return
        before = self.state()
        if not same(before, self.state()):
            raise TrialError("the state changes by itself: claims cannot be checked with it")


def _warm_up() -> None:
    """Make one call, so that the first measured call does not wait for imports and threads."""
    tool = Tool(_nothing, timeout=TIMEOUT)
    background.run(tool.call_async({}))


def _nothing() -> None:
    """Do nothing."""


def _skipped(planned: Outcome, why: str) -> Outcome:
    how = "" if "method" in why else "; --destructive calls it"
    return Outcome(
        tool=planned.tool,
        kind=planned.kind,
        status="skipped",
        label=planned.label,
        source=planned.source,
        detail=why + how,
    )


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
