"""Toolboxes that nobody chose by hand: functions with real hints, from a seed."""

import dataclasses
import datetime
import decimal
import enum
import random
import uuid
from typing import Annotated, Any, Literal, NamedTuple, Optional, Union

from pydantic import BaseModel, Field, create_model
from typing_extensions import TypedDict

from toolwright import Toolbox


class Colour(enum.Enum):
    RED = "red"
    NONE = ""


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Tree(BaseModel):
    """A tree of itself."""

    value: int
    children: list["Tree"] = []
    parent: Optional["Tree"] = None


class Person(BaseModel):
    name: str
    boss: "Company | None" = None


class Company(BaseModel):
    staff: dict[str, Person] = {}


Person.model_rebuild()


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str]


class Point(NamedTuple):
    x: int
    y: float = 0.0


class Options(TypedDict, total=False):
    deep: bool
    depth: int


@dataclasses.dataclass
class Line:
    sku: str
    count: int = 1
    note: str | None = None


class Open(BaseModel, extra="allow"):
    known: int


class Odd(BaseModel):
    """Keys that are no names, and words of JSON Schema."""

    dashed: int = Field(alias="x-y")
    dollar: str = Field(default="", alias="$id")
    spaced: str = Field(default="", alias="with space")
    accented: int = Field(default=0, alias="größe")
    long: int = Field(default=0, alias="k" * 70)
    also_dashed: int = Field(default=0, alias="x.y")
    strict: bool = False
    title: str = "t"
    type: str = ""
    properties: int = 0


class Nothing(BaseModel):
    pass


LEAVES = [
    int,
    float,
    bool,
    str,
    bytes,
    datetime.date,
    datetime.datetime,
    datetime.timedelta,
    decimal.Decimal,
    uuid.UUID,
    Colour,
    Level,
    Any,
    dict,
    list,
    Literal["a", "b"],
    Literal[1, "one", True, None],
    Literal[False],
    Annotated[int, Field(ge=-5, lt=10)],
    Annotated[int, Field(multiple_of=3)],
    Annotated[float, Field(gt=0, le=1)],
    Annotated[str, Field(min_length=1, max_length=4)],
    Annotated[str, Field(pattern=r"^[a-c]+$")],
    Annotated[str, Field(pattern=r"\d{2}")],
    Annotated[list[int], Field(min_length=2, max_length=3)],
    Annotated[str, Field(examples=["x"], title="A title")],
    Annotated[dict[str, int], Field(min_length=1)],
    Tree,
    Person,
    Annotated[Cat | Dog, Field(discriminator="kind")],
    Point,
    Options,
    Line,
    Open,
    Odd,
    Nothing,
    set[str],
    frozenset[int],
    tuple[int, str],
    tuple[()],
    tuple[int, ...],
    dict[str, int],
    dict[str, Any],
    dict[int, str],
    dict[Literal["p", "q"], int],
]
PARAMETERS = [
    *"query limit title type default strict format enum const properties required items".split(),
    *"name arguments value key self_ größe ключ nullable description additionalProperties".split(),
    "very_long_parameter_name_" + "x" * 60,
    "x" * 65,
]
DESCRIPTIONS = [
    "",
    "Do it.",
    "Find things.\n\nArgs:\n    query: What to look for.\n    limit: Most hits.\n",
    'Quote " and \\ and \u2028 and 🙂, {braces}, `$ref`.',
    "Long. " * 300,
]
NAMES = [
    "search",
    "find_all",
    "shop.orders.list",
    "a.b",
    "a_b",
    "a:b",
    "_x",
    "9lives",
    "x-y",
    "z" * 90,
    "z" * 89 + "y",
]


def hint(pick, depth=2):
    """A hint as authors write them."""
    if depth == 0 or pick.random() < 0.45:
        return pick.choice(LEAVES)
    inner = hint(pick, depth - 1)
    kind = pick.randrange(8)
    if kind == 0:
        return list[inner]
    if kind == 1:
        return Optional[inner]
    if kind == 2:
        return Union[inner, hint(pick, depth - 1)]
    if kind == 3:
        return dict[str, inner]
    if kind == 4:
        return tuple[inner, hint(pick, depth - 1)]
    if kind == 5:
        return Annotated[inner, Field(description="A description of " + "it" * pick.randrange(3))]
    if kind == 6:
        return model(pick, depth)
    return list[Optional[inner]]


def model(pick, depth):
    fields = {}
    for at in range(pick.randrange(1, 5)):
        name = pick.choice(["title", "type", "a", "b", "items", "required", "class_", "_default"])
        name = name.strip("_") + (str(at) if pick.random() < 0.5 else "")
        inner = hint(pick, depth - 1)
        fields[name] = (Optional[inner], None) if pick.random() < 0.4 else (inner, ...)
    return create_model(f"Model{pick.randrange(10**6)}", **fields)


def function(pick):
    """A function written out and compiled, with hints and defaults of every kind."""
    space, required, optional = {"__name__": "made"}, [], []
    for at, name in enumerate(pick.sample(PARAMETERS, pick.choice([0, 1, 1, 2, 3, 5]))):
        kind, way = hint(pick), pick.random()
        if way < 0.35:
            kind = Optional[kind]
            optional.append(f"{name}: h{at} = None")
        elif way < 0.45:
            kind = int
            optional.append(f"{name}: h{at} = {pick.randrange(100)}")
        else:
            required.append(f"{name}: h{at}")
        space[f"h{at}"] = kind
    exec(f"def made({', '.join([*required, *optional])}):\n    return 'done'", space)  # noqa: S102
    made = space["made"]
    made.__doc__ = pick.choice(DESCRIPTIONS)
    return made


def toolbox(seed):
    """A toolbox of 1 to 60 tools; most are small, as most are in life."""
    pick = random.Random(seed)
    box, published = Toolbox(f"box{seed}"), set()
    for at in range(pick.choice([1, 2, 3, 3, 5, 5, 8, 8, 13, 30, 60])):
        name = pick.choice(NAMES) if pick.random() < 0.5 else f"tool_{at}"
        plain = name.replace(".", "_").replace(":", "_")
        if plain in published:
            name = plain = f"tool_{at}"
        published.add(plain)
        box.add(function(pick), name=name)
    return box
