"""Who gets the tools: agents, roles, clients and providers."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from ..._words import did_you_mean
from ...dialects import DIALECTS, Loss, render
from ..findings import Finding, Found, Severity, check, first_of
from ..subjects import CheckedTool, CheckedToolbox


@check(
    "orphan_tool",
    severity=Severity.INFO,
    fix="give it to an agent under `agents` in the settings, or take it out",
    group="access",
)
def orphan_tool(tool: CheckedTool) -> Found:
    """No agent of the configuration has the tool."""
    agents = tool.settings.agents
    if agents is None:
        return
    names = (tool.name, tool.tool.published_name)
    patterns = [pattern for tools in agents.values() for pattern in tools]
    if not any(fnmatchcase(name, pattern) for pattern in patterns for name in names):
        yield tool.finding("is not given to any agent")


@check(
    "unknown_agent_tool",
    fix="correct `agents` in the settings",
    group="access",
    scope="toolbox",
)
def unknown_agent_tool(box: CheckedToolbox) -> Found:
    """An agent of the configuration has a tool that does not exist."""
    names = {name for tool in box for name in (tool.name, tool.tool.published_name)}
    for agent, patterns in (box.settings.agents or {}).items():
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in names):
                hint = did_you_mean(pattern, names, "; {}")
                yield box.finding(
                    f"gives agent `{agent}` the tool `{pattern}`, which does not exist{hint}"
                )


@check(
    "permission_gap",
    fix="correct the role, or add it to `roles` in the settings",
    group="access",
)
def permission_gap(tool: CheckedTool) -> Found:
    """A tool is for a role that nobody has."""
    roles = tool.settings.roles
    if roles is None:
        return
    for role in tool.options.roles:
        if role not in roles:
            hint = did_you_mean(role, roles, "; {}")
            yield tool.finding(f"is for the role `{role}`, which nobody has{hint}")


_STRICT = "-strict"
_USUAL = tuple(each.name for each in DIALECTS.values() if each.wire == "mcp")
"""Clients that get the list of tools as it is: nothing is decoded on the way back."""
_MOST_NAMED = 4


@check(
    "portability",
    fix="write it in another way; `for` in the settings names the clients that matter",
    group="portability",
    scope="toolbox",
)
def portability(box: CheckedToolbox) -> Found:
    """A client or provider cannot take something of a tool as it is."""
    dialects = box.settings.dialects
    severity = Severity.INFO if dialects is None else Severity.WARNING
    lost: dict[Loss, list[str]] = {}
    left_out: dict[str, list[str]] = {}
    tools = [tool.tool for tool in box]
    for name in _USUAL if dialects is None else dialects:
        base = name.removesuffix(_STRICT)
        for loss in render(tools, base, strict=base != name, prefix=box.settings.prefix).losses:
            if loss.keyword == "tools":
                left_out.setdefault(name, []).append(loss.tool)
            else:
                lost.setdefault(loss, []).append(name)
    for name, names in left_out.items():
        text = f"is too large for {name}: {len(names)} of {len(box)} tools are left out"
        yield box.finding(text, severity=severity)
    yield from _findings(box, lost, severity)


def _findings(
    box: CheckedToolbox, lost: dict[Loss, list[str]], severity: Severity
) -> Iterator[Finding]:
    for loss, names in lost.items():
        what = f"`{loss.keyword}` {loss.message}".strip()
        text = f"is not portable to {first_of(names, _MOST_NAMED)}: {what}"
        if loss.tool not in box:
            yield box.finding(text, severity=severity)
            continue
        tool = box[loss.tool]
        parameter = loss.path.partition(".")[0].partition("[")[0]
        parameter = parameter if parameter in tool.properties else ""
        where = f" (at {loss.path})" if loss.path != parameter and loss.path else ""
        yield tool.finding(f"{text}{where}", parameter=parameter, severity=severity)


def unknown_dialect(name: str) -> bool:
    """Return whether no client or provider has this name."""
    return name.removesuffix(_STRICT) not in DIALECTS


def dialect_names() -> Iterator[str]:
    """Yield every name that settings may have."""
    for name in DIALECTS:
        yield name
        yield f"{name}{_STRICT}"
