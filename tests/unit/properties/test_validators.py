"""A validator that does nothing changes nothing, for types and values nobody chose by hand."""

import collections
import copy
import enum
import json
from typing import Annotated, Union

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, WrapValidator, field_validator, model_validator

from tests.counting import examples
from tests.unit.properties.specs import JSON, Spec, _is_native, specs
from tests.unit.properties.test_agree import _spots, taking, written
from toolwright import ArgumentError

CHECKS = settings(
    max_examples=examples(300),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


@st.composite
def overlapping(draw):
    """A union whose choices may take the same JSON: the best choice must stay the best.

    Named tuples are left out: a list is exact for one in JSON, and in Python it is not.
    """
    choices = specs(1).filter(lambda spec: not hasattr(spec.hint, "_fields"))
    parts = draw(st.lists(choices, min_size=2, max_size=3))
    kinds = frozenset().union(*(part.kinds for part in parts))
    hint = Union[tuple(part.hint for part in parts)]
    return Spec(hint, st.one_of(*(part.values for part in parts)), kinds)


@st.composite
def typed_json(draw, depth=2):
    """A type, and JSON that is one of its values, near one, or far from all of them."""
    spec = draw(specs(depth) | overlapping())
    how = draw(st.sampled_from(["fits", "bent", "any"]))
    if how == "any":
        return spec.hint, draw(JSON)
    # A copy: it is bent below, and what is drawn may be the same object the next time.
    sent = copy.deepcopy(written(spec.hint, draw(spec.values)))
    spots = list(_spots(sent))
    if how == "bent" and spots:
        holder, key = draw(st.sampled_from(spots))
        holder[key] = draw(JSON)
    return spec.hint, sent


def bound(tool, sent):
    """What a function gets, or None: from values and from text alike."""
    made = []
    for arguments in (sent, json.dumps(sent)):
        try:
            made.append(tool.bind(arguments)[1])
        except ArgumentError:
            made.append(None)
    assert shown(made[0]) == shown(made[1])
    return made[0]


def shown(value):
    """A value with the types of all that is in it; the order in a set is nobody's promise."""
    if isinstance(value, set | frozenset):
        return type(value), sorted(str(shown(item)) for item in value)
    if isinstance(value, list | tuple | collections.deque):
        return type(value), [shown(item) for item in value]
    if isinstance(value, dict):
        return type(value), {repr(key): shown(item) for key, item in value.items()}
    if hasattr(value, "__dict__") and not isinstance(value, enum.Enum):
        return type(value), shown(vars(value))
    return type(value), repr(value)


def is_tagged(hint):
    """Pydantic applies the discriminator of a parameter last, whatever stands behind it."""
    return any(getattr(item, "discriminator", None) for item in getattr(hint, "__metadata__", ()))


def before(hint):
    return Annotated[hint, BeforeValidator(lambda value: value)]


def around(hint):
    return Annotated[hint, WrapValidator(lambda value, handler: handler(value))]


@pytest.mark.promise("parameters.validators")
@CHECKS
@given(typed_json(), st.sampled_from([before, around]))
def test_a_validator_that_does_nothing_changes_nothing(drawn, wrapped):
    hint, sent = drawn
    assume(not is_tagged(hint))
    plain, tool = taking(hint), taking(wrapped(hint))
    assert tool.input_schema == plain.input_schema
    assert shown(bound(tool, {"x": sent})) == shown(bound(plain, {"x": sent}))


@CHECKS
@given(typed_json())
def test_a_validator_inside_changes_nothing(drawn):
    hint, sent = drawn
    plain, tool = taking(list[hint]), taking(list[before(hint)])
    assert tool.input_schema == plain.input_schema
    assert shown(bound(tool, {"x": [sent]})) == shown(bound(plain, {"x": [sent]}))


@CHECKS
@given(typed_json(1), st.sampled_from(["field", "model"]))
def test_a_model_with_a_validator_takes_what_one_without_takes(drawn, where):
    hint, sent = drawn
    assume(_is_native(hint))

    class Plain(BaseModel):
        held: hint

    class Checked(BaseModel):
        held: hint
        if where == "field":

            @field_validator("held", mode="before")
            @classmethod
            def pass_on(cls, value):
                return value

        else:

            @model_validator(mode="before")
            @classmethod
            def pass_all_on(cls, values):
                return values

    expected = bound(taking(Plain), {"x": {"held": sent}})
    found = bound(taking(Checked), {"x": {"held": sent}})
    if expected is None or found is None:
        assert expected is found
    else:
        assert shown(found["x"].held) == shown(expected["x"].held)


@CHECKS
@given(specs(), st.data())
def test_a_validator_may_give_the_value_itself(spec, data):
    assume(not is_tagged(spec.hint))
    value = data.draw(spec.values)
    hint = Annotated[spec.hint, BeforeValidator(lambda _: value)]
    received = bound(taking(hint), {"x": None})
    assert received is not None
    assert shown(received["x"]) == shown(value)
