"""Types with their values: each draw is a hint as an author would write it, and how to make values."""

import collections
import copy
import dataclasses
import datetime as d
import enum
import ipaddress
import pathlib
import string
import typing
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union

import typing_extensions
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, Field, TypeAdapter, create_model

from toolwright import FromText


class Spec(NamedTuple):
    """A hint, a strategy for its values, the JSON types those take, and whether they are hashable."""

    hint: Any
    values: st.SearchStrategy
    kinds: frozenset
    hashable: bool = False


def leaf(hint, values, *kinds):
    return Spec(hint, values, frozenset(kinds), hashable=True)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Mode(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Bits(enum.IntFlag):
    """Keeps bits that it has no members for."""

    ONE = 1
    TWO = 2


class Word:
    """Made of a text, as `FromText` does."""

    def __init__(self, text):
        self.text = str(text)

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"Word({self.text!r})"

    def __eq__(self, other):
        return isinstance(other, Word) and self.text == other.text

    def __hash__(self):
        return hash(self.text)


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str]


T = typing.TypeVar("T")


class Box(BaseModel, typing.Generic[T]):
    held: T
    inner: Optional["Box[T]"] = None


TEXT = st.text(max_size=8)
OFFSETS = st.integers(-12 * 60, 12 * 60).map(lambda m: d.timezone(d.timedelta(minutes=m)))
MODES = st.lists(st.sampled_from(list(Mode))).map(
    lambda members: __import__("functools").reduce(lambda a, b: a | b, members, Mode(0))
)
NODES = st.recursive(
    st.builds(Node, name=TEXT),
    lambda nodes: st.builds(Node, name=TEXT, children=st.lists(nodes, max_size=2)),
    max_leaves=4,
)
PETS = st.one_of(
    st.builds(Cat, lives=st.integers()), st.builds(Dog, tricks=st.lists(TEXT, max_size=2))
)

ANY = frozenset("any")

LEAVES = [
    leaf(int, st.integers(), "integer"),
    leaf(float, st.floats(allow_nan=False, allow_infinity=False), "integer", "number"),
    leaf(bool, st.booleans(), "boolean"),
    leaf(str, TEXT, "string"),
    leaf(None, st.none(), "null"),
    leaf(bytes, st.binary(max_size=8), "string"),
    leaf(d.date, st.dates(), "string"),
    leaf(d.datetime, st.datetimes(), "string"),
    leaf(AwareDatetime, st.datetimes(timezones=OFFSETS), "string"),
    leaf(d.time, st.times(), "string"),
    leaf(d.timedelta, st.timedeltas(d.timedelta(-9999), d.timedelta(9999)), "string"),
    leaf(
        Decimal,
        st.decimals(allow_nan=False, allow_infinity=False, places=3),
        *("string", "number", "integer"),
    ),
    leaf(uuid.UUID, st.uuids(), "string"),
    leaf(
        pathlib.Path, st.text(string.ascii_letters + "/.", max_size=8).map(pathlib.Path), "string"
    ),
    leaf(ipaddress.IPv4Address, st.ip_addresses(v=4), "string"),
    leaf(ipaddress.IPv6Address, st.ip_addresses(v=6), "string"),
    leaf(Colour, st.sampled_from(Colour), "string"),
    leaf(Level, st.sampled_from(Level), "integer"),
    leaf(Mode, MODES, "integer"),
    leaf(Bits, st.integers(0, 3).map(Bits), "integer"),
    leaf(Literal[0, 1], st.sampled_from([0, 1]), "integer"),
    leaf(Literal["a", "b"], st.sampled_from(["a", "b"]), "string"),
    leaf(
        Literal[1, "one", True], st.sampled_from([1, "one", True]), "integer", "string", "boolean"
    ),
    leaf(Annotated[int, Field(ge=-5, lt=10)], st.integers(-5, 9), "integer"),
    leaf(Annotated[int, Field(multiple_of=3)], st.integers().map(lambda n: n * 3), "integer"),
    leaf(Annotated[float, Field(gt=0, le=1)], st.floats(0.001, 1), "integer", "number"),
    leaf(
        Annotated[str, Field(min_length=1, max_length=4)], st.text(min_size=1, max_size=4), "string"
    ),
    leaf(Annotated[str, Field(pattern=r"^[a-c]+$")], st.text("abc", min_size=1), "string"),
    leaf(
        Annotated[bytes, Field(min_length=1, max_length=3)],
        st.binary(min_size=1, max_size=3),
        "string",
    ),
    leaf(Annotated[int, "words on it"], st.integers(), "integer"),
    leaf(Annotated[Word, FromText()], st.text(max_size=9).map(Word), "string"),
    leaf(typing.NewType("Id", int), st.integers(), "integer"),
    Spec(Node, NODES, frozenset(("object",))),
    Spec(Annotated[Cat | Dog, Field(discriminator="kind")], PETS, frozenset(("object",))),
    Spec(Box[int], st.builds(Box[int], held=st.integers()), frozenset(("object",))),
    # Copies: what is drawn may be changed, and must be the same when it is drawn again.
    Spec(Any, st.sampled_from([1, "x", True, None, [1], {"a": 1}]).map(copy.deepcopy), ANY),
]

NAMES = st.sampled_from(
    ["a", "b", "title", "type", "schema", "copy", "json", "default", "items", "properties", "x_y"]
)


@st.composite
def specs(draw, depth=2):
    """Draw a type; deeper ones hold others."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(LEAVES))
    make = draw(st.sampled_from(COMPOSITES))
    return make(draw, depth - 1)


def _list(draw, depth):
    inner = draw(specs(depth))
    hint = draw(st.sampled_from([list, typing.Sequence, collections.deque]))
    values = st.lists(inner.values, max_size=3)
    if hint is collections.deque:
        values = values.map(collections.deque)
    return Spec(hint[inner.hint], values, frozenset(("array",)))


def _bounded_list(draw, depth):
    inner = draw(specs(depth))
    hint = Annotated[list[inner.hint], Field(min_length=1, max_length=3)]
    return Spec(hint, st.lists(inner.values, min_size=1, max_size=3), frozenset(("array",)))


def _set(draw, depth):
    inner = draw(st.sampled_from([spec for spec in LEAVES if spec.hashable]))
    if draw(st.booleans()):
        return Spec(set[inner.hint], st.sets(inner.values, max_size=3), frozenset(("array",)))
    values = st.frozensets(inner.values, max_size=3)
    return Spec(frozenset[inner.hint], values, frozenset(("array",)), hashable=True)


def _tuple(draw, depth):
    if draw(st.booleans()):
        inner = draw(specs(depth))
        values = st.lists(inner.values, max_size=3).map(tuple)
        return Spec(tuple[inner.hint, ...], values, frozenset(("array",)))
    parts = draw(st.lists(specs(depth), min_size=1, max_size=3))
    hint = tuple[tuple(part.hint for part in parts)]
    return Spec(hint, st.tuples(*(part.values for part in parts)), frozenset(("array",)))


def _dict(draw, depth):
    inner = draw(specs(depth))
    key, keys = draw(
        st.sampled_from(
            [
                (str, TEXT),
                (int, st.integers()),
                (d.date, st.dates()),
                (Colour, st.sampled_from(Colour)),
            ]
        )
    )
    hint = draw(st.sampled_from([dict, typing.Mapping]))[key, inner.hint]
    return Spec(hint, st.dictionaries(keys, inner.values, max_size=3), frozenset(("object",)))


def _optional(draw, depth):
    inner = draw(specs(depth))
    values = st.one_of(st.none(), inner.values)
    return Spec(Optional[inner.hint], values, inner.kinds | {"null"}, inner.hashable)


def _union(draw, depth):
    """A union of arms that can be told apart by their JSON type."""
    arms, kinds = [], set()
    for spec in draw(st.lists(specs(depth), min_size=2, max_size=4)):
        if not spec.kinds & (kinds | {"a", "n", "y"}):
            arms.append(spec)
            kinds |= spec.kinds
    if len(arms) < 2:
        return arms[0] if arms else draw(st.sampled_from(LEAVES))
    hint = Union[tuple(arm.hint for arm in arms)]
    return Spec(hint, st.one_of(*(arm.values for arm in arms)), frozenset(kinds))


def _fields(draw, depth):
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    return {name: draw(specs(depth)) for name in names}


def _is_native(hint):
    try:
        TypeAdapter(hint)
    except Exception:
        return False
    return True


def _dataclass(draw, depth):
    fields = _fields(draw, depth)
    cls = dataclasses.make_dataclass("Record", [(n, s.hint) for n, s in fields.items()])
    values = st.builds(cls, **{n: s.values for n, s in fields.items()})
    return Spec(cls, values, frozenset(("object",)))


def _model(draw, depth):
    # A class statement that pydantic itself refuses (a plain class, typing's TypedDict before
    # 3.12 as the type of a field) never reaches us: such fields are drawn again.
    fields = {
        name: spec if _is_native(spec.hint) else draw(st.sampled_from(LEAVES))
        for name, spec in _fields(draw, depth).items()
        if name not in ("schema", "copy", "json")
    }
    aliased = draw(st.booleans())
    given = {
        name: (spec.hint, Field(alias=f"{name}Alias") if aliased else ...)
        for name, spec in fields.items()
    }
    cls = create_model("Model", **given)
    suffix = "Alias" if aliased else ""
    values = st.fixed_dictionaries({n: s.values for n, s in fields.items()}).map(
        lambda kw: cls(**{name + suffix: value for name, value in kw.items()})
    )
    return Spec(cls, values, frozenset(("object",)))


def _typed_dict(draw, depth):
    fields = _fields(draw, depth)
    module = draw(st.sampled_from([typing, typing_extensions]))
    optional = draw(st.sets(st.sampled_from(sorted(fields))))
    given = {n: module.NotRequired[s.hint] if n in optional else s.hint for n, s in fields.items()}
    cls = module.TypedDict("Keys", given)
    values = st.fixed_dictionaries(
        {n: s.values for n, s in fields.items() if n not in optional},
        optional={n: s.values for n, s in fields.items() if n in optional},
    )
    return Spec(cls, values, frozenset(("object",)))


def _named_tuple(draw, depth):
    fields = {n: s for n, s in _fields(draw, depth).items() if n not in ("count", "index")}
    cls = NamedTuple("Pair", [(name, spec.hint) for name, spec in fields.items()])
    values = st.builds(cls, **{n: s.values for n, s in fields.items()})
    return Spec(cls, values, frozenset(("array", "object")))  # by position, or by name


def _plain_class(draw, depth):
    fields = _fields(draw, depth)

    def __init__(self, **given):
        self.__dict__.update(given)

    names = list(fields)
    namespace = {f"hint_{name}": spec.hint for name, spec in fields.items()}
    header = ", ".join(f"{name}: hint_{name}" for name in names)
    body = "; ".join(f"self.{name} = {name}" for name in names)
    exec(f"def __init__(self, {header}): {body}", namespace)
    cls = type(
        "Plain",
        (),
        {
            "__init__": namespace["__init__"],
            "__eq__": lambda self, other: vars(self) == vars(other),
            "__repr__": lambda self: f"Plain({vars(self)})",
            "__hash__": None,
        },
    )
    values = st.fixed_dictionaries({n: s.values for n, s in fields.items()}).map(
        lambda kw: cls(**kw)
    )
    return Spec(cls, values, frozenset(("object",)))


COMPOSITES = [
    _list,
    _bounded_list,
    _set,
    _tuple,
    _dict,
    _optional,
    _union,
    _dataclass,
    _model,
    _typed_dict,
    _named_tuple,
    _plain_class,
]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-20, 20),
    st.floats(-5, 5),
    st.sampled_from(["", "a", "abcd", "one", "red", "cat", "2024-01-01", "5", "null"]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abk"), inner, max_size=3)
    ),
    max_leaves=5,
)
