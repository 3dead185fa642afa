"""Fields of forms: what is offered can be typed, and nothing else is taken."""

import io
import unicodedata

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from toolwright._log.printable import printable
from toolwright.client.form_fields import FormField, fields_of
from toolwright.client.question_handlers import filled_in

WORDS = st.text(min_size=1, max_size=8).map(str.strip).filter(lambda word: word and "," not in word)
NUMBERS = st.integers(-50, 50)


@st.composite
def schemas(draw):
    """The schema of a field, as the protocol allows them in forms."""
    kind = draw(
        st.sampled_from(["enum", "titles", "many", "integer", "number", "boolean", "string"])
    )
    words = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    if kind == "enum":
        return {"type": "string", "enum": words, "default": draw(st.sampled_from(words))}
    if kind == "titles":
        arms = [{"const": f"v{at}", "title": word} for at, word in enumerate(words)]
        return {"type": "string", "oneOf": arms, "default": "v0"}
    if kind == "many":
        items = {"type": "string", "enum": words}
        chosen = draw(st.lists(st.sampled_from(words), min_size=1, unique=True))
        return {"type": "array", "items": items, "default": chosen}
    if kind == "boolean":
        return {"type": "boolean", "default": draw(st.booleans())}
    if kind == "string":
        return {"type": "string", "minLength": 1, "maxLength": 8, "default": words[0]}
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    return {"type": kind, "minimum": low, "maximum": high, "default": low}


@settings(max_examples=examples(300), deadline=None)
@given(schemas())
def test_what_is_shown_as_the_default_can_be_typed(schema):
    field = FormField("f", schema, required=True)
    assert field.read(field.shown_default()) == schema["default"]
    for choice in field.choices:
        read = field.read(choice.title)
        assert read == ([choice.value] if field.is_list else choice.value)


@settings(max_examples=examples(300), deadline=None)
@given(schemas(), st.text(max_size=10))
def test_whatever_is_taken_fits_the_schema(schema, text):
    try:
        value = FormField("f", schema, required=True).read(text)
    except ValueError as error:
        assert str(error)
        return
    jsonschema.validate(value, schema)


@settings(max_examples=examples(200), deadline=None)
@given(st.text())
def test_no_text_commands_a_terminal(text):
    shown = printable(text)
    kinds = {unicodedata.category(char) for char in shown.replace("\n", "").replace("\t", "")}
    assert "Cc" not in kinds
    assert not set(shown) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ({"type": "integer"}, "1.5", "a whole number"),
        ({"type": "number"}, "nan", "a number"),
        ({"type": "number"}, "inf", "a number"),
        ({"type": "integer"}, "9" * 5000, "a whole number"),
        ({"type": "boolean"}, "maybe", "yes or no"),
        ({"enum": ["red", "rose"]}, "r", "choose one of red, rose"),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 1}, " , ", "at least 1"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, "a,b", "at most 1"),
        ({"type": "string", "maxLength": 2}, "abc", "at most 2 characters"),
        ({"type": "number", "exclusiveMaximum": 2}, "2", "less than 2"),
    ],
)
def test_what_is_wrong_is_said(schema, text, said):
    with pytest.raises(ValueError, match=said):
        FormField("f", schema, required=True).read(text)


def test_large_numbers_are_numbers():
    assert FormField("f", {"type": "integer"}, required=True).read("9" * 400) == int("9" * 400)


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"a": True}}])
def test_odd_forms_have_the_fields_that_can_be_read(schema):
    assert [field.read("x") for field in fields_of(schema)] == ["x"] * len(fields_of(schema))


FORM = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "enum": ["small", "large"], "title": "Size"},
        "count": {"type": "integer", "minimum": 1, "default": 2},
        "note": {"type": "string"},
    },
    "required": ["size"],
}


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        ("huge\nl\n\n\n", {"size": "large", "count": 2}),
        (
            "small\n0\n3\nwith\x1b[31m care\n",
            {"size": "small", "count": 3, "note": "with\x1b[31m care"},
        ),
        ("small\n", None),
    ],
)
def test_a_script_asks_on_its_terminal_as_the_command_does(monkeypatch, capsys, typed, answers):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert filled_in("Which \x1b[31mbike?", FORM) == answers
    shown = capsys.readouterr().err
    assert "The server asks: Which \\u001b[31mbike?" in shown
    assert "  Size (one of small, large): " in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(("typed", "answers"), [("y\n", {}), ("no\n", None), ("", None)])
def test_a_form_without_fields_is_agreed_to_or_not(monkeypatch, typed, answers):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert filled_in("Go on?", {}) == answers
