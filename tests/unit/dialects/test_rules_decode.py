"""What a model makes of a rendered schema comes back as the tool's own arguments."""

import json
import random

import jsonschema
import pytest

from tests.counting import examples
from tests.unit.dialects.deep_schemas import DEEP
from tests.unit.dialects.instance_maker import Unmakeable, fitted, instance, nullable_as_null
from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.rendering import (
    BATTERY,
    DAILY,
    RARE_WAYS,
    SCHEMAS,
    WAYS,
    rendered_alone,
    unexplained,
)
from tests.unit.dialects.toolbox_maker import toolbox
from toolwright import ArgumentError

# tool's own arguments, for each schema of the battery
OWN = {
    "optional_default": [{"q": "a"}, {"q": "a", "n": 3}],
    "nullable_anyOf": [{}, {"a": "x"}],
    "nullable_typelist": [{"a": "x"}, {"a": None}],
    "typelist_union": [{"a": "xy"}, {"a": 3}, {"a": ["b"]}],
    "const_str": [{"a": "x"}],
    "const_int": [{"a": 3}],
    "const_null": [{"a": None}],
    "const_false": [{"a": False}],
    "enum_int": [{"a": 1}, {"a": 2}],
    "enum_mixed": [{"a": "x"}, {"a": 1}, {"a": None}],
    "enum_empty_str": [{"a": "a"}, {"a": ""}],
    "oneOf_disc": [{"p": {"k": "cat", "l": 9}}, {"p": {"k": "cat"}}, {"p": {"k": "dog"}}],
    "allOf2": [{"p": {"x": 1, "y": 2}}],
    "allOf1_ref_desc": [{"p": {"x": 1}}],
    "ref_sibling_desc": [{"p": {"x": 1}}],
    "recursive": [
        {"n": {"v": 1, "next": None}},
        {"n": {"v": 1, "next": {"v": 2, "next": None}}},
    ],
    "draft7_definitions": [{"p": {"x": 1}}],
    "pointer_ref": [{"a": {"x": 1}, "b": {"x": 2}}],
    "tuple": [{"t": ["a", 1]}],
    "bare_list": [{"t": []}, {"t": ["a"]}],
    "list_any": [{"t": []}, {"t": ["a", 1]}],
    "any_value": [{"t": "a"}, {"t": 1}],
    "dict_str_int": [{"m": {}}, {"m": {"a": 1, "with space": 2}}],
    "dict_any": [{"m": {}}, {"m": {"a": 1}}],
    "patternProps": [{"m": {"x1": 1}}],
    "constraints": [{"s": "aaa", "i": 4, "l": ["a", "b"]}],
    "formats": [{"d": "2026-01-02T03:04:05Z", "u": "https://example.com", "b": "x"}],
    "examples_title": [{"a": "x"}],
    "propname_keywords": [
        {"title": "a", "strict": "b"},
        {name: name for name in BATTERY["propname_keywords"]["properties"]},
    ],
    "no_params": [{}],
    "no_params_props": [{}],
    "root_anyOf": [{"a": "x"}, {"b": "y"}],
    "root_ref": [{"x": 1}],
    "not_ifthen": [{"a": "y"}],
    "bool_schema": [{"a": "x"}, {"a": 2}],
    "nested_opt": [{"o": {"x": 1}}, {"o": {"x": 1, "y": "z"}}],
    "required_order": [{"a": "x"}, {"a": "x", "b": "y"}],
}


MEANT = OWN | {name: examples for name, (_, examples) in DEEP.items()}


def one(rendered, dialect):
    [(name, schema, _)] = tools_in(dialect, rendered.definitions)
    return name, schema


def test_the_pairs_are_of_the_whole_battery():
    assert OWN.keys() == BATTERY.keys()
    for name, meant in MEANT.items():
        for each in meant:
            jsonschema.validate(each, SCHEMAS[name])


@pytest.mark.parametrize(("dialect", "strict"), [*DAILY, *RARE_WAYS])
def test_arguments_come_back_as_they_were_meant(dialect, strict):
    for name, meant in MEANT.items():
        rendered = rendered_alone(name, dialect, strict)
        published, schema = one(rendered, dialect)
        checked = jsonschema.Draft202012Validator(nullable_as_null(schema))
        for arguments in meant:
            sent = fitted(arguments, SCHEMAS[name], schema)
            assert checked.is_valid(sent), (name, sent, schema)
            back = rendered.decode(published, json.loads(json.dumps(sent)))
            assert back == (name, arguments), (sent, schema)


FEW = 2


@pytest.mark.parametrize("seed", [*range(FEW)])
def test_whatever_the_schemas_of_a_toolbox_allow_its_tools_take(seed):
    box = toolbox(seed)
    pick = random.Random(seed)
    checked = {
        name: jsonschema.Draft202012Validator(tool.input_schema) for name, tool in box.items()
    }
    for dialect, strict in WAYS:
        rendered = box.render(dialect, strict=strict)
        for published, schema, _ in tools_in(dialect, rendered.definitions):
            own = rendered.names[published]
            for _ in range(2):
                try:
                    drawn = instance(schema, pick)
                except Unmakeable:
                    continue
                back = rendered.decode(published, drawn)
                if not unexplained(checked[own].iter_errors(back.arguments), rendered, own):
                    continue
                # Its own schema may be narrower than what the tool takes: null for an optional.
                result = box.call(own, back.arguments)
                refused = isinstance(result.error, ArgumentError)
                assert not refused, (dialect, strict, own, drawn, back.arguments, result.text)
