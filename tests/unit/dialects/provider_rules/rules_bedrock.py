"""The rules of Bedrock's Converse, and of Amazon's Nova."""

from tests.unit.dialects.provider_rules.rules_anthropic import (
    SIZES,
    STRICT_BANNED,
    budget_faults,
    strict_faults,
)
from tests.unit.dialects.provider_rules.rules_walk import (
    general_faults,
    name_faults,
    named,
    root_faults,
    shape_faults,
    walk,
    written,
)

NAME = r"[a-zA-Z0-9_-]{1,64}"
BANNED = STRICT_BANNED - set(SIZES)


def bedrock_faults(definitions, strict=False):
    found, specs = specs_of(definitions)
    for each in specs:
        own = []
        schema = schema_of(each)
        if each.get("strict") and not strict:
            own.append("strict, though nobody asked for it")
        if each.get("strict"):
            own += strict_faults(schema, BANNED)
        found += named(each.get("name"), own)
    return found + budget_faults([schema_of(each) for each in specs if each.get("strict")])


def nova_faults(definitions, strict=False):
    found, specs = specs_of(definitions)
    for each in specs:
        own = ["Nova knows no strict tools"] if "strict" in each else []
        schema = schema_of(each)
        own += [
            f"the root: has {key}"
            for key in schema
            if key not in ("type", "properties", "required")
        ]
        own += [
            f"{written(path)}: has {node['$ref']}"
            for path, node in walk(schema)
            if isinstance(node, dict) and "$ref" in node
        ]
        found += named(each.get("name"), own)
    return found


def specs_of(definitions):
    """The tools, and what is wrong with them whatever the model is."""
    found, specs = [], []
    for each in definitions:
        found += shape_faults(each, ("toolSpec",))
        specs.append(each.get("toolSpec", {}))
    if not specs:
        found.append("no tools")
    found += name_faults([each.get("name") for each in specs], NAME, 64)
    for each in specs:
        own = shape_faults(each, ("name", "inputSchema"), ("description", "strict"), "toolSpec")
        if not isinstance(each.get("description", "-"), str) or not each.get("description", "-"):
            own.append("an empty description")
        own += shape_faults(each.get("inputSchema"), ("json",), (), "inputSchema")
        schema = schema_of(each)
        own += general_faults(schema) + root_faults(schema, ())
        found += named(each.get("name"), own)
    return found, specs


def schema_of(spec):
    return (spec.get("inputSchema") or {}).get("json") or {}
