"""Who may use which tool: agents and roles of the configuration."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ..._words import did_you_mean
from ..findings import Severity
from ..registry import Found, check
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
