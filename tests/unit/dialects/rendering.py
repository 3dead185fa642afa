"""What the tests of dialects share: toolboxes of given schemas, and how far strictness went."""

import functools
import json
from pathlib import Path

import pytest

from tests.unit.dialects.deep_schemas import DEEP
from tests.unit.dialects.provider_rules.provider_faults import FAULTS, STRICT, faults
from toolwright import Toolbox

BATTERY = json.loads(
    Path(__file__).parents[2].joinpath("data", "dialect-battery.json").read_text("utf-8")
)
BATTERY["root_ref"] = {"type": "object", **BATTERY["root_ref"]}
"""A toolbox refuses a root that does not say it is an object."""
SCHEMAS = BATTERY | {name: schema for name, (schema, _) in DEEP.items()}
WAYS = [(dialect, False) for dialect in FAULTS] + [(dialect, True) for dialect in STRICT]
"""Every dialect, and whether it is strict."""
DAILY = [
    ("openai", True),
    ("anthropic", True),
    ("gemini", False),
    ("gemini-openapi", False),
    ("xai", False),
]
"""The strictest of each family."""
RARE_WAYS = [way for way in WAYS if way not in DAILY]


@functools.cache
def rendered_alone(name, dialect, strict):
    """One of the schemas, as the only tool of a toolbox, rendered."""
    return box_of({name: SCHEMAS[name]}).render(dialect, strict=strict)


def box_of(schemas):
    """A toolbox of tools with these schemas; each returns the arguments that reach it."""
    box = Toolbox("battery")
    for name, schema in schemas.items():

        def echo(**arguments):
            return arguments

        box.add(echo, name=name, input_schema=schema, description=f"Do {name}.")
    return box


def is_strict(rendered, dialect, strict):
    """Whether strict rules are in force; Cohere's are a flag of the request, for all tools."""
    return rendered.request.get("strict_tools", False) if dialect == "cohere" else strict


def faults_of(rendered, dialect, strict):
    return faults(dialect, rendered.definitions, is_strict(rendered, dialect, strict))


ALIKE = {
    "if": ("then", "else"),
    "patternProperties": ("additionalProperties",),
    "prefixItems": ("items",),
    "enum": ("const",),
}
"""A loss of the first explains what breaks one of the others: they decide together."""


def unexplained(errors, rendered, tool):
    """The messages of those errors that no loss of a tool explains."""
    said = {loss.keyword for loss in rendered.losses if loss.tool == tool}
    said.update(*(ALIKE.get(keyword, ()) for keyword in said.copy()))
    # A reference that is cut may stand for anything.
    return [error.message for error in errors if "$ref" not in said and not broken(error) & said]


def broken(error):
    """The keywords on the way to what an instance breaks; of a union, those of its branches."""
    steps = {step for step in error.absolute_schema_path if isinstance(step, str)}
    return steps.union(*map(broken, error.context))
