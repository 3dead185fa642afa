"""The programs that start servers by themselves: where their files are, and what stands there."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..usage import UsageError


class KnownClient(NamedTuple):
    """One client, and how its file is written."""

    name: str
    title: str
    key: str
    """What the servers stand under."""
    file: tuple[str, ...]
    """Where its file is, from the folder that `place` names."""
    place: str
    """`config` (where programs keep their settings) or `home`."""
    project: tuple[str, ...] = ()
    """Where the file of a project is; none if it has no such."""
    says_type: bool = False
    """Whether an entry says over what the server talks."""
    takes_url: bool = True
    afterwards: str = ""

    def path(self, *, project: bool) -> Path:
        """Return its file. Raises `UsageError` if there is none for a project."""
        if project:
            if not self.project:
                raise UsageError(f"{self.title} has no file for a project: leave --project out")
            return Path.cwd().joinpath(*self.project)
        return (_config() if self.place == "config" else Path.home()).joinpath(*self.file)

    def entry(self, command: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
        """Return what stands for a server that is started here."""
        made: dict[str, Any] = {"type": "stdio"} if self.says_type else {}
        made |= {"command": command[0], "args": list(command[1:])}
        if env:
            made["env"] = dict(env)
        return made

    def remote(self, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """Return what stands for a server elsewhere. Raises `UsageError`."""
        if not self.takes_url:
            raise UsageError(
                f"{self.title} takes servers at a URL in its settings only, under Connectors"
            )
        made: dict[str, Any] = {"type": "http"} if self.says_type else {}
        made["url"] = url
        if headers:
            made["headers"] = dict(headers)
        return made


_DESKTOP = ("Claude", "claude_desktop_config.json")
CLIENTS = {
    each.name: each
    for each in (
        KnownClient(
            "claude-desktop",
            "Claude Desktop",
            "mcpServers",
            _DESKTOP,
            "config",
            takes_url=False,
            afterwards="quit Claude Desktop and start it again",
        ),
        KnownClient(
            "claude-code",
            "Claude Code",
            "mcpServers",
            (".claude.json",),
            "home",
            project=(".mcp.json",),
            says_type=True,
            afterwards="`/mcp` in Claude Code shows it",
        ),
        KnownClient(
            "cursor",
            "Cursor",
            "mcpServers",
            (".cursor", "mcp.json"),
            "home",
            project=(".cursor", "mcp.json"),
            afterwards="switch it on in Cursor's settings, under MCP",
        ),
        KnownClient(
            "vscode",
            "VS Code",
            "servers",
            ("Code", "User", "mcp.json"),
            "config",
            project=(".vscode", "mcp.json"),
            says_type=True,
            afterwards="`MCP: List Servers` in VS Code starts it",
        ),
    )
}
GENERIC = KnownClient("generic", "any other client", "mcpServers", (), "home")
"""Nothing is written for it: the entry is printed."""


def client_named(name: str) -> KnownClient:
    """Return a client by its name. Raises `UsageError`."""
    if name == "generic":
        return GENERIC
    found = CLIENTS.get(name.lower())
    if found is None:
        known = ", ".join([*CLIENTS, "generic"])
        raise UsageError(f"there is no client `{name}`; there are {known}")
    return found


def _config() -> Path:
    """Return the folder where Claude Desktop and VS Code look for their settings.

    Not `platformdirs`: on macOS it goes by `XDG_CONFIG_HOME`, which they do not
    (docs/decisions/0014-libraries.md).
    """
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def is_ours(entry: Any) -> bool:
    """Tell whether an entry was written by `install`."""
    if not isinstance(entry, dict):
        return False
    args: Any = entry.get("args")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(args, list) and args[:3] == ["-m", "toolwright", "serve"]
