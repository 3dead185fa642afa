"""Random values, errors and arguments for the tools of `call_tools`."""

import asyncio
import collections
import enum
import json
import pathlib

from hypothesis import strategies as st

from tests.unit.properties.call_tools import NUMBER, TEXT, Holder, Line, Odd, Pair, Point
from tests.unit.properties.specs import Colour, Level
from toolwright import ArgumentError, File, Image, Result, ToolError
from toolwright.results import build_result

ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from('\ud800\udfff\x00\u2028"\\'), max_size=6
)
FLOATS = st.floats() | st.sampled_from([float("nan"), float("inf"), -0.0, 1e308, 5e-324])
INTEGERS = st.one_of(
    st.integers(),
    st.sampled_from([2**53 + 1, -(2**64)]),
    st.builds(pow, st.just(10), st.sampled_from([400, 4298, 4299, 4300, 4301, 9000])),
)


def cycle(value):
    held = [value]
    held.append({"again": held})
    return held


def deep(depth, inside=1):
    value = inside
    for _ in range(depth):
        value = [value]
    return value


def changed(field, value):
    made = Holder()
    made.__dict__[field] = value
    return made


async def promised(value):
    return value


class Promise:
    def __init__(self, value):
        self.value = value

    def __await__(self):
        yield from ()
        return self.value


class Endless(enum.Enum):
    ODD = object()


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    INTEGERS,
    FLOATS,
    ANY_TEXT,
    st.binary(max_size=6),
    st.just(b"\x89PNG\r\n\x1a\n"),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.uuids(),
    st.decimals(),
    st.complex_numbers(),
    st.sampled_from([*Colour, *Level, Endless.ODD]),
    st.builds(Line, sku=ANY_TEXT, price=FLOATS),
    st.builds(Holder, held=ANY_TEXT, data=st.binary(max_size=3), rate=FLOATS),
    st.builds(Point, x=FLOATS, y=ANY_TEXT),
    st.builds(changed, st.sampled_from(["held", "rate", "data"]), ANY_TEXT | FLOATS),
    st.builds(object),
    st.builds(Odd),
    st.builds(bytearray, st.binary(max_size=3)),
    st.builds(memoryview, st.binary(max_size=3)),
    st.builds(pathlib.Path, st.just("a/b")),
    st.builds(range, st.integers(0, 3)),
    st.sampled_from([int, Odd, json, len, ValueError("x"), ..., NotImplemented]),
    st.builds(Image, st.just(b"\x89PNG")),
    st.builds(File, st.just("/nowhere/at/all.png")),
    st.builds(Result, INTEGERS.filter(lambda n: abs(n) < 10**4000)),  # longer ones it refuses
    st.builds(deep, st.sampled_from([3, 90, 300, 5000]), ANY_TEXT),
)
HASHABLE = st.none() | st.booleans() | st.integers() | ANY_TEXT | st.binary(max_size=3) | FLOATS
KEYS = HASHABLE | st.tuples(HASHABLE, HASHABLE) | st.sampled_from(["type", "content", "text"])
BLOCK = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["text", "image", "audio", "resource", "resource_link", "odd"])
        | st.lists(ANY_TEXT, max_size=1)
    },
    optional={
        "text": ANY_TEXT | st.none() | st.integers(),
        "data": ANY_TEXT | st.binary(max_size=3),
        "mimeType": ANY_TEXT,
        "uri": ANY_TEXT,
        "name": ANY_TEXT,
        "resource": st.dictionaries(st.sampled_from(["uri", "text", "blob"]), ANY_TEXT) | st.none(),
    },
)
FINISHED = st.fixed_dictionaries(
    {
        "content": st.lists(BLOCK, max_size=2) | st.none() | ANY_TEXT,
        "isError": st.booleans() | st.none() | st.just("no"),
    },
    optional={
        "structuredContent": PLAIN,
        "_meta": st.dictionaries(ANY_TEXT, PLAIN, max_size=1) | st.none(),
        "more": st.none(),
    },
) | st.builds(build_result, ANY_TEXT, st.booleans())
VALUES = st.recursive(
    PLAIN | BLOCK | FINISHED,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3).map(collections.deque),
        st.dictionaries(KEYS, inner, max_size=3),
        st.frozensets(HASHABLE, max_size=3),
        st.builds(Pair, inner, inner),
        st.builds(Point, FLOATS, inner),
        st.builds(Holder, held=inner),
        st.builds(cycle, inner),
    ),
    max_leaves=5,
)
LAZY = st.one_of(
    VALUES.map(lambda value: iter([value])),
    st.lists(VALUES, max_size=2).map(lambda items: (item for item in items)),
    VALUES.map(Promise),
)


class Rude(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no")


def grouped(text):
    return BaseExceptionGroup(text, [ValueError(text), Rude(text)])


def invalid(text):
    try:
        Line(sku=text, count=0)
    except Exception as error:
        return error
    return ValueError(text)


def refused(text):
    return ArgumentError(text, [])


ERRORS = st.one_of(
    st.builds(
        lambda kind, text: kind(text),
        st.sampled_from(
            [ValueError, KeyError, OSError, ZeroDivisionError, RuntimeError, TypeError, Mute, Rude]
            + [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, StopAsyncIteration]
            + [RecursionError, MemoryError, TimeoutError, AssertionError, asyncio.InvalidStateError]
            + [grouped, invalid, refused, asyncio.CancelledError]
        ),
        ANY_TEXT | st.just("x" * 5000) | st.just("two\nlines"),
    ),
    st.builds(
        ToolError,
        ANY_TEXT,
        code=ANY_TEXT | st.none(),
        hint=ANY_TEXT,
        retryable=st.booleans() | st.none(),
    ),
    st.builds(ToolError, st.builds(ValueError, ANY_TEXT)),
    st.builds(UnicodeDecodeError, st.just("utf-8"), st.just(b"\xff"), st.just(0), st.just(1), TEXT),
)


JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        NUMBER,
        INTEGERS,
        FLOATS,
        TEXT,
        ANY_TEXT,
        st.sampled_from(["2.0", "[1, 2,]", "{'a': 1}", "(1,)", "nan", "[" * 70, "1" * 4500, 2.0]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
NOT_JSON = st.binary(max_size=6) | st.builds(object) | st.builds(cycle, st.none()) | st.dates()


def spots(value):
    """Every place in a value where something else can be put."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(items):
        yield value, key
        if isinstance(inner, dict | list):
            yield from spots(inner)


@st.composite
def bent(draw, fitting):
    """Arguments that fit, but for one or two places."""
    sent = json.loads(json.dumps(draw(fitting)))
    places = [*spots(sent), *((sent, key) for key in ("toolCallId", "_meta", "limt", "a"))]
    for holder, key in draw(st.lists(st.sampled_from(places), min_size=1, max_size=2)):
        value = _at(holder, key)
        how = draw(st.sampled_from(["junk", "odd", "text", "list", "deep", "missing"]))
        if how == "junk":
            holder[key] = draw(JUNK)
        elif how == "odd":
            holder[key] = draw(NOT_JSON)
        elif how == "text" and isinstance(value, int | float | str | None):
            holder[key] = json.dumps(value)
        elif how == "list":
            holder[key] = [value]
        elif how == "deep":
            holder[key] = draw(st.builds(deep, st.sampled_from([60, 150, 400, 3000])))
        elif isinstance(holder, dict):
            holder.pop(key, None)
    return sent


def _at(holder, key):
    return holder[key] if isinstance(holder, list) else holder.get(key)


@st.composite
def arguments(draw, fitting):
    """Arguments of any kind: they fit, are bent, or are not even an object; as values or as text."""
    how = draw(st.integers(0, 9))
    if how < 3:
        sent = draw(fitting)
    elif how < 8:
        sent = draw(bent(fitting))
    elif how < 9:
        sent = draw(JUNK | NOT_JSON | st.dictionaries(ANY_TEXT, JUNK, max_size=3))
    else:
        sent = draw(st.binary(max_size=9) | ANY_TEXT | st.sampled_from(['{"a":' * 5000, b"\xff"]))
    if draw(st.integers(0, 3)) == 0:
        try:
            sent = json.dumps(sent, ensure_ascii=draw(st.booleans()))
            sent = draw(st.sampled_from([str, _encoded]))(sent)
        except (ValueError, TypeError, RecursionError):
            pass
        else:
            if draw(st.integers(0, 4)) == 0 and sent:
                sent = sent[: draw(st.integers(0, len(sent) - 1))]
    return sent


def _encoded(text):
    return text.encode("utf-8", "surrogatepass")


class Shy:
    """Holds a drawn value that may not be able to show itself."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        try:
            return f"Shy({self.value!r})"[:2000]
        except Exception as error:
            return f"Shy(<{type(self.value).__name__}: {error!r}>)"
