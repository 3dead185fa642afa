"""Fields of a form: their descriptions, and what typed text means."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._json_values import is_list, is_object
from ..json_schema.facts import Facts, facts, listed_values

_YES = frozenset(("y", "yes", "true", "on", "1"))
_NO = frozenset(("n", "no", "false", "off", "0"))
_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "yes or no"}
_LONGEST_PROMPT = 70
ATTEMPTS = 10
"""How many times one field, or a whole form, is asked for."""
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
        self.said = facts(dict(schema))
        self.required = required
        self.is_list = _kind(self.said) == "array"
        self.choices = _choices(self.said.items if self.is_list else self.said)
        self.has_default = schema.get("default") is not None

    @property
    def is_boolean(self) -> bool:
        """Whether it is a yes-or-no question."""
        return _kind(self.said) == "boolean"

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
        return _KINDS.get(_kind(self.said), str(self.said.keyword("format", "")))

    def shown_default(self) -> str:
        """Return the default as it would be typed."""
        if self.is_boolean:
            return "yes" if self.default else "no"
        values: list[Any] = self.default if is_list(self.default) else [self.default]
        return ", ".join(self._title(value) for value in values)

    def _title(self, value: Any) -> str:
        titles = (choice.title for choice in self.choices if choice.value == value)
        return next(titles, value if isinstance(value, str) else json.dumps(value))

    def read(self, text: str) -> Any:
        """Return the value that a text means. Raises `ValueError`, which says what is wrong."""
        if not self.is_list:
            return self._one(text, self.said)
        items = self.said.items
        values = [self._one(part.strip(), items) for part in text.split(",") if part.strip()]
        _check_count(values, self.said)
        return values

    def _one(self, text: str, said: Facts) -> Any:
        if self.choices:
            return _chosen(text, self.choices)
        match _kind(said):
            case "boolean":
                return _truth(text)
            case "integer" | "number" as kind:
                value = _number(text, whole=kind == "integer")
                for key, words, holds in _BOUNDS:
                    bound = said.keyword(key)
                    if bound is not None and not holds(value, bound):
                        msg = f"it must be {words} {bound}"
                        raise ValueError(msg)
                return value
            case _:
                _check_length(text, said)
                return text


def _kind(said: Facts) -> str:
    """Return the one kind of values that may be typed; empty if there are several."""
    kinds = said.kinds - {"null"}
    if "number" in kinds and kinds <= {"integer", "number"}:
        return "number"
    return next(iter(kinds)) if len(kinds) == 1 else ""


def fields_of(schema: Mapping[str, Any]) -> list[FormField]:
    """Return the fields of a form."""
    form = facts(dict(schema))
    return [
        FormField(name, node if is_object(node) else {}, required=name in form.required)
        for name, node in form.properties.items()
    ]


def _choices(said: Facts) -> list[Choice]:
    """Return the choices of an enumeration; titles are in `enumNames`, or beside each `const`."""
    choices: list[Choice] = []
    for arm in said.arms if said.values else ():
        names: Any = arm.get("enumNames")
        titles: list[Any] = names if is_list(names) else []
        values = [] if arm.get("type") == "null" else listed_values(arm) or []
        if "const" in arm:
            titles = [arm.get("title", arm["const"])]
        choices += [
            Choice(value, _text(titles[index] if index < len(titles) else value))
            for index, value in enumerate(values)
        ]
    return choices


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _chosen(text: str, choices: Sequence[Choice]) -> Any:
    """Return the choice that a text names: exactly, in any case, or by its beginning."""
    folded_text = text.casefold()
    spelled = [(choice, {choice.title, _text(choice.value)}) for choice in choices]
    folded = [(choice, {name.casefold() for name in names}) for choice, names in spelled]
    for matching in (
        [choice for choice, names in spelled if text in names],
        [choice for choice, names in folded if folded_text in names],
        [choice for choice, names in folded if any(name.startswith(folded_text) for name in names)],
    ):
        if folded_text and len(matching) == 1:
            return matching[0].value
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


def _check_length(text: str, said: Facts) -> None:
    least, most = said.keyword("minLength", 0), said.keyword("maxLength", math.inf)
    if not least <= len(text) <= most:
        words = f"at least {least}" if len(text) < least else f"at most {most}"
        msg = f"it must have {words} characters"
        raise ValueError(msg)


def _check_count(values: Sequence[Any], said: Facts) -> None:
    least, most = said.keyword("minItems", 0), said.keyword("maxItems", math.inf)
    if not least <= len(values) <= most:
        msg = f"choose {f'at least {least}' if len(values) < least else f'at most {most}'}"
        raise ValueError(msg)


# -- on a terminal


def ask_for(
    field: FormField, line: Callable[[str], str | None], tell: Callable[[str], object]
) -> list[Any] | None:
    """Ask for a field until it is valid: its value, nothing if left out, None if input ends.

    `line` asks for a line, and `tell` writes one.
    """
    prompt = _prompt(field)
    if len(prompt) > _LONGEST_PROMPT:  # long choices go above, the cursor after the name
        tell(prompt.rstrip(": "))
        prompt = f"  {field.label}: "
    for _ in range(ATTEMPTS):
        text = line(prompt)
        if text is None:
            return None
        if not text.strip():
            if field.has_default:
                return [field.default]
            if not field.required:
                return []
            tell("  a value is needed (Ctrl-D cancels)")
            continue
        try:
            return [field.read(text.strip())]
        except ValueError as error:
            tell(f"  {error}")
    return None


def _prompt(field: FormField) -> str:
    """Return the line that asks for a field: what it is, what may be typed, and its default."""
    optional = "" if field.required or field.has_default else "optional"
    kind = "" if field.is_boolean else field.kind()
    words = "; ".join(filter(None, (field.description, kind, optional)))
    about = f" ({words})" if words else ""
    if field.has_default:
        default = field.shown_default()
        return f"  {field.label}{about} [{default}]: " if default else f"  {field.label}{about}: "
    return f"  {field.label}{about}{' [yes/no]' if field.is_boolean else ''}: "
