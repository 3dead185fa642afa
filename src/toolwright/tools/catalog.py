"""The ordered set of a toolbox's tools: add, find, list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from .._door import public
from .._protocol import LATEST_PROTOCOL, STATELESS_SINCE, TITLES_SINCE
from .._words import did_you_mean
from ..errors import CallError, DefinitionError, SchemaError, StoreError, ToolNotFound
from ..options import Predicate
from ..refusals import Kind
from .definition import Tool, compile_tools, forget_compiled, outline, runner_of

if TYPE_CHECKING:
    from ..call import Call
    from ..run.runner import Runner

__all__ = ["Catalog", "Problem", "matches", "may_use"]

_MOST_LISTS = 100
"""How many lists are kept: there is one for each set of tools that callers may use."""


@public
class Problem(NamedTuple):
    """One thing wrong with one tool; a fatal one keeps it out of lists."""

    tool: str
    text: str
    fatal: bool = False

    def __str__(self) -> str:
        return self.text if self.fatal else f"{self.tool} {self.text}"


class Catalog(Mapping[str, Tool]):
    """Tools by name, in the order they were added."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._published: dict[str, str] = {}
        self._disabled: set[str] = set()
        self._asked: dict[str, Predicate] = {}
        """The predicates of the tools that have one."""
        self.left_out: list[Problem] = []
        """What is no tool, and might have been one."""
        self._listed: dict[_Key, bytes] = {}
        self._parts: dict[tuple[bool, bool], dict[str, bytes]] = {}
        """Each tool as lists show it, kept where lists differ from caller to caller."""
        for tool in tools:
            self.insert(tool)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[self._own_name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def insert(self, tool: Tool) -> Tool:
        """Add a tool. Raises `SchemaError` if its name is taken or it can never be called."""
        signature = outline(tool)
        if not tool.callable:
            raise signature.refusal(
                "is a method without its instance",
                hint=f"add an instance: `add(instance.{tool.name})` or `include(instance)`",
            )
        holder = self._published.get(tool.published_name) or self._published.get(tool.name)
        if tool.name in self._tools or holder is not None:
            holder_name = holder or tool.name
            same = (
                "is already in the toolbox"
                if holder_name == tool.name
                else f"collides with `{holder_name}`"
            )
            raise signature.refusal(same, hint="tool names must be unique; pass another name=")
        self._tools[tool.name] = tool
        self._published[tool.published_name] = tool.name
        self._published.setdefault(tool.name, tool.name)
        enabled = tool.options.enabled
        if isinstance(enabled, Predicate):
            self._asked[tool.name] = enabled
        elif not enabled:
            self._disabled.add(tool.name)
        self._changed()
        return tool

    def remove(self, name: str) -> Tool:
        """Take a tool out and return it. Raises `ToolNotFound`."""
        tool_name = self._own_name(name)
        self._published = {
            key: value for key, value in self._published.items() if value != tool_name
        }
        self._disabled.discard(tool_name)
        self._asked.pop(tool_name, None)
        self._changed()
        return self._tools.pop(tool_name)

    def disable(self, name: str) -> None:
        """Keep a tool but do not list it. Raises `ToolNotFound`."""
        self._disabled.add(self._own_name(name))
        self._changed()

    def enable(self, name: str) -> None:
        """List a disabled tool again. Raises `ToolNotFound`."""
        self._disabled.discard(self._own_name(name))
        self._changed()

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is enabled. Raises `ToolNotFound`."""
        return self._own_name(name) not in self._disabled

    def select(self, patterns: str | Sequence[str]) -> list[Tool]:
        """Return the tools whose names match; `!pattern` excludes."""
        return [tool for name, tool in self._tools.items() if matches(name, patterns)]

    def compile(self) -> None:
        """Compile every tool now. Raises `DefinitionError` with all that cannot be compiled."""
        bad = self._compile()
        if len(bad) == 1:
            raise bad[0]
        if bad:
            raise DefinitionError(problems=bad)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything known to be wrong or lost, tool by tool."""
        self._compile()
        problems: list[Problem] = []
        for name, tool in self._tools.items():
            try:
                problems.extend(Problem(name, text) for text in tool.problems)
            except SchemaError as error:
                problems.append(Problem(name, str(error), fatal=True))
        return (*problems, *self.left_out)

    def to_mcp_json(
        self,
        protocol: str = LATEST_PROTOCOL,
        roles: Iterable[str] | None = None,
        call: Call | None = None,
    ) -> bytes:
        """Return the `tools/list` payload as JSON; built once for each set of usable tools.

        With `roles`, only tools that a caller with these may use; with a `call`, only those that
        predicates let its caller use.
        """
        known_roles = None if roles is None or not self._roles else self._roles & frozenset(roles)
        off = self._off(known_roles, call) if self._asked and call is not None else _NONE
        key = (protocol >= STATELESS_SINCE, protocol >= TITLES_SINCE, known_roles, off)
        listed = self._listed.get(key)
        if listed is None:
            published = (
                part
                for name, part in self._shown(protocol)
                if name not in self._disabled
                and name not in off
                and may_use(self._tools[name], known_roles)
            )
            if len(self._listed) >= _MOST_LISTS:
                self._listed.clear()
            listed = self._listed[key] = _list_of(published)
        return listed

    def _off(self, roles: Iterable[str] | None, call: Call) -> frozenset[str]:
        """Return the tools that predicates hide from a caller; other roles' tools are not asked."""
        return frozenset(
            name
            for name in list(self._asked)
            if name not in self._disabled
            and may_use(self._tools[name], roles)
            and not may_use(self._tools[name], roles, call)
        )

    def _shown(self, protocol: str) -> Iterable[tuple[str, bytes]]:
        """Return every tool that compiles, as lists show it; kept if any tool has a predicate."""
        key = (protocol >= STATELESS_SINCE, protocol >= TITLES_SINCE)
        if key in self._parts:
            return self._parts[key].items()
        refused = {error.tool for error in self._compile()}
        parts = (
            (name, tool.to_mcp_json(protocol))
            for name, tool in self._tools.items()
            if name not in refused
        )
        if self._asked:
            self._parts[key] = bodies = dict(parts)
            return bodies.items()
        return parts

    @property
    def _roles(self) -> frozenset[str]:
        return frozenset(role for tool in self._tools.values() for role in tool.options.roles)

    def usable(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Tool | None:
        """Return a tool that is enabled, for a caller with these roles; None means the author.

        Hidden tools and tools that do not exist are the same here.
        """
        tool = self._tools.get(self._published.get(name, ""))
        if tool is None or tool.name in self._disabled or not may_use(tool, roles, call):
            return None
        return tool

    def not_found(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> ToolNotFound:
        """Return the error for an unknown name, with the nearest one that the caller may use."""
        names = [
            tool_name
            for tool_name in self._tools
            if self.usable(tool_name, roles, call) is not None
        ]
        return ToolNotFound(name, hint=did_you_mean(name, names))

    def find(self, name: str, call: Call | None = None) -> Runner:
        """Return the runner of a tool. Raises `CallError` if it is unknown, disabled or refused.

        With a `call`, a tool that a predicate hides from its caller is unknown.
        """
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ToolNotFound(repr(name), hint="a name is text")
        tool = self._tools.get(name) or self._tools.get(self._published.get(name, ""))
        if tool is None:
            raise self.not_found(name, None, call)
        if tool.name in self._disabled:
            raise ToolNotFound(name, hint="it is disabled")
        if call is not None and not may_use(tool, None, call):
            raise self.not_found(name, None, call)
        try:
            return runner_of(tool)
        except SchemaError as error:
            refused = CallError(f"{name} is not available: its definition is refused")
            raise refused from error
        except StoreError as error:
            from .._log import log

            log.error("%s: %s", name, error)
            text = f"{name} is not available: the store of its toolbox cannot be used"
            raise CallError(text) from error

    def _compile(self) -> list[SchemaError]:
        compile_tools(list(self._tools.values()))
        refused: list[SchemaError] = []
        for tool in self._tools.values():
            try:
                tool.compile()
            except SchemaError as error:
                refused.append(error)
        return refused

    def _own_name(self, name: str) -> str:
        tool_name = self._published.get(name)
        if tool_name is None:
            raise ToolNotFound(name, hint=did_you_mean(name, self._tools))
        return tool_name

    def forget(self) -> None:
        """Compile every tool again when next needed."""
        for tool in self._tools.values():
            forget_compiled(tool)
        self._changed()

    def _changed(self) -> None:
        self._listed.clear()
        self._parts.clear()


_Key = tuple[bool, bool, frozenset[str] | None, frozenset[str]]
_NONE: frozenset[str] = frozenset()


def may_use(
    tool: Tool,
    roles: Iterable[str] | None,
    call: Call | None = None,
    *,
    kind: Kind = "tool",
    name: str = "",
) -> bool:
    """Return whether a caller with these roles may use a tool; None means the author.

    The tool's predicate is asked only about a `call`, which is made for this purpose.
    """
    tool_roles = tool.options.roles
    if roles is not None and tool_roles and frozenset(tool_roles).isdisjoint(roles):
        return False
    enabled = tool.options.enabled
    if call is None or not isinstance(enabled, Predicate):
        return True
    call.kind, call.tool = kind, name or tool.name
    return enabled.holds(call, call.tool)


def _list_of(tools: Iterable[bytes]) -> bytes:
    """Write tools as one list, piece by piece: pieces and list are never all in memory at once."""
    buffer = BytesIO()
    before = b'{"tools":['
    for tool in tools:
        buffer.write(before)
        buffer.write(tool)
        before = b","
    buffer.write(b"]}" if before == b"," else before + b"]}")
    return buffer.getvalue()


def matches(name: str | tuple[str, ...], patterns: str | Sequence[str]) -> bool:
    """Return whether a name matches a pattern, or one of several and no `!pattern`.

    If one thing has several names, any of them may match.
    """
    names = (name,) if isinstance(name, str) else name
    all_patterns = [patterns] if isinstance(patterns, str) else list(patterns)
    included = [pattern for pattern in all_patterns if not pattern.startswith("!")]
    refused = [pattern[1:] for pattern in all_patterns if pattern.startswith("!")]

    def fits(pattern: str) -> bool:
        return any(fnmatchcase(candidate, pattern) for candidate in names)

    return (not included or any(map(fits, included))) and not any(map(fits, refused))
