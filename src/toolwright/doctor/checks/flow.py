"""Where arguments come from: other tools, or the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...json_schema.document import Document
from ...json_schema.facts import SchemaReader
from ..findings import Found, Severity, check, first_of
from ..subjects import (
    CheckedTool,
    CheckedToolbox,
    fields_of,
    fits,
    is_marked,
    is_providable,
    kinds_of,
    parts_of,
)

_DEEPEST = 4
_MOST_NAMED = 5
_ANY: frozenset[str] = frozenset()


class _Flow:
    """Which tools return a field of a given name, and which need one."""

    def __init__(self, box: CheckedToolbox) -> None:
        self.givers: dict[str, list[str]] = {}
        """The tools that give a field, by its name."""
        self.kinds: dict[str, dict[frozenset[str], list[str]]] = {}
        """The same tools, by the types that the field has in them."""
        self.given = {tool.name: _given_by(tool) for tool in box}
        """The fields that each tool gives, with their types."""
        for tool in box:
            for name, kinds in self.given[tool.name].items():
                self.givers.setdefault(name, []).append(tool.name)
                self.kinds.setdefault(name, {}).setdefault(kinds, []).append(tool.name)
        self.is_strict = any(
            is_marked(tool.inputs.facts(node)) for tool in box for node in tool.properties.values()
        )
        """Whether some parameter says that users give it: then the others are not given by them."""

    @classmethod
    def of(cls, box: CheckedToolbox) -> _Flow:
        """Return what is known about a toolbox; it is worked out once."""
        return box.once("flow", lambda: cls(box))

    @property
    def severity(self) -> Severity:
        return Severity.ERROR if self.is_strict else Severity.INFO

    def is_given(self, name: str, tool: CheckedTool) -> bool:
        """Return whether another tool gives a field of this name."""
        givers = self.givers.get(name, ())
        return len(givers) > 1 or (len(givers) == 1 and givers[0] != tool.name)

    def needs(self, tool: CheckedTool) -> Iterator[tuple[str, Any]]:
        """Yield the required parameters that a user does not give."""
        for name in tool.required:
            node = tool.properties[name]
            if not is_providable(tool.inputs.facts(node)):
                yield name, node

    def has_source(self, tool: CheckedTool, name: str, node: Any, depth: int = 0) -> bool:
        """Return whether some tool gives a parameter, or all parts that it is assembled from."""
        if self.is_given(name, tool):
            return True
        facts = tool.inputs.facts(node)
        parts: Mapping[str, Any] = parts_of(facts) if depth < _DEEPEST else {}
        return bool(parts) and all(
            is_providable(tool.inputs.facts(part))
            or self.has_source(tool, part_name, part, depth + 1)
            for part_name, part in parts.items()
        )


@check(
    "unreachable_param",
    severity=Severity.ERROR,
    fix="let a tool return a field of that name, or mark it: "
    'Annotated[T, Field(json_schema_extra={"x-user-providable": True})]',
    group="flow",
    scope="toolbox",
)
def unreachable_param(box: CheckedToolbox) -> Found:
    """A required parameter has no source: no other tool gives it, and users do not."""
    flow = _Flow.of(box)
    without = [
        (tool, name)
        for tool in box
        for name, node in flow.needs(tool)
        if not flow.has_source(tool, name, node)
    ]
    # Where nothing is marked, most of them are the user's: one line says so.
    is_asked_for = flow.is_strict or box.settings.severity.get("unreachable_param")
    if len(without) > _MOST_NAMED and not is_asked_for:
        parameters = ", ".join(f"{tool.name}.{name}" for tool, name in without[:_MOST_NAMED])
        text = f"has {len(without)} required parameters that no tool returns: {parameters}, ..."
        yield box.finding(text, severity=flow.severity)
        return
    for tool, name in without:
        text = "has no source: no other tool returns it, and it is not marked as the user's"
        yield tool.finding(text, parameter=name, severity=flow.severity)


@check(
    "type_mismatch",
    fix="give both the same type",
    group="flow",
    scope="toolbox",
)
def type_mismatch(box: CheckedToolbox) -> Found:
    """A parameter has another type than the fields of its name that other tools return."""
    flow = _Flow.of(box)
    for tool in box:
        for name, node in tool.properties.items():
            accepted = kinds_of(tool.inputs.facts(node))
            givers_by_kinds = {
                kinds: giver
                for kinds, givers in flow.kinds.get(name, {}).items()
                if (
                    giver := next((tool_name for tool_name in givers if tool_name != tool.name), "")
                )
            }
            if givers_by_kinds and not any(fits(kinds, accepted) for kinds in givers_by_kinds):
                kinds, giver = next(iter(givers_by_kinds.items()))
                text = f"takes {_words(accepted)}, but {giver} returns {_words(kinds)}"
                yield tool.finding(text, parameter=name)


def _given_by(tool: CheckedTool) -> dict[str, frozenset[str]]:
    """Return the fields that a tool gives, with the types they have there; no types means any."""
    kinds_by_field: dict[str, frozenset[str]] = {}
    outputs = SchemaReader(Document(tool.output_schema))
    for field in fields_of(outputs):
        kinds = kinds_of(outputs.facts(field.node))
        earlier = kinds_by_field.get(field.name)
        kinds_by_field[field.name] = (
            kinds if earlier is None else earlier | kinds if earlier and kinds else _ANY
        )
    return kinds_by_field


def _words(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds - {"null"})) or "anything"


@check(
    "circular_dependency",
    severity=Severity.ERROR,
    fix="let one of them do without, or mark a parameter as the user's",
    group="flow",
    scope="toolbox",
)
def circular_dependency(box: CheckedToolbox) -> Found:
    """Tools need each other's results, so that none of them can be called first."""
    flow = _Flow.of(box)
    waiting = _waiting(flow, box)
    reported: set[str] = set()
    for name in waiting:
        if name in reported:
            continue
        path = _cycle(name, waiting, flow)
        if reported.isdisjoint(path):
            steps = [*path[:_MOST_NAMED], *(["..."] if len(path) > _MOST_NAMED else []), path[0]]
            text = f"can never be called first: {' -> '.join(steps)} need each other"
            yield box[path[0]].finding(text, severity=flow.severity)
        reported.update(path, [name])


def _waiting(flow: _Flow, box: CheckedToolbox) -> dict[str, dict[str, None]]:
    """Return the tools that can never be called first, each with what it waits for.

    Whatever can be called gives its fields to those that wait for them, which may then be called.
    What no tool gives is unreachable, and reported as that: no tool waits for it here.
    """
    waiting: dict[str, dict[str, None]] = {}
    takers: dict[str, list[str]] = {}
    for tool in box:
        needs = [name for name, _ in flow.needs(tool) if flow.is_given(name, tool)]
        waiting[tool.name] = dict.fromkeys(needs)
        for name in needs:
            takers.setdefault(name, []).append(tool.name)
    ready = [name for name, needs in waiting.items() if not needs]
    while ready:
        tool = ready.pop()
        del waiting[tool]
        for name in flow.given[tool]:
            for taker in takers.pop(name, ()):
                needs = waiting[taker]
                del needs[name]
                if not needs:
                    ready.append(taker)
    return waiting


def _cycle(start: str, waiting: Mapping[str, Mapping[str, None]], flow: _Flow) -> list[str]:
    """Follow needs until a tool comes up again; return the tools from there on."""
    path: dict[str, None] = {}
    current = start
    while current not in path:
        path[current] = None
        needed = next(iter(waiting[current]))
        current = next(
            giver for giver in flow.givers[needed] if giver in waiting and giver != current
        )
    steps = list(path)
    return steps[steps.index(current) :]


@check(
    "ambiguous_output",
    severity=Severity.INFO,
    fix="say in the parameter's description which tool gives it",
    group="flow",
    scope="toolbox",
)
def ambiguous_output(box: CheckedToolbox) -> Found:
    """Several tools return a field that another tool requires."""
    flow = _Flow.of(box)
    reported: set[str] = set()
    for tool in box:
        for name, node in flow.needs(tool):
            if name in reported or len(flow.givers.get(name, ())) < 2:
                continue
            givers = [giver for giver in flow.givers[name] if giver != tool.name]
            description = tool.inputs.facts(node).description
            if len(givers) < 2 or any(giver in description for giver in givers):
                continue
            reported.add(name)
            text = f"may come from {len(givers)} tools: {first_of(givers)}"
            yield tool.finding(text, parameter=name)
