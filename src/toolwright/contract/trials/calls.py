"""Calls tools as a client would: what came of it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from ...call import Call
from ...errors import Overloaded, SchemaError
from ...questions import CannotAsk, Question
from ...run.loop import background

if TYPE_CHECKING:
    from ...results import Result
    from ...tools.definition import Tool


TIMEOUT = 30.0
"""How many seconds a call may take by default."""
_MOST_WAITED = 2.0
_MOST_WAITS = 20
_LONGEST = 200_000
"""Characters of arguments that are kept."""
MOST_CALLS = 1_000_000
"""How many calls are kept: more would fill the memory in an endless run."""


class TrialBox(Protocol):
    """What these tests need of a toolbox."""

    name: str

    def __getitem__(self, name: str, /) -> Tool:
        """Return a tool. Raises `ToolNotFound`."""
        ...

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all tools."""
        ...

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is listed."""
        ...

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool."""
        ...


class TrialCall(NamedTuple):
    """One call that was made."""

    tool: str
    given: tuple[str, ...]
    """The names of its arguments."""
    seconds: float
    is_error: bool
    size: int
    """Characters of the text that came back."""


class TrialCalls:
    """Calls the tools of a toolbox, each within its time limit, and keeps a record."""

    def __init__(
        self, box: TrialBox, *, timeout: float = TIMEOUT, journal: Journal | None = None
    ) -> None:
        self.box = box
        self.timeout = timeout
        self.journal = journal
        self.made: list[TrialCall] = []
        self.on_result: Callable[[str, Result], object] | None = None
        """Called with each result."""

    def call(self, name: str, arguments: Mapping[str, Any], timeout: float | None = None) -> Result:
        """Call a tool; wait for a rate limit, as a client would."""
        tool = self.box[name]
        seconds = self.timeout if timeout is None else timeout
        if self.journal is not None:
            self.journal.begin(name, arguments, seconds)
        started = time.perf_counter()
        result = self._once(tool, name, arguments, seconds)
        for _ in range(_MOST_WAITS):
            refused = result.error
            if not isinstance(refused, Overloaded) or refused.retry_after > _MOST_WAITED:
                break
            time.sleep(refused.retry_after)
            started = time.perf_counter()
            result = self._once(tool, name, arguments, seconds)
        took = time.perf_counter() - started
        if self.journal is not None:
            self.journal.end()
        trial_call = TrialCall(name, tuple(arguments), took, result.is_error, len(result.text))
        if len(self.made) < MOST_CALLS:
            self.made.append(trial_call)
        if self.on_result is not None:
            self.on_result(name, result)
        return result

    def _once(self, tool: Tool, name: str, arguments: Mapping[str, Any], seconds: float) -> Result:
        async def call() -> Result:
            # Whoever tests tools may call all of them.
            roles = tool.options.roles or ()
            context = Call(name, caller="test", roles=roles, timeout=seconds, asker=_Nobody())
            return await self.box.call_async(name, arguments, call=context)

        return background.run(call())


class _Nobody:
    """A client that cannot be asked for anything."""

    abilities = frozenset[str]()

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Refuse."""
        raise CannotAsk(sorted({question.ability for question in requests.values()}))


def usable_tools(box: TrialBox) -> dict[str, Tool]:
    """Return the tools that are listed and compile, by name."""
    usable: dict[str, Tool] = {}
    for name in box:
        if not box.is_enabled(name):
            continue
        tool = box[name]
        try:
            tool.compile()
        except SchemaError:
            continue  # whoever loads a toolbox says so
        usable[name] = tool
    return usable


@dataclass(slots=True)
class Coverage:
    """The parameters of each tool, and those that some call has given."""

    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """All parameters by tool."""
    given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Parameters that were given, of tools that were called."""

    def add(self, tool: str, given: Iterable[str]) -> None:
        """Note a call."""
        parameters = self.parameters.get(tool, ())
        self.given.setdefault(tool, set()).update(name for name in given if name in parameters)

    @property
    def missed(self) -> list[str]:
        """The tools that were not called."""
        return [tool for tool in self.parameters if tool not in self.given]

    def missed_of(self, tool: str) -> list[str]:
        """Return the parameters of a tool that no call has given."""
        sent = self.given.get(tool, set())
        return [name for name in self.parameters.get(tool, ()) if name not in sent]

    @property
    def tools_percent(self) -> float:
        """The percentage of tools that were called."""
        return _percent(len(self.parameters) - len(self.missed), len(self.parameters))

    @property
    def parameters_percent(self) -> float:
        """The percentage of parameters that were given."""
        count = sum(len(names) for names in self.parameters.values())
        missed = sum(len(self.missed_of(tool)) for tool in self.parameters)
        return _percent(count - missed, count)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "tools": self.tools_percent,
            "parameters": self.parameters_percent,
            "missed": {
                tool: "not called" if tool not in self.given else self.missed_of(tool)
                for tool in self.parameters
                if tool not in self.given or self.missed_of(tool)
            },
        }


def coverage_of(tools: Mapping[str, Tool], calls: Iterable[TrialCall] = ()) -> Coverage:
    """Return how much of the tools the calls have covered."""
    names = {name: tuple(tool.input_schema.get("properties", ())) for name, tool in tools.items()}
    coverage = Coverage(names)
    for call in calls:
        if call.tool in names:
            coverage.add(call.tool, call.given)
    return coverage


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0


Status = Literal["passed", "failed", "skipped"]
Kind = Literal["docstring", "file", "given", "generated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one example, or of all generated calls of one tool."""

    tool: str
    kind: Kind
    status: Status
    label: str = ""
    """What its author calls it."""
    source: str = ""
    """Where it is written: a file and a line."""
    detail: str = ""
    """Why it failed, or was skipped."""
    arguments: dict[str, Any] | None = None
    """The arguments with which it failed."""
    calls: int = 0
    refused: int = 0
    """Calls whose arguments were not accepted."""
    errors: int = 0
    """Calls that ended in an error that the tool's contract allows."""
    said: str = ""
    """What the first of these errors says."""
    seconds: float = 0.0
    """How long its calls took."""
    slow: float = 0.0
    """How long its slowest call took."""

    @property
    def key(self) -> str:
        """What identifies it among all outcomes of a run."""
        return f"{self.kind}|{self.tool}|{self.source}|{self.label}"


Done = dict[int, tuple[Outcome, Sequence[TrialCall]]]


class Journal:
    """Writes down what is done, into the pipe of a process that no tool can end (`guarded`)."""

    def __init__(self, done: Done, pipe: int) -> None:
        self.done = done
        """What has been done, by its place in the run: the next process continues there."""
        self.pipe = pipe

    def start(self, at: int, outcome: Outcome) -> None:
        """Write what is tried next: `outcome` counts if it does not return."""
        self._write({"start": at, "outcome": asdict(outcome)})

    def begin(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> None:
        """Write that a call begins, and how long it may take."""
        text = json.dumps(arguments, default=str)
        short_arguments = arguments if len(text) <= _LONGEST else None
        self._write({"begin": tool, "arguments": short_arguments, "seconds": seconds})

    def end(self) -> None:
        """Write that the call has returned."""
        self._write({"end": True})

    def finish(self, at: int, outcome: Outcome, calls: Sequence[TrialCall]) -> None:
        """Write the outcome."""
        self._write({"finish": at, "outcome": asdict(outcome), "calls": calls})

    def _write(self, entry: Mapping[str, Any]) -> None:
        unwritten = memoryview(json.dumps(entry, default=str).encode() + b"\n")
        while unwritten:
            unwritten = unwritten[os.write(self.pipe, unwritten) :]


@dataclass(slots=True, kw_only=True)
class TrialReport:
    """All outcomes of a run, what was called, and how long that took."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    calls: list[TrialCall] = field(default_factory=list[TrialCall])
    coverage: Coverage = field(default_factory=Coverage)
    seed: int | None = None

    @property
    def passed(self) -> list[Outcome]:
        """The outcomes that passed."""
        return self._with("passed")

    @property
    def failed(self) -> list[Outcome]:
        """The outcomes that failed."""
        return self._with("failed")

    @property
    def skipped(self) -> list[Outcome]:
        """The outcomes that were skipped, each with the reason."""
        return self._with("skipped")

    @property
    def has_failures(self) -> bool:
        """Whether anything failed."""
        return bool(self.failed)

    @property
    def latency_p50(self) -> float:
        """The seconds within which half of the calls ended."""
        return percentile([call.seconds for call in self.calls], 50)

    @property
    def latency_p95(self) -> float:
        """The seconds within which 95 % of the calls ended."""
        return percentile([call.seconds for call in self.calls], 95)

    def _with(self, status: Status) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.status == status]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "passed": len(self.passed),
            "failed": len(self.failed),
            "skipped": len(self.skipped),
            "calls": len(self.calls),
            "latency_ms": {
                "p50": round(self.latency_p50 * 1000, 3),
                "p95": round(self.latency_p95 * 1000, 3),
            },
            "seed": self.seed,
            "coverage": self.coverage.to_dict(),
            "results": [asdict(outcome) for outcome in self.outcomes],
        }


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that `percent` of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    index = math.ceil(len(ordered) * percent / 100) - 1
    return ordered[max(index, 0)] if ordered else 0.0


def totals(calls: Iterable[TrialCall]) -> dict[str, Any]:
    """Return what an outcome says about its calls."""
    listed = list(calls)
    return {
        "calls": len(listed),
        "seconds": sum(call.seconds for call in listed),
        "slow": max((call.seconds for call in listed), default=0.0),
    }
