"""A program of Cyclopts with everything that an option or a positional can be."""

import datetime
import decimal
import enum
import ipaddress
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

sys.path.insert(0, str(Path(__file__).parent))

import cyclopts
import pydantic
from cyclopts import App, Group, Parameter, validators
from received import show

from toolwright.sources.frameworks.parts import annotate
from toolwright.sources.json_options import json_option


class Color(enum.Enum):
    DARK_RED = 1
    BLUE = 2


class Filter(pydantic.BaseModel):
    """Which rows are wanted."""

    field: str
    limit: int = 3


@dataclass
class User:
    name: str
    """Who it is."""
    age: int = 3


app = App(
    name="torture", version="1.2.3", help="Do everything.", help_epilogue="Examples: torture values"
)


@app.command
def values(
    count: Annotated[int, Parameter(help="How many")] = 3,
    *,
    ratio: float | None = None,
    size: Annotated[int | None, Parameter(validator=validators.Number(gte=1, lt=10))] = None,
    price: decimal.Decimal | None = None,
    shade: Literal["light", "Dark"] = "light",
    level: Literal[1, 2] | None = None,
    color: Color = Color.DARK_RED,
    path: Path | None = None,
    existing: Annotated[Path | None, Parameter(validator=validators.Path(exists=True))] = None,
    when: datetime.datetime | None = None,
    day: datetime.date | None = None,
    wait: datetime.timedelta | None = None,
    id: uuid.UUID | None = None,
    address: ipaddress.IPv6Address | None = None,
    raw: bytes | None = None,
    either: int | str | None = None,
    filter: Annotated[
        Filter | None, Parameter(converter=json_option(Filter), accepts_keys=False, n_tokens=1)
    ] = None,
    short: Annotated[str | None, Parameter(name="-s")] = None,
    text: Annotated[str, Parameter(env_var=["TEXT", "TXT"])] = "",
    internal: Annotated[str, Parameter(show=False)] = "i",
    unparsed: Annotated[str, Parameter(parse=False)] = "u",
    api_token: str = "s3cret",
):
    """Take values.

    At length.

    Parameters
    ----------
    ratio
        Of width to height.
    """
    show("values", **{k: v for k, v in locals().items() if k not in ("unparsed", "api_token")})


@app.command
def switches(
    *,
    shout: bool = True,
    only: Annotated[bool, Parameter(negative="")] = False,
    verbose: Annotated[int, Parameter(alias="-v", count=True)] = 0,
):
    show("switches", **locals())


@app.command
def lists(
    *,
    tag: list[str] | None = None,
    number: Annotated[list[int], Parameter(negative="--no-number")] = [1],
    paths: list[Path] | None = None,
    pair: tuple[str, int] = ("a", 1),
    pairs: list[tuple[str, int]] | None = None,
    labels: dict[str, int] | None = None,
    unique: set[str] | None = None,
):
    show("lists", **locals())


@app.command(alias="put")
def places(first: str, second: int = 2, /, *rest: str, danger: bool = False):
    show("places", **locals())


@app.command
def user(user: User, *, note: str = ""):
    show("user", user_name=user.name, user_age=user.age, note=note)


either = Group("either", validator=validators.LimitedChoice(1, 1))


@app.command
@annotate(read_only=True)
def one(
    *,
    left: Annotated[int | None, Parameter(group=either)] = None,
    right: Annotated[int | None, Parameter(group=either)] = None,
):
    show("one", **locals())


outer = App(name="outer", help="A group that runs.", show=False)
app.command(outer)


@outer.default
def run(*, depth: int):
    show("outer", depth=depth)


@outer.command(name="in-ner")
def inner(what: str, /):
    show("inner", what=what)


if __name__ == "__main__":
    app()
