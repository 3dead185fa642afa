"""Adds the commands of command-line programs to a toolbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import SchemaError
from ..tools.catalog import Problem
from ..tools.decorator import note, raise_or_note, refused_while_loading

if TYPE_CHECKING:
    from ..options import ToolOptions
    from ..run.hooks import Hook
    from ..sources.command_tools import Offer
    from ..sources.rules import Rule
    from ..tools.definition import Tool


class IncludedCommands(NamedTuple):
    """What a program has given to a toolbox."""

    tools: list[Tool]
    variables: dict[str, str]
    """The variables that all its commands run with."""
    problems: list[Problem]
    """The commands that are left out, and rules without effect."""


def include_commands(
    source: Any,
    select: str | Sequence[str],
    prefix: str,
    rules: Sequence[Rule] | None,
    options: ToolOptions,
    add: Callable[[Any, ToolOptions], Tool],
    inner_box: Callable[[], Any],
) -> IncludedCommands:
    """Add the selected commands of a program; those that no caller could run are left out.

    Commands of a rule with hooks are wrapped by a toolbox of their own, which `inner_box` makes.
    Raises `DefinitionError` for all the bad ones, `SchemaError` if a selection is missing, and
    `TypeError` if the source is not a program.
    """
    from ..sources.command_line import command_line_of, offered_by

    line, own_options = command_line_of(source, rules, options)
    if line.needs_selection and select == "*":
        raise SchemaError(
            "was scanned: only selected commands are offered",
            tool=line.name,
            hint='say which commands: select="container.*", or `rules`',
        )
    offers, refused, left_out, notes = offered_by(line, select, prefix)
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
            added.append(add(target, _options(offer, own_options)))
        except SchemaError as error:
            refused.append(error)
    raise_or_note([*refused, *(() if added else left_out)])
    if refused_while_loading() is not None:
        for refusal in left_out:
            note(refusal)
    problems = [Problem(refusal.tool, str(refusal), fatal=True) for refusal in left_out]
    problems += [Problem(prefix + line.name, text) for text in notes]
    return IncludedCommands(added, line.environment(), problems)


def only_command(target: Any, options: ToolOptions) -> tuple[Any, ToolOptions]:
    """Return the one command of a program, and its options. Raises `SchemaError`."""
    from ..sources.command_line import command_line_of, offered_by

    line, own_options = command_line_of(target, None, options)
    offers, refused, left_out, _ = offered_by(line)
    if refused or left_out:
        raise [*refused, *left_out][0]
    if len(line.commands) != 1:
        raise SchemaError(
            f"is a command-line program with {len(line.commands)} commands",
            tool=line.name,
            hint="use `box.include(...)`, which makes tools of them",
        )
    (offer,) = offers
    return offer.target, {**_options(offer, own_options), **own_options}


def _options(offer: Offer, given: ToolOptions) -> ToolOptions:
    # A rule is about fewer commands than what was said for all of them.
    return cast("ToolOptions", {**offer.options, **given, **offer.of_rule, "name": offer.name})
