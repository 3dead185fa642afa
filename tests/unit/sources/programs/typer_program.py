"""A program of Typer with everything that an option or a positional can be."""

import datetime
import enum
import sys
import uuid
from pathlib import Path
from typing import Annotated, Optional

sys.path.insert(0, str(Path(__file__).parent))

import pydantic
import typer
from received import show

from toolwright.sources.frameworks.parts import annotate
from toolwright.sources.json_options import json_option


class Color(str, enum.Enum):
    red = "Red"
    blue = "blue"


class Filter(pydantic.BaseModel):
    """Which rows are wanted."""

    field: str
    limit: int = 3


def shouted(text: str) -> str:
    return text


app = typer.Typer(name="torture", help="Do everything.", epilog="Examples: torture values")
state = {}


@app.callback()
def root(region: Annotated[str, typer.Option(help="Where to work.")], debug: bool = False):
    """Do everything."""
    state.update(region=region, debug=debug)


@app.command()
def values(
    count: Annotated[int, typer.Option(help="How many")] = 3,
    ratio: Optional[float] = None,
    size: Annotated[Optional[int], typer.Option(min=1, max=10)] = None,
    clamped: Annotated[Optional[int], typer.Option(min=0, max=10, clamp=True)] = None,
    color: Annotated[Optional[Color], typer.Option(case_sensitive=False)] = None,
    exact: Optional[Color] = None,
    when: Annotated[
        Optional[datetime.datetime], typer.Option(formats=["%Y-%m-%d", "%H:%M"])
    ] = None,
    id: Optional[uuid.UUID] = None,
    parsed: Annotated[Optional[str], typer.Option(parser=shouted)] = None,
    filter: Annotated[Optional[dict], typer.Option(parser=json_option(Filter))] = None,
    short: Annotated[Optional[str], typer.Option("-s")] = None,
    text: Annotated[str, typer.Option(envvar=["TEXT", "TXT"])] = "",
):
    show("values", **state, count=count, ratio=ratio, size=size, clamped=clamped,
         color=color and color.value, exact=exact and exact.value, when=when, id=id, parsed=parsed,
         filter=filter, short=short, text=text)  # fmt: skip


@app.command()
def switches(
    shout: bool = True,
    only: Annotated[bool, typer.Option("--only")] = False,
    cache: Annotated[bool, typer.Option(" /--no-cache")] = True,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True)] = 0,
):
    show("switches", **state, shout=shout, only=only, cache=cache, verbose=verbose)


@app.command()
def lists(
    tag: Annotated[Optional[list[str]], typer.Option()] = None,
    number: Annotated[list[int], typer.Option()] = [1],
    pair: Annotated[tuple[str, int], typer.Option()] = ("a", 1),
    shades: Annotated[Optional[list[Color]], typer.Option()] = None,
):
    show(
        "lists",
        **state,
        tag=tag,
        number=number,
        pair=pair,
        shades=shades and [each.value for each in shades],
    )


@app.command()
def places(
    first: str,
    point: Annotated[tuple[int, int], typer.Argument()],
    rest: Annotated[Optional[list[str]], typer.Argument()] = None,
    danger: bool = False,
):
    show("places", **state, first=first, point=point, rest=rest, danger=danger)


@app.command()
def files(
    path: Annotated[Optional[Path], typer.Option(exists=True, dir_okay=False)] = None,
    dash: Annotated[Optional[Path], typer.Option(allow_dash=True)] = None,
    out: Annotated[Optional[typer.FileTextWrite], typer.Option()] = None,
):
    show("files", **state, path=path, dash=dash, out=out)


@app.command(deprecated=True)
@annotate(read_only=True)
def asks(
    name: Annotated[str, typer.Option(prompt=True)],
    code: Annotated[str, typer.Option(prompt=True, hide_input=True)],
    api_token: Annotated[str, typer.Option()] = "s3cret",
    yes: Annotated[bool, typer.Option(prompt="Sure?")] = False,
    today: Annotated[str, typer.Option(default_factory=lambda: "now")] = ...,
    internal: Annotated[str, typer.Option(hidden=True)] = "i",
):
    show("asks", **state, name=name, code=code, yes=yes, today=today, internal=internal)


outer = typer.Typer(help="A group.")
app.add_typer(outer, name="outer", hidden=True)


@outer.command("in-ner")
def inner(what: str):
    show("inner", **state, what=what)


if __name__ == "__main__":
    app()
