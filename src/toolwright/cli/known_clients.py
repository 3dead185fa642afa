"""MCP clients: where each keeps its servers, and how entries look."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .._words import one_line
from . import jsonc
from .settings_file import SettingsFile
from .usage import UsageError

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_MOST_YAML = 1_000_000
"""Characters; nobody has settings this long, and PyYAML would take seconds to read them."""


class KnownClient(NamedTuple):
    """An MCP client, and the form of its settings file."""

    name: str
    title: str
    key: str
    """The key of the object that holds the servers."""
    file: tuple[str, ...]
    """The path of its file, relative to the folder that `place` names."""
    place: str
    """`config` (where programs keep their settings), `goose` or `home`."""
    project: tuple[str, ...] = ()
    """The path of a project's own file; empty if the client has no such file."""
    types: tuple[str, str] = ("", "")
    """The names of the transport in an entry: for a command, and for a URL."""
    command: str = "command"
    env: str = "env"
    url: str = "url"
    """The keys of an entry; with an empty `url`, the client takes no server that runs elsewhere."""
    more: Mapping[str, Any] = {}
    """What every entry has in addition; an empty text stands for the name of the server."""
    is_yaml: bool = False
    """Whether its file is YAML: that is not edited, the entry is printed."""
    afterwards: str = ""

    def path(self, *, project: bool) -> Path:
        """Return the path of its file. Raises `UsageError` if it has none for a project."""
        if project:
            if not self.project:
                raise UsageError(f"{self.title} has no file for a project: leave --project out")
            return Path.cwd().joinpath(*self.project)
        return _PLACES[self.place]().joinpath(*self.file)

    def entry(self, name: str, command: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of a server that the client starts on this machine."""
        entry = self._begun(name, self.types[0])
        entry |= {self.command: command[0], "args": list(command[1:])}
        if env:
            entry[self.env] = dict(env)
        return entry

    def servers(self, path: Path) -> Mapping[str, Any]:
        """Return the servers in a file of this client. Raises `UsageError` if it cannot be read."""
        return SettingsFile(path, _read_yaml if self.is_yaml else jsonc.read).members(self.key)

    def yaml(self, name: str, entry: Mapping[str, Any]) -> str:
        """Return the lines for its YAML file; each value is JSON, which YAML takes."""
        lines = [f"    {key}: {_yaml(value)}" for key, value in entry.items()]
        return "\n".join([f"{self.key}:", f"  {_yaml(name)}:", *lines])

    def remote(self, name: str, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of a server at a URL. Raises `UsageError`."""
        if not self.url:
            raise UsageError(
                f"{self.title} takes servers at a URL in its settings only, under Connectors"
            )
        entry = self._begun(name, self.types[1])
        entry[self.url] = url
        if headers:
            entry["headers"] = dict(headers)
        return entry

    def _begun(self, name: str, kind: str) -> dict[str, Any]:
        entry: dict[str, Any] = {key: value or name for key, value in self.more.items()}
        return {**entry, "type": kind} if kind else entry


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
            url="",
            afterwards="quit Claude Desktop and start it again",
        ),
        KnownClient(
            "claude-code",
            "Claude Code",
            "mcpServers",
            (".claude.json",),
            "home",
            project=(".mcp.json",),
            types=("stdio", "http"),
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
            types=("stdio", "http"),
            afterwards="`MCP: List Servers` in VS Code starts it",
        ),
        KnownClient(
            "gemini-cli",
            "Gemini CLI",
            "mcpServers",
            (".gemini", "settings.json"),
            "home",
            project=(".gemini", "settings.json"),
            url="httpUrl",  # `url` is for the older transport there
            afterwards="`/mcp` in Gemini CLI shows it, in a folder that you trust there",
        ),
        KnownClient(
            "goose",
            "goose",
            "extensions",
            ("config.yaml",),
            "goose",
            types=("stdio", "streamable_http"),
            command="cmd",
            env="envs",
            url="uri",
            # Without a description, goose skips a server at a URL (its `ExtensionConfig`).
            more={"name": "", "description": "", "enabled": True, "timeout": 300},
            is_yaml=True,
            afterwards="start a new session in goose",
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
        names = ", ".join([*CLIENTS, "generic"])
        raise UsageError(f"there is no client `{name}`; there are {names}")
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


def _goose() -> Path:
    """Return the folder of goose: on macOS as on Linux, with `XDG_CONFIG_HOME`."""
    if sys.platform == "win32":
        return _config().joinpath("Block", "goose", "config")
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "goose"


def _read_yaml(text: str) -> Any:
    """Return the value of a document; one with nothing in it is an empty mapping."""
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        raise UsageError(
            "these settings are YAML, which needs PyYAML: pip install 'toolwright[yaml]'"
        ) from None
    try:
        return yaml.safe_load(text[:_MOST_YAML]) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        msg = f"it is not YAML: {one_line(str(error), 200)}"
        raise ValueError(msg) from None


def _yaml(value: Any) -> str:
    """Return JSON that means the same in YAML, which takes some characters only as escapes."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


_PLACES = {"config": _config, "goose": _goose, "home": Path.home}


def is_ours(entry: Any) -> bool:
    """Return whether an entry was written by `install`."""
    if not isinstance(entry, dict):
        return False
    args: Any = entry.get("args")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(args, list) and args[:3] == ["-m", "toolwright", "serve"]
