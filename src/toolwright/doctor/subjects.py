"""What checks look at: a toolbox, a tool, and its schemas."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .._json_values import JsonObject, is_list, is_object
from ..contract.tokens import estimate_tokens
from ..json_schema.document import Document
from ..json_schema.facts import Facts, SchemaReader
from ..read.signature import Lost, Signature
from ..tools.definition import Tool, compiled_of, outline, signature_of
from .author_source import AuthorSource, Sources
from .findings import Edit, Finding, Severity

if TYPE_CHECKING:
    from .configuration import Settings, SizeLimits
    from .findings import Check


MARKER = "x-user-providable"
"""Says that a user can give a value: no other tool has to (platools' keyword)."""
_MOST_NODES = 5_000
"""How many nodes of one schema are looked at: a schema may contain itself."""


def kinds_of(facts: Facts) -> frozenset[str]:
    """Return the JSON types that a schema takes; empty if it says nothing about them."""
    if facts.is_anything:
        return frozenset()
    return facts.kinds - {"integer"} if "number" in facts.kinds else facts.kinds


def fits(given: frozenset[str], taken: frozenset[str]) -> bool:
    """Return whether values of the given types may fit where others are wanted."""
    given, taken = given - {"null"}, taken - {"null"}
    if not given or not taken or given & taken:
        return True
    # A number may be whole.
    return bool(given & {"integer", "number"} and taken & {"integer", "number"})


def is_providable(facts: Facts) -> bool:
    """Return whether a user can give the value: it is marked, or all its values are known."""
    if facts.values or any(arm.get(MARKER) is True for arm in facts.arms):
        return True
    return facts.kinds - {"null"} == frozenset(("boolean",))


def is_marked(facts: Facts) -> bool:
    """Return whether a schema says if users can give its value."""
    return any(MARKER in arm for arm in facts.arms)


class SchemaField(NamedTuple):
    """A field anywhere in a schema: its name, its own schema, and how deep it is."""

    name: str
    node: Any
    depth: int


def fields_of(reader: SchemaReader) -> Iterator[SchemaField]:
    """Yield every field of a schema, including those of items and of fields, outermost first."""
    todo: list[tuple[Any, int]] = [(reader.document.root, 0)]
    visited: set[int] = set()
    position = 0
    while position < len(todo) and len(visited) < _MOST_NODES:
        node, depth = todo[position]
        position += 1
        for arm in reader.facts(node).arms:
            if id(arm) in visited:
                continue
            visited.add(id(arm))
            item_schemas = (arm.get(word) for word in ("items", "additionalProperties"))
            todo.extend((schema, depth) for schema in item_schemas if is_object(schema))
            if is_list(arm.get("prefixItems")):
                todo.extend((schema, depth) for schema in arm["prefixItems"])
            properties = arm.get("properties")
            for name, field in properties.items() if is_object(properties) else ():
                yield SchemaField(name, field, depth)
                todo.append((field, depth + 1))


def parts_of(facts: Facts) -> Mapping[str, Any]:
    """Return the required fields of an object, or of a list's items: what it is assembled from."""
    facts = facts.items if is_object(facts.item) else facts
    return {name: facts.properties[name] for name in facts.required if name in facts.properties}


T = TypeVar("T")
_MOST_COUNTED = 200_000
"""How many characters are counted in tokens: the rest is taken to be similar."""
_OWN_FOLDER = str(Path(__file__).parents[1])


class CheckedTool:
    """One tool, as checks see it."""

    def __init__(self, tool: Tool, sources: Sources, settings: Settings) -> None:
        self.tool = tool
        self.name = tool.name
        self.options = tool.options
        self.settings = settings
        self._sources = sources
        self._check: Check | None = None

    def __repr__(self) -> str:
        return f"<CheckedTool {self.name}>"

    @property
    def limits(self) -> SizeLimits:
        """The limits that hold for this tool."""
        return self.settings.limits_of(self.name)

    @functools.cached_property
    def description(self) -> str:
        """What the tool says about itself."""
        return self.tool.description

    @functools.cached_property
    def input_schema(self) -> JsonObject:
        """The schema of the arguments; not to be changed."""
        return self.tool.input_schema

    @functools.cached_property
    def inputs(self) -> SchemaReader:
        """Reads the schema of the arguments."""
        return SchemaReader(Document(self.input_schema))

    @functools.cached_property
    def output_schema(self) -> JsonObject | None:
        """The schema of the values; not to be changed."""
        return self.tool.output_schema

    @functools.cached_property
    def properties(self) -> Mapping[str, Any]:
        """The parameters that a caller sees, by name, with their schemas."""
        return dict(self.inputs.facts().properties)

    @functools.cached_property
    def required(self) -> Sequence[str]:
        """The names of the parameters that must be sent."""
        return [name for name in self.inputs.facts().required if name in self.properties]

    @functools.cached_property
    def tokens(self) -> int:
        """About how many tokens the definition takes, as `tools/list` has it."""
        text = self.tool.to_mcp_json().decode("utf-8", "replace")
        if len(text) <= _MOST_COUNTED:
            return estimate_tokens(text)
        return estimate_tokens(text[:_MOST_COUNTED]) * len(text) // _MOST_COUNTED

    @functools.cached_property
    def signature(self) -> Signature:
        """What was read off the target."""
        return signature_of(self.tool)

    @functools.cached_property
    def lost(self) -> Sequence[Lost]:
        """What could not be kept of the target."""
        return compiled_of(self.tool).problems

    @functools.cached_property
    def source(self) -> AuthorSource | None:
        """The author's source, if the tool is a function or a method that has one."""
        source = self._sources.of(self.tool)
        return None if source is None or source.file.startswith(_OWN_FOLDER) else source

    @functools.cached_property
    def file(self) -> str:
        """The file that the tool is written in; empty if there is none."""
        file = outline(self.tool).location.file
        return "" if not file or file.startswith(_OWN_FOLDER) else file

    @functools.cached_property
    def line(self) -> int:
        """The line of `def`, or of whatever else defines the tool."""
        if not self.file:
            return 0
        if self.source is not None:
            return self.source.node.lineno
        return outline(self.tool).location.line or self._sources.class_line(self.tool)

    @functools.cached_property
    def _parameter_lines(self) -> dict[str, int]:
        return self.source.parameter_lines() if self.source is not None else {}

    def finding(
        self,
        message: str,
        *,
        parameter: str = "",
        line: int = 0,
        fix: str = "",
        severity: Severity | str | None = None,
        edits: Sequence[Edit] = (),
    ) -> Finding:
        """Return a finding about this tool, or one of its parameters, with its place.

        The message continues after the name: `has no description`.
        """
        check = self._check
        subject = f"{self.name}.{parameter}" if parameter else self.name
        return Finding(
            id=check.id if check else "",
            severity=Severity(severity or (check.severity if check else Severity.WARNING)),
            message=f"{subject} {message}",
            tool=self.name,
            parameter=parameter,
            file=self.file,
            line=line or self._parameter_lines.get(parameter, 0) or self.line,
            fix=fix or (check.fix if check else ""),
            edits=tuple(edits),
        )

    def under(self, check: Check) -> CheckedTool:
        """Return this tool for a check to look at: its findings become that check's."""
        self._check = check
        return self


class CheckedToolbox:
    """All tools of a toolbox, as checks see them: iterable, and indexed by name."""

    def __init__(
        self,
        name: str,
        tools: Sequence[CheckedTool],
        settings: Settings,
        lifespans: Sequence[AuthorSource] = (),
    ) -> None:
        self.name = name
        self.lifespans = tuple(lifespans)
        """The functions that open and close what the tools use."""
        self.tools = tuple(tools)
        self.settings = settings
        self._by_name = {tool.name: tool for tool in tools}
        self._check: Check | None = None
        self._known: dict[str, Any] = {}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what several checks need: made when first asked for, and kept under a name."""
        if name not in self._known:
            self._known[name] = make()
        return self._known[name]

    def __iter__(self) -> Iterator[CheckedTool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __getitem__(self, name: str) -> CheckedTool:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def finding(
        self, message: str, *, fix: str = "", severity: Severity | str | None = None
    ) -> Finding:
        """Return a finding about the toolbox; the message continues after its name."""
        check = self._check
        return Finding(
            id=check.id if check else "",
            severity=Severity(severity or (check.severity if check else Severity.WARNING)),
            message=f"toolbox {self.name} {message}",
            file=self.file,
            fix=fix or (check.fix if check else ""),
        )

    @functools.cached_property
    def file(self) -> str:
        """The file that most tools are written in; empty if there is none."""
        files = Counter(tool.file for tool in self.tools if tool.file)
        return files.most_common(1)[0][0] if files else ""

    def under(self, check: Check) -> CheckedToolbox:
        """Return this toolbox for a check to look at: findings of its tools become that check's."""
        self._check = check
        for tool in self.tools:
            tool.under(check)
        return self
