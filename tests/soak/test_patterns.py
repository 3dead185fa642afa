"""Every pattern of the package takes linear time, and so does whatever looks at a caller's text."""

import enum
import itertools
import re
import time
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.test_patterns import box, patterns
from toolwright._log import redact
from toolwright.arguments.repair import decode

HEADS = ("", '"', "```", "{", "[", "'", "(", ":", "a", "0", "-----BEGIN ", "pass", ":param ", "1/")
FRAGMENTS = (
    *('"', "'", "`", "{", "[", "(", ":", ",", "-", "_", ".", "<", "=", "*", "/", "\\", "a", "0"),
    *("\n", " ", "\t ", ", ", ",]", ",\n", "a-", "a ", "a,", "()", '\\"', "\\'", "%2f", "/*", "*/"),
    *("eyJ-", "sk-", "token ", "a://", "PRIVATE KEY", "1:"),
)
TAILS = ("", "!")


def seconds(pattern, text):
    """Return the processor time of this thread: other work of the machine is not counted."""
    begun = time.thread_time()
    pattern.search(text)
    pattern.fullmatch(text)
    return time.thread_time() - begun


def least(pattern, text):
    """Return the shortest of several times: the first may include something else."""
    if isinstance(pattern.pattern, bytes):
        text = text.encode()
    first = seconds(pattern, text)
    return first if first < 0.0003 else min(seconds(pattern, text) for _ in range(5))


def slow_text(pattern, heads=HEADS[:1], tails=TAILS[1:]):
    """Return the parts of a text on which a pattern takes more than linear time, or None."""
    for head, fragment, tail in itertools.product(heads, FRAGMENTS, tails):
        # An exponential pattern would never finish on a longer text.
        if least(pattern, head + fragment * 15 + tail) > 0.001:
            return head, fragment, tail
        texts = [head + fragment * count + tail for count in (1024, 4096)]
        # A slow pattern is slow each time; one that a busy machine has slowed down is not.
        if all(grows_faster(pattern, *texts) for _ in range(3)):
            return head, fragment, tail
    return None


def grows_faster(pattern, short, long):
    """Return whether a text of four times the length takes more than eight times as long."""
    small = least(pattern, short)
    # linear: 4 times, quadratic: 16 times
    return small >= 0.0003 and least(pattern, long) > max(8 * small, 0.003)


@pytest.mark.parametrize(
    "source",
    [r"(a+)+b", r"<[^>]*>", r"\s*\d+", r'"(?:[^"\\]|\\.)*"', r"\w+\s*:"],
)
def test_a_slow_pattern_is_noticed(source):
    assert slow_text(re.compile(source, re.DOTALL), HEADS[:3]) is not None


@pytest.mark.parametrize("pattern", [pytest.param(each, id=name) for name, each in patterns()])
def test_every_pattern_takes_linear_time(pattern):
    assert slow_text(pattern) is None


@pytest.mark.parametrize("pattern", [pytest.param(each, id=name) for name, each in patterns()])
def test_every_pattern_takes_linear_time_behind_whatever_comes_first(pattern):
    assert slow_text(pattern, HEADS, TAILS) is None


# -- attacks on the repair of arguments


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@box.tool
def paint(
    count: int = 0,
    sizes: list[int] = (),
    price: float = 0,
    colour: Colour = Colour.RED,
    corners: dict[str, int] | None = None,
    fills: bool = False,
    mode: Literal["fit", "fill"] = "fit",
) -> str:
    return "painted"


KEYS = ("count", "sizes", "price", "colour", "corners", "fills", "mode")
MOST_SECONDS = 20


def attack(text):
    """Send one text for every argument, and as all arguments."""
    begun = time.thread_time()
    for key in KEYS:
        result = box.call("paint", {key: text})
        assert result.is_error or result.text == "painted"
        assert len(result.text) < 2000
    box.call("paint", text)
    assert time.thread_time() - begun < MOST_SECONDS


@pytest.mark.promise("calling.repair-bounded")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```" + "\n" * 190_000, id="fence"),
        pytest.param("```a" + " \n" * 95_000 + "x```", id="fence-closed"),
        pytest.param('"' + '\\"' * 95_000, id="quotes"),
        pytest.param("[" + '\\\\\\"a\\\\\\", ' * 12_000 + "]", id="escaped-twice"),
        pytest.param("[" + "'a\\'" * 45_000, id="python"),
        pytest.param("[" + ", " * 95_000, id="commas"),
        pytest.param("[" + ",\n" * 95_000 + "]", id="trailing-commas"),
        pytest.param("1" * 190_000, id="digits"),
        pytest.param("-" * 190_000, id="signs"),
        pytest.param("[" + "-" * 190_000 + "1]", id="unary"),
        pytest.param("[" + "1+" * 90_000 + "1]", id="sum"),
        pytest.param("[]" * 95_000, id="brackets"),
        pytest.param("[" * 190_000, id="open"),
        pytest.param("{" + ",".join(f"{i * (2**61 - 1)}:0" for i in range(9000)) + "}", id="hash"),
        pytest.param("[" + "(" * 59 + "," * 100_000, id="round"),
        pytest.param("\n" * 190_000 + "x", id="blank"),
        pytest.param("\ufb03" * 190_000, id="casefold"),
        pytest.param("x" * 4_000_000, id="long"),
        pytest.param("[" + '"1",' * 47_000 + '"1"]', id="numbers-as-text"),
    ],
)
def test_a_hostile_text_for_an_argument_takes_linear_time(text):
    attack(text)


FRAGMENT = st.text(alphabet="`\"'\\[]{}(),:-+. \n\tax0e\u2028", min_size=1, max_size=5)


@pytest.mark.promise("calling.repair-bounded")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(head=FRAGMENT, fragment=FRAGMENT, tail=FRAGMENT)
def test_a_text_of_repeated_fragments_takes_linear_time(head, fragment, tail):
    begun = time.thread_time()
    for start in (head, "```" + head, "[" + head, "{'" + head):
        decode(start + fragment * (150_000 // len(fragment)) + tail)
    assert time.thread_time() - begun < MOST_SECONDS


@pytest.mark.parametrize(
    "text",
    [
        *(each * 100_000 for each in ("a-", "eyJ-eyJ", "sk-", "password ", "a://b:", "\n", "pass")),
        "-----BEGIN " + "PRIVATE KEY" * 50_000,
        "token" + " " * 500_000,
        "eyJ" + "a" * 300_000 + "." + "eyJ" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_redacting_a_long_text_takes_linear_time(text):
    begun = time.thread_time()
    redact.without_likely_secrets(text)
    assert time.thread_time() - begun < MOST_SECONDS
