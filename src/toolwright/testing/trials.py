"""Fixtures for examples and generated calls of tools, and for coverage.

`toolbox_example` is one example of the toolbox that the mark `toolbox` names; `generated_calls(box)`
calls its tools with arguments drawn from their schemas; `toolbox_coverage(box)` records which
parameters all tests have given.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .._json_values import is_object

if TYPE_CHECKING:
    from ..call import Call
    from ..contract.trials.calls import Coverage, Outcome, TrialReport
    from ..contract.trials.examples import Trial
    from ..results import Result
    from ..run.hooks import Next
    from ..toolbox.box import Toolbox

_FIXTURE = "toolbox_example"


class ToolboxExample:
    """One example of a toolbox, from a docstring or a file."""

    def __init__(self, box: Toolbox, trial: Trial) -> None:
        self.box = box
        self.trial = trial

    def check(self, timeout: float = 30.0) -> Outcome:
        """Call the tool as the example does; fail if the outcome differs."""
        from ..contract.trials.calls import TrialCalls

        __tracebackhide__ = True
        outcome = self.trial.run(TrialCalls(self.box, timeout=timeout))
        if outcome.status == "failed":
            pytest.fail(_said(outcome), pytrace=False)
        return outcome


class ToolboxCoverage:
    """The tools of a toolbox that were called while it was watched, and the parameters given."""

    def __init__(self, box: Toolbox) -> None:
        from ..contract.trials.calls import coverage_of, usable_tools

        self.coverage: Coverage = coverage_of(usable_tools(box))
        box.around(self._seen)

    async def _seen(self, call: Call, arguments: Any, proceed: Next) -> Result:
        decoded: Any = arguments
        if isinstance(decoded, str | bytes):
            with contextlib.suppress(ValueError, RecursionError):
                decoded = json.loads(decoded)
        if call.kind == "tool" and is_object(decoded):
            self.coverage.add(call.tool, decoded)
        return await proceed(arguments)

    def check(self, *, tools: float = 100, parameters: float = 100) -> None:
        """Fail if a lower percentage of tools was called, or of parameters given."""
        __tracebackhide__ = True
        coverage = self.coverage
        lines: list[str] = []
        if coverage.tools_percent < tools:
            lines.append(f"{coverage.tools_percent:g} % of tools were called, not {tools:g} %")
        if coverage.parameters_percent < parameters:
            percent = f"{coverage.parameters_percent:g} % of parameters were given"
            lines.append(f"{percent}, not {parameters:g} %")
        if lines:
            missed = coverage.to_dict()["missed"]
            lines += [f"  {tool}: {_listed(names)}" for tool, names in missed.items()]
            pytest.fail("\n".join(lines), pytrace=False)


def _listed(names: Any) -> str:
    return names if isinstance(names, str) else f"never given: {', '.join(names)}"


@pytest.fixture
def toolbox_example(request: pytest.FixtureRequest) -> ToolboxExample:
    """Return one example of the toolbox that `@pytest.mark.toolbox(box)` names."""
    box, trial = request.param
    if trial is None:
        pytest.skip(f"{box.name} has no examples")
    return ToolboxExample(box, trial)


@pytest.fixture
def toolbox_state() -> Callable[[], Any] | str | None:
    """Return how to read the state that tools change; override it with a function or tool name."""
    return None


@pytest.fixture
def generated_calls(toolbox_state: Any) -> Callable[..., TrialReport]:
    """Return a function that calls the tools of a box with arguments drawn from their schemas."""

    def check(
        box: Toolbox,
        calls: int = 50,
        *,
        seed: int = 0,
        timeout: float = 30.0,
        destructive: bool | list[str] = False,
        state: Callable[[], Any] | str | None = None,
    ) -> TrialReport:
        from ..contract.trials.trial_run import try_tools

        __tracebackhide__ = True
        report = try_tools(
            box,
            docstrings=False,
            generate=calls,
            seed=seed,
            timeout=timeout,
            destructive=destructive,
            state=state or toolbox_state,
        )
        if report.has_failures:
            pytest.fail("\n".join(map(_said, report.failed)), pytrace=False)
        return report

    return check


@pytest.fixture(scope="session")
def toolbox_coverage() -> Callable[[Toolbox], ToolboxCoverage]:
    """Return a function that tracks which tools and parameters are tried, from its first use on."""
    watched: dict[int, ToolboxCoverage] = {}

    def watch(box: Toolbox) -> ToolboxCoverage:
        if id(box) not in watched:
            watched[id(box)] = ToolboxCoverage(box)
        return watched[id(box)]

    return watch


def _said(outcome: Outcome) -> str:
    sent = "" if outcome.arguments is None else f"\n  with {outcome.arguments}"
    where = f" ({outcome.source})" if outcome.source else ""
    return f"{outcome.tool}{where}: {outcome.detail}{sent}"


def parametrise(metafunc: pytest.Metafunc) -> None:
    """Let a test that takes `toolbox_example` run once for each example."""
    if _FIXTURE not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("toolbox")
    if mark is None or not mark.args:
        msg = "toolbox_example needs a toolbox: @pytest.mark.toolbox(box)"
        raise pytest.UsageError(msg)
    box: Toolbox = mark.args[0]
    trials = _examples(box, metafunc.definition.path.parent, **mark.kwargs)
    names = [f"{trial.tool}-{trial.label or Path(trial.source).name}" for trial in trials]
    metafunc.parametrize(
        _FIXTURE,
        [(box, trial) for trial in trials] or [(box, None)],
        ids=names or ["none"],
        indirect=True,
    )


def _examples(
    box: Toolbox, folder: Path, *, file: str | list[str] | None = None, docstrings: bool = True
) -> list[Trial]:
    """Return the examples of a toolbox, from its docstrings and from files beside the test."""
    from ..contract.trials.example_files import FILES, read_examples
    from ..contract.trials.trial_run import TrialRun, TrialSettings
    from ..errors import ToolwrightError

    if file is None:
        files = [folder / name for name in FILES if (folder / name).is_file()]
    else:
        files = [folder / name for name in ([file] if isinstance(file, str) else file)]
    try:
        examples = [example for path in files for example in read_examples(path).examples]
    except ToolwrightError as error:
        raise pytest.UsageError(str(error)) from None
    return TrialRun(box, examples, TrialSettings(docstrings=docstrings)).trials()
