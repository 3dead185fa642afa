"""Calls a tool with generated arguments, and shrinks what fails."""

from __future__ import annotations

import io
import json
import logging
import re
import time
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..._log import log
from ...errors import (
    ArgumentError,
    Overloaded,
    ResultError,
    ToolTimeout,
    ToolwrightError,
    UnexpectedError,
)
from ...questions import CannotAsk
from ...results import json_value
from ...schema.explicit import broken_rules, validator_for
from .calls import Outcome, TrialCalls, totals
from .examples import raised, rule, same, shorten, shown

if TYPE_CHECKING:
    from ...results import Result
    from ...tools.definition import Tool


CALLS = 50
"""How many calls of a tool are made by default."""
_SHRINK_CALLS = 500
_SHRINK_SECONDS = 20.0
_MOST_SECONDS = 600.0
"""How long one tool is tried at most."""
_DESTROYS = re.compile(
    r"(?:\A|[_.:-])(?:delete|del|remove|rm|rmdir|rmtree|unlink|archive|drop|purge|clear|wipe|destroy"
    r"|truncate|erase|reset|overwrite|kill|terminate|shutdown|reboot|uninstall|revoke)(?:\Z|[_.:-])",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

State = Callable[[], Any]
"""Returns a state that can be compared before and after a call."""


class NoHypothesis(ToolwrightError):
    """Arguments cannot be generated: hypothesis is not installed."""

    code = "hypothesis"

    def __init__(self) -> None:
        super().__init__(
            "generated calls need hypothesis, which is not installed",
            hint="pip install toolwright[test]",
        )


def need_hypothesis() -> None:
    """Raise `NoHypothesis` if it is not installed."""
    from importlib.util import find_spec

    if find_spec("hypothesis") is None:
        raise NoHypothesis


def why_not(name: str, tool: Tool) -> str:
    """Return why a tool is called with generated arguments only on request."""
    options = tool.options
    if options.confirm:
        return "it asks for confirmation"
    if options.destructive:
        return "it is destructive"
    if options.read_only or options.destructive is False:
        return ""
    if match := _DESTROYS.search(_CAMEL.sub("_", name)):
        verb = match.group().strip("_.:-").lower()
        return f"its name says `{verb}`, and nothing says that it is harmless"
    return ""


def try_generated(
    name: str,
    calls: TrialCalls,
    *,
    count: int = CALLS,
    seed: int = 0,
    state: State | None = None,
    known: Mapping[str, Sequence[Any]] | None = None,
) -> Outcome:
    """Call a tool with generated arguments; return the smallest that fail, or that none did.

    `known` has meaningful values of parameters, as in examples. Raises `NoHypothesis`.
    """
    need_hypothesis()
    return _Search(name, calls, state, known or {}).run(count, seed)


class _Search:
    """All generated calls of one tool."""

    def __init__(
        self,
        name: str,
        calls: TrialCalls,
        state: State | None,
        known: Mapping[str, Sequence[Any]],
    ) -> None:
        self.name, self.calls, self.state, self.values = name, calls, state, known
        self.tool: Tool = calls.box[name]
        self.known: dict[str, CallVerdict] = {}
        """The verdicts on calls, by their arguments: a replay must not change them."""
        self.kind = ""
        self.best: tuple[int, str, Mapping[str, Any], CallVerdict] | None = None
        self.stops = ""
        self.refused = self.errors = self.tried = 0
        self.last_refusal = self.said = ""
        self.started = time.monotonic()
        self.failed_at: float | None = None
        self.shrinking = 0

    def run(self, count: int, seed: int) -> Outcome:
        before = len(self.calls.made)
        with _quiet():
            trouble = self._explore(count, seed)
        calls = self.calls.made[before:]
        common: dict[str, Any] = {
            "tool": self.name,
            "kind": "generated",
            "refused": self.refused,
            "errors": self.errors,
            "said": self.said,
            **totals(calls),
        }
        if self.best is not None:
            _, _, arguments, verdict = self.best
            return Outcome(
                status="failed", detail=verdict.fault, arguments=dict(arguments), **common
            )
        if trouble:
            return Outcome(status="failed", detail=trouble, **common)
        if self.stops:
            return Outcome(status="skipped", detail=self.stops, **common)
        if self.tried and self.refused == self.tried:
            detail = f"no generated arguments were accepted: {self.last_refusal}"
            return Outcome(status="skipped", detail=detail, **common)
        if self.tried and self.refused + self.errors == self.tried:
            detail = "nothing learnt: every call was refused, or ended in an error"
            return Outcome(status="skipped", detail=detail, **common)
        return Outcome(status="passed", **common)

    def _explore(self, count: int, seed: int) -> str:
        """Let hypothesis draw and shrink; return what is wrong with the schema itself."""
        import hypothesis
        from hypothesis import errors

        from .strategies import values_of

        settings = hypothesis.settings(
            max_examples=count,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=False,
            verbosity=hypothesis.Verbosity.quiet,
            suppress_health_check=list(cast("Any", hypothesis.HealthCheck)),
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        )
        try:
            drawn = values_of(_exact_schema(self.tool), self.values)

            @hypothesis.seed(seed)
            @settings
            @hypothesis.given(drawn)
            def trial(arguments: Any) -> None:
                if self._fails(arguments):
                    raise _Found  # noqa: TRY301 - for hypothesis, which shrinks it

            trial()
        except _Found:
            return ""
        except errors.Unsatisfiable:
            self.stops = self.stops or "no arguments were found that fit its input schema"
            return ""
        except (errors.HypothesisException, errors.HypothesisWarning) as error:
            # Once something was found, this can only mean that a replay went differently.
            return "" if self.best or self.tried else f"its schema cannot be drawn from: {error}"
        except RecursionError:
            return "" if self.tried else "its schema is nested too deeply to draw from"
        return ""

    def _fails(self, arguments: Mapping[str, Any]) -> bool:
        """Call the tool once for these arguments; return whether that breaks the contract."""
        key = json.dumps(arguments, sort_keys=True)
        verdict = self.known.get(key)
        if verdict is None:
            if self._is_over():
                return False
            verdict = self.known[key] = self._verdict(arguments)
        if not verdict.fault or (self.kind and verdict.kind != self.kind):
            return False
        self.kind = verdict.kind
        self.failed_at = self.failed_at or time.monotonic()
        size = (len(key), key)
        if self.best is None or size < self.best[:2]:
            self.best = (*size, arguments, verdict)
        return True

    def _is_over(self) -> bool:
        if self.stops or time.monotonic() - self.started > _MOST_SECONDS:
            return True
        if self.failed_at is None:
            return False
        self.shrinking += 1
        since = time.monotonic() - self.failed_at
        return self.shrinking > _SHRINK_CALLS or since > _SHRINK_SECONDS

    def _verdict(self, arguments: Mapping[str, Any]) -> CallVerdict:
        before = self.state() if self.state is not None else None
        result = self.calls.call(self.name, arguments)
        verdict = verdict_on(self.tool, result)
        self.tried += 1
        self.refused += verdict.refused
        if verdict.is_error and not verdict.refused and not verdict.fault:
            self.errors += 1
            self.said = self.said or shorten(result.text)
        self.stops = self.stops or verdict.stops
        if verdict.refused:
            self.last_refusal = shorten(result.text.partition("\n")[0])
        if verdict.fault or verdict.refused or self.state is None:
            return verdict
        return self._claims(arguments, before, self.state) or verdict

    def _claims(
        self, arguments: Mapping[str, Any], before: Any, state: State
    ) -> CallVerdict | None:
        """Return how a call breaks what the tool says about itself; None if it does not."""
        after = state()
        options = self.tool.options
        if options.read_only:
            if same(before, after):
                return None
            changed = f"says that it is read-only, but the state changed {_change(before, after)}"
            return CallVerdict(changed, "read-only")
        if not options.idempotent:
            return None
        self.calls.call(self.name, arguments)
        again = state()
        if same(after, again):
            return None
        changed = f"says that it is idempotent, but a second call changed {_change(after, again)}"
        return CallVerdict(changed, "idempotent")


def _exact_schema(tool: Tool) -> dict[str, Any]:
    """Return the input schema with what the portable style says only in words.

    A text without a format would almost never be a date. What fits this one fits the published one.
    """
    style = replace(
        tool.options.style,
        one_items=False,
        plain_keys=False,
        plain_strings=False,
        no_unique_items=False,
    )
    try:
        return tool.replace(style=style).input_schema
    except ToolwrightError:
        return tool.input_schema


class _Found(Exception):
    """Ends a trial that fails, for hypothesis to shrink."""


def _change(before: Any, after: Any) -> str:
    return f"from {shown(before)} to {shown(after)}"


class _Nowhere(io.TextIOBase):
    """Discards what is written."""

    def write(self, text: str, /) -> int:
        return len(text)


@contextmanager
def _quiet() -> Generator[None]:
    """Show nothing of hundreds of calls: no tracebacks, no warnings, no output of tools."""
    before = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings(), redirect_stdout(_Nowhere()):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


_ERAS = ("2025-06-18", "2026-07-28")


class CallVerdict(NamedTuple):
    """What one call shows about its tool."""

    fault: str = ""
    """How it breaks the contract; empty if it does not."""
    kind: str = ""
    """The same for all faults with one cause: shrinking keeps to it."""
    refused: bool = False
    """Whether the arguments were not accepted."""
    is_error: bool = False
    stops: str = ""
    """Why no further call makes sense; empty if there may be more."""


def verdict_on(tool: Tool, result: Result) -> CallVerdict:
    """Return whether a result keeps what the tool promises."""
    if result.error is not None:
        return _of_error(result)
    for era in _ERAS:
        try:
            sent = json.loads(result.to_mcp_json(era))
        except Exception as error:  # noqa: BLE001 - whatever it is, a client gets no answer
            return CallVerdict(f"its result cannot be sent: {raised(error)}", "unsendable")
        if not sent.get("content"):
            return CallVerdict("its result has no content", "empty")
    schema = tool.output_schema
    if schema is None:
        return CallVerdict()
    try:
        broken, _ = broken_rules(validator_for(schema), json_value(result))
    except RecursionError:
        return CallVerdict("its result is nested too deeply to be checked", "deep")
    if broken:
        fault = f"its result breaks the output schema: {rule(broken[0])}"
        return CallVerdict(fault, f"schema {list(broken[0].schema_path)[-1:]}")
    return CallVerdict()


def _of_error(result: Result) -> CallVerdict:
    error: Any = result.error
    if isinstance(error, ArgumentError):
        return CallVerdict(refused=True, is_error=True)
    if isinstance(error, UnexpectedError):
        cause = error.__cause__
        if cause is None:
            return CallVerdict(shorten(result.text), "unexpected", is_error=True)
        return CallVerdict(f"failed unexpectedly: {raised(cause)}", _place(cause), is_error=True)
    if isinstance(error, ResultError):
        return CallVerdict(
            shorten(f"its value breaks its type: {result.text}"), "result", is_error=True
        )
    if isinstance(error, ToolTimeout):
        # A thread that hangs cannot be ended: each further try would leave another one behind.
        return CallVerdict(shorten(result.text), "timeout", is_error=True, stops="it timed out")
    if isinstance(error, CannotAsk):
        return CallVerdict(is_error=True, stops="it asks its user, and nobody is there")
    if isinstance(error, Overloaded):
        return CallVerdict(refused=True, is_error=True, stops=shorten(result.text))
    return CallVerdict(is_error=True)


def _place(error: BaseException) -> str:
    """Return what identifies a fault: the class of the exception, and where it was raised."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} {place}"
