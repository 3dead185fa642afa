"""`test`: try the examples of tools, and calls with generated arguments."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import random
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from ..._log import log
from ..._words import count_of
from ...contract.trials.example_files import FILES
from .. import output
from ..command import TargetCommand, number_from, option, optional, repeated, switch
from ..load import open_target
from ..output import flush, print_json, say, write_file
from ..project import Project
from ..terminal import ProgressBar, interruptible
from ..usage import UsageError

if TYPE_CHECKING:
    from ...contract.trials.calls import Coverage, Journal, Outcome, TrialReport
    from ...contract.trials.example_files import StateProbe
    from ...contract.trials.trial_run import TrialSettings
    from ...toolbox.box import Toolbox

_GENERATED = "generated calls"


whole_number = number_from(int, 0, math.inf, "takes a whole number; got `{}`")
_percent = number_from(float, 0, 100, "takes a number from 0 to 100; got `{}`")


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
        "fail if fewer parameters were tried", kind=_percent, metavar="PERCENT"
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
        settings = _settings_of_project(project)
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
        from ...contract.trials.guarded import may_guard, run_guarded

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
        print_outcomes(report, chosen.typed.target, schemas)
        if report.seed and chosen.seed == "random":
            say(f"Seed: {report.seed}")
    if chosen.coverage or chosen.fail_under:
        print_coverage(report.coverage)


_HOW = (
    "write `>>> tool(...)` in a docstring, or a toolwright-tests.yaml, or let arguments be drawn"
    " with --generate"
)


def _called(report: TrialReport, box: Toolbox) -> set[str]:
    return {outcome.tool for outcome in report.failed if outcome.tool in box}


_SETTINGS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "file": ((str, list), "the name of a file, or a list of names"),
    "docstrings": (bool, "true or false"),
    "coverage": (bool, "true or false"),
    "fail_under": ((int, float), "a number"),
    "timeout": ((int, float), "seconds"),
    "generate": (int, "how many calls"),
    "seed": ((int, str), 'a number, or "random"'),
    "destructive": ((bool, list), "true, false, or a list of tools"),
    "state": (str, "the name of a tool"),
}
_SWITCHES = ("coverage", "destructive", "docstrings")


def _settings_of_project(project: Project) -> dict[str, Any]:
    """Return what `[tool.toolwright.test]` gives, as fields of the command. Raises `UsageError`."""
    keys = ", ".join(_SETTINGS)
    settings: dict[str, Any] = {}
    for key, value in project.test.items():
        if key not in _SETTINGS:
            raise UsageError(
                f"{project.file}: [tool.toolwright.test] has no `{key}`; it has {keys}"
            )
        kind, expected = _SETTINGS[key]
        is_bool = isinstance(value, bool)
        if not isinstance(value, kind) or (is_bool and key not in _SWITCHES):
            raise UsageError(f"{project.file}: `test.{key}` must be {expected}; got {value!r}")
        if key == "docstrings":
            settings["no_docstrings"] = not value
        elif key == "file":
            files = [value] if isinstance(value, str) else cast("list[str]", value)
            settings["file"] = [str(project.file.parent / name) for name in files]
        elif key == "seed":
            settings["seed"] = str(value)
        elif key == "destructive" and not is_bool:
            settings["destructive"] = frozenset(value)
        else:
            settings[key] = value
    return settings


def example_files(files: Sequence[str], target: str) -> list[Path]:
    """Return the files of examples: those that were named, or those beside the target."""
    if files:
        return [Path(name) for name in files]
    folders = [Path.cwd()]
    place = Path(target.partition(":")[0])
    if place.exists():
        folders.append(place if place.is_dir() else place.resolve().parent)
    # A file that is named after the target is about it alone: other targets may be beside it.
    own_names = [f"{place.stem}-tests{suffix}" for suffix in (".yaml", ".yml", ".json")]
    for names in (own_names, FILES):
        for folder in folders:
            paths = [folder / name for name in names if (folder / name).is_file()]
            if paths:
                return [_from_here(path) for path in paths]
    return []


def _from_here(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


# -- how outcomes are shown

_SIGNS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
_STYLES = {"passed": "green", "failed": "bold red", "skipped": "dim"}
_LONGEST = 60
"""Characters of a value that is written as `key=value`."""


def print_outcomes(report: TrialReport, target: str, schemas: Mapping[str, Any]) -> None:
    """Print every outcome, how to repeat each failure, and the totals."""
    for outcome in report.outcomes:
        _line(outcome)
        if outcome.status == "failed":
            _failure(outcome, target, schemas.get(outcome.tool, {}))
    counts = f"{len(report.passed)} passed, {len(report.failed)} failed"
    skipped = f", {len(report.skipped)} skipped" if report.skipped else ""
    output.say(f"Tests: {counts}{skipped}")
    if report.calls:
        p50, p95 = report.latency_p50 * 1000, report.latency_p95 * 1000
        calls = count_of(len(report.calls), "call")
        output.say(f"Latency: p50 {p50:.1f} ms, p95 {p95:.1f} ms ({calls})")


def _line(outcome: Outcome) -> None:
    what = [f"{outcome.tool}"]
    if outcome.kind == "generated":
        what.append("generated")
    if outcome.label:
        what.append(outcome.label)
    if outcome.source:
        what.append(_short(outcome.source))
    counts = _counts(outcome)
    if counts:
        what.append(f"({counts})")
    if outcome.status == "skipped":
        what.append(f"- {outcome.detail}")
    sign = _SIGNS[outcome.status]
    if not output.has_colours():
        output.print_hanging(f"{sign:7} {'  '.join(what)}", 8)
        return
    from rich.text import Text

    from ..._log.printable import printable

    line = Text.assemble((f"{sign:7} ", _STYLES[outcome.status]), printable("  ".join(what)))
    output.print_styled(line)


def _short(place: str) -> str:
    """Return a place as seen from here."""
    return place.removeprefix(f"{Path.cwd()}/")


def _counts(outcome: Outcome) -> str:
    parts: list[str] = []
    if outcome.kind == "generated" and outcome.calls:
        parts.append(count_of(outcome.calls, "call"))
    if outcome.refused:
        parts.append(f"{outcome.refused} refused")
    if outcome.errors and outcome.kind == "generated":
        such = f" such as `{outcome.said}`" if outcome.said else ""
        parts.append(f"{count_of(outcome.errors, 'error')}{such}")
    if outcome.calls:
        parts.append(f"{outcome.seconds / outcome.calls * 1000:.1f} ms")
    return ", ".join(parts)


def _failure(outcome: Outcome, target: str, schema: Mapping[str, Any]) -> None:
    for line in outcome.detail.split("\n"):
        output.print_hanging(f"        {line}", 8)
    if outcome.arguments is not None:
        output.say(f"        {call_line(target, outcome.tool, outcome.arguments, schema)}")
        if outcome.kind == "generated":
            for line in as_yaml(outcome):
                output.say(f"        {line}")


def call_line(
    target: str, tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]
) -> str:
    """Return the command that makes a call; `target` is as typed, with a blank before it."""
    properties = schema.get("properties", {})
    pairs = [_pair(name, value, properties.get(name, {})) for name, value in arguments.items()]
    if None in pairs:
        words = ["--json", json.dumps(arguments, ensure_ascii=True)]
    else:
        words = [pair for pair in pairs if pair is not None]
    return f"toolwright call{target} {shlex.join([tool, *words])}"


def _pair(name: str, value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return an argument as `key=value`, if it is read back unchanged."""
    if "=" in name or not name.isprintable() or name.startswith("-"):
        return None
    if isinstance(value, str):
        is_plain = schema.get("type") == "string" and value.isprintable() and value.isascii()
        is_safe = len(value) <= _LONGEST and not value.startswith("@") and value != "-"
        return f"{name}={value}" if is_plain and is_safe else None
    if isinstance(value, bool):
        return f"{name}={json.dumps(value)}"
    is_number = isinstance(value, int | float) and schema.get("type") == "number"
    is_integer = isinstance(value, int) and schema.get("type") == "integer"
    return f"{name}={value}" if is_number or is_integer else None


def as_yaml(outcome: Outcome) -> list[str]:
    """Return a failure as lines for the file of tests; JSON is YAML."""
    arguments = json.dumps(outcome.arguments, ensure_ascii=True)
    return [f"- tool: {json.dumps(outcome.tool)}", f"  params: {arguments}"]


def print_coverage(coverage: Coverage) -> None:
    """Print which tools were called, and which parameters were given."""
    output.print_heading("Coverage")
    for tool, names in coverage.parameters.items():
        if tool not in coverage.given:
            output.say(f"  ·  {tool}: not called")
            continue
        missed = coverage.missed_of(tool)
        coverage_of_tool = f"{len(names) - len(missed)} of {count_of(len(names), 'parameter')}"
        more = f", never given: {', '.join(missed)}" if missed else ""
        output.say(f"  {'✓' if not missed else '~'}  {tool}: {coverage_of_tool}{more}")
    called = len(coverage.parameters) - len(coverage.missed)
    tools = (
        f"{called} of {count_of(len(coverage.parameters), 'tool')} ({coverage.tools_percent:g} %)"
    )
    output.say(f"Coverage: {tools}, {coverage.parameters_percent:g} % of parameters")
