"""Every pattern of the package takes linear time, and so does whatever looks at a caller's text."""

import functools
import importlib
import pkgutil
import re

import pytest
from hypothesis import given

import toolwright
from toolwright import Toolbox
from toolwright.arguments.repair import decode


@functools.cache
def patterns():
    """Return every pattern that a module or a class of the package holds, also in containers."""
    found = {}
    for info in pkgutil.walk_packages(toolwright.__path__, "toolwright."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        own = [
            each for each in vars(module).values() if getattr(each, "__module__", "") == info.name
        ]
        for holder in (module, *(each for each in own if isinstance(each, type))):
            for name, value in list(vars(holder).items()):
                many = value.values() if isinstance(value, dict) else value
                for each in (
                    many if isinstance(value, dict | list | tuple | set | frozenset) else [value]
                ):
                    if isinstance(each, re.Pattern):
                        found.setdefault((each.pattern, each.flags), (f"{info.name}.{name}", each))
    return list(found.values())


def test_the_patterns_of_the_package_are_found():
    names = {name for name, _ in patterns()}
    assert {
        "toolwright._log.redact._SURE",
        "toolwright.cli.jsonc._COMMENT_OR_TOKEN",
    } <= names
    assert len(names) > 20


box = Toolbox("attacked")
"""Processor time in which quadratic work on these texts would come nowhere near its end."""


# -- what was read before is still read the same


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("```json\n[1, 2]\n```", [1, 2]),
        ("```\n[1]\n```", [1]),
        ("```[1]```", [1]),
        ("```json [1]```", [1]),
        ("```5```", 5),
        ("  ```python\n(1, 2,)\n```  ", [1, 2]),
        ('"[1, 2]"', [1, 2]),
        ('"\\"[1, 2]\\""', [1, 2]),
        ("[1, 2,]", [1, 2]),
        ('["a,]", 2 , ]', ["a,]", 2]),
        ("{'a': 'it\\'s', \"b\": None}", {"a": "it's", "b": None}),
        ("{1: True, None: 2.5, 'x': (1,)}", {"1": True, "null": 2.5, "x": [1]}),
        ("['\\x41\\u00e9\\101\\n']", ["Aé" + "A\n"]),
        ("['True', True, 'a\\\\b']", ["True", True, "a\\b"]),
        ("True", True),
        ("()", []),
    ],
)
def test_text_is_read_as_what_it_says(text, value):
    assert decode(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "abc", "[1", "['a]", "'a\\'", "{1, 2}", "NaN", "[1 2]", "1" * 5000, "['\\U99999999']"],
)
def test_text_that_says_nothing_plain_is_left_alone(text):
    assert repr(decode(text)).startswith("<object")


BACKTRACKS = {
    "pattern": {"properties": {"a": {"pattern": "^(a+)+$"}}},
    "patternProperties": {"patternProperties": {"^(a+)+$": {"type": "string"}}},
    "additionalProperties": {
        "patternProperties": {"^(a+)+$": {}},
        "additionalProperties": {"type": "string"},
    },
}


@pytest.mark.parametrize("keyword", BACKTRACKS)
@pytest.mark.parametrize("side", ["input_schema", "output_schema"])
def test_patterns_of_written_schemas_hold_no_server(keyword, side):
    """Python's engine would take 2**60 steps for these values, and hold every thread meanwhile."""
    text = "a" * 60 + "!"
    value = {"a": text, text: 1}
    box = Toolbox("b")

    def take(**given: object) -> dict:
        return value

    box.add(take, **{side: {"type": "object", **BACKTRACKS[keyword]}})
    made = box.call("take", value if side == "input_schema" else {})
    assert made.is_error is (keyword != "patternProperties")


def test_a_pattern_that_looks_back_still_holds():
    box = Toolbox("b")
    schema = {"type": "object", "properties": {"a": {"pattern": r"^(.)\1$"}}}
    box.add(lambda **given: "fine", name="take", input_schema=schema)
    assert box.call("take", {"a": "xx"}).text == "fine"
    assert box.call("take", {"a": "xy"}).is_error
