"""`test`: try the examples of tools, and calls with generated arguments."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...._files import replace_file
from ...._log import log
from ...load import add_target, open_target
from ...output import add_json, flush, print_json, say
from ...terminal import ProgressBar, interruptible
from ...trials.settings import apply_settings, example_files, percent, whole_number
from ...usage import UsageError

if TYPE_CHECKING:
    from ....contract.examples.files import StateProbe
    from ....contract.trials.outcomes import TrialReport
    from ....contract.trials.trial_run import Journal, TrialSettings
    from ....toolbox.box import Toolbox


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_target(parser)
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="only this tool")
    parser.add_argument(
        "--params", metavar="JSON", help="call TOOL with these arguments, and try nothing else"
    )
    parser.add_argument(
        "--file",
        action="append",
        metavar="FILE",
        help="examples as YAML or JSON (toolwright-tests.yaml, platools-tests.yaml)",
    )
    parser.add_argument(
        "--no-docstrings", action="store_true", help="leave out the examples in docstrings"
    )
    parser.add_argument(
        "--coverage", action="store_true", help="show which tools and parameters were tried"
    )
    parser.add_argument(
        "--fail-under", type=percent, metavar="PERCENT", help="fail if fewer parameters were tried"
    )
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="in this process, for a debugger; a tool that ends it ends the tests",
    )
    made = parser.add_argument_group("generated calls")
    made.add_argument(
        "--generate",
        nargs="?",
        type=whole_number,
        const=50,
        metavar="N",
        help="call each tool with N arguments drawn from its schema (%(const)s)",
    )
    made.add_argument("--seed", metavar="N|random", help="draw other arguments (0)")
    made.add_argument(
        "--destructive", action="store_true", help="also call tools that destroy something"
    )
    made.add_argument(
        "--state", metavar="TOOL", help="a tool that reports the state: claims are checked with it"
    )
    parser.add_argument("--junit", metavar="FILE", help="also write a report as JUnit's XML")
    add_json(parser)


def run(chosen: argparse.Namespace) -> int:
    """Try the tools; return 1 if something fails."""
    from ...trials.guarded import may_guard, run_guarded

    if chosen.in_process or not getattr(chosen, "is_own_process", False) or not may_guard():
        return _run(chosen, None)
    return run_guarded(lambda journal: _run(chosen, journal), flush)


def _run(chosen: argparse.Namespace, journal: Journal | None) -> int:
    from ....contract.examples.files import ExampleFileError
    from ....contract.generated.search import NoHypothesis, need_hypothesis
    from ....contract.trials.trial_run import TrialError, TrialRun

    apply_settings(chosen)
    box, usable = open_target(chosen)
    if chosen.tool is not None:
        _keep_only(box, chosen.tool)
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
    return 0 if usable and is_tried and is_covered and not report.has_failures else 1


def _keep_only(box: Toolbox, name: str) -> None:
    from ...load import selected_tool

    selected_tool(box, name)
    for other in box:
        if other != name:
            box.disable(other)


def _examples(box: Toolbox, chosen: argparse.Namespace) -> tuple[list[Any], StateProbe | None]:
    """Return the examples of files, and how to read the state. Raises `ExampleFileError`."""
    from ....contract.examples.example import Example
    from ....contract.examples.files import StateProbe, read_examples

    state = None if chosen.state is None else StateProbe(chosen.state, {})
    if chosen.params is not None:
        if chosen.tool is None:
            raise UsageError("--params needs the name of a TOOL before it")
        given = _object_from(chosen.params)
        return [Example(tool=chosen.tool, arguments=given, kind="given")], state
    examples: list[Example] = []
    for file in example_files(chosen):
        read = read_examples(file)
        examples += read.examples
        state = state or read.state
    known = [each for each in examples if each.tool not in box or box.is_enabled(each.tool)]
    return [each for each in known if chosen.tool in (None, each.tool)], state


def _object_from(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--params is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise UsageError("--params must be one JSON object")
    return given  # pyright: ignore[reportUnknownVariableType]


def _settings(chosen: argparse.Namespace, state: StateProbe | None) -> TrialSettings:
    from ....contract.trials.calls import TIMEOUT
    from ....contract.trials.trial_run import TrialSettings

    if chosen.timeout is not None and not 0 < chosen.timeout < float("inf"):
        raise UsageError(f"--timeout must be a positive number; got {chosen.timeout:g}")
    given = chosen.params is not None
    return TrialSettings(
        docstrings=not (chosen.no_docstrings or given),
        generate=0 if given else chosen.generate or 0,
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


def _show(report: TrialReport, box: Toolbox, chosen: argparse.Namespace) -> None:
    from ...trials.shown import show, show_coverage

    if chosen.junit:
        from ....contract.trials.junit import junit

        try:
            replace_file(chosen.junit, junit(report, box.name))
        except OSError as error:
            raise UsageError(f"{chosen.junit} cannot be written: {error.strerror}") from error
    if chosen.json:
        print_json(report.to_dict())
        return
    if not report.outcomes:
        say(f"{box.name} has no examples: {_HOW}")
    else:
        schemas: Mapping[str, Any] = {name: box[name].input_schema for name in _called(report, box)}
        show(report, chosen.typed_target, schemas)
        if report.seed and chosen.seed == "random":
            say(f"Seed: {report.seed}")
    if chosen.coverage or chosen.fail_under:
        show_coverage(report.coverage)


_HOW = (
    "write `>>> tool(...)` in a docstring, or a toolwright-tests.yaml, or let arguments be drawn"
    " with --generate"
)


def _called(report: TrialReport, box: Toolbox) -> set[str]:
    return {each.tool for each in report.failed if each.tool in box}
