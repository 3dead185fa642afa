"""Whatever a dialect cannot say of a tool, it lists."""

import json

import pytest

from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.provider_rules.rules_walk import forget, walk
from tests.unit.dialects.rendering import BATTERY, DAILY, RARE_WAYS, SCHEMAS, box_of, rendered_alone

SAID = (
    *"pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum".split(),
    *"multipleOf minItems maxItems uniqueItems minProperties maxProperties patternProperties".split(),
    *"propertyNames contains not if enum examples dependentRequired".split(),
)
"""Keywords that say something which no other form of the schema says."""


def facts(schema):
    """What a schema demands, as pairs of keyword and value; the same demand has one form."""
    found = set()
    forget()
    for path, node in walk(schema):
        if not isinstance(node, dict) or set(path) & {"not", "if", "then", "else"}:
            continue
        for key in SAID:
            # The length of a tuple is said by its places, whatever they are written as.
            if key in node and not ("prefixItems" in node and key in ("minItems", "maxItems")):
                found |= set(_fact(node, key, node[key]))
        if "const" in node:
            found.add(("enum", json.dumps([node["const"]])))
        if len(node.get("oneOf", ())) > 1 and not _is_told_apart(node["oneOf"], schema):
            found.add(("oneOf", ""))
    return found


def _fact(node, key, value):
    if key == "pattern":
        yield key, value.removeprefix("^").removesuffix("$")  # some providers mean all of a text
    elif key == "patternProperties":  # the keys of a map's entries have the pattern
        yield from (("pattern", each.removeprefix("^").removesuffix("$")) for each in value)
    elif key == "enum":  # the values count, however they are grouped
        yield from (("enum", json.dumps([each])) for each in value)
    elif key == "exclusiveMinimum" and node.get("type") == "integer":
        if node.get("minimum", value) <= value + 1:
            yield "minimum", json.dumps(value + 1)
    elif key == "exclusiveMaximum" and node.get("type") == "integer":
        yield "maximum", json.dumps(value - 1)
    else:
        yield key, json.dumps(value, sort_keys=True)


def _is_told_apart(branches, schema):
    """Whether no value can match two branches, as far as one sees: different constants."""
    return all("$ref" in branch for branch in branches)


def undone(own, rendered):
    """Leave out what stands in another form: null as a type."""
    missing = own - facts(rendered)
    types = json.dumps(rendered)
    left = set()
    for keyword, value in missing:
        if (keyword, value) == ("enum", "[null]") and ('"null"' in types or "nullable" in types):
            continue
        left.add((keyword, value))
    return left


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_what_is_not_in_the_rendered_schema_is_a_loss(dialect, strict):
    for name, own in SCHEMAS.items():
        rendered = rendered_alone(name, dialect, strict)
        [(_, schema, _)] = tools_in(dialect, rendered.definitions)
        missing = {keyword for keyword, _ in undone(facts(own), schema)}
        said = {loss.keyword for loss in rendered.losses if loss.tool == name}
        if "patternProperties" in said:
            said.add("pattern")
        assert missing <= said, (name, schema, rendered.losses)


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_a_loss_says_which_tool_where_and_what(dialect, strict):
    rendered = box_of(BATTERY).render(dialect, strict=strict)
    for loss in rendered.losses:
        assert loss.message.strip() == loss.message != ""
        assert "\n" not in loss.message
        assert loss.tool in BATTERY or not loss.tool


@pytest.mark.parametrize("dialect", ["openai", "anthropic", "gemini", "ollama", "vscode", "cursor"])
def test_a_plain_tool_has_no_losses(dialect):
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string", "description": "What to find."}},
        "required": ["q"],
        "additionalProperties": False,
    }
    assert box_of({"find": schema}).render(dialect).losses == ()
