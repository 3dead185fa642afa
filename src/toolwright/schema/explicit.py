"""Schemas that authors write themselves: published as they are, and enforced."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from importlib import import_module
from typing import Any, cast, get_origin

from .._json_values import is_list, is_object
from ..read.signature import Signature
from .hints import type_text

MOST_BROKEN = 50
"""The most broken rules to look for: each one takes as long to find as the first."""
_MOST_PATTERN = 10_000
"""The longest pattern that is matched in linear time, since that compiles it first."""
_NO_SCHEMAS = frozenset(("const", "enum", "default", "examples"))
_MOST_SAID = 1_000_000
"""The most characters in their messages: each holds the whole value that broke a rule."""


def check_explicit(signature: Signature, schema: Mapping[str, Any], option: str) -> Any:
    """Return a validator for an explicit schema. Raises `SchemaError` for a bad one."""
    if isinstance(schema, type) or get_origin(schema) is not None:
        hint = (
            f"{option}=TypeAdapter({type_text(schema)}).json_schema(), with pydantic's TypeAdapter"
        )
        raise signature.refusal(f"has an {option} that is a type", hint=hint)
    if fault := schema_fault(schema):
        raise signature.refusal(f"has an {option} that {fault}")
    if option == "input_schema" and schema.get("type") != "object":
        raise signature.refusal(
            "has an input_schema whose root is not an object",
            hint='write {"type": "object", "properties": {...}}',
        )
    return validator_for(schema)


def schema_fault(schema: Mapping[str, Any]) -> str:
    """Return what keeps an object from being a usable JSON Schema; "" if nothing does."""
    import jsonschema

    try:
        json.dumps(schema, allow_nan=False)
        jsonschema.Draft202012Validator.check_schema(schema)
    except (TypeError, ValueError) as error:
        return f"is not JSON: {error}"
    except jsonschema.SchemaError as error:
        return f"is not a JSON Schema: {error.message}"
    lost = _lost_reference(schema)
    return f"refers to {lost[:200]}, which is not in it: nothing is fetched" if lost else ""


def _lost_reference(schema: Mapping[str, Any]) -> str:
    """Return a reference that leads nowhere; "" if there is none."""
    references = set(_references(schema))
    if not references:
        return ""
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    registry: Any = import_module("jsonschema_specifications").REGISTRY  # it has no types
    resolver = registry.resolver_with_root(DRAFT202012.create_resource(schema))
    for reference in sorted(references):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            return reference
    return ""


def _references(node: Any) -> Iterator[str]:
    """Yield the references in a schema, except below an `$id`, to which they are relative."""
    if is_list(node):
        for member in node:
            yield from _references(member)
    elif is_object(node):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            elif key not in _NO_SCHEMAS and not (is_object(value) and "$id" in value):
                yield from _references(value)


def validator_for(schema: Mapping[str, Any]) -> Any:
    """Return a validator for a schema that is known to be valid."""
    import referencing

    # With its own registry it looks nowhere else; jsonschema's default fetches references.
    empty: Any = cast("Any", referencing).Registry()
    return _validators()(schema, registry=empty)


def broken_rules(validator: Any, data: Any) -> tuple[list[Any], bool]:
    """Return the first errors that a validator finds, and whether there are more.

    Their order does not depend on the schema's.
    """
    errors: list[Any] = []
    text_length = 0
    for error in validator.iter_errors(data):
        if len(errors) == MOST_BROKEN or text_length > _MOST_SAID:
            return sorted(errors, key=_place), True
        text_length += len(error.message)
        errors.append(error)
    return sorted(errors, key=_place), False


def _place(error: Any) -> tuple[list[str], str]:
    # Not ordered by the text of the whole error, which contains the value, however large.
    return [str(step) for step in error.path], error.message


# -- keywords that jsonschema checks in more than linear time, or that fail


@functools.cache
def _validators() -> Any:
    """Return the class of validators."""
    from jsonschema import Draft202012Validator, validators

    base: Any = Draft202012Validator
    rules: dict[str, Any] = {"uniqueItems": _unique_items, "anyOf": _any_of, "oneOf": _one_of}
    rules |= {"pattern": _pattern, "patternProperties": _pattern_properties}
    rules["additionalProperties"] = functools.partial(
        _additional_properties, base.VALIDATORS["additionalProperties"]
    )
    rules["multipleOf"] = functools.partial(_multiple_of, base.VALIDATORS["multipleOf"])
    rules |= _unevaluated()
    return cast("Any", validators).extend(base, rules)


def _error(message: str) -> Any:
    import jsonschema

    return jsonschema.ValidationError(message)


@functools.lru_cache(maxsize=1000)
def searcher(pattern: str) -> Callable[[str], bool] | None:
    """Return a function that finds a pattern in linear time; None if such an engine cannot.

    Python's own takes exponential time for some patterns, and blocks all threads meanwhile.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    if len(pattern) > _MOST_PATTERN:
        return None
    try:
        validator = SchemaValidator(core_schema.str_schema(pattern=pattern, strict=True))
    except (SchemaError, UnicodeEncodeError):
        return None
    return validator.isinstance_python


def matches_pattern(pattern: str, text: str) -> bool:
    """Return whether an author's pattern is found; one that looks around or back needs `re`."""
    search = searcher(pattern)
    return re.search(pattern, text) is not None if search is None else search(text)


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and not matches_pattern(pattern, value):
        yield _error(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if is_object(value):
        for pattern, schema in patterns.items():
            for key, item in value.items():
                if matches_pattern(pattern, key):
                    yield from validator.descend(item, schema, path=key, schema_path=pattern)


def _additional_properties(
    check: Callable[..., Any], validator: Any, rest: Any, value: Any, schema: Any
) -> Iterator[Any]:
    """Leave out the names that match a pattern, before jsonschema looks for them with `re`."""
    patterns = schema.get("patternProperties")
    if patterns and is_object(value):
        schema = {key: subschema for key, subschema in schema.items() if key != "patternProperties"}
        value = {
            key: item
            for key, item in value.items()
            if not any(matches_pattern(pattern, key) for pattern in patterns)
        }
    yield from check(validator, rest, value, schema) or ()


def _unique_items(_validator: Any, wanted: Any, items: Any, _schema: Any) -> Iterator[Any]:
    """Look for an item that occurs twice; jsonschema compares every pair."""
    if not wanted or not is_list(items) or len(items) < 2:
        return
    first_places: dict[str, int] = {}
    for index, item in enumerate(items):
        first = first_places.setdefault(_canonical(item), index)
        if first != index:
            yield _error(f"has non-unique elements: items {first} and {index} are the same")
            return


def _canonical(value: Any) -> str:
    """Write a value so that values equal in JSON Schema are written alike: 1 and 1.0, any order.

    The hash of text is randomised: integers chosen for equal hashes would make a set slow.
    """
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return hex(int(value)) if value.is_integer() else value.hex()
    if isinstance(value, int):
        return hex(value)  # decimal digits would take quadratic time
    if is_object(value):
        pairs = sorted((json.dumps(key), _canonical(item)) for key, item in value.items())
        return "{" + ",".join(f"{key}:{item}" for key, item in pairs) + "}"
    return "[" + ",".join(_canonical(item) for item in cast("list[Any]", value)) + "]"


def _fits(validator: Any, value: Any, schema: Any) -> bool:
    return next(validator.descend(value, schema), None) is None


def _any_of(validator: Any, schemas: list[Any], value: Any, _schema: Any) -> Iterator[Any]:
    """Stop at the first error of each schema; jsonschema collects all errors of all schemas."""
    if not any(_fits(validator, value, subschema) for subschema in schemas):
        yield _error(f"{value!r} is not valid under any of the given schemas")


def _one_of(validator: Any, schemas: list[Any], value: Any, _schema: Any) -> Iterator[Any]:
    fitting = [subschema for subschema in schemas if _fits(validator, value, subschema)]
    if not fitting:
        yield _error(f"{value!r} is not valid under any of the given schemas")
    elif len(fitting) > 1:
        reprs = ", ".join(repr(subschema) for subschema in fitting)
        yield _error(f"{value!r} is valid under each of {reprs}")


def _multiple_of(
    check: Callable[..., Any], validator: Any, step: Any, value: Any, schema: Any
) -> Iterator[Any]:
    """Check exactly a number that no float can hold; jsonschema raises `OverflowError` for it."""
    try:
        yield from check(validator, step, value, schema) or ()
    except OverflowError:
        if (Fraction(value) / Fraction(step)).denominator != 1:
            yield _error(f"{value!r} is not a multiple of {step}")


def _unevaluated() -> dict[str, Any]:
    """Return the two `unevaluated` keywords; jsonschema's own search in lists."""
    try:
        utilities: Any = import_module("jsonschema._utils")
        items_seen = utilities.find_evaluated_item_indexes_by_schema
        keys_seen = utilities.find_evaluated_property_keys_by_schema
    except (ImportError, AttributeError):  # a later version may lack them, or not need ours
        return {}

    def items(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not is_list(value):
            return
        evaluated: set[int] = set(items_seen(validator, value, schema))
        unevaluated = [index for index in range(len(value)) if index not in evaluated]
        if unevaluated:
            yield _error(f"unevaluated items are not allowed: {_listed(unevaluated)}")

    def properties(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not is_object(value):
            return
        evaluated: set[str] = set(keys_seen(validator, value, schema))
        unevaluated = [key for key in value if key not in evaluated]
        unevaluated = [key for key in unevaluated if not _fits(validator, value[key], wanted)]
        if unevaluated:
            yield _error(f"unevaluated properties are not allowed: {_listed(unevaluated)}")

    return {"unevaluatedItems": items, "unevaluatedProperties": properties}


def _listed(names: list[Any]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(repr(name) for name in names[:10]) + more
