"""What each outlet prints for the schemas of `schema-facts.json`: the kinds that these have."""

import argparse
import ast
import json
import re
from pathlib import Path

import pytest

from toolwright import Toolbox
from toolwright._json_values import kind_of
from toolwright.cli.commands import show
from toolwright.client.signatures import arguments_of, signature_text
from toolwright.client.callables.signature import shapes_of
from toolwright.client.generate.hint_source import HintWriter
from toolwright.contract.containment import contains
from toolwright.json_schema.facts import facts
from toolwright.json_schema.facts import KINDS

CASES = json.loads((Path(__file__).parents[2] / "data" / "schema-facts.json").read_text())["cases"]
ROOTS = ("$schema", "$defs", "definitions")
SAMPLES = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "number": 1.5,
    "string": "any text, with a comma",
    "array": [[], {}],
    "object": {"no": {}},
}
WORDS = {
    "an integer": {"integer"},
    "a number": {"integer", "number"},
    "a string": {"string"},
    "true or false": {"boolean"},
    "a list": {"array"},
    "an object": {"object"},
    "null": {"null"},
}
TYPES = {
    "str": {"string"},
    "int": {"integer"},
    "float": {"integer", "number"},
    "bool": {"boolean"},
    "list": {"array"},
    "dict": {"object"},
    "tuple": {"array"},
    "Any": set(KINDS),
}


def input_schema(case):
    schema = case["schema"]
    value = {key: part for key, part in schema.items() if key not in ROOTS}
    roots = {key: schema[key] for key in ROOTS if key in schema}
    return {"type": "object", "properties": {"value": value}, "required": ["value"], **roots}


def is_old(case):
    return "$schema" in case["schema"]


@pytest.fixture(scope="module")
def box():
    """A tool for each schema; the schema of draft 7 is refused as an author's own."""
    box = Toolbox("facts")
    for number, case in enumerate(CASES):
        if not is_old(case):
            box.add(lambda **_: 1, name=f"c{number}", input_schema=input_schema(case))
    return box


def named_cases(box):
    return [(f"c{number}", case) for number, case in enumerate(CASES) if f"c{number}" in box]


def kinds_of_type(text):
    """Return the kinds of values that a type stands for, as it is printed."""

    def kinds(node):
        if isinstance(node, ast.BinOp):
            return kinds(node.left) | kinds(node.right)
        if isinstance(node, ast.Constant):
            return {"null"}
        if isinstance(node, ast.Subscript) and node.value.id == "Literal":
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return {kind_of(ast.literal_eval(part)) for part in parts}
        name = node.value.id if isinstance(node, ast.Subscript) else node.id
        return TYPES.get(name, {"object"})

    return kinds(ast.parse(text, mode="eval").body)


def test_list_prints_the_kinds(box):
    for name, case in named_cases(box):
        printed = re.fullmatch(rf"{name}\(value: (.*)\)( -> int)?", signature_text(box[name]))
        assert kinds_of_type(printed[1]) == set(case["kinds"]), (case["name"], printed[0])


def test_show_prints_the_kinds(box):
    for name, case in named_cases(box):
        (argument,) = arguments_of(box[name])
        _, printed, _, _ = show._row(argument)
        assert kinds_of_type(printed) == set(case["kinds"]), case["name"]


def test_generated_modules_have_the_kinds():
    for case in CASES:
        definition = {"name": "t", "inputSchema": input_schema(case)}
        (field,) = shapes_of(definition).fields
        printed = HintWriter().hint(field.shape, "value", sent=True)
        assert kinds_of_type(printed) == set(case["kinds"]), case["name"]


def test_call_says_the_kinds(box):
    for name, case in named_cases(box):
        wrong = [kind for kind in ("string", "object", "array") if kind not in case["kinds"]]
        if not wrong:
            continue
        result = box.call(name, {"value": SAMPLES[wrong[0]]})
        assert result.is_error, case["name"]
        values = facts(case["schema"]).values
        if values:
            listed = ", ".join(map(json.dumps, values))
            assert f"`value` must be one of {listed}" in result.text
            continue
        printed = re.search(r"must be (.*?)(?: of \w+)?; got", result.text)
        assert printed is not None, (case["name"], result.text)
        said = set().union(*(WORDS[word] for word in re.split(r" or (?!false)", printed[1])))
        assert said == set(case["kinds"]), (case["name"], result.text)


def test_call_takes_every_kind_that_fits(box):
    for name, case in named_cases(box):
        if facts(case["schema"]).values or "properties" in case:
            continue
        for kind in case["kinds"]:
            result = box.call(name, {"value": SAMPLES[kind]})
            assert not result.is_error or "at most" in result.text, (
                case["name"],
                kind,
                result.text,
            )


def test_the_completer_offers_the_listed_values(box, monkeypatch):
    from toolwright.cli import completer

    monkeypatch.setattr(completer, "_box", lambda _: box)
    for name, case in named_cases(box):
        chosen = argparse.Namespace(target="box", tool=name, given=[], prompt=False)
        offered = list(completer._pairs(chosen, "value", "=", ""))
        is_any = len(case["kinds"]) == len(KINDS)
        values = facts(case["schema"]).values or []
        values = values or ([True, False] if "boolean" in case["kinds"] and not is_any else [])
        assert offered == [f"value={json.dumps(value)}" for value in values], case["name"]


def test_doctor_names_the_kinds():
    for case in CASES:
        wrong = [kind for kind in KINDS[1:] if kind not in case["kinds"]]
        if is_old(case) or not wrong or set(wrong) == {"number"}:
            continue
        kind = next(each for each in reversed(wrong) if each != "number")
        schema = input_schema(case)
        schema["properties"]["value"]["default"] = SAMPLES[kind]
        box = Toolbox("one")
        box.add(lambda **_: 1, name="t", description="Take a value.", input_schema=schema)
        texts = [each.message for each in box.check().findings if each.id == "mismatched_default"]
        kinds = set(case["kinds"])
        if kinds == {"null"}:
            assert texts == []  # null fits whatever is optional
            continue
        named = kinds - {"integer"} if "number" in kinds else kinds
        assert texts == [f"t.value is of type {' or '.join(sorted(named))}, but its default is not"]


def test_the_contract_knows_the_kinds():
    for case in CASES:
        if case["name"] == "if and then":  # which it does not read
            assert contains({"type": "string"}, case["schema"]).answer == "unknown"
            continue
        kinds = set(case["kinds"]) - ({"integer"} if "number" in case["kinds"] else set())
        assert contains({"type": sorted(kinds)}, case["schema"]).is_contained, case["name"]


def printed_kinds(schema, root):
    said = facts({**schema, **{key: root[key] for key in ROOTS if key in root}})
    return said.kinds


def test_dialects_offer_no_other_kinds(box):
    """A provider wants a type, so that a schema that names none is offered with fewer."""
    rendered = {
        each["function"]["name"]: each["function"] for each in box.render("openai").definitions
    }
    for name, case in named_cases(box):
        parameters = rendered[name]["parameters"]
        offered = printed_kinds(parameters["properties"]["value"], parameters)
        assert offered, case["name"]
        if case["name"] in NARROWED:
            assert offered < set(case["kinds"]), case["name"]
        else:
            assert offered == set(case["kinds"]), (case["name"], parameters)


NARROWED = {"properties without a type", "minLength without a type"}
