"""Adds the commands of command-line programs to a toolbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..errors import SchemaError
from ..tools.loading import raise_or_note

if TYPE_CHECKING:
    from ..options import ToolOptions
    from ..run.hooks import Hook
    from ..sources.commands.offers import Offer
    from ..sources.rules import Rule
    from ..tools.definition import Tool


def include_commands(
    source: Any,
    select: str | Sequence[str],
    prefix: str,
    rules: Sequence[Rule] | None,
    options: ToolOptions,
    add: Callable[[Any, ToolOptions], Tool],
    inner_box: Callable[[], Any],
) -> tuple[list[Tool], dict[str, str]]:
    """Add the selected commands of a program; return the tools, and the variables they run with.

    Commands of a rule with hooks are wrapped by a toolbox of their own, which `inner_box` makes.
    Raises `DefinitionError` for all the bad ones, `SchemaError` if a selection is missing, and
    `TypeError` if the source is not a program.
    """
    from ..sources.command_line import command_line_of, offered_by

    line, given = command_line_of(source, rules, options)
    if line.needs_selection and select == "*":
        raise SchemaError(
            "was scanned: only selected commands are offered",
            tool=line.name,
            hint='say which commands: select="container.*", or `rules`',
        )
    offers, refused = offered_by(line, select, prefix)
    added: list[Tool] = []
    wrapping: dict[tuple[Hook, ...], Any] = {}
    for offer in offers:
        if offer.around and offer.around not in wrapping:
            wrapping[offer.around] = inner_box()
            for hook in offer.around:
                wrapping[offer.around].around(hook)
        try:
            target = offer.target
            if offer.around:
                target = wrapping[offer.around].add(target, **_options(offer, {}))
            added.append(add(target, _options(offer, given)))
        except SchemaError as error:
            refused.append(error)
    raise_or_note(refused)
    return added, line.environment()


def only_command(target: Any, options: ToolOptions) -> tuple[Any, ToolOptions]:
    """Return the one command of a program, and its options. Raises `SchemaError`."""
    from ..sources.command_line import command_line_of, offered_by

    line, given = command_line_of(target, None, options)
    offers, refused = offered_by(line)
    if refused:
        raise refused[0]
    if len(line.commands) != 1:
        raise SchemaError(
            f"is a command-line program with {len(line.commands)} commands",
            tool=line.name,
            hint="use `box.include(...)`, which makes tools of them",
        )
    (offer,) = offers
    return offer.target, {**_options(offer, given), **given}


def _options(offer: Offer, given: ToolOptions) -> ToolOptions:
    # A rule is about fewer commands than what was said for all of them.
    return cast("ToolOptions", {**offer.options, **given, **offer.of_rule, "name": offer.name})
