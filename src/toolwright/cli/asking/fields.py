"""Fields of a form: their descriptions, and what typed text means."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..._json_values import is_list, is_object

_YES = frozenset(("y", "yes", "true", "on", "1"))
_NO = frozenset(("n", "no", "false", "off", "0"))
_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "yes or no"}
_Holds = Callable[[float, float], bool]
_BOUNDS: tuple[tuple[str, str, _Holds], ...] = (
    ("minimum", "at least", operator.ge),
    ("maximum", "at most", operator.le),
    ("exclusiveMinimum", "more than", operator.gt),
    ("exclusiveMaximum", "less than", operator.lt),
)


class Choice(NamedTuple):
    """One of the values that a field may have, and what it is called."""

    value: Any
    title: str


class FormField:
    """One field of a form, from its JSON Schema."""

    def __init__(self, name: str, schema: Mapping[str, Any], *, required: bool) -> None:
        self.name = name
        self.label = str(schema.get("title") or name)
        self.description = str(schema.get("description") or "")
        self.schema = schema
        self.required = required
        self.is_list = schema.get("type") == "array"
        inner: Any = schema.get("items")
        self.choices = _choices(inner if self.is_list and is_object(inner) else schema)
        self.has_default = schema.get("default") is not None

    @property
    def is_boolean(self) -> bool:
        """Whether it is a yes-or-no question."""
        return self.schema.get("type") == "boolean"

    @property
    def default(self) -> Any:
        """The value that is sent if nothing is typed; None if there is none."""
        return self.schema.get("default")

    def kind(self) -> str:
        """Return in a few words what may be typed."""
        if self.choices:
            listed = ", ".join(choice.title for choice in self.choices)
            return f"some of {listed}, separated by commas" if self.is_list else f"one of {listed}"
        if self.is_list:
            return "several, separated by commas"
        return _KINDS.get(str(self.schema.get("type")), str(self.schema.get("format", "")))

    def shown_default(self) -> str:
        """Return the default as it would be typed."""
        if self.is_boolean:
            return "yes" if self.default else "no"
        values: list[Any] = self.default if is_list(self.default) else [self.default]
        return ", ".join(self._title(value) for value in values)

    def _title(self, value: Any) -> str:
        named = (choice.title for choice in self.choices if choice.value == value)
        return next(named, value if isinstance(value, str) else json.dumps(value))

    def read(self, text: str) -> Any:
        """Return the value that a text means. Raises `ValueError`, which says what is wrong."""
        if not self.is_list:
            return self._one(text, self.schema)
        items = self.schema.get("items")
        inner: Mapping[str, Any] = items if is_object(items) else {}
        values = [self._one(part.strip(), inner) for part in text.split(",") if part.strip()]
        _check_count(values, self.schema)
        return values

    def _one(self, text: str, schema: Mapping[str, Any]) -> Any:
        if self.choices:
            return _chosen(text, self.choices)
        match schema.get("type"):
            case "boolean":
                return _truth(text)
            case "integer" | "number":
                value = _number(text, whole=schema["type"] == "integer")
                for key, words, holds in _BOUNDS:
                    if key in schema and not holds(value, schema[key]):
                        msg = f"it must be {words} {schema[key]}"
                        raise ValueError(msg)
                return value
            case _:
                _check_length(text, schema)
                return text


def fields_of(schema: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of a form."""
    properties: Any = schema.get("properties")
    required: Any = schema.get("required") or ()
    if not is_object(properties):
        return []
    return [
        FormField(name, node if is_object(node) else {}, required=name in required)
        for name, node in properties.items()
    ]


def _choices(schema: Mapping[str, Any]) -> list[Choice]:
    """Return the choices of an enumeration; titles are in `enumNames`, or beside each `const`."""
    values: Any = schema.get("enum")
    if is_list(values):
        names: Any = schema.get("enumNames")
        shown: list[Any] = names if is_list(names) else []
        return [
            Choice(value, _text(shown[at] if at < len(shown) else value))
            for at, value in enumerate(values)
        ]
    for key in ("oneOf", "anyOf"):
        arms: Any = schema.get(key)
        if is_list(arms) and all(is_object(arm) and "const" in arm for arm in arms):
            named = cast("list[dict[str, Any]]", arms)
            return [Choice(arm["const"], _text(arm.get("title", arm["const"]))) for arm in named]
    return []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _chosen(text: str, choices: Sequence[Choice]) -> Any:
    """Return the choice that a text names: exactly, in any case, or by its beginning."""
    wanted = text.casefold()
    spelled = [(choice, {choice.title, _text(choice.value)}) for choice in choices]
    folded = [(choice, {name.casefold() for name in names}) for choice, names in spelled]
    for found in (
        [choice for choice, names in spelled if text in names],
        [choice for choice, names in folded if wanted in names],
        [choice for choice, names in folded if any(name.startswith(wanted) for name in names)],
    ):
        if wanted and len(found) == 1:
            return found[0].value
    msg = f"choose {'one of ' if len(choices) > 1 else ''}{', '.join(c.title for c in choices)}"
    raise ValueError(msg)


def _truth(text: str) -> bool:
    folded = text.strip().casefold()
    if folded in _YES | _NO:
        return folded in _YES
    msg = "answer yes or no"
    raise ValueError(msg)


def _number(text: str, *, whole: bool) -> int | float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"it must be {_KINDS['integer' if whole else 'number']}"
        raise ValueError(msg)
    return value


def _check_length(text: str, schema: Mapping[str, Any]) -> None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    if not least <= len(text) <= most:
        words = f"at least {least}" if len(text) < least else f"at most {most}"
        msg = f"it must have {words} characters"
        raise ValueError(msg)


def _check_count(values: Sequence[Any], schema: Mapping[str, Any]) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    if not least <= len(values) <= most:
        msg = f"choose {f'at least {least}' if len(values) < least else f'at most {most}'}"
        raise ValueError(msg)
