"""Schemas with every keyword in any company: the rules hold, and nothing is lost in silence."""

import json
import random

import jsonschema
import pytest

from tests.unit.dialects.instance_maker import Unmakeable, instance, nullable_as_null
from tests.unit.dialects.provider_rules.provider_faults import tools_in
from tests.unit.dialects.rendering import DAILY, WAYS, box_of, faults_of, unexplained
from tests.unit.dialects.wild_schemas import schema

FEW, MANY = 20, 160


@pytest.mark.parametrize("seeds", [range(FEW)], ids=str)
def test_any_schema_keeps_the_rules_and_comes_back(seeds):
    for seed in seeds:
        own = schema(seed)
        box = box_of({"tool": own})
        for dialect, strict in DAILY if seed < FEW else WAYS:
            rendered = box.render(dialect, strict=strict)
            assert faults_of(rendered, dialect, strict) == [], (seed, dialect, strict)
            json.dumps(rendered.definitions, allow_nan=False)
            check_decoding(own, rendered, dialect, random.Random(seed))


def check_decoding(own, rendered, dialect, pick):
    [(published, sent, _)] = tools_in(dialect, rendered.definitions)
    meant = anchored(sent) if dialect in ("xai", "cohere") else sent
    rules = jsonschema.Draft202012Validator(nullable_as_null(meant))
    mine = jsonschema.Draft202012Validator(own)
    for _ in range(3):
        try:
            drawn = instance(sent, pick)
        except Unmakeable:
            continue
        if not rules.is_valid(drawn):
            continue
        back = rendered.decode(published, drawn).arguments
        wrong = unexplained(mine.iter_errors(back), rendered, "tool")
        assert not wrong, (dialect, drawn, back, wrong, rendered.losses)


def anchored(schema):
    """A pattern is of the whole text there, whether it says so or not."""
    if isinstance(schema, list):
        return [anchored(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: anchored(value) for key, value in schema.items()}
    if isinstance(schema.get("pattern"), str):
        made["pattern"] = f"^(?:{schema['pattern']})$"
    return made
