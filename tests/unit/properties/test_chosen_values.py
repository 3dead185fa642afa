"""Classes chosen by name: the schema and the validator agree on what names one."""

import http.cookiejar
from abc import ABC, abstractmethod

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.properties.specs import JSON
from tests.unit.properties.test_agree import CHECKS, STYLES, taking
from toolwright import ArgumentError, Tool


class Term(ABC):
    @abstractmethod
    def value(self) -> int: ...


class Number(Term):
    def __init__(self, n: int) -> None:
        self.n = n

    def value(self) -> int:
        return self.n


class One(Term):
    def value(self) -> int:
        return 1


class Sum(Term):
    def __init__(self, terms: list[Term]) -> None:
        self.terms = terms

    def value(self) -> int:
        return sum(term.value() for term in self.terms)


def sums(inner):
    several = st.lists(inner, max_size=3)
    return several.map(
        lambda drawn: ({"type": "Sum", "terms": [s for s, _ in drawn]}, sum(v for _, v in drawn))
    )


NUMBERS = st.integers(-9, 9).map(lambda n: ({"type": "Number", "n": n}, n))
TERMS = st.recursive(NUMBERS | st.just(({"type": "One"}, 1)), sums, max_leaves=6)
HINTS = [Term, list[Term], type[Term], type[Warning], BaseException, http.cookiejar.CookieJar]
ODD = st.fixed_dictionaries(
    {"type": st.sampled_from(["One", "Sum", "Number", "x"])}, optional={"n": JSON, "terms": JSON}
)


@pytest.mark.promise("schema.agrees")
@CHECKS
@given(TERMS, STYLES)
def test_what_is_chosen_passes_the_schema_and_is_made(drawn, style):
    sent, value = drawn

    def evaluate(x: Term) -> int:
        return x.value()

    tool = Tool(evaluate, style=style)
    jsonschema.validate({"x": sent}, tool.input_schema)
    assert tool.call({"x": sent}).value == value


@CHECKS
@given(st.sampled_from(HINTS), JSON | ODD)
def test_what_the_schema_refuses_is_not_chosen(hint, sent):
    tool = taking(hint)
    if jsonschema.Draft202012Validator(tool.input_schema).is_valid({"x": sent}):
        tool.bind({"x": sent})
        return
    with pytest.raises(ArgumentError):
        tool.bind({"x": sent})
