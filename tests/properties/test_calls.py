"""Whatever is sent to a tool, and whatever it does, the call ends in a true result."""

import asyncio
import collections
import dataclasses
import datetime as d
import enum
import json
import logging
import pathlib
import threading
import uuid
from decimal import Decimal
from typing import Annotated, Any, AsyncIterator, Iterator, Literal, NamedTuple

import jsonschema
import pytest
from counting import examples
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)
from pydantic import BaseModel, BeforeValidator, Field
from specs import Cat, Colour, Dog, Level, Node, specs

from toolwright import ArgumentError, File, Flatten, Image, Result, Tool, Toolbox, ToolError
from toolwright.results import build_result, validate
from toolwright.arguments.reader import Reader
from toolwright.run.policies.cache import Cache
from toolwright.outcome.writer import ResultWriter
from toolwright.stores import MemoryStore

ERAS = ("2025-11-25", "2026-07-28")

# -- tools that do what they are asked


class Line(BaseModel):
    sku: str
    count: int = Field(default=1, ge=1)
    price: float = 0.0


class Order(BaseModel):
    id: int
    lines: list[Line]
    note: str | None = None


class Filter(BaseModel):
    query: str
    limit: int = 10
    colour: Colour | None = None


Length = Annotated[int, BeforeValidator(lambda v: len(v) if isinstance(v, str) else v)]


def add(a: int, b: int = 1) -> int:
    return a + b


def scale(x: float, factor: float | None = None) -> float:
    return x if factor is None else factor


def say(text: str, times: int | None = None, loud: bool = False) -> str:
    return text


def either(value: int | str | bool | None = None, other: list[int] | str = "") -> Any:
    return [value, other]


def measure(length: Length) -> int:
    """A validator of the author's own: it takes text, which its schema does not say."""
    return length


def order(order: Order, urgent: bool = False) -> Order:
    return order


def paint(
    colour: Colour, level: Level = Level.LOW, how: Literal["fast", "slow"] = "fast"
) -> Colour:
    return colour


def search(filter: Annotated[Filter, Flatten()], deep: bool = False) -> list[str]:
    return [filter.query]


def gather(first: int, *rest: int, **named: str) -> dict[str, Any]:
    return {"first": first, "rest": rest, "named": named}


def place(x: int, y: int = 0, /, *, z: int = 0) -> tuple[int, int, int]:
    return x, y, z


async def fetch(url: str, tries: int = 3) -> dict[str, int]:
    return {url: tries}


def count(upto: Annotated[int, Field(ge=0, le=5)]) -> Iterator[int]:
    yield from range(upto)


async def stream(words: list[str]) -> AsyncIterator[str]:
    for word in words:
        yield word


def anything(value: Any):
    return value


def plan(day: d.date, tags: set[str], amounts: dict[str, Decimal] | None = None) -> set[str]:
    return tags


def tree(node: Node) -> Node | None:
    return node


def pets(pets: list[Annotated[Cat | Dog, Field(discriminator="kind")]]) -> list[Cat | Dog]:
    return pets


def blob(data: bytes) -> bytes:
    return data


def loose(x: int = 0) -> int | None:
    return x


def explicit(**given) -> dict:
    return given


def untyped(a, b=None):
    return [a, b]


TEXT = st.text(max_size=8) | st.sampled_from(
    ["", "5", "2.0", "true", "null", "[1]", "[1,]", '{"a": 1}', "red", "RED", "```json\n[1]\n```"]
)
NUMBER = st.integers() | st.sampled_from([0, 1, 2**53 + 1, -(2**70), 10**40])
LINE = st.fixed_dictionaries({"sku": TEXT}, optional={"count": st.integers(1, 9), "price": NUMBER})
NODE = st.recursive(
    st.fixed_dictionaries({"name": TEXT}),
    lambda inner: st.fixed_dictionaries({"name": TEXT, "children": st.lists(inner, max_size=2)}),
    max_leaves=4,
)
PET = st.one_of(
    st.fixed_dictionaries({"kind": st.just("cat"), "lives": NUMBER}),
    st.fixed_dictionaries({"kind": st.just("dog"), "tricks": st.lists(TEXT, max_size=2)}),
)


def keys(optional=None, /, **required):
    return st.fixed_dictionaries(required, optional=optional or {})


GIVEN_SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 0}, "b": {"type": "string"}},
    "required": ["a"],
}
# Each tool, its options, and arguments that fit it.
TOOLS = [
    (add, {}, keys({"b": NUMBER}, a=NUMBER)),
    (scale, {}, keys({"factor": st.none() | NUMBER}, x=st.floats(-9, 9) | NUMBER)),
    (say, {}, keys({"times": st.none() | NUMBER, "loud": st.booleans()}, text=TEXT)),
    (
        either,
        {},
        keys({"value": NUMBER | TEXT | st.none(), "other": st.lists(NUMBER, max_size=2) | TEXT}),
    ),
    (measure, {}, keys(length=NUMBER | TEXT)),
    (order, {}, keys(order=keys({"note": TEXT}, id=NUMBER, lines=st.lists(LINE, max_size=3)))),
    (
        paint,
        {},
        keys({"level": st.sampled_from([1, 3])}, colour=st.sampled_from(["red", "blue"])),
    ),
    (
        search,
        {},
        keys({"limit": NUMBER, "colour": st.just("red"), "deep": st.just(True)}, query=TEXT),
    ),
    (
        gather,
        {},
        keys({"rest": st.lists(NUMBER, max_size=3), "more": TEXT, "x": TEXT}, first=NUMBER),
    ),
    (place, {}, keys({"y": NUMBER, "z": NUMBER}, x=NUMBER)),
    (fetch, {}, keys({"tries": NUMBER}, url=TEXT)),
    (count, {}, keys(upto=st.integers(0, 5))),
    (stream, {}, keys(words=st.lists(TEXT, max_size=3))),
    (anything, {}, keys(value=st.none() | NUMBER | TEXT | st.lists(TEXT, max_size=2) | LINE)),
    (
        plan,
        {},
        keys(
            {"amounts": st.dictionaries(TEXT, st.just("1.5") | st.integers(0, 9), max_size=2)},
            day=st.dates().map(str),
            tags=st.lists(TEXT, max_size=2, unique=True),
        ),
    ),
    (tree, {}, keys(node=NODE)),
    (pets, {}, keys(pets=st.lists(PET, max_size=2))),
    (blob, {}, keys(data=st.sampled_from(["", "YQ==", "iVBORw0KGgo="]))),
    (loose, {"extra": "ignore"}, keys({"x": NUMBER, "y": TEXT, "_meta": NODE})),
    (
        explicit,
        {"input_schema": GIVEN_SCHEMA, "output_schema": GIVEN_SCHEMA},
        keys({"b": TEXT}, a=st.integers(0, 99)),
    ),
    (untyped, {"on_unsupported": "permissive"}, keys({"b": TEXT}, a=NUMBER)),
]

# -- tools that return and raise what nobody expects

told = {}
"""What the next call of a puppet does: `("return", value)` or `("raise", error)`."""


def act():
    kind, value = told["act"]
    if kind == "raise":
        raise value
    return value


def puppet(name, hint=None, *, is_async=False, **options):
    async def later():
        return act()

    def now():
        return act()

    target = later if is_async else now
    target.__annotations__ = {} if hint is None else {"return": hint}
    return Tool(target, name=name, **options)


@dataclasses.dataclass
class Point:
    x: float
    y: Any = None


class Pair(NamedTuple):
    a: Any
    b: Any


class Odd:
    """No JSON, and it cannot even say what it is."""

    def __repr__(self):
        raise RuntimeError("no")


class Holder(BaseModel):
    held: Any = None
    data: bytes = b""
    rate: float = 0.0


PUPPETS = [
    puppet("gives"),
    puppet("gives_later", is_async=True),
    puppet("gives_text_only", emit="text"),
    puppet("gives_any", Any),
    puppet("gives_any_structured", Any, emit="structured"),
    puppet("gives_int", int),
    puppet("gives_int_both", int, emit="both", is_async=True),
    puppet("gives_float", float),
    puppet("gives_str", str),
    puppet("gives_str_both", str, emit="both"),
    puppet("gives_none", None),
    puppet("gives_bool", bool | None),
    puppet("gives_bytes", bytes),
    puppet("gives_floats", list[float]),
    puppet("gives_few", list[Any], max_result=60),
    puppet("gives_little", str, max_result=20),
    puppet("gives_little_of_any", max_result=20),
    puppet("gives_pair", tuple[int, str]),
    puppet("gives_map", dict[str, Any]),
    puppet("gives_numbers", dict[str, float]),
    puppet("gives_line", Line),
    puppet("gives_line_or_none", Line | None),
    puppet("gives_holder", Holder, is_async=True),
    puppet("gives_point", Point),
    puppet("gives_points", list[Point] | None),
    puppet("gives_decimal", Decimal),
    puppet("gives_day", d.date),
    puppet("gives_image", Image),
    puppet("gives_node", Node),
    puppet("gives_ints_lazily", Iterator[int]),
    puppet("gives_words_lazily", AsyncIterator[str], is_async=True),
    puppet("gives_explicit", output_schema=GIVEN_SCHEMA),
    puppet("gives_explicit_list", output_schema={"type": "array", "items": {"type": "number"}}),
]

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
    st.builds(Result, INTEGERS),
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

# -- arguments that nobody should send

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


# -- what is true of every call


def check_result(tool, result):
    """A result keeps the contract in both eras, and its structured content the tool's schema."""
    assert isinstance(result, Result)
    assert result.content
    assert repr(result)
    for protocol in ERAS:
        payload = json.loads(result.to_mcp_json(protocol), parse_constant=pytest.fail)
        assert payload == result.to_mcp(protocol)
        validate(payload)
        assert payload["isError"] is result.is_error
        schema = tool.to_mcp(protocol).get("outputSchema")
        if schema is not None and not result.is_error:
            assert "structuredContent" in payload
            jsonschema.Draft202012Validator(schema).validate(payload["structuredContent"])
        if "structuredContent" in payload and protocol < ERAS[1]:
            assert isinstance(payload["structuredContent"], dict)
    if result.is_error:
        with pytest.raises(type(result.error)):
            _ = result.value
        assert result.text.strip()


def same(one, other):
    return type(one) is type(other) and (one == other or repr(one) == repr(other))


def bound_by(tool, sent):
    """What a function gets for arguments that fit; None if they do not."""
    try:
        return tool.bind(sent)
    except ArgumentError:
        return None


def check_text_and_values_agree(tool, sent, bound):
    """It is all the same whether arguments come as values or as JSON text."""
    try:
        text = json.dumps(sent, allow_nan=False)
        is_json = isinstance(sent, dict) and json.loads(text) == sent
        text.encode().decode("unicode_escape").encode()
    except (ValueError, TypeError, RecursionError):
        return
    if is_json:
        assert same(bound_by(tool, text), bound)


def check_call(box, name, sent, call):
    """A call ends in a true result; arguments that fit reach the function as they are."""
    tool = box[name]
    seen = []
    runner = tool.runner
    target = runner.target

    def spy(*positional, **named):
        seen.append((list(positional), dict(named)))
        return target(*positional, **named)

    bound = bound_by(tool, sent)
    check_text_and_values_agree(tool, sent, bound)
    runner.target = spy
    try:
        result = call(box, name, sent)
    finally:
        runner.target = target
    check_result(tool, result)
    if bound is not None:
        assert result.repairs == ()
        assert [same(value, bound) for value in seen] == [True]
    return result


LONGEST = 60
"""Seconds after which a call counts as one that never ends."""


def within(function, seconds=LONGEST):
    """Run a function in a thread of its own, so that a call that never ends is a failure."""
    outcome = []

    def work():
        try:
            outcome.append((function(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert outcome, "the call never ends"
    value, error = outcome[0]
    if error is not None:
        raise AssertionError(f"{type(error).__name__} escaped") from error
    return value


def call_now(box, name, sent):
    return within(lambda: box.call(name, sent))


def call_later(box, name, sent):
    return within(lambda: asyncio.run(box.call_async(name, sent)))


def call_inside_a_loop(box, name, sent):
    async def inside():
        return box.call(name, sent)

    return within(lambda: asyncio.run(inside()))


CALLS = st.sampled_from([call_now, call_later, call_inside_a_loop])
FITTING = {target.__name__: fitting for target, _, fitting in TOOLS}


STORE = MemoryStore()


def make_box():
    box = Toolbox("all", store=STORE)
    for target, options, _ in TOOLS:
        box.add(target, **options)
    for each in PUPPETS:
        box.add(each)
        box.add(each.replace(name=f"kept_{each.name}", cache=60))
    return box


@st.composite
def addressed(draw):
    name = draw(st.sampled_from(sorted(FITTING)))
    return name, Shy(draw(arguments(FITTING[name])))


@st.composite
def typed(draw):
    spec = draw(specs(1))
    return spec, draw(spec.values)


@st.composite
def acts(draw):
    if draw(st.booleans()):
        return "raise", Shy(draw(ERRORS))
    return "return", Shy(draw(VALUES | LAZY))


def check_kept(box, name, act, call):
    """Only what succeeded is kept; and then an equal call has the very same result."""
    STORE.clear()
    told["act"] = act
    first = call(box, name, {})
    check_result(box[name], first)
    told["act"] = "raise", LookupError("it ran again")
    second = call(box, name, {})
    check_result(box[name], second)
    if first.is_error:
        assert "it ran again" in second.text, "an error was kept"
        return
    said = first.meta["toolwright/cache"]
    if said.get("kept", True):
        assert second.meta["toolwright/cache"]["hit"] is True
        assert type(second.value) is type(first.value)
        for era in ERAS:
            kept, fresh = second.to_mcp(era), first.to_mcp(era)
            del kept["_meta"]["toolwright/cache"], fresh["_meta"]["toolwright/cache"]
            assert kept == fresh
    else:
        assert "it ran again" in second.text


class Calls(RuleBasedStateMachine):
    """A toolbox that grows, and calls of all kinds in between."""

    made = Bundle("made")

    def __init__(self):
        super().__init__()
        self.box = make_box()

    @rule(sent=addressed(), call=CALLS)
    def call_with_anything(self, sent, call):
        name, shy = sent
        check_call(self.box, name, shy.value, call)

    @rule(
        name=st.sampled_from([each.name for each in PUPPETS]),
        value=(VALUES | LAZY).map(Shy),
        call=CALLS,
    )
    def return_anything(self, name, value, call):
        told["act"] = "return", value.value
        check_result(self.box[name], call(self.box, name, {}))

    @rule(name=st.sampled_from([each.name for each in PUPPETS]), error=ERRORS.map(Shy), call=CALLS)
    def raise_anything(self, name, error, call):
        told["act"] = "raise", error.value
        result = call(self.box, name, {})
        check_result(self.box[name], result)
        assert result.is_error

    @rule(
        name=st.sampled_from([each.name for each in PUPPETS]),
        act=acts(),
        call=CALLS,
    )
    def keep_anything(self, name, act, call):
        check_kept(self.box, f"kept_{name}", (act[0], act[1].value), call)

    @rule(name=ANY_TEXT | st.sampled_from(["ad", "add.__globals__", "__init__"]), call=CALLS)
    def call_an_unknown_tool(self, name, call):
        if name not in self.box:
            result = call(self.box, name, {})
            check_result(self.box["add"], result)
            assert result.is_error

    @rule(target=made, drawn=typed(), emit=st.sampled_from(["auto", "text", "structured", "both"]))
    def add_a_tool(self, drawn, emit):
        spec, _ = drawn

        def echo(x):
            return x

        echo.__annotations__ = {"x": spec.hint, "return": spec.hint}
        name = f"echo_{uuid.uuid4().hex}"
        self.box.add(echo, name=name, emit=emit)
        return name, spec

    @rule(made=made, data=st.data(), call=CALLS)
    def call_an_added_tool_with_its_own_values(self, made, data, call):
        name, spec = made
        value = data.draw(spec.values)
        serializer = self.box[name].compile().serializer
        sent = {"x": json.loads(serializer.to_json(value, by_alias=True)) if serializer else value}
        result = check_call(self.box, name, sent, call)
        assert not result.is_error, result.text

    @rule(made=made, sent=(JUNK | NOT_JSON).map(Shy), call=CALLS)
    def call_an_added_tool_with_anything(self, made, sent, call):
        name, _ = made
        check_call(self.box, name, {"x": sent.value}, call)


CHECKS = settings(
    max_examples=examples(150),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
NOTICING = settings(
    CHECKS, max_examples=150, derandomize=True, database=None, phases=[Phase.generate]
)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """What tools raise is logged; thousands of tracebacks would only slow the tests down."""
    monkeypatch.setattr(logging.getLogger("toolwright"), "disabled", True)


@pytest.mark.hypothesis
def test_every_call_ends_in_a_true_result():
    run_state_machine_as_test(Calls, settings=CHECKS)


# -- planted faults: the checks above must notice them


def noticed():
    """Run the machine once more and return whatever it finds."""
    with pytest.raises(BaseException) as caught:
        run_state_machine_as_test(Calls, settings=NOTICING)
    return caught.value


def repaired_first(self, arguments):
    """Read arguments by repairing them before anything else; only `bind` is left alone."""
    if not self.repair:
        return READ(self, arguments)
    data, done = self._repaired(self._object(arguments))
    validated, repairs = READ(self, data)
    return validated, (*done, *repairs)


READ = Reader.read


def test_repair_before_validation_is_noticed(monkeypatch):
    box = make_box()
    check_call(box, "measure", {"length": "12"}, call_now)
    monkeypatch.setattr(Reader, "read", repaired_first)
    box = make_box()
    with pytest.raises(AssertionError, match="Repair"):
        check_call(box, "measure", {"length": "12"}, call_now)


def test_an_argument_changed_without_a_word_is_noticed(monkeypatch):
    def changed(self, arguments):
        validated, repairs = READ(self, arguments)
        return {key: None for key in validated} if self.repair else validated, repairs

    monkeypatch.setattr(Reader, "read", changed)
    box = make_box()
    with pytest.raises(AssertionError, match="False"):
        check_call(box, "say", {"text": "x"}, call_now)


def test_a_null_content_is_noticed(monkeypatch):
    write = Result.to_mcp_json

    def null(self, protocol=ERAS[1]):
        return json.dumps({**json.loads(write(self, protocol)), "content": None}).encode()

    monkeypatch.setattr(Result, "to_mcp_json", null)
    box = make_box()
    with pytest.raises(ValueError, match="not a tool result: None"):
        check_call(box, "add", {"a": 1}, call_now)


def test_an_empty_content_is_noticed(monkeypatch):
    of = ResultWriter.of

    def emptied(self, value, repairs=()):
        made = of(self, value, repairs)
        made._blocks = []
        return made

    monkeypatch.setattr(ResultWriter, "of", emptied)
    box = make_box()
    with pytest.raises(AssertionError):
        check_call(box, "add", {"a": 1}, call_now)


@pytest.mark.parametrize("name", ["gives_int", "gives_line", "gives_floats", "gives_explicit"])
def test_a_value_that_breaks_its_schema_is_noticed(monkeypatch, name):
    def unchecked(self, value, repairs=()):
        return Result(value, body=json.dumps(value).encode(), shows_body=True, boxed=self.boxed)

    monkeypatch.setattr(ResultWriter, "of", unchecked)
    told["act"] = "return", {"odd": ["x"]}
    box = Toolbox("one", [next(each for each in PUPPETS if each.name == name).replace(title="t")])
    with pytest.raises(jsonschema.ValidationError):
        check_result(box[name], box.call(name))


def test_structured_content_left_out_is_noticed(monkeypatch):
    monkeypatch.setattr(
        ResultWriter, "of", lambda self, value, repairs=(): Result(value, body=b"1")
    )
    told["act"] = "return", 1
    box = Toolbox("one", [puppet("gives_int", int)])
    with pytest.raises(AssertionError, match="structuredContent"):
        check_result(box["gives_int"], box.call("gives_int"))


def test_an_error_that_escapes_is_noticed(monkeypatch):
    def escaping(self, value, repairs=()):
        raise SystemExit(3)

    monkeypatch.setattr(ResultWriter, "of", escaping)
    with pytest.raises(AssertionError, match="SystemExit escaped"):
        check_call(make_box(), "add", {"a": 1}, call_now)


def test_a_kept_error_is_noticed(monkeypatch):
    keep = Cache._put

    async def lead(self, place, key, call, repairs, run, flight):
        _, made = await run()
        await keep(self, place, key, json.dumps({"result": made.to_mcp()}).encode())
        flight.landed.set()
        self.flights.clear()
        return made.noted("toolwright/cache", {"hit": False})

    monkeypatch.setattr(Cache, "_lead", lead)
    monkeypatch.setattr(
        Cache, "_again", lambda self, kept, _: self.outcome.of(self.outcome.kept(kept))
    )
    with pytest.raises(AssertionError, match="an error was kept"):
        check_kept(make_box(), "kept_gives_int", ("raise", ValueError("x")), call_now)


@pytest.mark.parametrize("value", [(), (Point(1.0),), Result([], body=b"[]", shows_body=True)])
def test_what_is_kept_of_a_value_that_is_not_exactly_of_its_type(value):
    check_kept(make_box(), "kept_gives_points", ("return", value), call_now)


def test_a_call_that_never_ends_is_noticed(monkeypatch):
    with pytest.raises(AssertionError, match="never ends"):
        within(threading.Event().wait, 0.01)


def test_the_random_calls_find_a_planted_fault_by_themselves(monkeypatch):
    monkeypatch.setattr(Result, "content", property(lambda self: []))
    assert isinstance(noticed(), AssertionError | BaseExceptionGroup)
