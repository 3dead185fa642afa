"""MCP clients: where each keeps its servers, and how entries look."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..usage import UsageError


class KnownClient(NamedTuple):
    """An MCP client, and the form of its settings file."""

    name: str
    title: str
    key: str
    """The key of the object that holds the servers."""
    file: tuple[str, ...]
    """The path of its file, relative to the folder that `place` names."""
    place: str
    """`config` (where programs keep their settings) or `home`."""
    project: tuple[str, ...] = ()
    """The path of a project's own file; empty if the client has no such file."""
    says_type: bool = False
    """Whether an entry names its transport (`type`)."""
    takes_url: bool = True
    afterwards: str = ""

    def path(self, *, project: bool) -> Path:
        """Return the path of its file. Raises `UsageError` if it has none for a project."""
        if project:
            if not self.project:
                raise UsageError(f"{self.title} has no file for a project: leave --project out")
            return Path.cwd().joinpath(*self.project)
        return (_config() if self.place == "config" else Path.home()).joinpath(*self.file)

    def entry(self, command: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of a server that the client starts on this machine."""
        entry: dict[str, Any] = {"type": "stdio"} if self.says_type else {}
        entry |= {"command": command[0], "args": list(command[1:])}
        if env:
            entry["env"] = dict(env)
        return entry

    def remote(self, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of a server at a URL. Raises `UsageError`."""
        if not self.takes_url:
            raise UsageError(
                f"{self.title} takes servers at a URL in its settings only, under Connectors"
            )
        entry: dict[str, Any] = {"type": "http"} if self.says_type else {}
        entry["url"] = url
        if headers:
            entry["headers"] = dict(headers)
        return entry


_DESKTOP = ("Claude", "claude_desktop_config.json")
CLIENTS = {
    client.name: client
    for client in (
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
    client = CLIENTS.get(name.lower())
    if client is None:
        known = ", ".join([*CLIENTS, "generic"])
        raise UsageError(f"there is no client `{name}`; there are {known}")
    return client


def _config() -> Path:
    """Return the folder where Claude Desktop and VS Code look for their settings.

    Not `platformdirs`: on macOS it follows `XDG_CONFIG_HOME`, which they do not
    (docs/decisions/0014-libraries.md).
    """
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def is_ours(entry: Any) -> bool:
    """Return whether an entry was written by `install`."""
    if not isinstance(entry, dict):
        return False
    args: Any = entry.get("args")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(args, list) and args[:3] == ["-m", "toolwright", "serve"]
