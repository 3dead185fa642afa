"""Checks of JSON values against schemas that are not trusted.

The checks are those of jsonschema, except where a hostile schema could make them slow: patterns
are matched by an engine that takes linear time, and the number of references is limited.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, cast

from ..._json_values import JsonObject, is_object
from ...arguments.broken_rules import broken_faults
from ...arguments.repair import Repairer
from ...arguments.shape import Shape
from ...errors import Fault
from ...json_schema.build import REF, REF_PREFIX
from ...results import Repair
from ...schema.explicit import broken_rules, searcher, validator_for

_MOST_STEPS = 5000
"""The most references that one check follows: a few that each refer twice make billions."""


class TooTangled(Exception):
    """A schema whose check would take too long."""


class _Running:
    """One check: the definitions, and how many references were followed."""

    def __init__(self, definitions: JsonObject) -> None:
        self.definitions = definitions
        self.steps = 0


_running: ContextVar[_Running] = ContextVar("_running")


class Checker:
    """Checks values against one schema in normal form."""

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema
        self.definitions: JsonObject = schema.get("$defs", {})
        self.validator = _validators()(schema)

    def faults(self, value: Any) -> tuple[list[Fault], bool]:
        """Return what is wrong with a value, and whether there is more. Raises `TooTangled`."""
        token = _running.set(_Running(self.definitions))
        try:
            errors, more = broken_rules(self.validator, value)
        except (RecursionError, TooTangled):
            raise TooTangled from None
        finally:
            _running.reset(token)
        return broken_faults(errors, value, self.shape) if errors else [], more

    @functools.cached_property
    def shape(self) -> Shape:
        """What the schema declares, for repairs and explanations."""
        return Shape(self.schema)

    def repaired(self, arguments: JsonObject) -> tuple[JsonObject, list[Repair]]:
        """Return arguments, repaired where they can be, and what was repaired."""
        repairer = Repairer(self.shape)
        return repairer.whole(arguments), repairer.done


@functools.cache
def _validators() -> Any:
    from jsonschema import validators

    base = validator_for({}).__class__
    keyword_checks = {
        REF: _ref,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    return cast("Any", validators).extend(base, keyword_checks)


def _ref(validator: Any, reference: str, value: Any, _schema: Any) -> Iterator[Any]:
    """Follow a reference, which is always into `$defs`; jsonschema would look it up each time."""
    check = _running.get()
    check.steps += 1
    if check.steps > _MOST_STEPS:
        raise TooTangled
    yield from validator.descend(value, check.definitions[reference.removeprefix(REF_PREFIX)])


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and not matches(pattern, value):
        yield _error(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if is_object(value):
        for pattern, schema in patterns.items():
            for key, item in value.items():
                if matches(pattern, key):
                    yield from validator.descend(item, schema, path=key)


def _additional_properties(validator: Any, rest: Any, value: Any, schema: Any) -> Iterator[Any]:
    if not is_object(value) or rest is True:
        return
    properties: JsonObject = schema.get("properties", {})
    patterns: JsonObject = schema.get("patternProperties", {})
    for key, item in value.items():
        if key in properties or any(matches(pattern, key) for pattern in patterns):
            continue
        if rest == {"not": {}}:
            yield _error(f"{key!r} is not known here")
        else:
            yield from validator.descend(item, rest, path=key)


def _error(message: str) -> Any:
    import jsonschema

    return jsonschema.ValidationError(message)


def matches(pattern: str, text: str) -> bool:
    """Return whether a text matches; a pattern that needs a backtracking engine always does."""
    search = searcher(pattern)
    return search is None or search(text)
