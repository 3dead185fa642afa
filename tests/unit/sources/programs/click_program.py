"""A program of Click with everything that an option or a positional can be."""

import enum
import importlib
import ipaddress
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import click
import pydantic
from received import show

from toolwright.sources.frameworks.parts import annotate
from toolwright.sources.json_options import json_option


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Version(click.ParamType):
    name = "semver"

    def convert(self, value, param, ctx):
        return value


class Filter(pydantic.BaseModel):
    """Which rows are wanted."""

    field: str
    limit: int = 3


class Lazy(click.Group):
    """Its command is imported when it is asked for."""

    def list_commands(self, ctx):
        return ["late"]

    def get_command(self, ctx, name):
        return importlib.import_module("click_late").late if name == "late" else None


@click.group(
    name="torture",
    epilog="Examples: torture values",
    context_settings={"auto_envvar_prefix": "TORTURE"},
)
@click.version_option("1.2.3", message="%(prog)s, version %(version)s")
@click.option("--region", required=True, help="Where to work.")
@click.option("--debug/--no-debug", default=False)
@click.pass_context
def cli(ctx, region, debug):
    """Do everything.

    A second paragraph.\f
    Not for readers.
    """
    ctx.obj = {"region": region, "debug": debug}


def command(*args, **kwargs):
    def decorate(function):
        def run(**values):
            show(function.__name__, **click.get_current_context().obj, **values)

        run.__name__, run.__doc__ = function.__name__, function.__doc__
        run.__click_params__ = list(getattr(function, "__click_params__", []))
        run.__dict__.update(function.__dict__)
        return cli.command(*args, **kwargs)(run)

    return decorate


@command()
@click.option("--count", type=int, default=3, show_default=True, help="How many")
@click.option("--ratio", type=float)
@click.option("--size", type=click.IntRange(1, 10))
@click.option("--open-size", type=click.FloatRange(0, 1, min_open=True, max_open=True))
@click.option("--clamped", type=click.IntRange(0, 10, clamp=True))
@click.option("--shade", type=click.Choice(["light", "Dark"], case_sensitive=False))
@click.option("--exact", type=click.Choice(["a", "A"]))
@click.option("--color", type=click.Choice(Color))
@click.option("--when", type=click.DateTime(["%Y-%m-%d", "%H:%M"]))
@click.option("--uuid", type=click.UUID)
@click.option("--address", type=ipaddress.ip_address)
@click.option("--version-like", type=Version(), help="What to build")
@click.option("--filter", type=json_option(Filter))
@click.option("--flag-with-value", type=bool)
@click.option("-s", "short", help="Has a short flag only.")
@click.option("--text", default="", envvar=["TEXT", "TXT"])
def values(): ...


@command()
@click.option("--shout/--no-shout", default=True)
@click.option("--only", is_flag=True, help="Has no opposite.")
@click.option("--no-cache", "cache", is_flag=True, flag_value=False, default=True)
@click.option("--upper", "case", flag_value="upper", default=True)
@click.option("--lower", "case", flag_value="lower")
@click.option("-v", "--verbose", count=True)
@click.option("--with-a", "parts", flag_value="a", multiple=True)
@click.option("--with-b", "parts", flag_value="b", multiple=True)
@click.option("--mode", is_flag=False, flag_value="auto", default="none")
def switches(): ...


@command()
@click.option("--tag", multiple=True, default=["x"])
@click.option("--number", type=int, multiple=True)
@click.option("--xy", nargs=2, type=int)
@click.option("--pair", type=(str, int))
@click.option("--pairs", type=(str, int), multiple=True)
@click.option("--grid", type=float, nargs=2, multiple=True)
def lists(): ...


@command()
@click.argument("first")
@click.argument("point", nargs=2, type=int)
@click.argument("rest", nargs=-1)
@click.option("--danger", is_flag=True)
def places(): ...


@command()
@click.argument("many", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.argument("last", type=click.Choice(["x", "y"]))
def sandwich(): ...


@command()
@click.option("--path", type=click.Path(exists=True, dir_okay=False))
@click.option("--dash", type=click.Path(allow_dash=True))
@click.option("--out", type=click.File("w"))
def files(): ...


@command(deprecated=True, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def passed(): ...


@annotate(destructive=True)
@command()
@click.option("--name", prompt=True)
@click.option("--word", prompt=True, default="w")
@click.password_option("--code")
@click.option("--api-token", envvar="API_TOKEN", default="s3cret")
@click.confirmation_option(prompt="Sure?")
@click.option("--today", default=lambda: "now")
@click.option("--user", default=lambda: "me", show_default="current user")
@click.option("--internal", hidden=True)
@click.option("--old", deprecated=True)
@click.option("--ask", prompt=True, prompt_required=False, default="d")
@annotate(title="Ask", read_only=False)
def asks(): ...


@command(hidden=True)
def secretly(): ...


@cli.group(invoke_without_command=True)
@click.option("--depth", type=int, default=1)
@click.pass_context
def outer(ctx, depth):
    """A group that runs."""
    if ctx.invoked_subcommand is None:
        show("outer", **ctx.obj, depth=depth)
    ctx.obj["depth"] = depth


@outer.command("in-ner")
@click.argument("what")
@click.pass_context
def inner(ctx, what):
    show("inner", **ctx.obj, what=what)


@cli.group(chain=True)
def chain(): ...


@chain.command()
@click.argument("what")
@click.pass_context
def step(ctx, what):
    show("step", **ctx.obj, what=what)


cli.add_command(Lazy("lazy"))

if __name__ == "__main__":
    cli()
