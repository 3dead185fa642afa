"""Results that a tool or a hook builds by itself."""

import datetime

import pytest

from toolwright import Result, Toolbox

BLOCK = {"type": "text", "text": "words"}


@pytest.mark.parametrize(
    ("given", "text", "structured"),
    [
        (Result("mine"), "mine", None),
        (Result(""), "", None),
        (Result({"n": 1}), '{"n":1}', {"n": 1}),
        (Result([1, 2]), "[1,2]", [1, 2]),
        (Result(), "null", None),
        (Result({"n": 1}, blocks=[BLOCK]), "words", {"n": 1}),
        (Result(blocks=[BLOCK]), "words", None),
        (Result({"on": datetime.date(2026, 1, 2)}), '{"on":"2026-01-02"}', {"on": "2026-01-02"}),
    ],
    ids=["text", "empty", "object", "list", "nothing", "both", "blocks", "date"],
)
def test_a_result_shows_its_value_unless_it_has_blocks(given, text, structured):
    box = Toolbox("b")

    @box.tool
    def own() -> Result:
        return given

    made = box.call("own")
    assert made.text == text
    assert made.structured == structured
    assert made.to_mcp()["isError"] is False


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (Result("mine", meta={"k": 1}), "mine"),
        (Result({"n": 1}), {"n": 1}),
        (Result([1, 2], blocks=[BLOCK]), [1, 2]),
        (Result(blocks=[BLOCK]), None),
    ],
    ids=["text", "object", "both", "blocks"],
)
def test_a_result_that_is_cached_keeps_its_value(given, value):
    box = Toolbox("b")

    @box.tool(cache=60)
    def own() -> Result:
        return given

    plain = given.to_mcp()
    for hit in (False, True):
        made = box.call("own")
        assert made.value == value
        assert made.meta["toolwright/cache"]["hit"] is hit
        assert {**made.to_mcp(), "_meta": None} == {**plain, "_meta": None}


def test_a_result_of_what_json_cannot_hold_says_what_it_needs():
    with pytest.raises(TypeError, match="a Result of a object needs `blocks`"):
        Result(object())


@pytest.mark.parametrize(
    "value", [float("nan"), 10**5000, [float("inf")]], ids=["nan", "long", "infinite"]
)
def test_a_result_of_a_number_that_json_cannot_hold_is_refused_in_words(value):
    with pytest.raises(ValueError, match="a Result needs a value that JSON can hold"):
        Result(value)


@pytest.mark.parametrize("value", [0, -1, 10**40, True, "", "text", "é\u2028", "x" * 5000])
def test_short_and_long_scalars_are_written_alike(value):
    box = Toolbox("b")
    kind = type(value)

    def give():
        return value

    give.__annotations__["return"] = kind
    box.add(give)
    made = box.call("give")
    assert made.value == value
    assert type(made.value) is kind
    assert made.text == (value if kind is str else {True: "true"}.get(value, str(value)))


def test_an_integer_too_long_is_still_refused_and_a_small_limit_still_cuts():
    box = Toolbox("b")

    @box.tool
    def long() -> int:
        return 10**5000

    @box.tool(max_result=10)
    def cut() -> str:
        return "0123456789" * 3

    assert "more than 4300 digits" in box.call("long").text
    assert "[cut: " in box.call("cut").text
