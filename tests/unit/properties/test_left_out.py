"""What is left out of a type is neither published nor taken, wherever it stands."""

import dataclasses
import json
import threading
import typing
from collections.abc import Callable
from typing import Optional

import jsonschema
import jsonschema_rs
import pytest
import typing_extensions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ConfigDict, create_model

from tests.counting import examples
from tests.unit.properties.specs import JSON, LEAVES
from toolwright import ArgumentError, Tool
from toolwright.tools.definition import compiled_of

CHECKS = settings(
    max_examples=examples(200),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


class Engine:
    """Nothing is known of how to make one."""


LOST = st.sampled_from(
    [
        (Optional[Engine], None),
        (Callable[[int], int] | None, None),
        (list[Engine], ()),
        (dict[str, Engine], None),
        (type[int] | None, None),
        (threading.Event | Engine | None, None),
    ]
)


def _model(kept, lost):
    config = ConfigDict(arbitrary_types_allowed=True)
    fields = {"kept": (kept, ...), "lost": (lost[0], lost[1])}
    return create_model("Model", __config__=config, **fields)


def _dataclass(kept, lost):
    missing = dataclasses.field(default=lost[1])
    return dataclasses.make_dataclass("Record", [("kept", kept), ("lost", lost[0], missing)])


def _typed_dict(kept, lost):
    optional = typing_extensions.NotRequired[lost[0]]
    return typing_extensions.TypedDict("Keys", {"kept": kept, "lost": optional})


def _plain_class(kept, lost):
    class Plain:
        def __init__(self, kept: kept, lost: lost[0] = lost[1]) -> None:
            self.kept = kept

    return Plain


WAYS = {
    "itself": (lambda hint: hint, lambda value: value, ("x", "lost")),
    "list": (lambda hint: list[hint], lambda value: [value], ("x", 0, "lost")),
    "dict": (lambda hint: dict[str, hint], lambda value: {"k": value}, ("x", "k", "lost")),
    "optional": (lambda hint: Optional[hint], lambda value: value, ("x", "lost")),
    "union": (lambda hint: typing.Union[hint, bool], lambda value: value, ("x", "lost")),
}


@st.composite
def records(draw):
    spec = draw(st.sampled_from([leaf for leaf in LEAVES if leaf.hashable]))
    make = draw(st.sampled_from([_model, _dataclass, _typed_dict, _plain_class]))
    lost = draw(LOST)
    wrap, put, path = WAYS[draw(st.sampled_from(sorted(WAYS)))]
    return spec, wrap(make(spec.hint, lost)), put, path, draw(spec.values)


def written(spec, value):
    def give(): ...

    give.__annotations__ = {"return": spec.hint}
    serializer = compiled_of(Tool(give)).serializer
    return json.loads(serializer.to_json(value, by_alias=True)) if serializer else value


@pytest.mark.promise("parameters.left-out-null")
@CHECKS
@given(records(), JSON)
def test_a_field_that_is_left_out_takes_nothing(drawn, sent):
    spec, hint, put, path, value = drawn

    def target(x): ...

    target.__annotations__ = {"x": hint}
    tool = Tool(target)
    schema = tool.input_schema
    jsonschema_rs.meta.validate(schema)
    assert "lost" not in json.dumps(schema)
    assert any("leaves `lost` out" in problem for problem in tool.problems)
    kept = written(spec, value)
    good = {"x": put({"kept": kept})}
    jsonschema.Draft202012Validator(schema).validate(good)
    tool.bind(good)
    with pytest.raises(ArgumentError) as refused:
        tool.bind({"x": put({"kept": kept, "lost": sent})})
    assert path in [fault.path for fault in refused.value.faults]
    assert "unknown argument" in str(refused.value)
