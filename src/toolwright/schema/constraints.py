"""Constraints that do not fit the type they are put on.

Pydantic compiles them, and raises `TypeError` at each call with a value that they cannot be
checked on. If they cannot be checked on any value, the tool is refused. Otherwise only such values
are refused: `held` makes a check that does this.
"""

from __future__ import annotations

import datetime as dt
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID

from pydantic_core import PydanticCustomError, SchemaValidator

from .._json_values import is_object

Known = Mapping[str, Any]
"""Definitions by their references."""
CLASS_KEY = "toolwright_class"
"""In the metadata of a core schema: the class of its values."""
# A value of each kind of core schema, and what to call it. Whether a constraint fits does not
# depend on the value.
_SAMPLES: Mapping[str, tuple[Any, str]] = {
    "bool": (True, "true or false"),
    "bytes": (b"a", "bytes"),
    "complex": (1j, "complex numbers"),
    "counter": ({}, "maps"),
    "date": (dt.date(2000, 1, 1), "dates"),
    "datetime": (dt.datetime(2000, 1, 1), "dates with time"),  # noqa: DTZ001 - never compared
    "decimal": (Decimal(1), "decimal numbers"),
    "deque": (deque[Any](), "lists"),
    "dict": ({}, "maps"),
    "float": (1.0, "floats"),
    "fraction": (Fraction(1), "fractions"),
    "frozenset": (frozenset[Any](), "sets"),
    "int": (1, "integers"),
    "list": ([], "lists"),
    "none": (None, "null"),
    "ordered-dict": ({}, "maps"),
    "set": (set[Any](), "sets"),
    "str": ("a", "texts"),
    "time": (dt.time(), "times"),
    "timedelta": (dt.timedelta(), "durations"),
    "tuple": ((), "tuples"),
    "typed-dict": ({}, "maps"),
    "uuid": (UUID(int=0), "UUIDs"),
}
_OF_A_CLASS = frozenset(("model", "dataclass", "is-instance"))
_WRAPPERS: Mapping[str, str] = {
    "default": "schema",
    "nullable": "schema",
    "lax-or-strict": "strict_schema",
}
_CHECKS = frozenset(("forbid_inf_nan_check", "_apply_constraint_with_incompatibility_info"))
_WANTED: Mapping[str, str] = {
    "min_length": "must have a length",
    "max_length": "must have a length",
    "pattern": "must be a string",
    "strip_whitespace": "must be a string",
    "to_lower": "must be a string",
    "to_upper": "must be a string",
    "coerce_numbers_to_str": "must be a string",
    "allow_inf_nan": "must be a number",
    "multiple_of": "must be a number",
    "max_digits": "must be a decimal number",
    "decimal_places": "must be a decimal number",
}


class Fit(NamedTuple):
    """How the constraints of a node fit its type."""

    misfit: str
    """What is wrong with a constraint that fits no value; "" if there is none."""
    loose: bool
    """Whether one of them, as far as is known, does not fit every value."""


FITS = Fit("", loose=False)


def fit_of(node: Mapping[str, Any], known: Known) -> Fit:
    """Return how the constraints that a node applies fit what it applies them to."""
    if node["type"] == "chain":
        first, *steps = node["steps"]
        fits = [_fit(step, first, known) for step in steps if is_constraint(step)]
        misfit = next((fit.misfit for fit in fits if fit.misfit), "")
        return Fit(misfit, loose=any(fit.loose for fit in fits))
    if node["type"] == "function-after" and is_constraint(node):
        schema: Any = node["schema"]
        while is_constraint(schema) and "schema" in schema:
            schema = schema["schema"]
        return _fit(node, schema, known)
    return FITS


def is_constraint(node: Mapping[str, Any]) -> bool:
    """Return whether a node is one of pydantic's checks, added to a type without built-in ones."""
    if node["type"] not in ("function-after", "function-wrap"):
        return False
    if not _is_own(node):
        return False
    check = node["function"]["function"]
    return isinstance(check, functools.partial) or check.__name__ in _CHECKS


def held(node: dict[str, Any]) -> dict[str, Any]:
    """Copy the node of a constraint; a value that it cannot be checked on is refused."""
    check = node["function"]["function"]
    name, value = _said(node)
    requirement = _WANTED.get(name, f"must be a value that can be compared with {value!r}")

    def checked(*given: Any) -> Any:
        try:
            return check(*given)
        except TypeError:
            raise PydanticCustomError("constraint", "{wanted}", {"wanted": requirement}) from None

    return {**node, "function": {**node["function"], "function": checked}}


def _fit(node: Mapping[str, Any], schema: Any, known: Known) -> Fit:
    values = list(_samples(schema, known, frozenset()))
    if not values or None in (noun for _, noun in values):
        return Fit("", loose=True)
    check = _check_of(node)
    verdicts = [_is_checked(check, value) for value, _ in values]
    if any(verdict is not False for verdict in verdicts):
        return Fit("", loose=not all(verdicts))
    name, value = _said(node)
    nouns = dict.fromkeys(str(noun) for _, noun in values)
    return Fit(f"`{name}={value!r}` does not fit {' or '.join(nouns)}", loose=True)


def _samples(schema: Any, known: Known, seen: frozenset[str]) -> Iterator[tuple[Any, str | None]]:
    """Yield values of a type with their nouns; None for the values of an author's function."""
    kind = schema["type"]
    metadata: Mapping[str, Any] = schema.get("metadata") or {}
    cls: Any = metadata.get(CLASS_KEY) or schema.get("cls")
    if kind in _SAMPLES:
        yield _SAMPLES[kind]
    elif kind == "url":
        from pydantic import AnyUrl  # slow to import, and few types have URLs

        yield AnyUrl("http://a"), "URLs"
    elif kind == "enum":
        yield from ((member, f"`{cls.__name__}`") for member in schema["members"])
    elif kind == "literal":
        yield from ((value, "any of its values") for value in schema["expected"])
    elif kind in _OF_A_CLASS or CLASS_KEY in metadata:
        yield _instance(cls)
    elif kind == "definition-ref" and schema["schema_ref"] in known.keys() - seen:
        ref = schema["schema_ref"]
        yield from _samples(known[ref], known, seen | {ref})
    elif samples := list(_given(schema, known, seen)):
        yield from samples
    else:
        for part in _parts(schema, known, seen):
            yield from _samples(part, known, seen) if part else [(None, None)]


def _parts(schema: Any, known: Known, seen: frozenset[str]) -> list[Any]:
    """Return the schemas whose values are those of this one; None stands for unknown ones."""
    kind = schema["type"]
    if kind in _WRAPPERS:
        return [schema[_WRAPPERS[kind]]]
    if kind == "union":
        return [choice if is_object(choice) else choice[0] for choice in schema["choices"]]
    if kind == "tagged-union":
        return list(schema["choices"].values())
    if kind == "json-or-python":
        branches = [schema["json_schema"], schema["python_schema"]]
        sampled = (list(_samples(branch, known, seen)) for branch in branches)
        known_branches = [b for b, s in zip(branches, sampled, strict=True) if all(n for _, n in s)]
        return known_branches[:1] or [None]
    is_url = kind == "function-wrap" and schema["schema"]["type"] == "url"
    return [schema["schema"]] if is_url else [None]


def _given(schema: Any, known: Known, seen: frozenset[str]) -> Iterator[tuple[Any, str]]:
    """Yield what one of pydantic's own functions makes of values: a `SecretStr` of a text."""
    if schema["type"] not in ("function-after", "function-wrap") or not _is_own(schema):
        return
    for value, noun in _samples(schema["schema"], known, seen):
        with suppress(Exception):
            converted = SchemaValidator(schema).validate_python(value) if noun else None
            if converted is not None:
                yield converted, f"`{type(converted).__name__}`"


def _is_own(node: Mapping[str, Any]) -> bool:
    check = node["function"]["function"]
    return getattr(getattr(check, "func", check), "__module__", "").startswith("pydantic.")


def _instance(cls: Any) -> tuple[Any, str | None]:
    try:
        return object.__new__(cls), f"`{cls.__name__}`"
    except TypeError:  # a class written in C, which makes its values itself
        return None, None


def _said(node: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and the value of a constraint."""
    check = node["function"]["function"]
    if isinstance(check, functools.partial):
        return next(iter(check.keywords.items()))
    if node["type"] == "function-after":
        return "allow_inf_nan", False
    return next(item for item in node["schema"].items() if item[0] != "type")


def _check_of(node: Mapping[str, Any]) -> Callable[[Any], Any]:
    check = node["function"]["function"]
    if node["type"] == "function-after":
        return check
    validator: Any = SchemaValidator(node["schema"])

    def handled(value: Any) -> Any:
        return check(value, functools.partial(validator.validate_python, strict=True))

    return handled


def _is_checked(check: Callable[[Any], Any], value: Any) -> bool | None:
    """Return whether a check can be made on a value; None if that needs a value with attributes."""
    outer = sys.exception()
    try:
        check(value)
    except TypeError:
        return False
    except AttributeError as error:
        # The check has already failed if it was only its message that could not show the value.
        return None if error.__context__ is outer else False
    except Exception:  # noqa: BLE001 - the constraint fits, this value does not
        return True
    return True
