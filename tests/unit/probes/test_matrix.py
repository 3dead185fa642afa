"""Every case: what is published, what is refused, and what reaches the function."""

import json
from operator import attrgetter

import jsonschema
import pytest

from tests.counting import for_every
from tests.unit.probes.case import STR, UNCHECKED, Case, fits, same
from tests.unit.probes.cases import CASES
from tests.unit.probes.rules import dead_definitions, faults
from toolwright import ArgumentError, SchemaError, Tool

ERAS = ("2025-06-18", "2025-11-25", "2026-07-28")

GOOD = [case for case in CASES if not case.refused]
REFUSED = [case for case in CASES if case.refused]

each_good = for_every("case", GOOD, ids=attrgetter("id"))
each_refused = for_every("case", REFUSED, ids=attrgetter("id"))
BINDS = [
    (case, arguments, wanted, said)
    for case in GOOD
    for said, pairs in ((True, case.bind), (False, case.unsaid))
    for arguments, wanted in pairs
]
REJECTS = [(case, arguments) for case in GOOD for arguments in case.rejects]


def case_and_arguments(case, arguments, *_):
    return f"{case.id}-{json.dumps(arguments)[:60]}"


def tool_of(case: Case) -> Tool:
    return Tool(case.target, **case.options)


def test_the_ids_of_the_cases_are_unique():
    ids = [case.id for case in CASES]
    assert sorted(ids) == sorted(set(ids))


@each_good
def test_the_input_schema_is_exactly_the_expected_one(case):
    schema = tool_of(case).input_schema

    assert schema.get("properties") == case.properties
    assert sorted(schema.get("required", ())) == sorted(case.required)
    assert schema["additionalProperties"] == case.extra
    assert schema.get("$defs", {}) == case.definitions


@each_good
def test_the_output_schema_is_exactly_the_expected_one(case):
    if case.output is not UNCHECKED:
        assert tool_of(case).output_schema == case.output


@each_good
def test_the_description_is_the_expected_one(case):
    if case.description is not UNCHECKED:
        assert tool_of(case).description == case.description


@each_good
def test_the_problems_are_the_expected_ones(case):
    problems = tool_of(case).problems

    assert len(problems) == len(case.problems), problems
    assert all(text in found for text, found in zip(case.problems, problems, strict=True)), problems


@pytest.mark.promise(
    "schema.root",
    "schema.typed-nodes",
    "schema.any-of",
    "schema.one-items",
    "schema.enum-for-const",
    "schema.nothing-breakable",
)
@each_good
def test_every_schema_keeps_the_rules_of_the_portable_style(case):
    tool = tool_of(case)
    schemas = {"input": tool.input_schema}
    if tool.output_schema is not None:
        schemas["output"] = tool.output_schema

    for name, schema in schemas.items():
        assert faults(schema, is_input=name == "input", titles=case.titles) == []
        assert dead_definitions(schema) == set()


@pytest.mark.promise("schema.boxed")
@each_good
def test_each_era_gets_an_output_schema_it_can_use(case):
    tool = tool_of(case)
    bare = tool.output_schema
    for era in ERAS:
        published = tool.to_mcp(era).get("outputSchema")
        if published is None:
            # Plain text is sent once, as text; bytes are sent once, as content.
            assert bare is None or bare == STR or "contentEncoding" in bare
            continue
        assert faults(published, is_input=False, titles=case.titles) == []
        if era < ERAS[-1] or jsonschema.Draft202012Validator(bare).is_valid(None):
            assert published["type"] == "object"
        else:
            assert published == bare
        if published != bare:
            inner = {key: value for key, value in bare.items() if key != "$defs"}
            assert published["properties"] == {"result": inner}
            assert published["required"] == ["result"]
            assert published.get("$defs") == bare.get("$defs")
            assert "x-toolwright-box" in published


@pytest.mark.promise("schema.deterministic")
@each_good
def test_the_same_target_gives_the_same_bytes_again(case):
    assert tool_of(case).to_mcp_json() == tool_of(case).to_mcp_json()


@pytest.mark.promise("parameters.any-kind-by-name")
@for_every(("case", "arguments", "wanted", "said"), BINDS, ids=case_and_arguments)
def test_arguments_become_what_the_function_declares(case, arguments, wanted, said):
    tool = tool_of(case)
    allowed = jsonschema.Draft202012Validator(tool.input_schema).is_valid(arguments)

    positional, named = tool.bind(arguments)

    wanted_positional, wanted_named = wanted if isinstance(wanted, tuple) else ([], wanted)
    assert same(positional, wanted_positional), positional
    assert same(named, wanted_named), named
    assert fits(tool.target, positional, named)
    assert allowed is said


@pytest.mark.promise("tool.strict")
@for_every(("case", "arguments"), REJECTS, ids=case_and_arguments)
def test_arguments_that_do_not_fit_are_refused(case, arguments):
    with pytest.raises(ArgumentError):
        tool_of(case).bind(arguments)


@pytest.mark.promise("errors.where-and-what")
@each_refused
def test_a_target_that_cannot_be_a_tool_is_refused_by_name(case):
    with pytest.raises(SchemaError) as caught:
        tool_of(case).compile()

    assert case.refused in str(caught.value)
    assert caught.value.tool
    assert "pydantic.dev" not in str(caught.value)
    assert "\n" not in str(caught.value)
