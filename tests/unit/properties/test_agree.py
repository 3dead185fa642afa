"""Schema, validator and serialiser agree, for types and values nobody chose by hand."""

import copy
import json

import jsonschema
import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.counting import examples
from tests.unit.properties.specs import JSON, specs
from toolwright import ArgumentError, Tool
from toolwright.json_schema.walk import nodes, rewrite
from toolwright.schema import style_rules, write
from toolwright.tools.definition import compiled_of


class Record(BaseModel):
    note: str | None = None


class Tree(BaseModel):
    kids: list["Tree"] = []


CHECKS = settings(
    max_examples=examples(400),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


def taking(hint, **options):
    def target(x): ...

    target.__annotations__ = {"x": hint}
    return Tool(target, **options)


def giving(hint, **options):
    def target(): ...

    target.__annotations__ = {"return": hint}
    return Tool(target, **options)


def written(hint, value):
    """The JSON of a value of this type."""
    serializer = compiled_of(giving(hint)).serializer
    return json.loads(serializer.to_json(value, by_alias=True)) if serializer else value


def check_sound(schema):
    """A schema is valid, and every reference in it resolves."""
    jsonschema_rs.meta.validate(schema)
    for node in nodes(schema):
        if "$ref" in node:
            assert node["$ref"].rsplit("/", 1)[-1] in schema["$defs"]


def leave_out_nulls(schema, sent):
    """Where null means absent it is not published: leave those keys out, as a client would.

    A key that must be there stays missed: the schema then says that it is required.
    """
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(sent))
    while errors:
        fault = errors.pop()
        errors.extend(fault.context)
        *path, last = fault.absolute_path or [None]
        if fault.instance is None and isinstance(last, str):
            holder = sent
            for step in path:
                holder = holder[step]
            holder.pop(last, None)


def check_input(hint, value, **options):
    tool = taking(hint, **options)
    schema = tool.input_schema
    sent = {"x": written(hint, value)}
    check_sound(schema)
    leave_out_nulls(schema, sent)
    jsonschema.Draft202012Validator(schema).validate(sent)
    _, received = tool.bind(sent)
    assert received["x"] == value
    assert type(received["x"]) is type(value)


def check_output(hint, value, **options):
    tool = giving(hint, **options)
    compiled = compiled_of(tool)
    if tool.output_schema is None:
        return
    check_sound(tool.output_schema)
    sent = written(hint, value)
    jsonschema.Draft202012Validator(tool.output_schema).validate(sent)
    if compiled.boxed_output_schema:
        boxed = json.loads(compiled.boxed_output_schema)
        check_sound(boxed)
        jsonschema.Draft202012Validator(boxed).validate({"result": sent})


@st.composite
def typed_values(draw):
    spec = draw(specs())
    return spec.hint, draw(spec.values)


STYLES = st.sampled_from(["portable", "full"])


@pytest.mark.promise("schema.agrees")
@CHECKS
@given(typed_values(), STYLES)
def test_a_value_passes_the_schema_and_the_validator_and_comes_back(drawn, style):
    hint, value = drawn
    check_input(hint, value, style=style)


@pytest.mark.promise("schema.agrees")
@CHECKS
@given(typed_values(), STYLES)
def test_a_serialised_value_meets_the_output_schema(drawn, style):
    hint, value = drawn
    check_output(hint, value, style=style)


@st.composite
def bent(draw):
    """A type, and JSON that is near one of its values, or far from all of them."""
    spec = draw(specs())
    if draw(st.booleans()):
        return spec.hint, draw(JSON)
    sent = written(spec.hint, draw(spec.values))
    spots = [(None, None), *_spots(sent)]
    holder, key = draw(st.sampled_from(spots))
    if holder is None:
        return spec.hint, draw(JSON)
    holder[key] = draw(JSON)
    return spec.hint, sent


def _spots(value):
    if not isinstance(value, dict | list):
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _spots(inner)


@CHECKS
@given(bent())
def test_what_the_schema_refuses_the_validator_refuses(drawn):
    hint, sent = drawn
    tool = taking(hint)
    accepted = jsonschema.Draft202012Validator(tool.input_schema).is_valid({"x": sent})
    if accepted:
        return
    without_nulls = {"x": copy.deepcopy(sent)}
    leave_out_nulls(tool.input_schema, without_nulls)
    if jsonschema.Draft202012Validator(tool.input_schema).is_valid(without_nulls):
        return  # null where it means absent
    with pytest.raises(ArgumentError):
        tool.bind({"x": sent})


# -- planted faults: the checks above must notice them


def test_a_null_arm_dropped_on_output_is_noticed(monkeypatch):
    real = write.rules_of
    monkeypatch.setattr(write, "rules_of", lambda style, is_input: real(style, is_input=True))
    with pytest.raises(jsonschema.ValidationError):
        check_output(Record, Record(), style="portable")


def test_removed_definitions_are_noticed(monkeypatch):
    attach = style_rules.Definitions.attach

    def without_defs(self, root, used, **options):
        made = attach(self, root, used, **options)
        made.pop("$defs", None)
        return made

    monkeypatch.setattr(style_rules.Definitions, "attach", without_defs)
    with pytest.raises((KeyError, AssertionError)):
        check_input(Tree, Tree(kids=[Tree()]))


def test_a_pruned_title_parameter_is_noticed(monkeypatch):
    def pruned(schema, steps):
        def drop(node, key):
            return {
                word: {k: v for k, v in value.items() if k != "title"}
                if word == "properties"
                else value
                for word, value in node.items()
            }

        return rewrite(real(schema, steps), drop)

    real = write.apply_rules
    monkeypatch.setattr(write, "apply_rules", pruned)

    def book(title: str): ...

    with pytest.raises(jsonschema.ValidationError):
        schema = Tool(book).input_schema
        jsonschema.Draft202012Validator(schema).validate({"title": "x"})
