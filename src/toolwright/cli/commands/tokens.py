"""`tokens`: what tools cost a model, and what would save tokens."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._words import count_of, did_you_mean, truncate
from ..command import TargetCommand, option, optional, switch
from ..load import open_target
from ..output import flush, print_hanging, print_heading, print_json, say
from ..project import project_at
from ..usage import UsageError
from .test import example_files, whole_number

if TYPE_CHECKING:
    from ...contract.tokens import Saving, TokenBudget, ToolCost
    from ...contract.trials.calls import Journal
    from ...toolbox.box import Toolbox

_MOST_SAVINGS = 10
_LONGEST = 24
"""Characters of a name in the table."""
_COLUMNS = ("total", "description", "schema", "output", "other")


class TokensCommand(TargetCommand):
    """Shows what tools cost a model, and what would save tokens."""

    tool: str | None = optional("TOOL", "only this one, by parameter")
    dialect: str | None = option(
        "as this provider or client gets them, such as openai; `all` compares (MCP)",
        "--for",
        metavar="PROVIDER",
    )
    results: bool = switch("run the examples of `toolwright test`, and count what comes back")
    max_tool: int | None = option("fail if a tool takes more", kind=whole_number, metavar="N")
    max_total: int | None = option("fail if all together take more", kind=whole_number, metavar="N")
    json: bool = switch("print JSON")

    def run(self) -> int:
        """Show what tools cost; return 1 if that is over the budget."""
        from ...contract.trials.guarded import may_guard, run_guarded

        if self.results and self.typed.is_own_process and may_guard():
            return run_guarded(lambda journal: _run(self, journal), flush)
        return _run(self, None)


def _run(chosen: TokensCommand, journal: Journal | None) -> int:
    from ...contract.tokens import savings_in

    opened = open_target(chosen)
    box, usable = opened.box, opened.usable
    if chosen.tool is not None:
        opened.keep_only(chosen.tool)
    budget = _budget(chosen)
    if chosen.dialect == "all":
        return _compare(box, chosen) if usable else 1
    definitions = _definitions(box, chosen.dialect)
    costs = _costs(definitions, box, _measured(box, chosen, journal) if chosen.results else {})
    savings = savings_in(definitions, costs)
    over = budget.over(costs)
    if chosen.json:
        print_json(_json(costs, savings, over, chosen.dialect or "mcp"))
    else:
        _show(costs, savings, over, chosen)
    return 0 if usable and not over else 1


def _budget(chosen: TokensCommand) -> TokenBudget:
    from ...contract.tokens import budget_from
    from ...dialects import DIALECTS

    project = project_at(chosen.target)
    dialects = ("mcp", *DIALECTS)
    if chosen.dialect is not None and chosen.dialect not in (*dialects, "all"):
        hint = did_you_mean(str(chosen.dialect), dialects) or f"there are {', '.join(dialects)}"
        raise UsageError(f"--for: there is no `{chosen.dialect}`; {hint}")
    try:
        budget = budget_from(project.tokens if project else {}, chosen.dialect or "mcp", dialects)
    except ValueError as error:
        raise UsageError(f"{project.file if project else ''}: {error}") from error
    flags = {"max_tool": chosen.max_tool, "max_total": chosen.max_total}
    limits = {name: value for name, value in flags.items() if value is not None}
    return dataclasses.replace(budget, **limits)


def _definitions(box: Toolbox, dialect: str | None) -> list[Any]:
    if dialect in (None, "mcp"):
        return box.to_mcp()["tools"]
    from ...contract.trials.calls import usable_tools
    from ...dialects import render

    return list(render(usable_tools(box).values(), dialect).definitions)


def _costs(
    definitions: Sequence[Any], box: Toolbox, measured: Mapping[str, Sequence[int]]
) -> list[ToolCost]:
    from ...contract.tokens import costs_of

    bounds = {tool.published_name: tool.options.max_result for tool in box.values()}
    bounded: list[ToolCost] = []
    for cost in costs_of(definitions, measured):
        most = bounds.get(cost.tool)
        bounded.append(dataclasses.replace(cost, most_result=most // 4 if most else None))
    return bounded


def _measured(box: Toolbox, chosen: TokensCommand, journal: Journal | None) -> dict[str, list[int]]:
    """Run the examples; return the tokens of their results by published name."""
    from ...contract.tokens import estimate_tokens
    from ...contract.trials.example_files import ExampleFileError, read_examples
    from ...contract.trials.trial_run import TrialRun

    try:
        examples = [
            example
            for file in example_files((), chosen.target)
            for example in read_examples(file).examples
        ]
        tests = TrialRun(box, examples, journal=journal)
    except ExampleFileError as error:
        raise UsageError(str(error)) from error
    tokens_of: dict[str, list[int]] = {}
    tests.calls.on_result = lambda name, result: tokens_of.setdefault(
        box[name].published_name, []
    ).append(estimate_tokens(result.text))
    with box:
        tests.run()
    return tokens_of


def _compare(box: Toolbox, chosen: TokensCommand) -> int:
    """Show what all tools together cost in each dialect."""
    from ...contract.tokens import costs_of
    from ...dialects import DIALECTS

    totals = {
        name: sum(cost.total for cost in costs_of(_definitions(box, name)))
        for name in ("mcp", *DIALECTS)
    }
    if chosen.json:
        print_json(totals)
    else:
        for name, total in totals.items():
            say(f"{name:18}{total:>8,}")
    return 0


def _json(
    costs: Sequence[ToolCost], savings: Sequence[Saving], over: Sequence[str], dialect: str
) -> dict[str, Any]:
    return {
        "for": dialect,
        "total": sum(cost.total for cost in costs),
        "tools": [cost.to_dict() for cost in costs],
        "savings": [saving.to_dict() for saving in savings],
        "over_budget": list(over),
    }


def _show(
    costs: Sequence[ToolCost],
    savings: Sequence[Saving],
    over: Sequence[str],
    chosen: TokensCommand,
) -> None:
    measured = any(cost.result is not None for cost in costs)
    columns = (*_COLUMNS, "result") if measured else _COLUMNS
    names = [truncate(cost.tool, _LONGEST) for cost in costs]
    parameters = [
        f"  {truncate(name, _LONGEST)}" for cost in costs for name in cost.parameters if chosen.tool
    ]
    width = max(len(name) for name in (*names, *parameters, count_of(len(costs), "tool")))
    say(f"{'':{width}}" + "".join(f"{name:>{_wide(name)}}" for name in columns))
    for name, cost in sorted(zip(names, costs, strict=True), key=lambda each: -each[1].total):
        say(f"{name:{width}}" + "".join(_cell(cost, column) for column in columns))
        if chosen.tool is not None:
            for parameter, tokens in cost.parameters.items():
                say(f"  {truncate(parameter, _LONGEST):{width - 2}}{tokens:>{_wide('total')},}")
    if len(costs) != 1:
        total = {column: sum(_value(cost, column) or 0 for cost in costs) for column in _COLUMNS}
        say(
            f"{count_of(len(costs), 'tool'):{width}}"
            + "".join(f"{total[column]:>{_wide(column)},}" for column in _COLUMNS)
        )
    worthwhile = [
        saving for saving in savings if chosen.tool in (None, saving.tool) or not saving.tool
    ]
    if worthwhile:
        say("")
        print_heading("What would save")
        for saving in worthwhile[:_MOST_SAVINGS]:
            where = f"{saving.tool}: " if saving.tool else ""
            print_hanging(f"{saving.tokens:>7,}  {where}{saving.what}", 9)
        if len(worthwhile) > _MOST_SAVINGS:
            say(f"         and {len(worthwhile) - _MOST_SAVINGS} more; --json has all")
    for line in over:
        print_hanging(f"over budget: {line}", 4)


def _wide(column: str) -> int:
    return max(len(column) + 2, 8)


def _value(cost: ToolCost, column: str) -> int | None:
    return cost.other + cost.name if column == "other" else getattr(cost, column)


def _cell(cost: ToolCost, column: str) -> str:
    value = _value(cost, column)
    return f"{'-' if value is None else format(value, ','):>{_wide(column)}}"
