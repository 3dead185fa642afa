"""Whether a result keeps the contract of its tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import ArgumentError, Overloaded, ResultError, ToolTimeout, UnexpectedError
from ...questions import CannotAsk
from ...results import json_value
from ...schema.explicit import broken_rules, validator_for
from ..examples.expectations import raised, rule, shorten

if TYPE_CHECKING:
    from ...results import Result
    from ...tools.definition import Tool

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
