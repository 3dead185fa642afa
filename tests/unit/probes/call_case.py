"""What a probe of a call is, and the types that many probes share."""

import base64
import dataclasses
import datetime
import enum
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict

CASES = []
MISSING = object()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """One call and what must come of it; exactly one of gives, text, blocks, error or holds."""

    id: str
    target: Any
    arguments: Any
    options: dict[str, Any]
    gives: Any = MISSING
    """The bare structured content; its text is the same as compact JSON."""
    closed: bool = True
    """The root is an object for every client; else an old one gets it boxed."""
    nullable: bool = False
    """The root may be null: structured content is boxed in both eras."""
    text: Any = MISSING
    """The only text; there is no structured content."""
    blocks: Any = MISSING
    """The exact content; there is no structured content."""
    error: Any = MISSING
    """What an error says, in pieces."""
    hides: Sequence[str] = ()
    """What no word of it may say."""
    holds: Any = MISSING
    """A check of the whole payload, where more than one outcome is right."""
    repairs: Any = MISSING
    """The codes of the repairs made."""
    value: Any = MISSING
    """The Python value."""


def probe(id, arguments=None, options=None, **expected):
    def add(target):
        expected.setdefault("repairs", [] if "error" not in expected else MISSING)
        CASES.append(
            Case(id=id, target=target, arguments=arguments, options=options or {}, **expected)
        )
        return target

    return add


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


class Inner(BaseModel):
    a: int
    b: str = "b"


class Outer(BaseModel):
    inner: Inner
    many: list[Inner] = []


class Node(BaseModel):
    name: str
    children: list["Node"] = []


class Aliased(BaseModel):
    user_id: int = Field(alias="userId")
    model_config = {"populate_by_name": True}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@dataclasses.dataclass
class Titled:
    title: str
    when: datetime.datetime | None = None


class Pair(NamedTuple):
    a: int
    b: str


class Query(TypedDict):
    q: str
    limit: NotRequired[int]


class Plain:
    x: int

    def __init__(self, x: int) -> None:
        self.x = x


DATE = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PNG_BLOCK = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}


def text_block(text):
    return {"type": "text", "text": text}
