"""An example call of a tool, with its expected outcome."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..._json_values import is_list, is_object
from ..._words import one_line
from ...errors import ToolwrightError
from ...results import json_value
from .calls import Kind, Outcome, TrialCalls, totals

if TYPE_CHECKING:
    from ...results import Result


_MOST_SHOWN = 200
_TYPES = {
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("number", "float"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    **dict.fromkeys(("object", "dict"), "object"),
    **dict.fromkeys(("null", "None", "none"), "null"),
}
"""The names of types in JSON and in Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What should come of a call: a success by default."""

    error: bool = False
    """Whether it should fail."""
    said: str = ""
    """What its error should say."""
    code: str = ""
    """The code of its error."""
    checks: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its value should be like: the name of a check, and what it compares with."""

    def fault(self, result: Result) -> str:
        """Return what is wrong with a result; nothing if it is as expected."""
        if result.is_error:
            return self._error_fault(result)
        if self.error:
            return f"should have failed; got {shown(_value_of(result))}"
        return _faults(self.checks, _value_of(result), result.text)

    def _error_fault(self, result: Result) -> str:
        code = "" if result.error is None else result.error.code
        if not self.error:
            return f"failed: {shorten(result.text)}{_cause(result)}"
        if self.said and self.said not in result.text:
            return f"should have failed with {self.said!r}; it says: {shorten(result.text)}"
        if self.code and self.code != code:
            return f"should have failed with code {self.code}; it has {code}"
        return ""


def _value_of(result: Result) -> Any:
    value = json_value(result)
    return result.text if value is None and result.structured is None and result.text else value


def _cause(result: Result) -> str:
    """Return what the tool really raised, if a model is not told that."""
    cause = None if result.error is None else result.error.__cause__
    if result.error is None or result.error.code != "unexpected" or cause is None:
        return ""
    return f" - {raised(cause)}"


def raised(error: BaseException) -> str:
    """Return an exception as text, with the line that raised it."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an exception may fail to be written as text
        message = ""
    trace, place = error.__traceback__, ""
    if isinstance(error, ToolwrightError):  # ours: the place where we raise it is of no use
        trace = None
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" ({code.co_filename}:{trace.tb_lineno})"
        trace = trace.tb_next
    return (
        shorten(f"{type(error).__name__}: {message}" if message else type(error).__name__) + place
    )


def check_names() -> tuple[str, ...]:
    """Return the names of all checks."""
    return (*_CHECKS, "at")


def checks_fault(checks: Mapping[str, Any]) -> str:
    """Return what is wrong with checks that an author wrote; nothing if they can be applied."""
    for name, expected in checks.items():
        if name == "at":
            if not is_object(expected):
                return "`at` takes paths with checks, such as {0.name: {equals: Ada}}"
            for path, checks_of_path in expected.items():
                if not is_object(checks_of_path):
                    return f"`at` {path} takes checks, such as {{equals: Ada}}"
                if unknown := [key for key in checks_of_path if key not in check_names()]:
                    return f"`at` {path} has no `{unknown[0]}`; it has {', '.join(check_names())}"
                if fault := checks_fault(checks_of_path):
                    return fault
        elif fault := _wanted_fault(name, expected):
            return fault
    return ""


def _wanted_fault(name: str, wanted: Any) -> str:
    if name == "type" and wanted is not None and wanted not in _TYPES:
        return f"`type` is one of {', '.join(dict.fromkeys(_TYPES.values()))}; got {wanted!r}"
    if name == "length" and (not isinstance(wanted, int) or isinstance(wanted, bool)):
        return f"`length` takes a whole number; got {wanted!r}"
    if name == "matches":
        try:
            re.compile(cast("Any", wanted))
        except (re.error, TypeError) as error:
            return f"`matches` takes a regular expression: {error}"
    if name == "schema":
        from ...schema.explicit import schema_fault

        if not is_object(wanted):
            return f"`schema` takes a JSON Schema; got {wanted!r}"
        if fault := schema_fault(wanted):
            return f"`schema` {fault}"
    return ""


def _faults(checks: Mapping[str, Any], value: Any, text: str) -> str:
    for name, expected in checks.items():
        fault = _at(expected, value) if name == "at" else _CHECKS[name](expected, value, text)
        if fault:
            return fault
    return ""


def _at(paths: Mapping[str, Any], value: Any) -> str:
    for path, checks in paths.items():
        reached = value
        for step in str(path).split("."):
            if is_object(reached) and step in reached:
                reached = reached[step]
            elif is_list(reached) and step.lstrip("-").isdigit() and _has(reached, int(step)):
                reached = reached[int(step)]
            else:
                return f"has nothing at {path}: got {shown(value)}"
        text = reached if isinstance(reached, str) else json.dumps(reached, ensure_ascii=False)
        if fault := _faults(checks, reached, text):
            return f"at {path}: {fault}"
    return ""


def _has(items: list[Any], at: int) -> bool:
    return -len(items) <= at < len(items)


def _equals(wanted: Any, value: Any, text: str) -> str:
    return "" if same(wanted, value) else f"should be {shown(wanted)}; got {shown(value)}"


def _contains(wanted: Any, value: Any, text: str) -> str:
    if isinstance(wanted, str) and not is_list(value):
        is_contained = wanted in (value if isinstance(value, str) else text)
        is_contained = is_contained or (is_object(value) and wanted in value)
    else:
        is_contained = _holds(wanted, value)
    return "" if is_contained else f"should contain {shown(wanted)}; got {shown(value)}"


def _lacks(wanted: Any, value: Any, text: str) -> str:
    missing = bool(_contains(wanted, value, text))
    return "" if missing else f"should not contain {shown(wanted)}; got {shown(value)}"


def _matches(wanted: str, value: Any, text: str) -> str:
    from ...schema.explicit import matches_pattern

    searched = value if isinstance(value, str) else text
    is_match = matches_pattern(wanted, searched) or (
        # For Python, `$` also matches before a final line break.
        searched.endswith("\n") and matches_pattern(wanted, searched[:-1])
    )
    return "" if is_match else f"should match {wanted!r}; got {shown(searched)}"


def _type(wanted: Any, value: Any, text: str) -> str:
    type_name = "null" if wanted is None else _TYPES[wanted]
    kind = _kind(value)
    fits = kind == type_name or (type_name == "number" and kind == "integer")
    return "" if fits else f"should be of type {type_name}; got {shown(value)}"


def _length(wanted: int, value: Any, text: str) -> str:
    if not isinstance(value, str | list | dict):
        return f"should have length {wanted}; got {shown(value)}"
    length = len(value)  # pyright: ignore[reportUnknownArgumentType]
    return "" if length == wanted else f"should have length {wanted}; it has {length}"


def _schema(wanted: Mapping[str, Any], value: Any, text: str) -> str:
    from ...schema.explicit import broken_rules, validator_for

    broken, _ = broken_rules(validator_for(wanted), value)
    return f"breaks the expected schema: {rule(broken[0])}" if broken else ""


_CHECKS: dict[str, Callable[[Any, Any, str], str]] = {
    "equals": _equals,
    "contains": _contains,
    "lacks": _lacks,
    "matches": _matches,
    "type": _type,
    "length": _length,
    "schema": _schema,
}


def rule(broken: Any) -> str:
    """Return a broken rule of a schema: where, and what it says."""
    path = ".".join(str(step) for step in broken.absolute_path)
    message = shorten(str(broken.message))
    return f"{path}: {message}" if path else message


def same(wanted: Any, value: Any) -> bool:
    """Return whether two JSON values are equal; floats almost, and `true` is not 1."""
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return wanted == value or _is_close(wanted, value)
    if is_list(wanted) and is_list(value):
        pairs = zip(wanted, value, strict=False)
        return len(wanted) == len(value) and all(
            same(expected, actual) for expected, actual in pairs
        )
    if is_object(wanted) and is_object(value):
        return wanted.keys() == value.keys() and all(same(wanted[k], value[k]) for k in wanted)
    return wanted == value


def _is_close(one: float, other: float) -> bool:
    try:
        return math.isclose(one, other, rel_tol=1e-9)
    except OverflowError:  # an integer that no float can hold
        return False


def _holds(wanted: Any, value: Any) -> bool:
    """Return whether a value has what is wanted in it: keys of an object, an item of a list."""
    if is_object(wanted) and is_object(value):
        return all(key in value and _holds(wanted[key], value[key]) for key in wanted)
    if is_list(value):
        items = wanted if is_list(wanted) else [wanted]
        return all(any(_holds(expected, item) for item in value) for expected in items)
    return same(wanted, value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = ((str, "string"), (int, "integer"), (float, "number"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


def shown(value: Any) -> str:
    """Return a value as JSON, not too long."""
    return shorten(json.dumps(value, ensure_ascii=False, default=str))


def shorten(text: str) -> str:
    """Return a text on one line, not too long."""
    return one_line(text, _MOST_SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call with known arguments, and its expected outcome."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expected: Expected = field(default_factory=Expected)
    label: str = ""
    source: str = ""
    kind: Kind = "file"
    timeout: float | None = None

    def run(self, calls: TrialCalls) -> Outcome:
        """Call the tool, and compare the outcome."""
        before = len(calls.made)
        if self.tool not in set(calls.box):
            fault = f"there is no tool `{self.tool}`"
        else:
            fault = self._fault(calls)
        return Outcome(
            tool=self.tool,
            kind=self.kind,
            status="failed" if fault else "passed",
            label=self.label,
            source=self.source,
            detail=fault,
            arguments=dict(self.arguments) if fault else None,
            errors=int(self.expected.error and not fault),
            **totals(calls.made[before:]),
        )

    def _fault(self, calls: TrialCalls) -> str:
        try:
            return self.expected.fault(calls.call(self.tool, self.arguments, self.timeout))
        except RecursionError:
            return "its result is nested too deeply to be compared"
