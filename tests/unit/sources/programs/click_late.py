"""A command that is imported when it is needed."""

import click
from received import show


@click.command()
@click.option("--x", type=int, required=True)
@click.pass_context
def late(ctx, x):
    """Come late."""
    show("late", **ctx.obj, x=x)
