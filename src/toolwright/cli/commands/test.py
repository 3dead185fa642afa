"""`test`: try the examples of tools, and calls with generated arguments."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import random
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

from ..._log import log
from ..command import TargetCommand, option, optional, repeated, switch
from ..load import open_target
from ..output import flush, print_json, say, write_file
from ..terminal import ProgressBar, interruptible
from ..trials.settings import example_files, percent, settings_of_project, whole_number
from ..usage import UsageError

if TYPE_CHECKING:
    from ...contract.trials.calls import TrialReport
    from ...contract.trials.example_files import StateProbe
    from ...contract.trials.trial_run import Journal, TrialSettings
    from ...toolbox.box import Toolbox
    from ..project.configuration import Project

_GENERATED = "generated calls"


class TestCommand(TargetCommand):
    """Tries the examples of tools, and calls with generated arguments."""

    times_calls = True

    tool: str | None = optional("TOOL", "only this tool")
    params: str | None = option(
        "call TOOL with these arguments, and try nothing else", metavar="JSON"
    )
    file: list[str] = repeated(
        "examples as YAML or JSON (toolwright-tests.yaml, platools-tests.yaml)", metavar="FILE"
    )
    no_docstrings: bool = switch("leave out the examples in docstrings")
    coverage: bool = switch("show which tools and parameters were tried")
    fail_under: float | None = option(
        "fail if fewer parameters were tried", kind=percent, metavar="PERCENT"
    )
    in_process: bool = switch("in this process, for a debugger; a tool that ends it ends the tests")
    generate: int | None = option(
        "call each tool with N arguments drawn from its schema (%(const)s)",
        kind=whole_number,
        const=50,
        metavar="N",
        group=_GENERATED,
    )
    seed: str | None = option("draw other arguments (0)", metavar="N|random", group=_GENERATED)
    destructive: bool | frozenset[str] = switch(
        "also call tools that destroy something", group=_GENERATED
    )
    state: str | None = option(
        "a tool that reports the state: claims are checked with it",
        metavar="TOOL",
        group=_GENERATED,
    )
    junit: str | None = option("also write a report as JUnit's XML", metavar="FILE")
    json: bool = switch("print JSON")

    def completed(self, project: Project) -> Self:
        """Return it with the settings of the project. Raises `UsageError`."""
        settings = settings_of_project(project)
        typed = {field.name: getattr(self, field.name) for field in fields(self)}
        # A 0 was given, though it equals False.
        used = {
            key: settings[key]
            for key in settings
            if typed[key] in (None, []) or typed[key] is False
        }
        return replace(super().completed(project), **used)

    def run(self) -> int:
        """Try the tools; return 1 if something fails."""
        from ..trials.guarded import may_guard, run_guarded

        if self.in_process or not self.typed.is_own_process or not may_guard():
            return _run(self, None)
        return run_guarded(lambda journal: _run(self, journal), flush)


def _run(chosen: TestCommand, journal: Journal | None) -> int:
    from ...contract.trials.example_files import ExampleFileError
    from ...contract.trials.generated import NoHypothesis, need_hypothesis
    from ...contract.trials.trial_run import TrialError, TrialRun

    opened = open_target(chosen)
    box = opened.box
    if chosen.tool is not None:
        opened.keep_only(chosen.tool)
    if not chosen.debug and chosen.log_level is None:
        log.setLevel(logging.CRITICAL)  # what tools raise is in the report
    try:
        examples, state = _examples(box, chosen)
        settings = _settings(chosen, state)
        if settings.generate:
            need_hypothesis()
            _keep_elsewhere()
        with ProgressBar("tests") as bar, interruptible(), contextlib.closing(box):
            tests = TrialRun(box, examples, settings, journal=journal, on_progress=bar.update)
            report = tests.run()
    except (ExampleFileError, NoHypothesis, TrialError) as error:
        raise UsageError(str(error)) from error
    _show(report, box, chosen)
    is_covered = report.coverage.parameters_percent >= (chosen.fail_under or 0)
    is_tried = bool(report.outcomes)  # nothing was wrong only because nothing was looked at
    return 0 if opened.usable and is_tried and is_covered and not report.has_failures else 1


def _examples(box: Toolbox, chosen: TestCommand) -> tuple[list[Any], StateProbe | None]:
    """Return the examples of files, and how to read the state. Raises `ExampleFileError`."""
    from ...contract.trials.example_files import StateProbe, read_examples
    from ...contract.trials.examples import Example

    state = None if chosen.state is None else StateProbe(chosen.state, {})
    if chosen.params is not None:
        if chosen.tool is None:
            raise UsageError("--params needs the name of a TOOL before it")
        arguments = _object_from(chosen.params)
        return [Example(tool=chosen.tool, arguments=arguments, kind="given")], state
    examples: list[Example] = []
    for file in example_files(chosen.file, chosen.target):
        example_file = read_examples(file)
        examples += example_file.examples
        state = state or example_file.state
    enabled = [
        example for example in examples if example.tool not in box or box.is_enabled(example.tool)
    ]
    return [example for example in enabled if chosen.tool in (None, example.tool)], state


def _object_from(text: str) -> dict[str, Any]:
    try:
        params = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--params is not JSON: {error}") from error
    if not isinstance(params, dict):
        raise UsageError("--params must be one JSON object")
    return params  # pyright: ignore[reportUnknownVariableType]


def _settings(chosen: TestCommand, state: StateProbe | None) -> TrialSettings:
    from ...contract.trials.calls import TIMEOUT
    from ...contract.trials.trial_run import TrialSettings

    if chosen.timeout is not None and not 0 < chosen.timeout < float("inf"):
        raise UsageError(f"--timeout must be a positive number; got {chosen.timeout:g}")
    has_params = chosen.params is not None
    return TrialSettings(
        docstrings=not (chosen.no_docstrings or has_params),
        generate=0 if has_params else chosen.generate or 0,
        seed=_seed(chosen.seed),
        timeout=chosen.timeout or TIMEOUT,
        destructive=chosen.destructive,
        state=state,
    )


def _keep_elsewhere() -> None:
    """Let hypothesis keep its files in the user's cache, not in the working folder."""
    if "HYPOTHESIS_STORAGE_DIRECTORY" in os.environ:
        return
    from hypothesis.configuration import set_hypothesis_home_dir
    from platformdirs import user_cache_path

    set_hypothesis_home_dir(user_cache_path("toolwright") / "hypothesis")


def _seed(given: str | int | None) -> int:
    if given == "random":
        return random.SystemRandom().randrange(2**32)
    try:
        return int(given or 0)
    except ValueError:
        raise UsageError(f"--seed takes a whole number, or random; got `{given}`") from None


def _show(report: TrialReport, box: Toolbox, chosen: TestCommand) -> None:
    from ..trials.shown import show, show_coverage

    if chosen.junit:
        from ...contract.trials.junit import junit

        write_file(chosen.junit, junit(report, box.name))
    if chosen.json:
        print_json(report.to_dict())
        return
    if not report.outcomes:
        say(f"{box.name} has no examples: {_HOW}")
    else:
        schemas: Mapping[str, Any] = {name: box[name].input_schema for name in _called(report, box)}
        show(report, chosen.typed.target, schemas)
        if report.seed and chosen.seed == "random":
            say(f"Seed: {report.seed}")
    if chosen.coverage or chosen.fail_under:
        show_coverage(report.coverage)


_HOW = (
    "write `>>> tool(...)` in a docstring, or a toolwright-tests.yaml, or let arguments be drawn"
    " with --generate"
)


def _called(report: TrialReport, box: Toolbox) -> set[str]:
    return {outcome.tool for outcome in report.failed if outcome.tool in box}
