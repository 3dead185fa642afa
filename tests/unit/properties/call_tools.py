"""Tools that random calls reach: plain ones, and ones that return and raise anything."""

import dataclasses
import datetime as d
from decimal import Decimal
from typing import Annotated, Any, AsyncIterator, Iterator, Literal, NamedTuple

from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator, Field

from tests.unit.properties.specs import Cat, Colour, Dog, Level, Node
from toolwright import Flatten, Image, Tool

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

    def _repr_pretty_(self, printer, cycle):
        printer.text("Odd()")  # for hypothesis, which would hide the failure that it prints


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
