"""Fixtures for tests of toolboxes; pytest finds them by itself.

`toolbox_client(box)` is a real client in memory, without async; `schema_snapshot(box)` keeps what
models see of a toolbox in a file, and fails when that changes. `toolbox_example` is one example of
the toolbox that the mark `toolbox` names; `generated_calls(box)` calls its tools with arguments
drawn from their schemas; `toolbox_coverage(box)` records which parameters all tests have given.
"""

from __future__ import annotations

import contextlib
import difflib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

from .._files import read_file, replace_file
from .._json_values import is_object

if TYPE_CHECKING:
    from ..call import Call
    from ..contract.trials.calls import Coverage, Outcome, TrialReport
    from ..contract.trials.docstrings import Trial
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


__all__ = [
    "Answer",
    "ToolboxClient",
    "generated_calls",
    "schema_snapshot",
    "toolbox_client",
    "toolbox_coverage",
    "toolbox_example",
    "toolbox_state",
]


class Answer(NamedTuple):
    """What a client got."""

    is_error: bool
    text: str
    structured: Any
    content: list[dict[str, Any]]


class ToolboxClient:
    """A client of one toolbox; each request goes through the protocol."""

    def __init__(self, box: Toolbox, mode: Literal["auto", "legacy"]) -> None:
        self.box = box
        self.mode: Literal["auto", "legacy"] = mode

    def tools(self) -> dict[str, dict[str, Any]]:
        """Return the tools as a client sees them, by name."""
        listed = self._ask(lambda client: client.list_tools())
        return {tool["name"]: tool for tool in listed["tools"]}

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool; return its value as JSON, or its text. Raises `CallError`."""
        from ..errors import CallError

        answer = self.result(name, **arguments)
        if answer.is_error:
            raise CallError(answer.text)
        return answer.text if answer.structured is None else answer.structured

    def result(self, name: str, /, **arguments: Any) -> Answer:
        """Call a tool; return its result, whatever it is."""
        result = self._ask(lambda client: client.call_tool(name, arguments))
        text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        structured = result.get("structuredContent")
        return Answer(bool(result.get("isError")), text, structured, result["content"])

    def read(self, uri: str) -> list[dict[str, Any]]:
        """Read a resource; return its contents."""
        return self._ask(lambda client: client.read_resource(uri))["contents"]

    def prompt(self, name: str, /, **arguments: str) -> list[dict[str, Any]]:
        """Get a prompt; return its messages."""
        return self._ask(lambda client: client.get_prompt(name, arguments))["messages"]

    def _ask(self, ask: Callable[[Any], Any]) -> dict[str, Any]:
        from ..run.loop import background

        async def run() -> Any:
            async with self.box.client(self.mode) as client:
                return await ask(client)

        came = background.run(run())
        return came.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.fixture
def toolbox_client() -> Iterator[Callable[..., ToolboxClient]]:
    """Return a function that connects to a toolbox: `toolbox_client(box).call("add", a=1, b=2)`.

    The lifespan of the toolbox ends after the test.
    """
    boxes: list[Toolbox] = []

    def connect(box: Toolbox, mode: Literal["auto", "legacy"] = "auto") -> ToolboxClient:
        boxes.append(box)
        return ToolboxClient(box, mode)

    yield connect
    for box in boxes:
        box.close()


@pytest.fixture
def schema_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that compares a toolbox with `schemas/NAME.json` beside the test.

    `pytest --update-schemas` writes the file again.
    """
    update = request.config.getoption("--update-schemas")

    def check(box: Toolbox, name: str | None = None) -> None:
        from .snapshots import snapshot

        path = request.path.parent / "schemas" / f"{name or box.name}.json"
        now = snapshot(box)
        if update:
            path.parent.mkdir(exist_ok=True)
            replace_file(path, now)
            return
        _compare(path, now)

    return check


def _compare(path: Path, now: str) -> None:
    __tracebackhide__ = True
    if not path.exists():
        pytest.fail(f"{path} does not exist yet: run pytest --update-schemas", pytrace=False)
    before = read_file(path).decode()
    if before != now:
        lines = difflib.unified_diff(
            before.splitlines(), now.splitlines(), str(path), "now", lineterm=""
        )
        changed = "\n".join(lines)
        pytest.fail(
            f"what models see has changed; if intended, run pytest --update-schemas\n{changed}",
            pytrace=False,
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-schemas`."""
    group = parser.getgroup("toolwright")
    group.addoption(
        "--update-schemas", action="store_true", help="write the snapshots of toolboxes again"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark `toolbox`."""
    config.addinivalue_line(
        "markers", "toolbox(box, file=..., docstrings=True): whose examples `toolbox_example` is"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let a test that takes `toolbox_example` run once for each example."""
    parametrise(metafunc)
