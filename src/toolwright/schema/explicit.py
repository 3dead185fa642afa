"""Schemas that authors write themselves: published as they are, and enforced."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..read.signature import Signature


def check_explicit(signature: Signature, schema: Mapping[str, Any], option: str) -> Any:
    """Return a validator for an explicit schema. Raises `SchemaError` if it is not one."""
    import jsonschema

    try:
        json.dumps(schema, allow_nan=False)
        jsonschema.Draft202012Validator.check_schema(schema)
    except (TypeError, ValueError) as error:
        raise signature.refusal(f"has an {option} that is not JSON: {error}") from None
    except jsonschema.SchemaError as error:
        raise signature.refusal(
            f"has an {option} that is not a JSON Schema: {error.message}"
        ) from None
    if option == "input_schema" and schema.get("type") != "object":
        raise signature.refusal(
            "has an input_schema whose root is not an object",
            hint='write {"type": "object", "properties": {...}}',
        )
    return jsonschema.Draft202012Validator(schema)


def broken_rules(validator: Any, data: Any) -> list[Any]:
    """Return what a validator finds wrong, in an order that does not depend on its schema's.

    Not ordered by their text: that writes the whole value, however large or deep it is.
    """
    found = validator.iter_errors(data)
    return sorted(found, key=lambda error: ([str(step) for step in error.path], error.message))
