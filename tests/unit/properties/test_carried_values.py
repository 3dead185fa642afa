"""Values that JSON carries in a way of ours: schema, validator and serialiser agree on them, too.

They stand in all that is not a model: what a field of a model takes is pydantic's business.
"""

import types
import typing

import jsonschema
import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.properties.specs import JSON, Spec
from tests.unit.properties.test_agree import CHECKS, STYLES, check_input, check_output, taking
from toolwright import ArgumentError


class Place:
    x: int
    name: str | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and vars(self) == vars(other)

    __hash__ = None


def place(x, name):
    made = Place()
    made.x, made.name = x, name
    return made


SMALL = st.integers(-9, 9)
OBJECT, TEXT = frozenset(("object",)), frozenset(("string",))
RANGES = st.builds(range, SMALL, SMALL, SMALL.filter(bool))
NAMESPACES = st.dictionaries(st.sampled_from("abc"), SMALL).map(
    lambda given: types.SimpleNamespace(**given)
)
CARRIED = [
    Spec(range, RANGES, OBJECT),
    Spec(memoryview, st.binary(max_size=8).map(memoryview), TEXT),
    Spec(types.SimpleNamespace, NAMESPACES, OBJECT),
    Spec(type[int] | type[str], st.sampled_from([int, str]), TEXT),
    Spec(Place, st.builds(place, SMALL, st.none() | st.text(max_size=3)), OBJECT),
]


@st.composite
def carried(draw):
    """Draw a hint and one of its values, perhaps inside another."""
    spec = draw(st.sampled_from(CARRIED))
    hint, values = spec.hint, spec.values
    for shape in draw(st.lists(st.sampled_from(["list", "dict", "tuple", "union"]), max_size=2)):
        if shape == "list":
            hint, values = list[hint], st.lists(values, max_size=2)
        elif shape == "dict":
            hint, values = dict[str, hint], st.dictionaries(st.sampled_from("ab"), values)
        elif shape == "tuple":
            hint, values = tuple[hint, int], st.tuples(values, SMALL)
        else:
            hint, values = typing.Union[bool, hint], st.booleans() | values  # noqa: UP007
    return hint, draw(values)


@pytest.mark.promise("schema.agrees")
@CHECKS
@given(carried(), STYLES)
def test_a_carried_value_passes_and_comes_back(drawn, style):
    hint, value = drawn
    check_input(hint, value, style=style)
    check_output(hint, value, style=style)


@CHECKS
@given(st.sampled_from([*(spec.hint for spec in CARRIED), slice, numpy.ndarray]), JSON)
def test_what_the_schema_refuses_nothing_is_made_of(hint, sent):
    tool = taking(hint)
    if jsonschema.Draft202012Validator(tool.input_schema).is_valid({"x": sent}):
        return
    with pytest.raises(ArgumentError):
        tool.bind({"x": sent})
