"""The rules of MCP clients: what their users' reports say, on top of the protocol."""

import jsonschema

from tests.unit.dialects.provider_rules.rules_anthropic import schema_faults
from tests.unit.dialects.provider_rules.rules_gemini import json_schema_faults
from tests.unit.dialects.provider_rules.rules_walk import (
    ROOT_COMBINATORS,
    cycles,
    general_faults,
    items_faults,
    metaschema_faults,
    name_faults,
    named,
    root_faults,
    shape_faults,
    types_of,
    untyped_faults,
    walk,
    written,
)

NAME = r"[A-Za-z0-9._-]{1,128}"
PLAIN_NAME = r"[A-Za-z0-9_-]{1,64}"
OPTIONAL = ("title", "description", "outputSchema", "annotations", "icons", "execution", "_meta")


def mcp_faults(tools, pattern=NAME, longest=128, most=None, prefix="", schema_faults=None):
    found = name_faults([each.get("name") for each in tools], pattern, longest, prefix)
    if most is not None and len(tools) > most:
        found.append(f"{len(tools)} tools, more than {most}")
    for each in tools:
        own = shape_faults(each, ("name", "inputSchema"), OPTIONAL, "tool")
        schema = each.get("inputSchema", {})
        own += general_faults(schema) + root_faults(schema, ())
        if schema_faults is not None:
            own += schema_faults(schema)
        found += named(each.get("name"), own)
    return found


def claude_faults(tools, strict=False, prefix=""):
    return mcp_faults(tools, PLAIN_NAME, 64, None, prefix, schema_faults)


def cursor_faults(tools, strict=False, prefix=""):
    return mcp_faults(tools, PLAIN_NAME, 59, 80, prefix, _no_type_lists)


def vscode_faults(tools, strict=False, prefix=""):
    return mcp_faults(tools, PLAIN_NAME, 64, 128, prefix, _vscode)


def gemini_cli_faults(tools, strict=False, prefix=""):
    """It hands schemas on as `parametersJsonSchema`, and leaves out tools with untyped properties.

    Keywords that are not listed there are ignored: a server loses nothing by sending them.
    """
    name = r"[A-Za-z_][A-Za-z0-9_.:-]*"

    def schema_faults(schema):
        return json_schema_faults(schema, banned=("$schema",)) + untyped_faults(schema)

    return mcp_faults(tools, name, 63, None, prefix, schema_faults)


def codex_faults(tools, strict=False, prefix=""):
    return mcp_faults(tools, PLAIN_NAME, 64, None, prefix, _inlined)


def windsurf_faults(tools, strict=False, prefix=""):
    return mcp_faults(tools, PLAIN_NAME, 64, 100, prefix)


def _no_type_lists(schema):
    return [
        f"{written(path)}: a list of types"
        for path, node in walk(schema)
        if len(types_of(node)) > 1
    ]


def _inlined(schema):
    """References that could have been written out."""
    circular = cycles(schema)
    return [
        f"{written(path)}: refers to {node['$ref']}"
        for path, node in walk(schema)
        if isinstance(node, dict) and "$ref" in node and node["$ref"] not in circular
    ]


def _vscode(schema):
    found = root_faults(schema, ROOT_COMBINATORS) + _inlined(schema)
    found += items_faults(schema, may_be_empty=True)
    return found + metaschema_faults(schema, jsonschema.Draft7Validator)
